"""Recovery under EBB: rest, and treating an injury (EBB-HEAL)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible, NotFound, NotPermitted
from rules.core.name_matching import matches, name_key
from rules.systems.ebb.attack import TOOL_MAX
from rules.systems.ebb.procedure import (
    PROPOSAL,
    AnyAttempt,
    Attempt,
    TaskProposal,
    has_pending_effect,
    propose,
)
from rules.systems.ebb.resources import ATTRIBUTE_RESOURCES, RESOURCES, gain_labels
from rules.systems.ebb.sheet import SEVERITIES, EbbSheet, Injury, health_line, injury_line
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.checks.procedure import Stage, StageResult
from rules.table.checks.shared_blocks import health_change
from rules.table.checks.stages import (
    APPROACH_FIELD,
    FREE,
    HIDDEN_BY_GM_FIELD,
    IMPOSSIBLE,
    NOTE_FIELD,
    REST_LABELS,
    with_npc_privacy,
)
from rules.table.forms import Form, FormContext, Many, Option, Pick, Typed
from rules.table.gm_values import replace_entry
from rules.table.permissions import is_gm, owns
from rules.table.resources import restore_points
from rules.table.system import Game

#: The stage in which it does what it does.
HEALING_STAGE: Final = "healed"
REST, SESSION_END = "rest", "session"


def untreated_injuries(sheet: EbbSheet) -> dict[int, Injury]:
    """Injuries that can be treated, by their indices."""
    return {index: injury for index, injury in enumerate(sheet.injuries) if not injury.treated}


def untreated_index(sheet: EbbSheet, text: str) -> int | None:
    """The index of the untreated injury that is meant: by its text or the beginning of it, or the
    only one.
    """
    there = untreated_injuries(sheet)
    if not name_key(text):
        return next(iter(there)) if len(there) == 1 else None
    found = matches(there, text, lambda index: there[index].text)
    return found[0] if len({name_key(there[index].text) for index in found}) == 1 else None


def find_injury(sheet: EbbSheet, text: str) -> str:
    """Return the untreated injury that a text names; empty for the worst of several (EBB-HEAL).

    Raises:
        Impossible("nothing-to-treat"): the sheet has no untreated injury.
        NotFound("unknown-injury"): the sheet has none of that name; the error lists the others.
    """
    known = tuple(each.text[:TOOL_MAX] for each in untreated_injuries(sheet).values())
    if not known:
        raise Impossible("nothing-to-treat")
    found = untreated_index(sheet, text)
    if found is None and not name_key(text):
        return ""  # the worst one by then
    if found is None:
        raise NotFound("unknown-injury", field="injury", value=text[:TOOL_MAX], nearest=known)
    return sheet.injuries[found].text[:TOOL_MAX]


def _injury_options(asking: FormContext) -> tuple[Option, ...]:
    """Those of whoever asks; of somebody else who is treated only where one may read that sheet."""
    game, who = asking.game, asking.who
    if game is None or asking.check is not None or not who:
        return ()
    target = game.state.characters.get(asking.values.get("target", who))
    if target is None:
        return ()
    mine = target.id == who or is_gm(game.state, game.actor) or owns(game.state, game.actor, target)
    there = untreated_injuries(target.sheet).values() if mine else ()
    return tuple(Option(each.text[:TOOL_MAX], injury_line(each, whole=False)) for each in there)


#: Which injury it is comes first: several must not be confused.
TREAT_FORM: Final = Form(
    (Typed("injury", most=TOOL_MAX, choices=_injury_options), *PROPOSAL.fields)
)
#: The ways to rest, the second of which only GMs may say (EBB-HEAL).
_WAYS: Final = tuple(
    Option(each, Text("ebb-heal", {"method": each})) for each in (REST, SESSION_END)
)


def _rest_options(asking: FormContext) -> tuple[Option, ...]:
    game = asking.game
    return _WAYS if game is None or is_gm(game.state, game.actor) else _WAYS[:1]


def _restorable_options(asking: FormContext) -> tuple[Option, ...]:
    """What a rest may give back, by attribute and points: for GMs, since it tells what is lost."""
    game, check = asking.game, asking.check
    who = asking.who if check is None or check.target is None else check.target
    return tuple(
        Option(
            f"{name} {points}", Text("ebb-covers", {"name": name, "points": points, "lost": lost})
        )
        for name, lost in (() if game is None else game.sheet(who).sacrificed)
        for points in range(1, lost + 1)
    )


#: What the rest is long enough for; everything where nothing is said (EBB-HEAL).
COVERS: Final = Many("covers", choices=_restorable_options, hidden_if=HIDDEN_BY_GM_FIELD.hidden_if)
_WAY: Final = Pick("method", choices=_rest_options, find=Pick("method", choices=_WAYS).found)
REST_FORM: Final = Form((_WAY, COVERS, APPROACH_FIELD))


def propose_treatment(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """A treatment as it is proposed: of oneself where nobody is named. Raises as `find_injury`,
    where one may know.
    """
    check = check.replace(target=check.target or check.actor)
    target, tool = game.character(check.target or ""), values.get("injury", "").strip()
    if is_gm(game.state, game.actor) or owns(game.state, game.actor, target):
        tool = find_injury(target.sheet, tool)
    return _propose_recovery(game, check, values, tool=tool)


def propose_rest(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Whoever rests does it to themselves.

    NotPermitted("gm-only") for what only GMs may say, Impossible("nothing-to-heal") where no GM
    needs to be asked.
    """
    method = values.get("method", REST)
    if method == SESSION_END and not is_gm(game.state, game.actor):
        raise NotPermitted("gm-only")
    sheet, gm = game.sheet(check.actor), is_gm(game.state, game.actor)
    if not gm and restore_points(RESOURCES, sheet, "session")[0] == sheet:
        raise Impossible(
            "nothing-to-heal",
            name=game.display_name(check.actor),
            treat=bool(untreated_injuries(sheet)),
        )
    covers = () if method == SESSION_END else values.get("covers", ())
    return _propose_recovery(game, check.replace(target=check.actor), values, covers=covers)


def _propose_recovery(game: Game, check: AnyAttempt, values: Values, **more: Any) -> AnyAttempt:
    return with_npc_privacy(game, propose(game, check, values, **more))


class RestProposal(TaskProposal):
    """A GM says whether there is time, and for what, and need not ask anybody (EBB-HEAL)."""

    word = Form((COVERS, NOTE_FIELD))
    labels = REST_LABELS

    def __init__(self) -> None:
        super().__init__(HEALING_STAGE, Form((APPROACH_FIELD,)), FREE, IMPOSSIBLE)

    def apply_ruling(
        self, game: Game, check: AnyAttempt, answer: str, values: Values
    ) -> StageResult[Attempt]:
        made = super().apply_ruling(game, check, answer, values)
        return made.replace(data=made.data.replace(covers=values.get("covers", ())))


def _apply_rest(
    sheet: EbbSheet, covers: tuple[str, ...]
) -> tuple[EbbSheet, tuple[tuple[str, int], ...]]:
    """The sheet after a rest, and what came back; of two numbers for one attribute the higher."""
    if not covers:
        return restore_points(RESOURCES, sheet, "session")
    back: list[tuple[str, int]] = []
    for name, lost in sheet.sacrificed:
        said = [
            int(points)
            for each, _, points in (word.rpartition(" ") for word in covers)
            if each == name
        ]
        if points := min(max(said, default=0), lost):
            sheet = ATTRIBUTE_RESOURCES[name].with_value(
                sheet, ATTRIBUTE_RESOURCES[name].of(sheet) + points
            )
            back.append((name, points))
    return sheet, tuple(back)


class Healing(Stage[Attempt]):
    """Effect of rest, or of a treatment that worked, on the injury that the healer has named.

    If none is named, or none of that name is left, the worst injury is treated (EBB-HEAL).
    """

    name = HEALING_STAGE

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Attempt] | None:
        data, who = check.data, check.target or ""
        if not has_pending_effect(game, check):
            return self._record_failure(game, check)
        before = sheet = game.sheet(who)
        if check.kind == "rest":
            sheet, back = _apply_rest(sheet, data.covers)
            health = health_change(health_line(before), health_line(sheet))
            came = Text("ebb-rested", {"values": gain_labels(back), **health})
            return StageResult(game.with_sheet(who, sheet).state, data.replace(came=came))
        found = untreated_index(sheet, data.tool)
        if found is not None:
            return treat_injury(game, check, found)
        worst = worst_index(sheet)
        made = treat_injury(game, check, worst)
        if worst is None:
            return made
        treated = sheet.injuries[worst].replace(treated=True)
        return made.replace(data=made.data.replace(treated=treated, veiled=True))

    def _record_failure(self, game: Game, check: AnyAttempt) -> StageResult[Attempt] | None:
        """Keep how the patient is after a treatment that failed; None if there is nothing to keep.

        The message says so, and it must not change when the patient's health does.
        """
        failed = check.kind == "treat" and check.data.is_rolled and not check.data.has_succeeded()
        if not failed or check.data.came is not None or check.target not in game.state.characters:
            return None
        health = health_line(game.sheet(check.target or ""))
        came = Text("ebb-treated", {"failed": True, **health_change(health, health)})
        return StageResult(game.state, check.data.replace(came=came))


def worst_index(sheet: EbbSheet) -> int | None:
    """Return the index of the worst untreated injury, the oldest of several; None without one."""
    there = untreated_injuries(sheet)
    return max(there, key=lambda index: SEVERITIES.index(there[index].severity), default=None)


def treat_injury(game: Game, check: AnyAttempt, index: int | None) -> StageResult[Attempt]:
    """Treat one of the target's injuries; None: what it does is for the GM to say."""
    who, text = check.target or "", None
    before = health_line(game.sheet(who))
    if index is not None:
        had = game.sheet(who).injuries
        text = had[index].text
        healed = replace_entry(had, index, had[index].replace(treated=True))
        game = game.with_sheet(who, game.sheet(who).replace(injuries=healed))
    health = health_change(before, health_line(game.sheet(who)))
    came = Text("ebb-treated", {"text": text, **health, "treated": text is not None})
    return StageResult(game.state, check.data.replace(came=came))

"""Recovery under EBB: rest, and treatment of an injury (EBB-HEAL)."""

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
from rules.table.forms.fields import FormContext, Many, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.gm_values import replace_entry
from rules.table.permissions import is_gm, owns
from rules.table.resources import restore_points
from rules.table.system import Game

#: Name of the stage in which a rest or treatment takes effect.
HEALING_STAGE: Final = "healed"
REST, SESSION_END = "rest", "session"


def untreated_injuries(sheet: EbbSheet) -> dict[int, Injury]:
    """Return the injuries that can be treated, by their indexes."""
    return {index: injury for index, injury in enumerate(sheet.injuries) if not injury.treated}


def untreated_index(sheet: EbbSheet, text: str) -> int | None:
    """Return the index of the untreated injury that a text means, by its text or a beginning of it.

    An empty text means the only one. Returns None if none or several fit.
    """
    untreated = untreated_injuries(sheet)
    if not name_key(text):
        return next(iter(untreated)) if len(untreated) == 1 else None
    fitting = matches(untreated, text, lambda index: untreated[index].text)
    texts = {name_key(untreated[index].text) for index in fitting}
    return fitting[0] if len(texts) == 1 else None


def find_injury(sheet: EbbSheet, text: str) -> str:
    """Return the untreated injury that a text names; empty for the worst of several (EBB-HEAL).

    Raises:
        Impossible("nothing-to-treat"): the sheet has no untreated injury.
        NotFound("unknown-injury"): the sheet has none of that name; the error lists the others.
    """
    known = tuple(injury.text[:TOOL_MAX] for injury in untreated_injuries(sheet).values())
    if not known:
        raise Impossible("nothing-to-treat")
    index = untreated_index(sheet, text)
    if index is None and not name_key(text):
        return ""  # the worst injury at the time of the treatment
    if index is None:
        raise NotFound("unknown-injury", field="injury", value=text[:TOOL_MAX], nearest=known)
    return sheet.injuries[index].text[:TOOL_MAX]


def _injury_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the untreated injuries of the target, if the asking participant may read the sheet."""
    game, who = asking.game, asking.who
    if game is None or asking.check is not None or not who:
        return ()
    target = game.state.characters.get(asking.values.get("target", who))
    if target is None:
        return ()
    mine = target.id == who or is_gm(game.state, game.actor) or owns(game.state, game.actor, target)
    if not mine:
        return ()
    return tuple(
        Option(injury.text[:TOOL_MAX], injury_line(injury, whole=False))
        for injury in untreated_injuries(target.sheet).values()
    )


#: Form of a treatment. The injury comes first, since several must not be confused.
TREAT_FORM: Final = Form(
    (Typed("injury", most=TOOL_MAX, choices=_injury_options), *PROPOSAL.fields)
)
#: Ways to rest; only GMs may choose the second (EBB-HEAL).
_WAYS: Final = tuple(
    Option(method, Text("ebb-heal", {"method": method})) for method in (REST, SESSION_END)
)


def _rest_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the ways to rest that the participant may choose."""
    game = asking.game
    return _WAYS if game is None or is_gm(game.state, game.actor) else _WAYS[:1]


def _restorable_options(asking: FormContext) -> tuple[Option, ...]:
    """Return what a rest may restore, by attribute and points.

    The options are for GMs, since they reveal what is lost.
    """
    game, check = asking.game, asking.check
    if game is None:
        return ()
    who = asking.who if check is None or check.target is None else check.target
    options: list[Option] = []
    for name, lost in game.sheet(who).sacrificed:
        for points in range(1, lost + 1):
            label = Text("ebb-covers", {"name": name, "points": points, "lost": lost})
            options.append(Option(f"{name} {points}", label))
    return tuple(options)


#: Points that a rest is long enough for; all if empty (EBB-HEAL).
COVERS: Final = Many("covers", choices=_restorable_options, hidden_if=HIDDEN_BY_GM_FIELD.hidden_if)
_WAY: Final = Pick("method", choices=_rest_options, find=Pick("method", choices=_WAYS).find_value)
REST_FORM: Final = Form((_WAY, COVERS, APPROACH_FIELD))


def propose_treatment(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Return a treatment as it is proposed; the target is the actor by default.

    Raises as `find_injury`, if the participant may know the target's injuries.
    """
    check = check.replace(target=check.target or check.actor)
    target, tool = game.character(check.target or ""), values.get("injury", "").strip()
    if is_gm(game.state, game.actor) or owns(game.state, game.actor, target):
        tool = find_injury(target.sheet, tool)
    return _propose_recovery(game, check, values, tool=tool)


def propose_rest(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Return a rest as it is proposed; the target is the actor.

    Raises NotPermitted("gm-only") for the end of a session, and Impossible("nothing-to-heal") if a
    player's character has lost nothing.
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
    """Return a rest or treatment as it is proposed; an NPC's is private."""
    return with_npc_privacy(game, propose(game, check, values, **more))


class RestProposal(TaskProposal):
    """Stage in which a GM answers whether there is time for a rest, and for what (EBB-HEAL)."""

    word = Form((COVERS, NOTE_FIELD))
    labels = REST_LABELS

    def __init__(self) -> None:
        super().__init__(HEALING_STAGE, Form((APPROACH_FIELD,)), FREE, IMPOSSIBLE)

    def apply_ruling(
        self, game: Game, check: AnyAttempt, answer: str, values: Values
    ) -> StageResult[Attempt]:
        result = super().apply_ruling(game, check, answer, values)
        return result.replace(data=result.data.replace(covers=values.get("covers", ())))


def _apply_rest(
    sheet: EbbSheet, covers: tuple[str, ...]
) -> tuple[EbbSheet, tuple[tuple[str, int], ...]]:
    """Return the sheet after a rest, and the restored points by attribute.

    *covers* are attributes with points; of two entries for one attribute the higher counts.
    """
    if not covers:
        return restore_points(RESOURCES, sheet, "session")
    covered: dict[str, int] = {}
    for entry in covers:
        name, _, points = entry.rpartition(" ")
        covered[name] = max(covered.get(name, 0), int(points))
    gains: list[tuple[str, int]] = []
    for name, lost in sheet.sacrificed:
        gain = min(covered.get(name, 0), lost)
        if gain:
            resource = ATTRIBUTE_RESOURCES[name]
            sheet = resource.with_value(sheet, resource.of(sheet) + gain)
            gains.append((name, gain))
    return sheet, tuple(gains)


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
            sheet, gains = _apply_rest(sheet, data.covers)
            health = health_change(health_line(before), health_line(sheet))
            consequences = Text("ebb-rested", {"values": gain_labels(gains), **health})
            return StageResult(
                game.with_sheet(who, sheet).state, data.replace(consequences=consequences)
            )
        index = untreated_index(sheet, data.tool)
        if index is not None:
            return treat_injury(game, check, index)
        worst = worst_index(sheet)
        result = treat_injury(game, check, worst)
        if worst is None:
            return result
        treated = sheet.injuries[worst].replace(treated=True)
        return result.replace(data=result.data.replace(treated=treated, veiled=True))

    def _record_failure(self, game: Game, check: AnyAttempt) -> StageResult[Attempt] | None:
        """Keep how the patient is after a treatment that failed; None if there is nothing to keep.

        The message says so, and it must not change when the patient's health does.
        """
        failed = check.kind == "treat" and check.data.is_rolled and not check.data.has_succeeded()
        if (
            not failed
            or check.data.consequences is not None
            or check.target not in game.state.characters
        ):
            return None
        health = health_line(game.sheet(check.target or ""))
        consequences = Text("ebb-treated", {"failed": True, **health_change(health, health)})
        return StageResult(game.state, check.data.replace(consequences=consequences))


def worst_index(sheet: EbbSheet) -> int | None:
    """Return the index of the worst untreated injury, the oldest of several; None without one."""
    untreated = untreated_injuries(sheet)
    return max(
        untreated, key=lambda index: SEVERITIES.index(untreated[index].severity), default=None
    )


def treat_injury(game: Game, check: AnyAttempt, index: int | None) -> StageResult[Attempt]:
    """Treat one of the target's injuries; for None the GM says what the treatment does."""
    who = check.target or ""
    text: str | None = None
    before = health_line(game.sheet(who))
    if index is not None:
        injuries = game.sheet(who).injuries
        text = injuries[index].text
        treated = replace_entry(injuries, index, injuries[index].replace(treated=True))
        game = game.with_sheet(who, game.sheet(who).replace(injuries=treated))
    health = health_change(before, health_line(game.sheet(who)))
    consequences = Text("ebb-treated", {"text": text, **health, "treated": text is not None})
    return StageResult(game.state, check.data.replace(consequences=consequences))

"""`/mb defend`: an active defense declared on the defender's own turn (MB-CMB-03)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import name_key, similar_names
from rules.systems.masterbook.checks import action_commands, action_economy
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.forced_rolls import CheckOutcome, outcome_stage, procedure
from rules.systems.masterbook.checks.procedure import AttemptAction, never_reads_result
from rules.systems.masterbook.checks.roll_sources import RollSource, source_rating
from rules.systems.masterbook.checks.state import AnyAttempt, Attempt, Plan, Rating
from rules.systems.masterbook.checks.view import describe
from rules.systems.masterbook.combat import attack_sides, resolution
from rules.systems.masterbook.formulas import attack_options
from rules.table.blocks import Block, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks.procedure import DEFEND_BUTTON
from rules.table.checks.stages import APPROACH_FIELD, ROLL, find_or_none, with_npc_privacy
from rules.table.commands import AS_FIELD, CheckStart, check_starter
from rules.table.forms.fields import FormContext, Option, Pick
from rules.table.forms.form import Form
from rules.table.lookup import acting_character
from rules.table.marks import mark_total, marks_of
from rules.table.system import Game, is_npc

#: Uses of attacks, the most usual first; each is met with a defense of its own.
USES: Final = ("hand", "fire", "missile")


def defenses_of(game: Game, who: str) -> tuple[RollSource, ...]:
    """Return the skills that a character can defend with (MB-CMB-04)."""
    defenses = [attack_sides.best_defense(game, who, use, ()) for use in USES]
    return tuple({source.name: source for source in defenses}.values())


def defense_rating(game: Game, who: str, source: RollSource, *, acting: bool) -> Rating:
    """Return the rating of an active defense, less a lowered guard (MB-DIE-07).

    While *acting*, the multi-action penalty of the round counts. Raises as `turns_of`.
    """
    guard = mark_total(game.state, who, action_economy.GUARD)
    causes = [(action_economy.GUARD, guard)] if guard else []
    if acting:
        causes += action_economy.turns_of(game, who)
    floor = attack_options.active_defense_floor(source.focus.casefold())
    return source_rating(game, who, source).with_causes(*causes).with_floor(floor)


def _find_defense(game: Game, who: str, text: str) -> RollSource:
    """Return the defense of a name, or the usual one. Raises InvalidInput("mb-not-a-defense")."""
    defenses = defenses_of(game, who)
    if not text:
        return defenses[0]
    key = name_key(text)
    for source in defenses:
        if key in (name_key(source.name), name_key(source.skill)):
            return source
    names = tuple(source.name for source in defenses)
    near = similar_names(text, names)
    raise InvalidInput(
        "mb-not-a-defense", field="skill", value=text[:100], allowed=names, nearest=near
    )


def _require_defense(game: Game, who: str, source: RollSource) -> None:
    """Refuse a defense that a character cannot declare now.

    Raises:
        Impossible("mb-no-rounds-here") outside rounds,
        Impossible("mb-defend-when-attacked") before the character's own turn,
        Impossible("mb-no-active-defense") after an all-out attack or for the surprised,
        Impossible("mb-defends-already") while a defense with that skill stands.
    """
    character = game.character(who)
    action_economy.require_turn(game, character)
    if action_economy.round_of(game, who) is None:
        raise Impossible("mb-no-rounds-here", name=character.name)
    if not action_economy.is_own_action(game, who):
        raise Impossible("mb-defend-when-attacked", name=character.name)
    surprised = marks_of(game.state, who, action_economy.SURPRISED, resolution.COMPLETE)
    why = action_economy.no_defense_reason(game, who, surprised=bool(surprised))
    if why and why != "acted":
        raise Impossible("mb-no-active-defense", why=why)
    if marks_of(game.state, who, action_economy.ACTIVE_DEFENSE, source.name):
        raise Impossible("mb-defends-already", name=character.name, skill=source.name)


def _refresh(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """Return the data with the rating by the present sheet. Raises as `turns_of`."""
    source = _find_defense(game, check.actor, data.request.skill)
    return data.replace(mine=defense_rating(game, check.actor, source, acting=True))


def _begin(game: Game, check: AnyAttempt, given: Values) -> AnyAttempt:
    """Begin the check. Raises as `_find_defense`, `_require_defense` and `turns_of`."""
    source = _find_defense(game, check.actor, given.get("skill", ""))
    _require_defense(game, check.actor, source)
    plan = Plan(skill=source.name, stand="active")
    data = check.data.replace(request=plan, answer=ROLL)
    approach = given.get(APPROACH_FIELD.key, "").strip()
    check = check.replace(data=_refresh(game, check, data), approach=approach)
    return with_npc_privacy(game, check)


def _stands(game: Game, check: Check[Any]) -> CheckOutcome:
    """Let the total stand for its skill until the round ends (MB-CMB-03)."""
    throw = check.data.throw_of()
    if throw is None or check.round is None:
        return game, ()
    who, skill = check.actor, check.data.request.skill
    return action_economy.with_active_defense(game, who, skill, throw.total, by=check.id), ()


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of the check, with the defense that stands as the verdict."""
    throw, blocks = check.data.throw_of(), describe(game, check)
    if throw is None:
        return blocks
    text = Text("mb-defense-stands", {"total": throw.total, "stands": check.data.over})
    shown: list[Block] = []
    for block in blocks:
        shown.append(block.replace(text=text) if isinstance(block, Verdict) else block)
    return tuple(shown)


def _skill_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the acting character's defenses, with their values."""
    if asking.game is None or not asking.subject:
        return ()
    options: list[Option] = []
    for source in defenses_of(asking.game, asking.subject):
        about = {"name": source.name, "value": source.value(asking.sheet)}
        options.append(Option(source.name, Text("mb-skill", about)))
    return tuple(options)


_SKILL: Final = Pick(
    "skill",
    choices=_skill_options,
    find=find_or_none(lambda asking, text: _find_defense(asking.game, asking.subject, text).name),
)
FORM: Final = Form((_SKILL, APPROACH_FIELD))
#: Stages of the roll, without the one for missing training.
_ROLL: Final = AttemptAction(_refresh, reads=never_reads_result, hostile=False).stages(
    reading=False
)[1:]
PROCEDURE: Final = procedure(
    action_economy.DEFENSE_KIND,
    (*_ROLL, outcome_stage(_stands), BadLuckStage()),
    data=Attempt,
    button=DEFEND_BUTTON,
    form=FORM,
    begin=_begin,
    describe=_describe,
)


def _start(game: Game, given: Values) -> CheckStart:
    """Begin a defense. Only GMs read that of an NPC."""
    who = acting_character(game.state, game.actor, given.get("as"))
    start = check_starter(action_economy.DEFENSE_KIND)(game, given)
    return start.replace(openly=False) if is_npc(game, who.id) else start


COMMANDS: Final = (
    action_commands.command(action_economy.DEFENSE_KIND, _start, *FORM.fields, AS_FIELD),
)

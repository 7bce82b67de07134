"""`/mb background heel`: an Achilles' Heel is met (MB-BG-40).

An allergy takes an Endurance roll each round, a soaking hurts by itself: both are checks. Freezing
before firearms and panic near water are marks. The rest is the GM's to play.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from rules.core.errors import InvalidInput
from rules.systems.masterbook.background.completions import WHO_NEEDED, heels_of, option_choices
from rules.systems.masterbook.background.quirks import QuirkAction
from rules.systems.masterbook.background.state import NAME_MOST, find_option, option_name
from rules.systems.masterbook.character.options import PATTERN, BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_commands import command, openly_about
from rules.systems.masterbook.checks.action_economy import (
    ref,
    require_awake,
    round_of,
    spend_action,
)
from rules.systems.masterbook.checks.background_memory import FROZEN, PANIC
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.damage_reduction import DamageReductionStage
from rules.systems.masterbook.checks.forced_rolls import (
    CheckOutcome,
    outcome_stage,
    procedure,
    with_forced_roll,
)
from rules.systems.masterbook.checks.procedure import never_reads_result
from rules.systems.masterbook.checks.sheet_damage import condition_after, damage_character
from rules.systems.masterbook.checks.state import AnyAttempt, Attempt, Blow, Plan
from rules.systems.masterbook.checks.view import damage_text, describe, lowered_notes
from rules.systems.masterbook.formulas import damage
from rules.systems.masterbook.formulas.background import (
    EXPOSURE_DIFFICULTY,
    EXPOSURE_WOUNDS,
    FROZEN_BONUS,
    exposure_wounds,
    panic_difficulty,
)
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Block, Note, Ref, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks.procedure import Procedure, StageResult
from rules.table.checks.shared_blocks import dice_viewers
from rules.table.checks.stages import APPROACH_FIELD, with_npc_privacy
from rules.table.commands import CheckStart, CommandResult
from rules.table.deeds import Deed
from rules.table.forms.fields import Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.marks import with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reports import report_outcome
from rules.table.state import Mark
from rules.table.system import Game, is_npc

KIND: Final = "exposure"
#: Patterns of heels.
ALLERGY: Final = "allergy"
SOAKING: Final = "water-harm"
FIREARMS: Final = "firearms"
WATER: Final = "water-panic"
#: Patterns that may hurt at once.
_HARMFUL: Final = (ALLERGY, SOAKING)


class HeelExposure(Attempt):
    """A heel that may hurt."""

    #: Name of the heel.
    heel: str = ""
    pattern: str = ""
    #: Damage of the exposure.
    blows: tuple[Blow, ...] = ()


def find_heel(sheet: MasterbookSheet, text: str | None, name: str) -> BackgroundOption:
    """Return the Achilles' Heel that a text names. Raises as `find_option`."""
    return find_option(heels_of(sheet), text, field="heel", name=name)


def _begin_exposure(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Return the check of a heel that may hurt.

    Raises NotPermitted("gm-only"), InvalidInput("mb-heel-harmless"), and as `find_heel`,
    `require_awake` and `with_forced_roll`.
    """
    require_gm(game.state, game.actor)
    who = check.actor
    heel = find_heel(game.sheet(who), values.get("heel"), game.display_name(who))
    pattern, name = heel.note(PATTERN), option_name(heel)
    if pattern not in _HARMFUL:
        raise InvalidInput("mb-heel-harmless", field="heel", value=name)
    data: Any = check.data
    exposure: Any = check.replace(data=data.replace(free=True, heel=name, pattern=pattern))
    if pattern == ALLERGY:
        require_awake(game, who)
        plan = Plan(attribute="endurance")
        exposure = with_forced_roll(game, exposure, plan, EXPOSURE_DIFFICULTY, values)
    return with_npc_privacy(game, exposure.replace(hidden=is_npc(game, who)))


class ExposureAction(QuirkAction):
    """The Endurance roll of an allergy; a soaking has none. It costs the action of the round."""

    def refresh_from_sheets(self, game: Game, check: AnyAttempt, data: Any) -> Any:
        if data.pattern != ALLERGY:
            return data
        return super().refresh_from_sheets(game, check, data)

    def throws_due(self, game: Game, check: Check[Any]) -> tuple[Throw, ...]:
        if check.data.pattern != ALLERGY:
            return ()
        return super().throws_due(game, check)

    def rolls_tens(self, check: AnyAttempt) -> bool:
        return True

    def use_up_effects(self, game: Game, check: Check[Any]) -> Game:
        if check.data.pattern != ALLERGY or round_of(game, check.actor) is None:
            return game
        return spend_action(game, check.actor)


# `AutomaticStage` stores the name of this function in checks: a new name refuses old databases.
def _exposed(game: Game, check: Check[Any]) -> StageResult[Any] | None:
    """Set the damage of the exposure, once."""
    data = check.data
    if data.blows or data.failed:
        return None
    wounds = EXPOSURE_WOUNDS
    if data.result is not None:
        wounds = exposure_wounds(data.result.total)
    blow = Blow(check.actor, KIND, damage=Damage(wounds=wounds))
    return StageResult(game.state, data.replace(blows=(blow,)))


def _apply_damage(game: Game, check: Check[Any]) -> CheckOutcome:
    """Apply the damage that Life Points and cards have left, and return what it does."""
    game, facts = damage_character(game, check.actor, check.data.blows[0].left)
    return game, facts or (("unhurt", 0),)


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of an exposure; the verdict is the character's condition."""
    data, effect = check.data, _effect_text(game, check)
    blocks: list[Block] = []
    for block in describe(game, check):
        if isinstance(block, Verdict) and not data.failed:
            block = block.replace(what=effect)
        blocks.append(block)
    heads = sum(isinstance(block, Verdict) for block in blocks)
    if not heads and effect is not None:
        head = Text("mb-heel-struck", {"pattern": data.pattern, "fate": effect})
        blocks.insert(0, Verdict(head, "bad", dice_viewers(check)))
        heads = 1
    name = Note(Text("mb-background-name", {"name": data.heel}), FOR_EVERYONE)
    return (*blocks[:heads], name, *blocks[heads:], *lowered_notes(game, check))


def _effect_text(game: Game, check: Check[Any]) -> Text | None:
    """Return the character's condition after the exposure; None before it is known."""
    data, who = check.data, check.actor
    blow = next(iter(data.blows), None)
    if blow is None:
        return None
    end, pending = data.end_of(who), check.is_open and not data.over
    if not end and pending:
        end = condition_after(game, who, blow.left)
    hurt = bool(damage.packages(blow.left))
    shown = damage_text(blow.left) if hurt else None
    about = {"who": Ref(who), "hurt": hurt, "damage": shown, "end": end, "pending": pending}
    return Text("mb-takes", about)


# Endurance needs no training, so the first stage, which waits for it, is left out.
_ROLLING: Final = ExposureAction(reads=never_reads_result, hostile=False).stages(reading=False)[1:]
PROCEDURE: Final = procedure(
    KIND,
    (
        *_ROLLING,
        _exposed,
        DamageReductionStage(),
        outcome_stage(_apply_damage),
        BadLuckStage(),
    ),
    data=HeelExposure,
    form=Form((Typed("heel", most=NAME_MOST), APPROACH_FIELD)),
    begin=_begin_exposure,
    describe=_describe,
    anybody=True,
)
PROCEDURES: Final[tuple[Procedure[Any], ...]] = (PROCEDURE,)


# --- heels that hamper ----------------------------------------------------------------------------


class StrikeHeel(Action, kw_only=True):
    """Let an Achilles' heel hamper its character, for a GM."""

    character: str
    #: Name of the heel; empty for the only one.
    heel: str = ""
    #: How near the water is, for a heel about water.
    water: Literal["", "near", "in", "wet", "out"] = ""


def strike_heel(game: Game, action: StrikeHeel) -> Outcome:
    """Let a heel hamper its character: marks for firearms and water, else the player's words.

    Raises NotPermitted("gm-only"), InvalidInput("mb-heel-water") without how near the water is, and
    as `find_known` and `find_heel`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character")
    heel = find_heel(who.sheet, action.heel or None, who.name)
    pattern, number = heel.note(PATTERN), 0
    state = game.state
    if pattern == FIREARMS:
        number = FROZEN_BONUS
        until = "round" if round_of(game, who.id) is not None else "encounter"
        state = with_marks(state, who.id, Mark(FROZEN, value=number, until=until))
    elif pattern == WATER:
        if not action.water:
            raise InvalidInput("mb-heel-water", field="water", value=None)
        state = without_marks(state, who.id, PANIC)
        if action.water != "out":
            number = panic_difficulty(action.water)
            mark = Mark(PANIC, action.water, number, until="used")
            state = with_marks(state, who.id, mark)
    effect = heel.note("effect")
    about = {"who": ref(who), "pattern": pattern, "water": action.water, "number": number}
    note = Note(Text("mb-heel-acts", {**about, "effect": effect}), FOR_EVERYONE)
    title = Text("mb-heel-title", {"name": option_name(heel)})
    return report_outcome(game.with_state(state), title, note, of=who)


_HEEL: Final = Typed("heel", most=NAME_MOST, choices=option_choices(heels_of))
_NEAR: Final = Pick("water", choices=plain_options(("near", "in", "wet", "out")))
_STRIKE: Final = Deed("background heel", StrikeHeel, strike_heel, (WHO_NEEDED, _HEEL, _NEAR))


def _call(game: Game, said: Values) -> CommandResult:
    """Begin the check of a heel that may hurt, or let it hamper its character.

    Raises NotPermitted("gm-only"), and as `find_known` and `find_heel`.
    """
    require_gm(game.state, game.actor)
    who = find_known(game.state, game.actor, said["character"], "character")
    heel = find_heel(who.sheet, said.get("heel"), who.name)
    if heel.note(PATTERN) not in _HARMFUL:
        openly = who.owner is not None and openly_about("character")(game, said)
        return _STRIKE.run(game, said).replace(openly=openly)
    values = {"heel": option_name(heel)}
    return CheckStart(KIND, values, as_=who.id, openly=False if who.owner is None else None)


DEEDS: Final = (_STRIKE,)
COMMANDS: Final = (command(_STRIKE.command, _call, *_STRIKE.options),)

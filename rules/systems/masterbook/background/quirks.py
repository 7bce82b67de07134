"""`/mb background quirk`: a Quirk against its character's willpower (MB-BG-57)."""

from __future__ import annotations

from typing import Any, Final

from rules.systems.masterbook.background.completions import WHO_NEEDED, option_choices, quirks_of
from rules.systems.masterbook.background.state import (
    NAME_MOST,
    find_option,
    option_name,
    state_of,
    with_state_of,
)
from rules.systems.masterbook.character.option_effects import Weakness
from rules.systems.masterbook.character.options import PATTERN, BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import ref, require_awake
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.forced_rolls import (
    CheckOutcome,
    outcome_stage,
    procedure,
    with_forced_roll,
)
from rules.systems.masterbook.checks.procedure import AttemptAction, never_reads_result
from rules.systems.masterbook.checks.roll_sources import best_source
from rules.systems.masterbook.checks.state import MINE, AnyAttempt, Attempt, Plan
from rules.systems.masterbook.checks.view import describe
from rules.systems.masterbook.formulas import dice
from rules.systems.masterbook.formulas.dice import Throw
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS, Block, Note, Ref, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks.procedure import Procedure
from rules.table.checks.shared_blocks import dice_viewers
from rules.table.checks.stages import APPROACH_FIELD, with_npc_privacy
from rules.table.commands import CheckStart, CommandResult
from rules.table.deeds import Deed
from rules.table.events import Reported
from rules.table.forms.fields import Number, Typed
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.system import Game, is_npc

KIND: Final = "quirk"
_RESISTS: Final = "Willpower"
_RAISE_MOST: Final = 20


class QuirkRoll(Attempt):
    """A roll against a Quirk."""

    #: Name of the Quirk.
    quirk: str = ""
    #: The player's words about it.
    about: str = ""
    pattern: str = ""


def find_quirk(sheet: MasterbookSheet, text: str | None, name: str) -> Weakness:
    """Return the Quirk that a text names. Raises as `find_option`."""
    option = find_option(quirks_of(sheet), text, field="quirk", name=name)
    return next(quirk for quirk in option_effects(sheet).quirks if quirk.option is option)


def quirk_difficulty(game: Game, who: str, quirk: Weakness) -> int:
    """Return the difficulty of resisting a Quirk, with what the GM has added (MB-BG-57)."""
    return quirk.difficulty + state_of(game, who).raised(option_name(quirk.option))


def _begin_quirk(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Return the roll that a GM calls for.

    Raises NotPermitted("gm-only"), and as `find_quirk`, `require_awake` and `with_forced_roll`.
    """
    require_gm(game.state, game.actor)
    who = check.actor
    require_awake(game, who)
    sheet: MasterbookSheet = game.sheet(who)
    quirk = find_quirk(sheet, values.get("quirk"), game.display_name(who))
    source = best_source(sheet, _RESISTS)
    plan = Plan(skill=source.name)
    if not source.all_adds:
        plan = Plan(attribute=source.attribute)
    data: Any = check.data
    data = data.replace(
        free=True,
        quirk=option_name(quirk.option),
        about=_about(quirk.option),
        pattern=quirk.option.note(PATTERN),
    )
    roll: Any = check.replace(data=data)
    roll = with_forced_roll(game, roll, plan, quirk_difficulty(game, who, quirk), values)
    return with_npc_privacy(game, roll.replace(hidden=is_npc(game, who)))


def _about(option: BackgroundOption) -> str:
    """Return the player's own words about a Quirk."""
    return option.notes[0][1] if option.notes else ""


class QuirkAction(AttemptAction):
    """Dice against a Quirk. Effects on the next action are not used up (MB-INT-11)."""

    def throws_due(self, game: Game, check: AnyAttempt) -> tuple[Throw, ...]:
        mine = check.data.mine
        assert mine is not None, "looked up as it began"
        tens = mine.trained and self.rolls_tens(check)
        roll = dice.throw(game.rng_for(check, check.actor), tens)
        return (Throw(check.actor, MINE, mine.value, mine.modifiers, roll),)

    def use_up_effects(self, game: Game, check: AnyAttempt) -> Game:
        return game

    def rolls_tens(self, check: AnyAttempt) -> bool:
        """Return whether 10s roll again; not those of Confidence for willpower (MB-DIE-02)."""
        return bool(check.data.request.skill)


def _settle_quirk(game: Game, check: Check[Any]) -> CheckOutcome:
    """Change nothing: the GM plays what follows."""
    return game, ()


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of a roll against a Quirk, with what giving in means."""
    data = check.data
    blocks: list[Block] = []
    for block in describe(game, check):
        if isinstance(block, Verdict) and data.result is not None and not data.failed:
            block = block.replace(what=_verdict_text(check))
        blocks.append(block)
    heads = sum(isinstance(block, Verdict) for block in blocks)
    notes: list[Block] = [Note(Text("mb-background-name", {"name": data.quirk}), FOR_EVERYONE)]
    if data.result is not None and not data.has_succeeded:
        about = {"pattern": data.pattern, "about": data.about}
        notes.append(Note(Text("mb-quirk-effect", about), dice_viewers(check)))
    return (*blocks[:heads], *notes, *blocks[heads:])


def _verdict_text(check: Check[Any]) -> Text:
    data = check.data
    pending = check.is_open and not data.over
    about = {"who": Ref(check.actor), "resists": data.has_succeeded, "pending": pending}
    return Text("mb-quirk-end", about)


_QUIRK: Final = Typed("quirk", most=NAME_MOST, choices=option_choices(quirks_of))
_ROLLING: Final = QuirkAction(reads=never_reads_result, hostile=False).stages(reading=False)
PROCEDURE: Final = procedure(
    KIND,
    (*_ROLLING, outcome_stage(_settle_quirk), BadLuckStage()),
    data=QuirkRoll,
    form=Form((Typed("quirk", most=NAME_MOST), APPROACH_FIELD)),
    begin=_begin_quirk,
    describe=_describe,
    anybody=True,
)
PROCEDURES: Final[tuple[Procedure[Any], ...]] = (PROCEDURE,)


# --- the command ----------------------------------------------------------------------------------


class RaiseQuirk(Action, kw_only=True):
    """Set what the GM adds to the difficulty of a Quirk."""

    character: str
    #: Name of the Quirk; empty for the only one.
    quirk: str = ""
    harder: int | None = None


def raise_quirk(game: Game, action: RaiseQuirk) -> Outcome:
    """Set what the GM adds to the difficulty of a Quirk (MB-BG-57).

    Raises NotPermitted("gm-only"), and as `find_known` and `find_quirk`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character")
    quirk = find_quirk(who.sheet, action.quirk or None, who.name)
    name, state = option_name(quirk.option), state_of(game, who.id)
    raises = {**dict(state.raises), name: (action.harder or 0)}
    kept = tuple((key, value) for key, value in raises.items() if value)
    game = with_state_of(game, who.id, state.replace(raises=kept))
    about = {"who": ref(who), "quirk": name, "number": quirk_difficulty(game, who.id, quirk)}
    title = Text("mb-quirk-raised", about)
    return Outcome(game.state, (Reported(audience=GMS, title=title, blocks=(), by=game.actor.id),))


_HARDER: Final = Number("harder", low=0, high=_RAISE_MOST)
_RAISE: Final = Deed(
    "background quirk", RaiseQuirk, raise_quirk, (WHO_NEEDED, _QUIRK, _HARDER), openly=False
)


def _call(game: Game, said: Values) -> CommandResult:
    """Begin a roll against a Quirk, or set its difficulty.

    Raises NotPermitted("gm-only"), and as `find_known` and `find_quirk`.
    """
    require_gm(game.state, game.actor)
    if _HARDER.key in said:
        return _RAISE.run(game, said)
    who = find_known(game.state, game.actor, said["character"], "character")
    quirk = find_quirk(who.sheet, said.get("quirk"), who.name)
    values = {"quirk": option_name(quirk.option)}
    return CheckStart(KIND, values, as_=who.id, openly=False if who.owner is None else None)


DEEDS: Final = (_RAISE,)
COMMANDS: Final = (command(_RAISE.command, _call, *_RAISE.options),)

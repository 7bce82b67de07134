"""Resistance of characters to effects that take them along, move or compel them (MB-SFX-10).

The target of a jump adds a bonus number to its mass. Strength breaks free of what moves a
character. A compulsion is met as persuasion is, with the target's attitude toward the caster.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_economy import no_defense_reason
from rules.systems.masterbook.checks.attempt_values import split_row
from rules.systems.masterbook.checks.check_forms import rows_by
from rules.systems.masterbook.checks.roll_sources import RollSource, find_source, source_rating
from rules.systems.masterbook.checks.state import Rating
from rules.systems.masterbook.combat.declaration import DEFEND, Foe
from rules.systems.masterbook.combat.memory import with_remembered_rows
from rules.systems.masterbook.combat.procedure import active_defense
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.effect_results import (
    is_teleport,
    resisting_number,
    result_for,
)
from rules.systems.masterbook.effects.state import EffectTarget
from rules.systems.masterbook.effects.strike_state import (
    AnyStrike,
    EffectResult,
    EffectStrike,
    cast_of,
)
from rules.systems.masterbook.effects.value_changes import effect_value_for
from rules.systems.masterbook.formulas import interaction
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.table.blocks import Text
from rules.table.check import ANY_GM, NEXT, PASS, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.forms.form import Form
from rules.table.system import Game

#: What a target resists with: its mass, its Strength, or its will.
Resistance = Literal["mass", "strength", "will"]
#: Skill of compulsions, the skill that they are treated as, and what resists both (MB-INT-08).
_SUMMONING, PERSUASION, _WILLPOWER = "Summoning", "Persuasion", "Willpower"
_WILLS: Final = (_WILLPOWER, "Confidence")
_ATTITUDE: Final = "attitude"
STRENGTH: Final = RollSource("Strength", "strength")
#: A mass is no Attribute; wounds don't lessen it.
_MASS: Final = RollSource("Mass", "strength")


# --- which effects --------------------------------------------------------------------------------


def is_compulsion(blueprint: Blueprint) -> bool:
    """Return whether an effect compels the being that it calls (MB-SFX-10)."""
    return (
        blueprint.skill == _SUMMONING
        and blueprint.action == "general"
        and blueprint.resisting_number is None
        and blueprint.resisted_by in _WILLS
    )


def resistance_of(cast: CastOutcome, who: str) -> Resistance | None:
    """Return a character's resistance to an effect; None if its values alone count.

    What is rolled to hit is dodged instead, and casters don't resist themselves.
    """
    blueprint = cast.known.blueprint
    if who == cast.caster or blueprint.on_self or blueprint.to_hit:
        return None
    if blueprint.action == "movement":
        return "mass" if is_teleport(blueprint) else "strength"
    return "will" if is_compulsion(blueprint) else None


def is_resisted(game: Game, cast: CastOutcome) -> bool:
    """Return whether a target of an effect can resist it."""
    for target in cast.targets:
        in_play = target.who in game.state.characters
        if in_play and resistance_of(cast, target.who) is not None:
            return True
    return False


# --- ratings --------------------------------------------------------------------------------------


def resisting_foe(game: Game, check: AnyStrike, who: str) -> Foe | None:
    """Return a target with its resistance; None if its values alone count."""
    cast = cast_of(check)
    kind = resistance_of(cast, who)
    if kind is None:
        return None
    if kind == "mass":
        number = resisting_number(game, cast.known.blueprint, EffectTarget(who))
        number = check.data.resistance if number is None else number
        # Tens are rolled again for skills and Attributes; a mass is neither (MB-DIE-02).
        return Foe(who, _MASS, Rating(number or 0, trained=False))
    source = STRENGTH if kind == "strength" else will_of(game.sheet(who))
    rating = source_rating(game, who, source, passive=True)
    if kind == "will":
        rating = rating.with_causes(*_attitude_causes(game, cast, who, check.data.rows))
    return Foe(who, source, rating)


def will_of(sheet: MasterbookSheet) -> RollSource:
    """Return the source that resists a compulsion: Willpower with its adds, else Confidence."""
    source = find_source(sheet, _WILLPOWER)
    return source if source.all_adds else RollSource("Confidence", "confidence")


def _attitude_causes(
    game: Game, cast: CastOutcome, who: str, rows: tuple[str, ...]
) -> tuple[tuple[str, int], ...]:
    """Return the modifiers of a target's resistance by its view of the caster and the demand.

    The rows are those of persuasion (MB-INT-08): what the GM says, else what the target remembers.
    """
    rows = with_remembered_rows(game, cast.caster, who, PERSUASION, rows)
    _, against = interaction.circumstance_causes(PERSUASION, dict(split_row(row) for row in rows))
    return against


def resisting_rating(game: Game, check: AnyStrike, foe: Foe) -> Rating:
    """Return the rating of a target that resists actively."""
    kind = resistance_of(cast_of(check), foe.who)
    if kind == "mass":
        return foe.rating
    rating = active_defense(game, foe)
    if kind == "strength":
        return rating.replace(floor=None)
    causes = _attitude_causes(game, cast_of(check), foe.who, check.data.rows)
    return rating.with_causes(*causes)


def may_resist(game: Game, check: AnyStrike, foe: Foe) -> bool:
    """Return whether a target may resist actively now; a mass is added to without an action."""
    kind = resistance_of(cast_of(check), foe.who)
    if kind is None or foe.active or game.sheet(foe.who).harm.out:
        return False
    return kind == "mass" or not no_defense_reason(game, foe.who)


def resist_option(game: Game, check: AnyStrike, foe: Foe) -> CheckOption:
    """Return the option to resist actively."""
    rating = resisting_rating(game, check, foe)
    about = {
        "way": resistance_of(cast_of(check), foe.who),
        "name": foe.source.name,
        "value": rating.rolled_number,
        "least": rating.floor,
    }
    return CheckOption("resist", Text("mb-effect-resists", about))


# --- results --------------------------------------------------------------------------------------


def resisted_result(game: Game, check: AnyStrike, foe: Foe) -> EffectResult:
    """Return the result of an effect for a target that could resist it (MB-SFX-10)."""
    cast, data = cast_of(check), check.data
    thrown = data.throw_of(DEFEND, foe.who)
    target = EffectTarget(foe.who)
    kind = resistance_of(cast, foe.who)
    if kind != "strength":
        number = foe.rating.number if thrown is None else thrown.total
        return result_for(game, cast, target, against=number)
    result = result_for(game, cast, target, data.resistance)
    value = effect_value_for(cast.known.blueprint, cast.effect_value)
    if thrown is None or thrown.fails or thrown.total < value:
        return result
    return result.replace(freed=thrown.total)


# --- attitudes ------------------------------------------------------------------------------------


class AttitudeStage(Stage[EffectStrike]):
    """The GM says how the target of a compulsion sees the caster and the demand (MB-INT-08).

    Without an answer, what the target remembers of the caster counts.
    """

    name = _ATTITUDE

    def ask(self, game: Game, check: AnyStrike, /) -> tuple[Prompt, ...]:
        data, cast = check.data, cast_of(check)
        if data.rows_ruled or data.foes or not is_compulsion(cast.known.blueprint):
            return ()
        if not is_resisted(game, cast):
            return ()
        return (Prompt(_ATTITUDE, (ANY_GM,), "answer", PASS, button="mb-effect-attitude"),)

    def options(
        self, game: Game, check: AnyStrike, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return (CheckOption(_ATTITUDE, Text("mb-effect-attitude-is"), _ATTITUDE_FORM),)

    def choose(self, game: Game, check: AnyStrike, choice: Choice, /) -> StageResult[EffectStrike]:
        rows = choice.values.get(_ROWS.key, ())
        data = check.data.replace(rows=rows, rows_ruled=True)
        return StageResult(game.state, data, NEXT)


_ROWS: Final = rows_by(lambda asking: PERSUASION)
_ATTITUDE_FORM: Final = Form((_ROWS,))

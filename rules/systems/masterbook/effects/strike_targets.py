"""Targets of an effect: their defenses, and whether the effect hits them (MB-SFX-22, MB-SFX-23)."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from rules.core.errors import NotFound
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks import action_economy
from rules.systems.masterbook.checks.roll_sources import (
    RollSource,
    find_source,
    learned_sources,
    source_rating,
)
from rules.systems.masterbook.combat import attack_sides, resolution
from rules.systems.masterbook.combat.declaration import (
    DEFEND,
    STRIKE,
    Foe,
    meters_by_target,
)
from rules.systems.masterbook.effects.areas import exposure_of
from rules.systems.masterbook.effects.effect_results import (
    COLUMNS,
    column_of,
)
from rules.systems.masterbook.effects.resistance import (
    resisting_foe,
)
from rules.systems.masterbook.effects.strike_state import AnyStrike, EffectStart, cast_of, start_of
from rules.systems.masterbook.effects.taking_hold import (
    is_immune,
)
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.formulas.effect_values import detour_concealment
from rules.systems.masterbook.formulas.reference_rows import INTERACTIONS, nonzero_causes
from rules.table.marks import marks_of
from rules.table.system import Game

#: Defense that meets effects that are rolled for: dodge or Agility (MB-SFX-22).
DEFENSE_USE: Final = "fire"
#: Cause of a target out of sight.
_UNSEEN: Final = "hidden_complete"


def blueprint_of(check: AnyStrike) -> Blueprint:
    return cast_of(check).known.blueprint


def needs_hit(start: EffectStart) -> bool:
    """Return whether an effect can miss (MB-SFX-22)."""
    return bool(start.cast.known.blueprint.to_hit)


def roll_source(sheet: MasterbookSheet, skill: str) -> RollSource:
    """Return the source of a roll: the skill with its adds, else its Attribute alone.

    Raises as `find_source`.
    """
    source = find_source(sheet, skill)
    if source.all_adds or not source.skill:
        return source
    return RollSource(source.attribute.capitalize(), source.attribute)


# --- defenses -------------------------------------------------------------------------------------


def foes_of(game: Game, check: AnyStrike) -> tuple[Foe, ...]:
    """Return all characters that an effect meets, with their defenses (MB-SFX-22, MB-SFX-32)."""
    cast = cast_of(check)
    involved = dict.fromkeys((check.target or "", *meters_by_target(check.data.plan.also)))
    foes: list[Foe] = []
    for who in involved:
        if who in game.state.characters and not is_immune(game, cast, who):
            foes.append(_foe(game, check, who))
    return tuple(foes)


def _foe(game: Game, check: AnyStrike, who: str) -> Foe:
    """Return a target with its defense: the guard, and what the effect's way adds to it."""
    start = start_of(check)
    resisting = resisting_foe(game, check, who)
    if resisting is not None:
        return resisting
    source = _defense_source(game, blueprint_of(check), who)
    how = source_rating(game, who, source, passive=True)
    if not needs_hit(start):
        return Foe(who, source, how)
    exposure = exposure_of(game, check, who)
    guard = sum(mark.value for mark in marks_of(game.state, who, action_economy.GUARD))
    unseen = detour_concealment(start.cast.around)
    harder = nonzero_causes(("slow", exposure.slow), (_UNSEEN, unseen))
    how = how.with_causes(*nonzero_causes((action_economy.GUARD, guard)), *harder)
    held = marks_of(game.state, who, action_economy.ACTIVE_DEFENSE, source.name)
    return Foe(
        who,
        source,
        how,
        earlier_defense=held[0].value if held else None,
        total_modifier=exposure.to_hit,
        meters=exposure.meters,
        bonuses=harder,
    )


def _defense_source(game: Game, blueprint: Blueprint, who: str) -> RollSource:
    """Return a target's defense: dodge, or the resistance on an interaction column."""
    if column_of(blueprint) is None or blueprint.to_hit:
        return attack_sides.best_defense(game, who, DEFENSE_USE, ())
    return column_resistance(game.sheet(who), blueprint)


def column_resistance(sheet: MasterbookSheet, blueprint: Blueprint) -> RollSource:
    """Return the resistance to an effect on an interaction column (MB-SFX-23).

    It is what the blueprint says, else the interaction's own skill or Attribute.
    """
    if blueprint.resisted_by:
        # A skill that only other sheets have resists nothing here.
        with suppress(NotFound):
            return roll_source(sheet, blueprint.resisted_by)
    kind = INTERACTIONS[COLUMNS[blueprint.action][1]]
    sources: list[RollSource] = []
    for source in learned_sources(sheet):
        if source.skill == kind.resisting and not source.special:
            sources.append(source)
    sources.append(RollSource(kind.resisting_attribute.capitalize(), kind.resisting_attribute))
    return max(sources, key=lambda source: source.value(sheet))


# --- hits -----------------------------------------------------------------------------------------


def hit_total(check: AnyStrike) -> int | None:
    """Return the total to hit before what is added against single targets; None without a roll."""
    start, data = start_of(check), check.data
    if not needs_hit(start):
        return None
    if not start.roller:
        return start.cast.total
    thrown = data.throw_of(STRIKE, data.sides[0].who)
    return None if thrown is None else thrown.total


def is_hit(check: AnyStrike, foe: Foe) -> bool:
    """Return whether an effect hits a target: reaching its defense is enough (MB-SFX-22).

    What area, accuracy and the order of targets add counts for each target by itself.
    """
    total = hit_total(check)
    if total is None:
        return not needs_hit(start_of(check))
    return total + foe.total_modifier >= number_to_hit(check, foe)


def number_to_hit(check: AnyStrike, foe: Foe) -> int:
    """Return the number that the roll to hit has to reach."""
    hidden = resolution.hidden_difficulty(check.data, foe)
    return resolution.defense_number(check.data, foe) + hidden


def points_to_hit(check: AnyStrike, foe: Foe) -> int:
    """Return the result points of the roll to hit; 0 without a roll."""
    total = hit_total(check)
    return 0 if total is None else total + foe.total_modifier - number_to_hit(check, foe)


def column_number(game: Game, check: AnyStrike, foe: Foe) -> int:
    """Return the number that resists on an interaction column: a value, or an active total."""
    blueprint = blueprint_of(check)
    if blueprint.resisting_number is not None:
        return blueprint.resisting_number
    thrown = None if blueprint.to_hit else check.data.throw_of(DEFEND, foe.who)
    if thrown is not None:
        return thrown.total
    source = column_resistance(game.sheet(foe.who), blueprint)
    return source_rating(game, foe.who, source, passive=True).number

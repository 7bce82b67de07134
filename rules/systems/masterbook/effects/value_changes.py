"""Values that running effects raise and lower, as the sheets have them (MB-SFX-24)."""

from __future__ import annotations

from collections.abc import Iterable

from rules.core.errors import NotFound
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.derived_values import TOUGHNESS, toughness_of
from rules.systems.masterbook.character.sheet import MasterbookSheet, PassingChange, attribute
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.checks.roll_sources import find_source
from rules.systems.masterbook.effects.state import ValueChange, running_effects
from rules.systems.masterbook.formulas.effect_blueprint import CHANGES, Blueprint
from rules.systems.masterbook.formulas.effect_values import change_of_value
from rules.systems.masterbook.formulas.effect_worksheet import applied_effect_values
from rules.table.system import Game


def trait_key(text: str) -> str:
    """Return the key of a value by its name: an Attribute's, `toughness`, or a skill's title."""
    key = name_key(text)
    for own_key in (*ATTRIBUTES, TOUGHNESS):
        if name_key(own_key) == key:
            return own_key
    return key


def trait_value(sheet: MasterbookSheet, text: str) -> int | None:
    """Return a character's value of that name; None for something that no sheet has."""
    key = trait_key(text)
    if key == TOUGHNESS:
        return toughness_of(sheet)
    if key in ATTRIBUTES:
        return attribute(sheet, key)
    try:
        return find_source(sheet, text).value(sheet)
    except NotFound:
        return None


def changed_traits(blueprint: Blueprint) -> tuple[tuple[str, int], ...]:
    """Return the values that an effect raises or lowers, each with its rank from 0.

    Of an effect that does damage and meets several values, the first is what resists the damage,
    and the others are lowered (MB-SFX-S08).
    """
    traits = met_traits(blueprint)
    if blueprint.action in CHANGES:
        return tuple((trait, rank) for rank, trait in enumerate(traits))
    return tuple((trait, rank) for rank, trait in enumerate(traits) if rank)


def met_traits(blueprint: Blueprint) -> tuple[str, ...]:
    """Return the values that an effect meets, by rank."""
    if blueprint.traits:
        return blueprint.traits
    return (blueprint.resisted_by,) if blueprint.resisted_by else ()


def effect_value_for(blueprint: Blueprint, effect_value: int, rank: int = 0) -> int:
    """Return the effect value that meets the trait of a rank (MB-SFX-S08)."""
    values = applied_effect_values(effect_value, max(1, len(met_traits(blueprint))))
    return values[rank]


def changes_for(
    sheet: MasterbookSheet, who: str, blueprint: Blueprint, effect_value: int
) -> tuple[ValueChange, ...]:
    """Return the changes of a target's values by an effect (MB-SFX-24).

    It adds nothing to values that it does not reach.
    """
    sign = 1 if blueprint.action == "raise" else -1
    changes: list[ValueChange] = []
    for trait, rank in changed_traits(blueprint):
        value = trait_value(sheet, trait)
        if value is None:
            continue
        by = change_of_value(effect_value_for(blueprint, effect_value, rank), value)
        if by:
            changes.append(ValueChange(who, trait, sign * by))
    return tuple(changes)


def passing_changes(game: Game) -> dict[str, tuple[PassingChange, ...]]:
    """Return the sums of all effects that work now, by character."""
    sums: dict[str, dict[str, int]] = {}
    for effect in running_effects(game):
        if not effect.is_working:
            continue
        for change in effect.changes:
            if change.who in effect.disbelievers:
                continue
            of_character = sums.setdefault(change.who, {})
            key = trait_key(change.trait)
            of_character[key] = of_character.get(key, 0) + change.by
    return {who: _as_changes(of_character.items()) for who, of_character in sums.items()}


def _as_changes(sums: Iterable[tuple[str, int]]) -> tuple[PassingChange, ...]:
    return tuple(PassingChange(trait, by) for trait, by in sums if by)


def with_changes_on_sheets(game: Game) -> Game:
    """Return the game with every sheet as the effects that work now have it.

    To be called after each change of running effects.
    """
    changes = passing_changes(game)
    for who, character in game.state.characters.items():
        sheet: MasterbookSheet = character.sheet
        passing = changes.get(who, ())
        if sheet.passing != passing:
            game = game.with_sheet(who, sheet.replace(passing=passing))
    return game

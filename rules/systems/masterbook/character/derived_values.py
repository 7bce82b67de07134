"""Values that follow from bought ones and options (MB-CHAR-04 to MB-CHAR-06, MB-BG-21)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    attribute,
    changed_value,
    option_effects,
    passing_change,
    rate_limit_up,
    skills_with_adds,
    toughness_points,
)
from rules.systems.masterbook.formulas import attributes

#: Name of Toughness among the values that effects change.
TOUGHNESS: Final = "toughness"


def own_toughness(sheet: MasterbookSheet) -> int:
    """Return Toughness without armor and options, from bought values (MB-CHAR-04)."""
    if sheet.toughness is not None:
        return sheet.toughness
    return attributes.toughness(sheet.strength, sheet.endurance)


def toughness_of(sheet: MasterbookSheet) -> int:
    """Return Toughness without armor, with what options add (MB-CHAR-04, MB-BG-21, MB-BG-30).

    Skin counts even where it fails against one kind of damage. Effects on Strength or Endurance
    leave it as it is; those on Toughness itself count (MB-CHAR-17, MB-SFX-24).
    """
    effects = option_effects(sheet)
    skin = sum(number for number, _ in effects.gapped_toughness)
    value = own_toughness(sheet) + toughness_points(sheet) + effects.toughness + skin
    return changed_value(value, passing_change(sheet, TOUGHNESS))


def rates_of(sheet: MasterbookSheet) -> Mapping[str, int]:
    """Return the movement rates that count (MB-CHAR-05)."""
    return attributes.rates(
        attribute(sheet, "agility"), attribute(sheet, "strength"), rate_limit_up(sheet)
    )


def capacity_of(sheet: MasterbookSheet, capped: bool = False) -> int:
    """Return how much shock it takes to knock the character out (MB-CHAR-06)."""
    adds = next(
        (skill.adds for skill in skills_with_adds(sheet) if skill.name == "Resist Shock"), 0
    )
    return attributes.shock_capacity(attribute(sheet, "endurance"), adds, capped)

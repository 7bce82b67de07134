"""Values derived from the eight Attributes.

MB-SKL-01, MB-CHAR-03 to MB-CHAR-08, MB-CHAR-13, MB-CHAR-15, MB-CHAR-17.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal, NamedTuple

Rate = Literal["ground", "swimming", "climbing", "jumping"]


class _RateFormula(NamedTuple):
    """Formula of a movement rate (MB-CHAR-05)."""

    #: Number of times that Agility and Strength count.
    agility: int
    strength: int
    divisor: int
    #: Highest rate.
    most: int


_RATES: Final[dict[Rate, _RateFormula]] = {
    "ground": _RateFormula(2, 1, 4, 8),
    "swimming": _RateFormula(2, 1, 6, 5),
    "climbing": _RateFormula(1, 2, 10, 3),
    "jumping": _RateFormula(1, 2, 10, 3),
}
#: Tables of points: least value of an Attribute, and its points from there on.
_STRENGTH: Final = ((10, 4), (7, 3), (5, 2))
_ENDURANCE: Final = ((12, 8), (9, 7), (7, 6), (5, 5))
_INTELLECT: Final = ((13, 10), (11, 9), (8, 8), (6, 7), (5, 6))
_MIND: Final = ((13, 16), (11, 14), (9, 12), (7, 10), (6, 8), (5, 6))
#: Highest and lowest value of the tables.
HIGHEST, LOWEST = 13, 5
#: Points that buy the Attributes of a new character (MB-CHAR-02).
ATTRIBUTE_POINTS: Final = 68


def skill_value(attribute: int, adds: int = 0, special: int = 0) -> tuple[int, bool]:
    """Return a skill's value, and whether it is trained (MB-SKL-01).

    *special* are the adds of the specialization that is used.
    """
    return attribute + adds + special, adds + special > 0


def _points(value: int, table: tuple[tuple[int, int], ...]) -> int:
    """Return the points of a value; beyond the table each value is one point more, or less."""
    within = max(LOWEST, min(HIGHEST, value))
    points_within = next(points for least, points in table if within >= least)
    return points_within + value - within


@cache  # Every hit asks for it.
def toughness(strength: int, endurance: int, extra: int = 0) -> int:
    """Return Toughness without armor (MB-CHAR-04).

    *extra* are points placed on it besides those of Strength and Endurance.
    """
    return _points(strength, _STRENGTH) + _points(endurance, _ENDURANCE) + extra


def toughness_bought(
    toughness_now: int, before: tuple[int, int], after: tuple[int, int], follows: bool = True
) -> int:
    """Return Toughness after Strength or Endurance was bought (MB-CHAR-17).

    It changes by the points of both. *before* and *after* are Strength and Endurance; *follows* is
    the setting `toughness_follows_purchased_attributes`.
    """
    if not follows:
        return toughness_now
    return toughness_now + toughness(*after) - toughness(*before)


def rate(kind: Rate, agility: int, strength: int) -> int:
    """Return a movement rate before its maximum, 1 at least (MB-CHAR-05).

    It rounds to the nearest, a half down.
    """
    formula = _RATES[kind]
    sum_of_both = formula.agility * agility + formula.strength * strength
    rounded = -((formula.divisor - 2 * sum_of_both) // (2 * formula.divisor))
    return max(1, rounded)


def capped_rate(kind: Rate, raw: int, limit_up: int = 0) -> int:
    """Return a movement rate within its maximum, which *limit_up* raises (MB-CHAR-05)."""
    return min(raw, _RATES[kind].most + limit_up)


def rates(agility: int, strength: int, limit_up: int = 0) -> Mapping[str, int]:
    """Return all movement rates as they count (MB-CHAR-05)."""
    counted: dict[str, int] = {}
    for kind in _RATES:
        counted[kind] = capped_rate(kind, rate(kind, agility, strength), limit_up)
    return counted


def shock_capacity(endurance: int, resist_shock: int = 0, capped: bool = False) -> int:
    """Return the shock capacity (MB-CHAR-06, MB-SKILL-RESIST-SHOCK).

    *resist_shock* are the adds of that skill. *capped* is the setting `resist_shock_add_cap`.
    """
    adds = min(resist_shock, endurance) if capped else resist_shock
    return endurance + adds


def skill_points_from(intellect: int, mind: int) -> tuple[int, int]:
    """Return the starting skill points from Intellect and from Mind (MB-CHAR-08)."""
    clamped_intellect = max(LOWEST, min(HIGHEST, intellect))
    clamped_mind = max(LOWEST, min(HIGHEST, mind))
    return _points(clamped_intellect, _INTELLECT), _points(clamped_mind, _MIND)


def starting_skill_points(intellect: int, mind: int) -> int:
    """Return the starting skill points of a new character (MB-CHAR-08)."""
    return sum(skill_points_from(intellect, mind))

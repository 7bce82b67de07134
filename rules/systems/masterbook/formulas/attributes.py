"""What the eight Attributes come to (MB-SKL-01, MB-CHAR-03 to -08, MB-CHAR-13, MB-CHAR-15,
MB-CHAR-17).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

Rate = Literal["ground", "swimming", "climbing", "jumping"]

#: Rate: how often Agility and Strength count, by what they are divided, the highest.
_RATES: Final[dict[Rate, tuple[int, int, int, int]]] = {
    "ground": (2, 1, 4, 8),
    "swimming": (2, 1, 6, 5),
    "climbing": (1, 2, 10, 3),
    "jumping": (1, 2, 10, 3),
}
#: From which value on an Attribute is worth how many points.
_STRENGTH: Final = ((10, 4), (7, 3), (5, 2))
_ENDURANCE: Final = ((12, 8), (9, 7), (7, 6), (5, 5))
_INTELLECT: Final = ((13, 10), (11, 9), (8, 8), (6, 7), (5, 6))
_MIND: Final = ((13, 16), (11, 14), (9, 12), (7, 10), (6, 8), (5, 6))
#: The highest and the lowest value of the tables above.
HIGHEST, LOWEST = 13, 5
#: Points that buy the Attributes of a new character (MB-CHAR-02).
ATTRIBUTE_POINTS: Final = 68


def skill_value(attribute: int, adds: int = 0, special: int = 0) -> tuple[int, bool]:
    """A skill's value and whether it is trained; `special` are the specialization's adds where it
    is meant.
    """
    return attribute + adds + special, adds + special > 0


def _points(value: int, table: tuple[tuple[int, int], ...]) -> int:
    """The points of a value; beyond the table one more, or less, for each."""
    within = max(LOWEST, min(HIGHEST, value))
    return next(points for least, points in table if within >= least) + value - within


@cache  # asked in every hit
def toughness(strength: int, endurance: int, extra: int = 0) -> int:
    """Toughness without armor; `extra` points were placed on either besides those values
    (MB-CHAR-04).
    """
    return _points(strength, _STRENGTH) + _points(endurance, _ENDURANCE) + extra


def toughness_bought(
    toughness_now: int, before: tuple[int, int], after: tuple[int, int], follows: bool = True
) -> int:
    """Toughness once Strength or Endurance was bought: it moves with the rows of both (MB-CHAR-17).

    `before` and `after` are Strength and Endurance; `follows` is
    `toughness_follows_purchased_attributes`.
    """
    return toughness_now + (toughness(*after) - toughness(*before) if follows else 0)


def rate(kind: Rate, agility: int, strength: int) -> int:
    """A movement rate before its maximum: rounded to the nearest, a half down, 1 at least
    (MB-CHAR-05).
    """
    of_agility, of_strength, by, _ = _RATES[kind]
    number = of_agility * agility + of_strength * strength
    return max(1, -((by - 2 * number) // (2 * by)))


def capped_rate(kind: Rate, raw: int, limit_up: int = 0) -> int:
    """A movement rate that counts: never above its maximum."""
    return min(raw, _RATES[kind][3] + limit_up)


def rates(agility: int, strength: int, limit_up: int = 0) -> Mapping[str, int]:
    """The movement rates that every rule uses."""
    return {each: capped_rate(each, rate(each, agility, strength), limit_up) for each in _RATES}


def shock_capacity(endurance: int, resist_shock: int = 0, capped: bool = False) -> int:
    """Shock capacity; `capped` is `resist_shock_add_cap` (MB-CHAR-06, MB-SKILL-RESIST-SHOCK)."""
    return endurance + (min(resist_shock, endurance) if capped else resist_shock)


def skill_points_from(intellect: int, mind: int) -> tuple[int, int]:
    """Return the starting skill points from Intellect and from Mind (MB-CHAR-08)."""
    clamped = [max(LOWEST, min(HIGHEST, each)) for each in (intellect, mind)]
    return _points(clamped[0], _INTELLECT), _points(clamped[1], _MIND)


def starting_skill_points(intellect: int, mind: int) -> int:
    """What a new character has for skills (MB-CHAR-08)."""
    return sum(skill_points_from(intellect, mind))

"""Exact odds of pools (BAR-ROLL), counted and never simulated.

The ways to a total are counted by the value v of the last die kept: so many dice above v, enough
that show v, the rest of the pool below it. Counts by total are held in one whole number, as the
coefficients of a polynomial are in its value at a power of two: adding and shifting such numbers
does many sums at once.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Final

from rules.core.dice.odds import Distribution
from rules.systems.barmore.pool import Pool, no_dice_total
from rules.systems.barmore.reference_rows import RULES, DieType

#: Answers that are kept for the next question of the same kind.
_KEPT: Final = 64
_KEPT_CHANCES: Final = 1024


def _highest(dice: int, kept: int, sides: int, bits: int) -> int:
    """The ways to each sum of the `kept` highest of so many dice of 0 to sides - 1."""
    total = 0
    for last in range(sides):
        above = 1  # so many dice above `last`, counted by how far they are above it in all
        found = 0
        for higher in range(kept):
            left = dice - higher
            # At least enough dice show `last` to make up the number kept; what is below it does not
            # matter.
            ways = way = 1
            for below in range(dice - kept):
                way = way * (left - below) * last // (below + 1)
                ways += way
            found += comb(dice, higher) * ways * above
            # One more of these dice: times x + x^2 + … + x^(sides - 1 - last).
            above = sum([above << (face * bits) for face in range(1, sides - last)])
        total += found << (last * kept * bits)
    return total


@lru_cache(maxsize=_KEPT)
def _pool_distribution(add: int, modifier: int, die: DieType) -> Distribution:
    """As `total_distribution`; the modifier is > 0 for Bonus Dice."""
    dice, sides = add + abs(modifier), die.sides
    size = ((sides**dice).bit_length() + 7) // 8  # bytes that hold any of the counts
    packed = _highest(dice, add, sides, size * 8)
    row = packed.to_bytes((add * (sides - 1) + 1) * size, "little")
    ways = [int.from_bytes(row[at : at + size], "little") for at in range(0, len(row), size)]
    # The lowest dice are the highest ones of dice that count the other way.
    found = enumerate(ways if modifier >= 0 else ways[::-1], add * die.low)
    return Distribution(dict(found), sides**dice)


def total_distribution(pool: Pool, die: DieType | None) -> Distribution:
    """Every total of the dice kept, at least one, with its ways, of sides ** dice in all
    (BAR-ROLL).

    Without dice (None) there is one (BAR-AUTO).
    """
    if die is None:
        return Distribution({no_dice_total(pool): 1}, 1)
    return _pool_distribution(pool.add, pool.modifier, die)


@lru_cache(maxsize=_KEPT_CHANCES)
def success_odds(pool: Pool, die: DieType | None, difficulty: int, level: int = 0) -> Fraction:
    """The chance of a success of this level (>= 0) or a higher one: no botch has one (BAR-ROLL)."""
    least = difficulty + level * RULES.degree_step
    return total_distribution(pool, die).at_least(
        least if die is None else max(least, pool.add + 1)
    )


def botch_odds(pool: Pool, die: DieType | None) -> Fraction:
    """The chance of a botch (BAR-ROLL); without dice there is none (BAR-AUTO)."""
    return Fraction(0) if die is None else 1 - total_distribution(pool, die).at_least(pool.add + 1)

"""Exact odds of pools (BAR-ROLL), counted and never simulated.

The ways to a total are counted by the value v of the last kept die: some dice above v, enough that
show v, the rest of the pool below v. Counts by total are held in one whole number, as the
coefficients of a polynomial are in its value at a power of two. One addition or shift of such
numbers does many sums at once.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Final

from rules.core.dice.odds import Distribution
from rules.systems.barmore.pool import Pool, no_dice_total
from rules.systems.barmore.reference_rows import RULES, DieType

#: Most results that are kept, of distributions and of chances.
_KEPT: Final = 64
_KEPT_CHANCES: Final = 1024


def _ways_of_highest(dice: int, kept: int, sides: int, bits: int) -> int:
    """Return the ways to each sum of the *kept* highest of *dice* dice of 0 to sides - 1.

    The result packs them into one number, *bits* bits for each sum.
    """
    total = 0
    for last in range(sides):
        above = 1  # dice above `last`, counted by how far they are above it together
        ways_of_last = 0
        for higher in range(kept):
            left = dice - higher
            # Enough dice show `last` to make up the number kept. Dice below it do not matter.
            ways = way = 1
            for below in range(dice - kept):
                way = way * (left - below) * last // (below + 1)
                ways += way
            ways_of_last += comb(dice, higher) * ways * above
            # One more of these dice: times x + x^2 + … + x^(sides - 1 - last).
            above = sum([above << (face * bits) for face in range(1, sides - last)])
        total += ways_of_last << (last * kept * bits)
    return total


@lru_cache(maxsize=_KEPT)
def _pool_distribution(add: int, modifier: int, die: DieType) -> Distribution:
    """Return the distribution of the totals of a pool; the modifier is above 0 for Bonus Dice."""
    dice, sides = add + abs(modifier), die.sides
    size = ((sides**dice).bit_length() + 7) // 8  # bytes that hold any of the counts
    packed = _ways_of_highest(dice, add, sides, size * 8)
    row = packed.to_bytes((add * (sides - 1) + 1) * size, "little")
    ways = [int.from_bytes(row[at : at + size], "little") for at in range(0, len(row), size)]
    # The lowest dice are the highest of dice that count the other way.
    by_total = enumerate(ways if modifier >= 0 else ways[::-1], add * die.low)
    return Distribution(dict(by_total), sides**dice)


def total_distribution(pool: Pool, die: DieType | None) -> Distribution:
    """Return every total of the kept dice (at least one), out of sides ** dice ways (BAR-ROLL).

    Without dice (None) there is a single total (BAR-AUTO).
    """
    if die is None:
        return Distribution({no_dice_total(pool): 1}, 1)
    return _pool_distribution(pool.add, pool.modifier, die)


@lru_cache(maxsize=_KEPT_CHANCES)
def success_odds(pool: Pool, die: DieType | None, difficulty: int, level: int = 0) -> Fraction:
    """Return the chance of a success of this level (0 or above) or a higher one (BAR-ROLL).

    A botch is no success.
    """
    least = difficulty + level * RULES.degree_step
    if die is not None:
        least = max(least, pool.add + 1)
    return total_distribution(pool, die).at_least(least)


def botch_odds(pool: Pool, die: DieType | None) -> Fraction:
    """Return the chance of a botch (BAR-ROLL); 0 without dice (BAR-AUTO)."""
    if die is None:
        return Fraction(0)
    return 1 - total_distribution(pool, die).at_least(pool.add + 1)

"""Exact odds of pools (BAR-ROLL), counted and never simulated.

The ways to a total are counted by the value v of the last die kept: so many dice above v, enough that show v, the rest
of the pool below it. Counts by total are held in one whole number, as the coefficients of a polynomial are in its value
at a power of two: adding and shifting such numbers does many sums at once.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Final

from rules.core.dice.odds import Distribution
from rules.core.record import record
from rules.systems.barmore.pool import DIE_TYPES, DieType, Pool, judge

#: Answers that are kept for the next question of the same kind.
_KEPT_COUNTS: Final = 64
_KEPT_ODDS: Final = 256


@record
class PoolOdds:
    """Chances of one roll against a Difficulty, exact.

    `ways` are those, `of` so many, to each signed degree that can come out, from the worst to the best: success levels,
    and failure levels as negative numbers. Degree 0 holds bare successes and bare failures.
    """

    success: Fraction
    botch: Fraction
    of: int
    ways: tuple[tuple[int, int], ...]

    @property
    def degrees(self) -> tuple[tuple[int, Fraction], ...]:
        """Every degree with its chance; they add up to 1."""
        return tuple([(degree, Fraction(ways, self.of)) for degree, ways in self.ways])

    def at_least(self, level: int) -> Fraction:
        """The chance of a success of this level (>= 0) or a higher one."""
        if level <= 0:
            return self.success
        return Fraction(sum([ways for degree, ways in self.ways if degree >= level]), self.of)


def _times_faces(poly: int, faces: int, bits: int) -> int:
    """A polynomial times (1 + x + ... + x^(faces - 1))."""
    result = done = 0
    piece, width = poly, 1
    while faces:
        if faces & 1:
            result += piece << (done * bits)
            done += width
        faces >>= 1
        if faces:
            piece += piece << (width * bits)
            width *= 2
    return result


def _highest(dice: int, kept: int, sides: int, bits: int) -> int:
    """The ways to each sum of the `kept` highest of so many dice of 0 to sides - 1."""
    if dice == kept:
        total = 1
        for _ in range(dice):
            total = _times_faces(total, sides, bits)
        return total
    total = 0
    for last in range(sides):
        above = 1  # so many dice above `last`, counted by how far they are above it in all
        found = 0
        for higher in range(kept):
            left = dice - higher
            # At least enough dice show `last` to make up the number kept; what is below it does not matter.
            ways = way = 1
            for below in range(dice - kept):
                way = way * (left - below) * last // (below + 1)
                ways += way
            found += comb(dice, higher) * ways * above
            above = _times_faces(above, sides - 1 - last, bits) << bits
        total += found << (last * kept * bits)
    return total


@lru_cache(maxsize=_KEPT_COUNTS)
def _counted(add: int, modifier: int, sides: int) -> tuple[int, ...]:
    """The ways to each total of the kept dice, each die counting from 0; the modifier is > 0 for Bonus Dice."""
    dice = add + abs(modifier)
    size = ((sides**dice).bit_length() + 7) // 8  # bytes that hold any of the counts
    packed = _highest(dice, add, sides, size * 8)
    length = add * (sides - 1) + 1
    row = packed.to_bytes(length * size, "little")
    ways = tuple([int.from_bytes(row[at : at + size], "little") for at in range(0, len(row), size)])
    # The lowest dice are the highest ones of dice that count the other way.
    return ways if modifier >= 0 else ways[::-1]


def totals(pool: Pool, die: DieType) -> Distribution:
    """Every total of the dice kept, at least one, with its ways, of sides ** dice in all (BAR-ROLL)."""
    ways = _counted(pool.add, pool.bonus - pool.penalty, die.sides)
    lowest = pool.add * die.low
    return Distribution({lowest + above: count for above, count in enumerate(ways)}, die.sides**pool.size)


def pool_odds(pool: Pool, die: DieType, difficulty: int) -> PoolOdds:
    """The exact odds of a roll, of at least one Add Die, against a known Difficulty (BAR-ROLL)."""
    return _pool_odds(pool.cancelled(), die.id, difficulty)


@lru_cache(maxsize=_KEPT_ODDS)
def _pool_odds(pool: Pool, die_id: str, difficulty: int) -> PoolOdds:
    die = DIE_TYPES[die_id]
    found = totals(pool, die)
    success = botch = 0
    degrees: dict[int, int] = {}
    for value, ways in found.weights.items():
        judged = judge(int(value), pool.add, difficulty)
        success += ways if judged.success else 0
        botch += ways if judged.botch else 0
        degrees[judged.degree] = degrees.get(judged.degree, 0) + ways
    of = found.ways
    return PoolOdds(Fraction(success, of), Fraction(botch, of), of, tuple(sorted(degrees.items())))

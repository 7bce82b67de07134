"""Exact chances of totals: 10s that roll again without end, Ups, points, being stymied, both sides' dice (MB-DN-04).

A die whose 10s roll again comes to 10 k + r with the chance 1 / 10 ** (k + 1), r from 1 to 9. So the total of some of
them is ten times a number of 10s, whose chances are known in closed form, and a sum of ordinary dice: every chance of
reaching a number is a fraction, and exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb
from typing import Final

from rules.core.record import Record, record
from rules.systems.masterbook import chart
from rules.systems.masterbook.chart import Column
from rules.systems.masterbook.dice import SIDES, Scope, bonus, needed

#: Against dice, totals from here on count as this one. With up to twelve dice they come up once in 10 ** 15 times:
#: no chance is further off than that.
_TOP: Final = 300


@record
class Hand(Record):
    """What somebody rolls with: `value` with every modifier, whether 10s roll again, and what else brings dice.

    `points` count as spent in any case: a point never makes a total smaller, so this is also the chance of whoever
    spends one only where it is needed. The bonus number is at least `floor`, at most `most`.
    """

    value: int
    tens: bool = False
    ups: int = 0
    stymied: bool = False
    points: int = 0
    scope: Scope = "all"
    floor: int | None = None
    most: int | None = None


@record
class _Part:
    """One way the dice may fall: `fixed` 10s that stay, dice that show anything, no 10, or roll again on 10s."""

    fixed: int = 0
    plain: int = 0
    low: int = 0
    chained: int = 0


_Parts = tuple[_Part, ...]


def _parts(hand: Hand) -> _Parts:
    """The ways in which the dice of a hand may fall."""
    ups, points, lost = 2 * hand.ups, 2 * hand.points, int(hand.stymied)
    if hand.tens and hand.stymied and not ups:
        # It takes the roll of the first 10; without any, a die of a point.
        return (
            _Part(low=2, chained=max(0, points - 1)),
            _Part(fixed=1, chained=1 + points),
            _Part(fixed=1, low=1, chained=points),
        )
    if hand.tens or (points and hand.scope == "all"):
        return (_Part(chained=2 + ups + points - (lost if ups or points else 0)),)
    before = lost if ups else 0
    return (_Part(plain=2 + ups - before, chained=max(0, points - (lost - before))),)


def _sums(plain: int, nines: int) -> list[int]:
    """In how many ways dice come to each sum: so many of all sides, so many without the 10."""
    ways = [1]
    for faces in [SIDES] * plain + [SIDES - 1] * nines:
        size = len(ways) + faces
        ways = [sum(ways[max(0, at - faces) : max(0, at)]) for at in range(size)]
    return ways


@lru_cache(maxsize=512)
def _weights(parts: _Parts, top: int) -> tuple[tuple[int, ...], int]:
    """How likely each total below `top` is, and of how many."""
    chains = (top - 1) // SIDES
    power = max(chains + each.fixed + each.plain + each.low + each.chained for each in parts)
    found = [0] * top
    for part in parts:
        sums = _sums(part.plain, part.low + part.chained)
        thrown = part.fixed + part.plain + part.low + part.chained
        for tens in range(chains + 1 if part.chained else 1):
            each = (comb(tens + part.chained - 1, tens) if tens else 1) * SIDES ** (power - thrown - tens)
            start = SIDES * (part.fixed + tens)
            for at in range(start, min(top, start + len(sums))):
                found[at] += each * sums[at - start]
    return tuple(found), SIDES**power


@lru_cache(maxsize=4096)
def _below(parts: _Parts, total: int) -> Fraction:
    """The chance that the dice come to less than this."""
    weights, whole = _weights(parts, max(total, _TOP))
    return Fraction(sum(weights[:total]), whole)


@lru_cache(maxsize=512)
def _bonuses(
    parts: _Parts, floor: int | None, most: int | None
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Each bonus number that may come up, how likely it is, and of how many."""
    weights, whole = _weights(parts, _TOP)
    found: dict[int, int] = {}
    for total, weight in enumerate((*weights, whole - sum(weights))):
        if weight:
            number = _limited(bonus(total), floor, most)
            found[number] = found.get(number, 0) + weight
    return tuple(found), tuple(found.values()), whole


def _limited(number: int, floor: int | None, most: int | None) -> int:
    if most is not None:
        number = min(number, most)
    return number if floor is None else max(number, floor)


def lacking(hand: Hand, number: int) -> int:
    """The bonus number that has to come up."""
    return number - hand.value


def reach(hand: Hand, other: int | Hand, by: int = 0) -> Fraction:
    """The chance of at least `by` result points against a difficulty number, or against the total of who rolls too.

    Exact against a number; less than 1e-15 off against dice.
    """
    if isinstance(other, Hand):
        return _against(hand, other, by)
    wanted = lacking(hand, other + by)
    if hand.floor is not None and wanted <= hand.floor:
        return Fraction(1)
    if hand.most is not None and wanted > hand.most:
        return Fraction(0)
    return 1 - _below(_parts(hand), needed(wanted))


def _against(hand: Hand, other: Hand, by: int) -> Fraction:
    mine, weights, whole = _bonuses(_parts(hand), hand.floor, hand.most)
    theirs, others, all_ = _bonuses(_parts(other), other.floor, other.most)
    lead = hand.value - other.value - by
    below = (0, *accumulate(others))
    at = ways = 0
    for number, weight in zip(mine, weights, strict=True):
        while at < len(theirs) and theirs[at] <= number + lead:
            at += 1
        ways += weight * below[at]
    return Fraction(ways, whole * all_)


def results(hand: Hand, other: int | Hand, column: Column = "general") -> tuple[tuple[str, Fraction], ...]:
    """The chance of each result of a column, of none at all first."""
    reached: Sequence[Fraction] = (
        Fraction(1),
        *[reach(hand, other, each.least) for each in chart.COLUMNS[column]],
        Fraction(0),
    )
    return tuple([(name, reached[at] - reached[at + 1]) for at, name in enumerate(chart.ladder(column))])

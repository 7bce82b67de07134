"""Figures and ranges of totals that summarize the odds of dice, for any number of totals."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Final, NamedTuple

from rules.core.dice.notation import parse
from rules.core.dice.odds import Amount, distribution

#: Share of rolls that lie within the likely range of totals.
MIDDLE_SHARE: Final = Fraction(4, 5)
#: Totals at either end that are rarer than this share a range.
_RARE: Final = Fraction(1, 200)


class Range(NamedTuple):
    """Totals from `low` to `high`: their chance, and that of `low` or more."""

    low: Amount
    high: Amount
    chance: Fraction
    at_least: Fraction


class Summary(NamedTuple):
    """Odds of an expression."""

    #: Number of totals.
    totals: int
    lowest: Amount
    highest: Amount
    #: Bounds between which `MIDDLE_SHARE` of all rolls lie.
    likely: tuple[Amount, Amount]
    mean: Fraction
    #: Most probability that was not followed.
    left_out: Fraction
    #: Ranges of totals, by the most rows that they may take.
    rows: dict[int, tuple[Range, ...]]


def summarize_odds(text: str, sizes: Sequence[int]) -> Summary:
    """Return the odds of an expression, with ranges of totals for each number of rows in *sizes*.

    Raises what `parse` and `distribution` raise.
    """
    odds = distribution(parse(text))
    totals = [*odds.weights]
    sums = [0, *accumulate(odds.weights.values())]

    def ranges(most: int) -> tuple[Range, ...]:
        """Return each total, or at most *most* ranges of equal width between the rare ends."""
        if len(totals) <= most:
            starts = totals
        else:
            low, high = int(odds.percentile(_RARE)), int(odds.percentile(1 - _RARE))
            width = -(-(high - low + 1) // (most - 2))
            starts = [*dict.fromkeys((totals[0], *range(low, high + 1, width), high + 1))]
        places = [*(bisect_left(totals, start) for start in starts), len(totals)]
        rows: list[Range] = []
        for start, at, end in zip(starts, places[:-1], places[1:], strict=True):
            if at < end:
                chance = Fraction(sums[end] - sums[at], odds.ways)
                at_least = Fraction(sums[-1] - sums[at], odds.ways)
                rows.append(Range(start, totals[end - 1], chance, at_least))
        return tuple(rows)

    beyond = (1 - MIDDLE_SHARE) / 2
    return Summary(
        len(totals),
        totals[0],
        totals[-1],
        (odds.percentile(beyond), odds.percentile(1 - beyond)),
        odds.mean,
        odds.left_out,
        {most: ranges(most) for most in sizes},
    )

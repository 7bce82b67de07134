"""What is told of the odds of dice: figures and ranges of totals, however many totals there are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Final, NamedTuple

from rules.core.dice.notation import parse
from rules.core.dice.odds import Amount, distribution

#: The share of rolls that the range told of a total holds.
MIDDLE_SHARE: Final = Fraction(4, 5)
#: What is rarer than this at either end is one range.
_RARE: Final = Fraction(1, 200)


class Range(NamedTuple):
    """Totals from `low` to `high`: their chance, and that of `low` or more."""

    low: Amount
    high: Amount
    chance: Fraction
    at_least: Fraction


class Summary(NamedTuple):
    """The odds of an expression: how many totals there are, the lowest, the highest, what lies
    between them in MOST of all rolls, the mean, what was left out, and the ranges for each number
    of rows asked for.
    """

    totals: int
    lowest: Amount
    highest: Amount
    likely: tuple[Amount, Amount]
    mean: Fraction
    left_out: Fraction
    rows: dict[int, tuple[Range, ...]]


def summarize_odds(text: str, sizes: Sequence[int]) -> Summary:
    """The odds of an expression, told in at most so many rows each time. Raises what `parse` and
    `distribution` do.
    """
    found = distribution(parse(text))
    totals = [*found.weights]
    sums = [0, *accumulate(found.weights.values())]

    def ranges(most: int) -> tuple[Range, ...]:
        """Each total, or at most so many ranges of the same width between the rare ends."""
        if len(totals) <= most:
            starts = totals
        else:
            low, high = int(found.percentile(_RARE)), int(found.percentile(1 - _RARE))
            width = -(-(high - low + 1) // (most - 2))
            starts = [*dict.fromkeys((totals[0], *range(low, high + 1, width), high + 1))]
        places = [*(bisect_left(totals, start) for start in starts), len(totals)]
        return tuple(
            Range(
                start,
                totals[end - 1],
                Fraction(sums[end] - sums[at], found.ways),
                Fraction(sums[-1] - sums[at], found.ways),
            )
            for start, at, end in zip(starts, places[:-1], places[1:], strict=True)
            if at < end
        )

    beyond = (1 - MIDDLE_SHARE) / 2
    return Summary(
        len(totals),
        totals[0],
        totals[-1],
        (found.percentile(beyond), found.percentile(1 - beyond)),
        found.mean,
        found.left_out,
        {most: ranges(most) for most in sizes},
    )

"""How long actions take, in phases and in regular time (BAR-PHASE, BAR-MULTI)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from rules.core.errors import InvalidInput
from rules.systems.barmore import tables

#: Phases before another action can begin when one is broken off (BAR-PHASE).
ABORT_COST: Final = tables.ABORT_COST
#: The largest base cost, in phases: more than a quarter of an hour.
HIGHEST_COST: Final = 1000


def duration(base_cost: int, score: int) -> int:
    """Phases that an action takes: its base cost less the governing score, at least 1 (BAR-PHASE).

    InvalidInput("out-of-range") for a base cost below 1 or above 1000.
    """
    if not 1 <= base_cost <= HIGHEST_COST:
        raise InvalidInput("out-of-range", field="cost", value=base_cost, lowest=1, highest=HIGHEST_COST)
    return max(1, base_cost - score)


def _check_some(number: int) -> None:
    if not number:
        raise InvalidInput("out-of-range", field="actions", value=0, lowest=1)


def together(durations: Sequence[int]) -> int:
    """Phases that actions attempted together take: the slowest one and one more for each of them (BAR-MULTI).

    InvalidInput("out-of-range") for none, or for a duration below 1.
    """
    _check_some(len(durations))
    for each in durations:
        if each < 1:
            raise InvalidInput("out-of-range", field="duration", value=each, lowest=1)
    return max(durations) + len(durations)


def least_time(times: Sequence[int | Fraction]) -> Fraction:
    """The least time for actions at once in regular time: the longest and half of the others, exactly (BAR-MULTI).

    In the unit of `times`. InvalidInput("out-of-range") for none, or for a negative time.
    """
    _check_some(len(times))
    for each in times:
        if each < 0:
            raise InvalidInput("out-of-range", field="time", value=str(each), lowest=0)
    longest = Fraction(max(times))
    return longest + (sum(times, Fraction(0)) - longest) / 2

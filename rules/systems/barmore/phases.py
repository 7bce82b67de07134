"""How long actions take, in phases and in regular time (BAR-PHASE, BAR-MULTI)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def duration(base_cost: int, score: int) -> int:
    """Phases that an action takes: its base cost (>= 1) less the governing score, at least 1 (BAR-PHASE)."""
    return max(1, base_cost - score)


def together(durations: Sequence[int]) -> int:
    """Phases that actions attempted together take: the slowest one and one more for each of them (BAR-MULTI)."""
    return max(durations) + len(durations)


def least_time(times: Sequence[int | Fraction]) -> Fraction:
    """The least time for actions at once in regular time: the longest and half of the others, exactly (BAR-MULTI).

    In the unit of `times`, of which there is one at least.
    """
    longest = Fraction(max(times))
    return longest + (sum(times, Fraction(0)) - longest) / 2

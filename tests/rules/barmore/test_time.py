"""Phases, several actions at once, complex actions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.core.errors import InvalidInput
from rules.systems.barmore.extended import Progress, advanced, begun, elapsed, finished
from rules.systems.barmore.phases import ABORT_COST, duration, least_time, together


@pytest.mark.rule("BAR-PHASE")
def test_duration_of_an_action() -> None:
    assert [duration(6, score) for score in (0, 2, -3, 5, 6, 99)] == [6, 4, 9, 1, 1, 1]
    assert ABORT_COST == 2


@pytest.mark.rule("BAR-PHASE")
@pytest.mark.parametrize("cost", [0, -1, 1001])
def test_a_base_cost_has_bounds(cost: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        duration(cost, 0)
    assert caught.value.params["lowest"] == 1


@pytest.mark.rule("BAR-MULTI")
def test_actions_at_once() -> None:
    assert together([3, 5, 4]) == 8
    assert together([1]) == 2
    assert least_time([30, 60, 15]) == Fraction(165, 2)
    assert least_time([7]) == 7
    assert least_time([Fraction(1, 3), 1, 1]) == Fraction(5, 3)


@pytest.mark.rule("BAR-MULTI")
def test_times_that_cannot_be() -> None:
    for act in (
        lambda: together([]),
        lambda: together([2, 0]),
        lambda: least_time([]),
        lambda: least_time([3, -1]),
    ):
        with pytest.raises(InvalidInput) as caught:
            act()
        assert caught.value.code == "out-of-range"


@pytest.mark.rule("BAR-COMPLEX")
def test_a_complex_action_adds_up() -> None:
    progress = begun(4)
    seen: list[tuple[int, bool]] = []
    for degree in (1, -3, 0, 4, 2):
        progress = advanced(progress, degree)
        seen.append((progress.done, finished(progress)))
    assert seen == [(1, False), (-2, False), (-2, False), (2, False), (4, True)]
    assert (progress, elapsed(progress, 60)) == (Progress(4, 4, 5), 300)


@pytest.mark.rule("BAR-COMPLEX")
def test_complex_actions_that_cannot_be() -> None:
    for required in (0, -4, 10_001):
        with pytest.raises(InvalidInput):
            begun(required)
    with pytest.raises(InvalidInput):
        elapsed(begun(3), 0)

"""Phases, several actions at once, complex actions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.systems.barmore.check_state import Pace
from rules.systems.barmore.complex_actions import Task
from rules.systems.barmore.reference_rows import RULES
from rules.systems.barmore.timed_actions import action_duration, combined_duration, least_time


@pytest.mark.rule("BAR-PHASE")
def test_duration_of_an_action() -> None:
    assert [action_duration(6, score) for score in (0, 2, -3, 5, 6, 99)] == [6, 4, 9, 1, 1, 1]
    assert RULES.abort_cost == 2


@pytest.mark.rule("BAR-MULTI")
def test_actions_at_once() -> None:
    assert combined_duration([3, 5, 4]) == 8
    assert combined_duration([1]) == 2
    assert least_time([30, 60, 15]) == Fraction(165, 2)
    assert least_time([7]) == 7
    assert least_time([Fraction(1, 3), 1, 1]) == Fraction(5, 3)


@pytest.mark.rule("BAR-COMPLEX")
def test_a_complex_action_adds_up() -> None:
    task = Task("t1", "Mend", "k1", "", "", difficulty=20, every=60, required=4)
    seen: list[tuple[int, bool]] = []
    for degree in (1, -3, 0, 4, 2):
        task = task.with_roll(degree, Pace())
        seen.append((task.done, task.is_finished))
    assert seen == [(1, False), (-2, False), (-2, False), (2, False), (4, True)]
    assert (task.rolls, task.is_over) == (5, True)

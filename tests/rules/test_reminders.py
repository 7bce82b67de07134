"""The one schedule of reminders."""

from __future__ import annotations

from rules.table.state import DAY, HOUR
from rules.table.times.reminders import reminder_times, stalled_at, time_after_change


def test_a_default_that_costs_nothing_is_announced_once_at_half_time() -> None:
    assert reminder_times(100, DAY, default=True, harms=False) == (100 + DAY // 2,)


def test_a_default_that_harms_has_a_last_call_three_hours_before() -> None:
    expected = (100 + DAY // 2, 100 + DAY - 3 * HOUR)
    assert reminder_times(100, DAY, default=True, harms=True) == expected


def test_there_is_no_last_call_before_half_time() -> None:
    assert reminder_times(0, 6 * HOUR, default=True, harms=True) == (3 * HOUR,)
    assert reminder_times(0, 600, default=True, harms=True) == (300,)


def test_without_a_default_the_gaps_double_and_then_it_has_stalled() -> None:
    times = reminder_times(100, DAY, default=False, harms=False)
    assert times == (100 + DAY, 100 + 2 * DAY, 100 + 4 * DAY)
    assert stalled_at(100, DAY) == times[-1]


def test_a_wait_without_a_length_has_no_reminders() -> None:
    assert reminder_times(100, 0, default=False, harms=False) == ()
    assert reminder_times(100, 0, default=True, harms=True) == ()


def test_a_change_brings_nothing_nearer_than_an_hour_and_makes_no_time_longer() -> None:
    far, soon, now = 5 * HOUR, 600, 0
    assert time_after_change(far, 3 * HOUR, now) == 3 * HOUR
    assert time_after_change(far, soon, now) == HOUR, "not nearer than an hour"
    assert time_after_change(far, -HOUR, now) == HOUR
    assert time_after_change(soon, 300, now) == soon, "not longer than it was"
    assert time_after_change(soon, -HOUR, now) == soon
    assert time_after_change(soon, far, now) == far, "a longer time counts at once"

"""The log line with the number of entries of a minute."""

from __future__ import annotations

import logging

import pytest

from bot.services.activity_log import INTERVAL, ActivityLog


def counts(caplog: pytest.LogCaptureFixture) -> list[int]:
    return [
        record.__dict__["count"]
        for record in caplog.records
        if record.getMessage() == "table.activity"
    ]


def test_entries_are_counted_until_the_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "storyguide.tables")
    activity = ActivityLog()
    for _ in range(3):
        activity.record_entry()
    assert counts(caplog) == []
    activity.flush()
    activity.flush()
    assert counts(caplog) == [3]


def test_a_minute_that_is_over_is_logged_with_the_next_entry(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "storyguide.tables")
    now = 1000.0
    activity = ActivityLog(lambda: now)
    for seconds in (0.0, INTERVAL - 1, 1.0, INTERVAL - 1):
        now += seconds
        activity.record_entry()
    assert counts(caplog) == [2]
    now += 10 * INTERVAL
    activity.record_entry()
    assert counts(caplog) == [2, 2]

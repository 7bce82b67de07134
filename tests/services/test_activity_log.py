"""The line of counts a minute: how many entries there were, and nothing while nothing happens."""

from __future__ import annotations

import asyncio
import logging

import pytest

from bot.services import activity_log
from bot.services.activity_log import ActivityLog


def counts(caplog: pytest.LogCaptureFixture) -> list[int]:
    return [
        record.__dict__["count"]
        for record in caplog.records
        if record.getMessage() == "table.activity"
    ]


async def test_entries_are_counted_until_the_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "storyguide.tables")
    activity = ActivityLog()
    for _ in range(3):
        activity.record_entry()
    assert counts(caplog) == []
    activity.flush()
    activity.flush()
    assert counts(caplog) == [3]


async def test_the_line_comes_by_itself(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activity_log, "INTERVAL", 0.0)
    caplog.set_level(logging.INFO, "storyguide.tables")
    activity = ActivityLog()
    activity.record_entry()
    activity.record_entry()
    await asyncio.sleep(0.01)
    assert counts(caplog) == [2]

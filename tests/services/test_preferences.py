"""Wishes about notices: quiet hours, mornings, budgets, and how a call or reminder arrives."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from bot.services.preferences import (
    MORNING_SPREAD,
    NEVER,
    Preference,
    Way,
    call_way,
    clock_text,
    day_start,
    is_quiet,
    next_morning,
    parse_minute,
    parse_zone,
    read_preference,
    reminder_way,
)
from bot.storage.codec import encode_text
from rules.core.errors import InvalidInput

HOUR = 3600
NIGHT = Preference(zone="Europe/Berlin", quiet=(22 * 60, 7 * 60))


def berlin(text: str) -> int:
    """A time in Berlin."""
    local = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin"))
    return int(local.timestamp())


@pytest.mark.parametrize(
    ("clock", "expected"),
    [("21:59", False), ("22:00", True), ("23:30", True), ("06:59", True), ("07:00", False)],
)
def test_quiet_hours_go_over_midnight(clock: str, expected: bool) -> None:
    assert is_quiet(NIGHT, berlin(f"2026-01-10 {clock}")) is expected


def test_quiet_hours_are_those_of_the_zone() -> None:
    at = berlin("2026-01-10 15:00")
    assert not is_quiet(NIGHT, at)
    assert is_quiet(NIGHT.replace(zone="Asia/Tokyo"), at), "23:00 there"


def test_quiet_hours_within_a_day_and_none() -> None:
    noon = Preference(quiet=(12 * 60, 13 * 60))
    assert is_quiet(noon, 12 * HOUR)
    assert not is_quiet(noon, 13 * HOUR)
    assert not is_quiet(Preference(), 3 * HOUR)


def test_a_day_begins_at_local_midnight_also_when_clocks_change() -> None:
    assert day_start(NIGHT, berlin("2026-03-29 12:00")) == berlin("2026-03-29 00:00")
    assert day_start(Preference(), 30 * HOUR) == 24 * HOUR
    assert day_start(Preference(zone="Gone/Away"), 30 * HOUR) == 24 * HOUR


def test_a_morning_follows_the_quiet_hours() -> None:
    date, at = next_morning(NIGHT, "501", berlin("2026-01-10 23:00"))
    assert date == "2026-01-11"
    assert 0 <= at - berlin("2026-01-11 07:00") < MORNING_SPREAD
    assert next_morning(NIGHT, "501", berlin("2026-01-11 06:59")) == (date, at)
    assert next_morning(NIGHT, "501", berlin("2026-01-11 07:00"))[0] == "2026-01-12"
    others = {next_morning(NIGHT, str(user), berlin("2026-01-10 23:00"))[1] for user in range(50)}
    assert len(others) > 40
    assert next_morning(Preference(), "501", 0)[0] == "1970-01-01", "without quiet hours"


@pytest.mark.parametrize(
    ("changes", "clock", "pings", "expected"),
    [
        ({}, "12:00", 5, "loud"),
        ({}, "12:00", 6, "silent"),
        ({}, "23:00", 0, "silent"),
        ({"most": 0}, "12:00", 0, "silent"),
        ({"how": "list"}, "12:00", 0, "silent"),
        ({"bundle": "morning"}, "12:00", 0, "silent"),
        ({"nudge": NEVER, "how": "dm", "dm": "9"}, "12:00", 0, "loud"),
    ],
)
def test_a_first_call_always_comes(
    changes: dict[str, object], clock: str, pings: int, expected: Way
) -> None:
    assert call_way(NIGHT.replace(**changes), berlin(f"2026-01-10 {clock}"), pings) == expected


@pytest.mark.parametrize(
    ("changes", "clock", "pings", "expected"),
    [
        ({}, "12:00", 0, "loud"),
        ({}, "12:00", 6, "silent"),
        ({}, "23:00", 0, "silent"),
        ({"how": "list"}, "12:00", 0, "none"),
        ({"nudge": NEVER}, "12:00", 0, "none"),
        ({"nudge": 11}, "12:00", 0, "none"),
        ({"nudge": 10}, "12:00", 0, "loud"),
        ({"bundle": "morning"}, "12:00", 0, "morning"),
        ({"how": "dm", "dm": "9"}, "12:00", 0, "dm"),
        ({"how": "dm", "dm": "9"}, "23:00", 0, "morning"),
        ({"how": "dm"}, "12:00", 0, "loud"),
    ],
)
def test_a_reminder_goes_where_its_user_wants_it(
    changes: dict[str, object], clock: str, pings: int, expected: Way
) -> None:
    at = berlin(f"2026-01-10 {clock}")
    assert reminder_way(NIGHT.replace(**changes), at, at - 10 * HOUR, pings) == expected


def test_what_users_type() -> None:
    assert parse_zone(" europe/berlin ") == "Europe/Berlin"
    assert parse_zone("tokyo") == "Asia/Tokyo"
    assert parse_zone("") == ""
    assert (parse_minute("7", "to"), parse_minute("22:30", "from")) == (420, 1350)
    for typed in ("9am", "9 am", "9 AM", "9 a.m.", "9", "9:00", "9.00"):
        assert parse_minute(typed, "from") == 540
    for typed in ("21:00", "21.00", "9pm", "9 p.m.", "21"):
        assert parse_minute(typed, "from") == 1260
    assert (parse_minute("24:00", "to"), parse_minute("12am", "to")) == (0, 0)
    assert clock_text(65) == "01:05"
    for typed in ("24:01", "13pm", "7:60", "-1", "seven", "1:2:3", "٧:٠٠"):
        with pytest.raises(InvalidInput) as caught:
            parse_minute(typed, "from")
        assert caught.value.code == "notify-bad-time"


def test_wishes_are_read_as_they_were_stored() -> None:
    assert read_preference(encode_text(NIGHT)) == NIGHT
    assert read_preference(None) == Preference()
    assert read_preference("{}") == Preference()

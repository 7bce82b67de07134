"""Times in the future, as players type them, in the zone of the table."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rules.core.errors import InvalidInput
from rules.table.times.duration import parse_until
from rules.table.times.rest import Rest
from tests.rules.test_rest import BERLIN, berlin

DAY = 86400
#: Wednesday, December 2, 2026, at noon UTC.
NOON = 1_796_212_800
WEEKEND = Rest(days=(5, 6), zone="Europe/Berlin", offsets=BERLIN)
#: Auckland in summer.
AUCKLAND = Rest(days=(6,), zone="Pacific/Auckland", offsets=((0, 13 * 3600),))


def utc(month: int, day: int, hour: int = 0) -> int:
    return int(datetime(2026, month, day, hour, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("3 days", NOON + 3 * DAY),
        ("tomorrow", utc(12, 3)),
        ("Friday", utc(12, 4)),
        ("wed", utc(12, 9)),
        ("2026-12-24", utc(12, 24)),
    ],
)
def test_a_table_without_a_zone_goes_by_utc(text: str, until: int) -> None:
    assert parse_until(text, "until", NOON) == until


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("3 days", NOON + 3 * DAY),
        ("tomorrow", utc(12, 3, 11)),
        ("Thursday", utc(12, 9, 11)),
        ("Friday", utc(12, 3, 11)),
        ("2026-12-24", utc(12, 23, 11)),
    ],
)
def test_days_begin_at_midnight_in_the_zone_of_the_table(text: str, until: int) -> None:
    # In Auckland, it's Thursday, one o'clock in the morning.
    assert parse_until(text, "until", NOON, AUCKLAND) == until


def test_the_offset_is_that_of_the_day() -> None:
    # Clocks go forward on Sunday, March 29, at two in the morning.
    saturday = berlin(3, 28, 12)
    assert parse_until("Sunday", "until", saturday, WEEKEND) == berlin(3, 29, 0)
    assert parse_until("Monday", "until", saturday, WEEKEND) == berlin(3, 30, 0)
    assert berlin(3, 30, 0) - berlin(3, 29, 0) == 23 * 3600


def test_a_day_that_has_begun_there_is_over() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_until("2026-12-03", "until", NOON, AUCKLAND)
    assert caught.value.code == "until-passed"
    assert parse_until("2026-12-03", "until", NOON) == utc(12, 3)

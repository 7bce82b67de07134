"""Times of the weekly digest: once in each week, by the local time of its zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from bot.time_zones import local_datetime, offsets_of
from rules.table.times.digest_times import Digest, next_digest, week_of_digest

START = int(datetime(2026, 1, 7, 12, tzinfo=UTC).timestamp())
DAY = 24 * 60 * 60


def digest(day: int, hour: int, zone: str = "UTC", since: int = START) -> Digest:
    """A digest that was set on a Wednesday at noon UTC."""
    return Digest("200", day, hour * 60, zone, offsets_of(zone, START - 30 * DAY), since)


@pytest.mark.parametrize(
    ("day", "hour", "date"),
    [(6, 18, (2026, 1, 11)), (2, 13, (2026, 1, 7)), (2, 11, (2026, 1, 14)), (0, 0, (2026, 1, 12))],
)
def test_the_first_is_the_next_such_time(day: int, hour: int, date: tuple[int, int, int]) -> None:
    due = datetime.fromtimestamp(next_digest(digest(day, hour), 0), tz=UTC)
    assert due == datetime(*date, hour, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Auckland"])
def test_each_week_has_one_at_the_local_hour(zone: str) -> None:
    weekly = digest(6, 18, zone)
    last, times = 0, list[datetime]()
    for _ in range(60):
        last = next_digest(weekly, last)
        times.append(local_datetime(zone, last))
    assert {(time.weekday(), time.hour, time.minute) for time in times} == {(6, 18, 0)}
    dates = [time.date() for time in times]
    assert [b - a for a, b in pairwise(dates)] == [timedelta(days=7)] * 59
    assert len({time.isocalendar()[:2] for time in times}) == 60


def test_a_change_within_the_week_gives_no_second_one() -> None:
    monday = next_digest(digest(0, 9), 0)
    changed = digest(4, 9, since=monday + DAY)
    due = next_digest(changed, monday)
    assert datetime.fromtimestamp(due, tz=UTC).isocalendar()[:2] == (2026, 4)
    assert week_of_digest(changed, monday) == week_of_digest(digest(0, 9), 0) + 1


def test_a_late_one_counts_for_the_week_in_which_it_comes() -> None:
    weekly = digest(6, 18)
    due = next_digest(weekly, 0)
    late = due + 9 * DAY
    following = next_digest(weekly, late)
    assert following > late
    assert datetime.fromtimestamp(following, tz=UTC).isocalendar()[1] == 5

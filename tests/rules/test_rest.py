"""Rest days and hours of a table's clock."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from rules.table.times.rest import NO_REST, Rest, end_time, running_time, start_time
from tests.example_counts import examples

HOUR, DAY = 3600, 24 * 3600
#: Offsets of Berlin around both changes of 2026: on March 29 and October 25.
BERLIN = ((1_761_440_400, 3600), (1_774_746_000, 7200), (1_792_890_000, 3600))
WEEKEND = Rest(days=(5, 6), zone="Europe/Berlin", offsets=BERLIN)
DAYTIME = Rest(from_=8 * 60, to=22 * 60, zone="Europe/Berlin", offsets=BERLIN)


def berlin(month: int, day: int, hour: int, minute: int = 0) -> int:
    """Return a time of 2026 in Berlin, in seconds since 1970."""
    east = 2 if (3, 29, 3) <= (month, day, hour) < (10, 25, 3) else 1
    return int(datetime(2026, month, day, hour, minute, tzinfo=UTC).timestamp()) - east * HOUR


def test_no_time_runs_on_rest_days() -> None:
    friday = berlin(5, 8, 18)
    assert end_time(WEEKEND, friday, 5 * HOUR) == friday + 5 * HOUR
    assert end_time(WEEKEND, friday, DAY) == berlin(5, 11, 18)
    assert running_time(WEEKEND, friday, berlin(5, 11, 18)) == DAY


def test_time_that_begins_on_a_rest_day_runs_from_its_end() -> None:
    assert end_time(WEEKEND, berlin(5, 9, 12), 0) == berlin(5, 11, 0)
    assert end_time(WEEKEND, berlin(5, 9, 12), DAY) == berlin(5, 12, 0)


def test_nothing_runs_out_outside_the_hours() -> None:
    assert end_time(DAYTIME, berlin(5, 5, 20), HOUR) == berlin(5, 5, 21)
    assert end_time(DAYTIME, berlin(5, 5, 20), 2 * HOUR) == berlin(5, 6, 8)
    assert end_time(DAYTIME, berlin(5, 5, 20), 8 * HOUR) == berlin(5, 6, 8)
    assert end_time(DAYTIME, berlin(5, 5, 20), 12 * HOUR) == berlin(5, 6, 8)
    assert end_time(DAYTIME, berlin(5, 5, 20), 13 * HOUR) == berlin(5, 6, 9)


def test_hours_may_go_past_midnight() -> None:
    evening = DAYTIME.replace(from_=18 * 60, to=2 * 60)
    assert end_time(evening, berlin(5, 5, 20), 5 * HOUR) == berlin(5, 6, 1)
    assert end_time(evening, berlin(5, 5, 20), 7 * HOUR) == berlin(5, 6, 18)


def test_hours_and_days_together() -> None:
    both = DAYTIME.replace(days=(5, 6))
    assert end_time(both, berlin(5, 8, 18), 5 * HOUR) == berlin(5, 11, 8)


def test_the_hours_follow_summer_time() -> None:
    assert end_time(DAYTIME, berlin(3, 28, 21, 30), HOUR) == berlin(3, 29, 8)
    assert end_time(DAYTIME, berlin(10, 24, 21, 30), HOUR) == berlin(10, 25, 8)
    assert berlin(3, 29, 8) - berlin(3, 28, 8) == 23 * HOUR


def test_rest_of_all_days_is_none() -> None:
    everyday = WEEKEND.replace(days=(0, 1, 2, 3, 4, 5, 6))
    assert end_time(everyday, berlin(5, 8, 18), DAY) == berlin(5, 9, 18)


#: Any rest: zones with changes at odd times, by odd amounts.
RESTS = st.builds(
    Rest,
    days=st.sets(st.integers(0, 6), max_size=6).map(lambda days: tuple(sorted(days))),
    from_=st.integers(0, 1439),
    to=st.integers(0, 1439),
    offsets=st.lists(
        st.tuples(st.integers(0, 60 * DAY), st.integers(-14 * HOUR, 14 * HOUR)), max_size=4
    ).map(lambda offsets: tuple(sorted(offsets))),
)
TIMES = st.integers(0, 60 * DAY)
SPANS = st.integers(0, 30 * DAY)


@given(at=TIMES, seconds=SPANS)
def test_without_rest_time_is_as_long_as_it_is(at: int, seconds: int) -> None:
    assert end_time(NO_REST, at, seconds) == at + seconds
    assert running_time(NO_REST, at, at + seconds) == seconds
    assert start_time(NO_REST, at, seconds) == at - seconds


@examples(200)
@given(rest=RESTS, at=TIMES, later=SPANS, seconds=SPANS, more=SPANS)
def test_time_is_monotone_and_never_shorter(
    rest: Rest, at: int, later: int, seconds: int, more: int
) -> None:
    end = end_time(rest, at, seconds)
    assert end >= at + seconds
    assert end <= end_time(rest, at + later, seconds)
    assert end <= end_time(rest, at, seconds + more)
    assert running_time(rest, at, end) >= seconds


@examples(200)
@given(rest=RESTS, at=TIMES, seconds=SPANS, between=SPANS)
def test_what_is_left_is_the_same_wherever_it_is_counted(
    rest: Rest, at: int, seconds: int, between: int
) -> None:
    """Time that is stopped and goes on at once ends when it would have ended."""
    end = end_time(rest, at, seconds)
    middle = min(at + between, end)
    assert end_time(rest, middle, running_time(rest, middle, end)) == end


@examples(200)
@given(rest=RESTS, at=TIMES, seconds=SPANS)
def test_a_start_is_as_far_back_as_time_runs(rest: Rest, at: int, seconds: int) -> None:
    start = start_time(rest, at, seconds)
    assert start <= at
    assert running_time(rest, start, at) == seconds
    assert not seconds or running_time(rest, start + 1, at) == seconds - 1

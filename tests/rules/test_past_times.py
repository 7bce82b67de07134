"""Times in the past, as players type them."""

from __future__ import annotations

from calendar import timegm

import pytest

from rules.table.times.duration import parse_past_end, parse_since

DAY = 86400
#: Wednesday, December 2, 2026, at noon UTC.
NOON = 1_796_212_800
TODAY = NOON - DAY // 2


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("3 days", NOON - 3 * DAY, NOON - 3 * DAY),
        ("3 days ago", NOON - 3 * DAY, NOON - 3 * DAY),
        ("2h 30m", NOON - 9000, NOON - 9000),
        ("today", TODAY, TODAY + DAY),
        ("Yesterday", TODAY - DAY, TODAY),
        ("wednesday", TODAY, TODAY + DAY),
        ("Thu", TODAY - 6 * DAY, TODAY - 5 * DAY),
        ("tuesday", TODAY - DAY, TODAY),
        ("2026-11-30", TODAY - 2 * DAY, TODAY - DAY),
        ("1970-1-1", 0, DAY),
    ],
)
def test_a_time_is_where_a_span_begins_or_ends(text: str, begin: int, end: int) -> None:
    assert parse_since(text, "since", NOON) == begin
    assert parse_past_end(text, "until", NOON) == end


def test_a_date_has_the_offset_of_its_own_day() -> None:
    """Berlin, asked in winter: a summer's date begins two hours before midnight in UTC."""
    summer = timegm((2026, 3, 29, 1, 0, 0)), timegm((2026, 10, 25, 1, 0, 0))

    def berlin(at: int) -> int:
        return 7200 if summer[0] <= at < summer[1] else 3600

    at = timegm((2026, 11, 30, 12, 0, 0))
    assert parse_since("2026-07-01", "since", at, berlin) == timegm((2026, 6, 30, 22, 0, 0))
    assert parse_past_end("2026-07-01", "until", at, berlin) == timegm((2026, 7, 1, 22, 0, 0))
    # The day on which the clock goes back has 25 hours.
    assert (
        parse_past_end("2026-10-25", "until", at, berlin)
        - parse_since("2026-10-25", "since", at, berlin)
        == 25 * 3600
    )
    assert parse_since("yesterday", "since", at, berlin) == timegm((2026, 11, 28, 23, 0, 0))

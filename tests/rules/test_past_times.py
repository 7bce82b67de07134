"""Times in the past, as players type them."""

from __future__ import annotations

import pytest

from rules.table.duration import parse_past_end, parse_since

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

"""Times in the past, as players type them."""

from __future__ import annotations

import pytest

from rules.core.errors import InvalidInput
from rules.table.duration import parse_past

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
    assert parse_past(text, "since", NOON) == begin
    assert parse_past(text, "until", NOON, end=True) == end


@pytest.mark.parametrize("text", ["", "soon", "-3 days", "2026-13-01", "2026-12-03", "th", "ago"])
def test_anything_else_is_no_beginning(text: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parse_past(text, "since", NOON)
    assert error.value.code == "bad-past-text"
    assert error.value.params["field"] == "since"


def test_an_end_may_be_in_the_future_and_a_span_has_a_limit() -> None:
    assert parse_past("2026-12-24", "until", NOON, end=True) > NOON
    with pytest.raises(InvalidInput, match="span-too-long"):
        parse_past("9999999 weeks", "since", NOON)


def test_days_begin_at_the_midnight_of_the_zone() -> None:
    """At noon UTC it's 23:00 in Nouméa and 2:00 in Honolulu, each with a midnight of its own."""
    assert parse_past("today", "since", NOON, offset=11 * 3600) == NOON - 23 * 3600
    assert parse_past("today", "since", NOON, offset=-10 * 3600) == NOON - 2 * 3600
    assert parse_past("2026-12-02", "since", NOON, offset=-10 * 3600) == NOON - 2 * 3600

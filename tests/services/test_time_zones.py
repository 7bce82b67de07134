"""Time zones as players type them, and their offsets."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from bot.time_zones import (
    find_zone,
    local_date,
    local_datetime,
    local_minute,
    offsets_of,
    suggest_zones,
    time_of_local,
)
from rules.core.errors import NotFound, RulesError

#: 2026-01-01 00:00 UTC.
NEW_YEAR = 1_767_225_600


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("  europe/berlin ", "Europe/Berlin"),
        ("berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("america/new york", "America/New_York"),
        ("utc", "UTC"),
        ("Kolk", "Asia/Kolkata"),
    ],
)
def test_a_zone_is_found_by_its_name_or_its_city(typed: str, zone: str) -> None:
    assert find_zone(typed) == zone


@pytest.mark.parametrize(
    ("typed", "code"),
    [("Berlln", "unknown-zone"), ("", "unknown-zone"), ("sa", "ambiguous-zone")],
)
def test_another_text_is_refused_with_names_that_are_allowed(typed: str, code: str) -> None:
    with pytest.raises(RulesError) as caught:
        find_zone(typed)
    error = caught.value
    assert error.code == code
    offered = error.params["nearest" if isinstance(error, NotFound) else "allowed"]
    assert isinstance(offered, tuple)
    assert offered
    for zone in offered:
        assert find_zone(str(zone)) == zone


def test_a_slip_is_answered_with_the_zone_that_was_meant() -> None:
    with pytest.raises(NotFound) as caught:
        find_zone("Europe/Berlln")
    assert caught.value.params["nearest"] == ("Europe/Berlin",)


def test_completions_begin_with_cities() -> None:
    assert suggest_zones("berl") == ("Europe/Berlin",)
    assert "America/New_York" in suggest_zones("new y")
    assert 0 < len(suggest_zones("")) <= 25
    assert len(suggest_zones("a")) == 25
    assert suggest_zones("qqq") == ()


def test_offsets_have_each_change_of_the_clock() -> None:
    offsets = offsets_of("Europe/Berlin", NEW_YEAR, years=1)
    summer = int(datetime(2026, 3, 29, 1, tzinfo=UTC).timestamp())
    winter = int(datetime(2026, 10, 25, 1, tzinfo=UTC).timestamp())
    assert offsets == ((NEW_YEAR, 3600), (summer, 7200), (winter, 3600))
    assert offsets_of("Asia/Tokyo", NEW_YEAR) == ((NEW_YEAR, 9 * 3600),)
    assert len(offsets_of("America/New_York", NEW_YEAR)) == 21


def test_local_times() -> None:
    assert local_date("Pacific/Auckland", NEW_YEAR - 1) == date(2026, 1, 1)
    assert local_minute("Asia/Kolkata", NEW_YEAR) == 5 * 60 + 30
    assert local_datetime("UTC", NEW_YEAR).isoformat() == "2026-01-01T00:00:00+00:00"
    assert time_of_local("Asia/Kolkata", date(2026, 1, 1), 5 * 60 + 30) == NEW_YEAR

"""The time in which a player can still soften a hit doesn't run while the table's time doesn't."""

from __future__ import annotations

import pytest

from rules.table.actions import PauseTable, ResumeTable
from rules.table.state import DAY, HOUR
from rules.table.times.rest import Rest
from tests.rules.ebb.play import Play, hit
from tests.sample_table import BEN, GM


def softenable() -> Play:
    """A hit that Ben took in full a moment ago."""
    play = hit().choose(BEN, "hit", "in-full")
    assert "hit" in play.options(BEN)
    return play


def test_the_time_ends_after_a_day_without_rest() -> None:
    play = softenable()
    play.at += DAY - 1
    assert "hit" in play.options(BEN)
    play.at += 1
    assert play.options(BEN) == {}


def test_rest_days_do_not_count() -> None:
    play = softenable()
    weekday = (play.at // DAY + 3) % 7
    rest = Rest(days=((weekday + 1) % 7, (weekday + 2) % 7), zone="UTC", offsets=((0, 0),))
    play.state = play.state.replace(settings=play.state.settings.replace(rest=rest))
    play.at += 3 * DAY - 1
    assert "hit" in play.options(BEN)
    play.at += 1
    assert play.options(BEN) == {}


@pytest.mark.parametrize("days", [1, 20])
def test_a_pause_does_not_count(days: int) -> None:
    play = softenable()
    play.at += HOUR
    play.do(PauseTable, GM)
    play.at += days * DAY
    assert "hit" in play.options(BEN), "the pause lasts"
    play.do(ResumeTable, GM)
    play.at += DAY - HOUR - 1
    assert "hit" in play.options(BEN)
    play.at += 1
    assert play.options(BEN) == {}

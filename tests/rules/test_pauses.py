"""Pauses of the table's clock, and what they do to prompts, turns and the time to step in."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from rules.core.errors import Outdated, RulesError
from rules.table.actions import (
    Begin,
    ChangeRest,
    Due,
    MoreTime,
    MoreTurnTime,
    NextTurn,
    PauseTable,
    ResumeTable,
)
from rules.table.check import Check
from rules.table.checks.step_in_time import step_in_until
from rules.table.clock.pauses import pause_waits
from rules.table.events import CheckChanged, Notice
from rules.table.state import DAY, HOUR
from rules.table.times.rest import Rest
from rules.table.turns.turn_clock import is_stalled, waits_of_turn
from tests.rules.test_turn_clock import DECIDING, Play
from tests.sample_table import ANN, BEN, CLOCK, GM, NOON, PLACE

#: Days of the week of `NOON`'s date, from its own on.
TODAY = (NOON // DAY + 3) % 7
TOMORROW = (TODAY + 1) % 7
UTC = ((0, 0),)


def asked_play() -> Play:
    """A table with a prompt to Ann's character that the clock answers."""
    return Play(DECIDING).do(Begin, ANN, kind="try", values={})


def prompt_of(play: Play) -> Any:
    """The prompt of the first check."""
    (asked,) = play.state.checks["c1"].asked
    return asked


def notice_of(play: Play) -> Notice:
    (notice,) = [event for event in play.events if isinstance(event, Notice)]
    return notice


def turn_end(play: Play) -> int:
    """When the clock ends the present turn."""
    (end,) = [wait.due for wait in waits_of_turn(play.state, PLACE) if wait.ends_turn]
    return end


# --- prompts --------------------------------------------------------------------------------------


def test_a_pause_keeps_what_is_left_of_a_prompt() -> None:
    play = asked_play()
    first = prompt_of(play)
    assert (first.due, first.reminders) == (NOON + DAY, (NOON + DAY // 2,))
    play.at += 18 * HOUR
    play.do(PauseTable)
    assert prompt_of(play) == first, "only the settings have changed"
    play.at += 5 * DAY
    play.do(ResumeTable)
    now = prompt_of(play)
    assert now.due == play.at + 6 * HOUR
    assert now.reminders == first.reminders, "a reminder that is over stays"
    assert (now.number, now.since) == (first.number, first.since)
    assert notice_of(play).params["seconds"] == 5 * DAY


def test_pauses_add_up() -> None:
    play = asked_play()
    for _ in range(3):
        play.at += HOUR
        play.do(PauseTable)
        play.at += DAY
        play.do(ResumeTable)
    assert prompt_of(play).due == NOON + 4 * DAY
    assert prompt_of(play).reminders == (NOON + DAY // 2 + 3 * DAY,)


def test_a_prompt_that_opens_in_a_pause_has_all_of_its_time() -> None:
    play = Play(DECIDING).do(PauseTable)
    play.at += 2 * DAY
    play.do(Begin, ANN, kind="try", values={})
    play.at += 2 * DAY
    play.do(ResumeTable)
    assert prompt_of(play).due == play.at + DAY
    assert prompt_of(play).reminders == (play.at + DAY // 2,)


def test_nothing_runs_out_in_a_pause() -> None:
    play = asked_play().do(PauseTable)
    play.at += 3 * DAY
    due = prompt_of(play).due
    with pytest.raises(Outdated, match="wait-over"):
        play.do(Due, CLOCK, wait=f"c1.{prompt_of(play).number}.decide.{due}")
    play.do(ResumeTable)
    play.at = prompt_of(play).due
    play.do(Due, CLOCK, wait=f"c1.{prompt_of(play).number}.decide.{play.at}")
    assert not play.state.checks["c1"].is_open


def test_other_times_of_the_table_count_from_the_start_without_the_pause() -> None:
    play = asked_play()
    play.at += 6 * HOUR
    play.do(PauseTable)
    play.at += 2 * DAY
    play.do(ResumeTable)
    play.do(ChangeRest, days=(TOMORROW,), zone="UTC", offsets=UTC)
    play.do(ChangeRest)
    assert prompt_of(play).due == play.at + 18 * HOUR


def test_messages_show_no_deadline_while_the_table_is_paused() -> None:
    play = asked_play()
    for kind, shown in ((PauseTable, None), (ResumeTable, NOON + DAY + HOUR)):
        play.do(kind)
        (view,) = [event for event in play.events if isinstance(event, CheckChanged)]
        assert view.audience.everyone
        assert [asked.due for asked in view.asked] == [shown]
        play.at += HOUR


# --- the end of a pause ---------------------------------------------------------------------------


def test_the_clock_ends_a_pause() -> None:
    play = asked_play().do(PauseTable, until=NOON + 3 * DAY, note="Holidays")
    assert (notice_of(play).params["until"], notice_of(play).note) == (NOON + 3 * DAY, "Holidays")
    ((wait, at),) = pause_waits(play.state).items()
    assert at == NOON + 3 * DAY
    play.at = at - 1
    assert play.refused(Due, CLOCK, wait=wait).code == "not-yet-due"
    play.at = at
    play.do(Due, CLOCK, wait=wait)
    assert play.state.settings.pause is None
    assert prompt_of(play).due == NOON + 4 * DAY
    assert play.refused(Due, CLOCK, wait=wait).code == "wait-over"


def test_another_end_keeps_the_beginning_of_a_pause() -> None:
    play = asked_play().do(PauseTable)
    play.at += HOUR
    play.do(PauseTable, until=NOON + DAY)
    pause = play.state.settings.pause
    assert pause is not None
    assert (pause.since, pause.until) == (NOON, NOON + DAY)
    assert play.refused(PauseTable, until=NOON + DAY).code == "already-paused"
    assert play.refused(PauseTable, until=NOON).code == "bad-until"


def test_only_gms_pause_a_table() -> None:
    play = asked_play()
    assert play.refused(PauseTable, ANN).code == "gm-only"
    assert play.refused(ResumeTable).code == "not-paused"
    assert play.do(PauseTable).refused(ResumeTable, ANN).code == "gm-only"
    assert play.refused(ChangeRest, ANN).code == "gm-only"


# --- turns ----------------------------------------------------------------------------------------


def test_a_pause_keeps_what_is_left_of_a_turn() -> None:
    play = Play().do(NextTurn)
    start = play.state.encounters[PLACE].since
    assert turn_end(play) == start + 2 * DAY
    play.at += DAY
    play.do(PauseTable)
    assert waits_of_turn(play.state, PLACE) == ()
    play.at += 7 * DAY
    assert not is_stalled(play.state, PLACE, play.at)
    play.do(ResumeTable)
    assert turn_end(play) == start + 9 * DAY


def test_a_turn_that_begins_in_a_pause_has_all_of_its_time() -> None:
    play = Play().do(NextTurn).do(PauseTable)
    play.at += DAY
    play.do(NextTurn, ANN)
    play.at += DAY
    play.do(ResumeTable)
    assert turn_end(play) == play.at + 2 * DAY


@pytest.mark.parametrize("during", [True, False], ids=["answered in the pause", "answered later"])
def test_a_turn_that_waits_for_others_in_a_pause_loses_nothing(during: bool) -> None:
    """Its own pause and the table's don't add up."""
    play = Play().do(NextTurn)
    start = play.state.encounters[PLACE].since
    encounter = play.state.encounters[PLACE]
    play.at += HOUR
    # Its checks have waited for others since now.
    play.state = play.state.with_encounter(encounter.replace(paused_at=play.at))
    others = play.state
    play.at += HOUR
    play.do(PauseTable)
    if not during:
        assert play.state.encounters[PLACE].paused_at == others.encounters[PLACE].paused_at
    play.at += DAY
    play.do(ResumeTable)
    assert play.state.encounters[PLACE].paused_at is None
    assert turn_end(play) == start + 2 * DAY + HOUR + DAY


# --- rest -----------------------------------------------------------------------------------------


def test_no_time_of_a_prompt_runs_on_a_rest_day() -> None:
    play = Play(DECIDING, rest=Rest((TOMORROW,), zone="UTC", offsets=UTC))
    play.do(Begin, ANN, kind="try", values={})
    midnight = NOON // DAY * DAY + DAY
    assert prompt_of(play).due == midnight + DAY + (DAY - (midnight - NOON))


def test_no_time_of_a_turn_runs_on_a_rest_day() -> None:
    play = Play(rest=Rest((TOMORROW,), zone="UTC", offsets=UTC)).do(NextTurn)
    assert turn_end(play) == play.state.encounters[PLACE].since + 3 * DAY


def test_rest_that_ends_gives_an_hours_notice() -> None:
    rest = {"days": (TODAY, TOMORROW), "zone": "UTC", "offsets": UTC}
    play = Play(DECIDING).do(ChangeRest, **rest).do(NextTurn)
    play.do(Begin, ANN, kind="try", values={})
    play.at += 2 * DAY
    play.do(ChangeRest)
    assert prompt_of(play).due == play.at + HOUR
    play.do(ChangeRest, **rest)
    assert play.refused(ChangeRest, **rest).code == "rest-unchanged"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"days": tuple(range(7)), "zone": "UTC", "offsets": UTC}, "rest-every-day"),
        ({"days": (7,), "zone": "UTC", "offsets": UTC}, "out-of-range"),
        ({"from_": 1440, "zone": "UTC", "offsets": UTC}, "out-of-range"),
        ({"days": (1,), "zone": "UTC"}, "bad-zone"),
        ({"days": (1,), "offsets": UTC}, "bad-zone"),
        ({"days": (1,), "zone": "UTC", "offsets": ((5, 0), (5, 0))}, "bad-zone"),
        ({"days": (1,), "zone": "UTC", "offsets": ((0, 10**6),)}, "out-of-range"),
        ({}, "rest-unchanged"),
    ],
)
def test_rest_that_makes_no_sense_is_refused(fields: dict[str, Any], code: str) -> None:
    play = Play()
    before = play.state
    assert play.refused(ChangeRest, **fields).code == code
    assert play.state is before


def test_a_pause_over_rest_days_keeps_what_is_left() -> None:
    """Only time that runs counts as used."""
    play = Play(DECIDING, rest=Rest((TOMORROW,), zone="UTC", offsets=UTC))
    play.do(Begin, ANN, kind="try", values={})
    midnight = NOON // DAY * DAY + DAY
    play.at = midnight + HOUR
    play.do(PauseTable)
    play.at = midnight + 3 * DAY
    play.do(ResumeTable)
    assert prompt_of(play).due == play.at + DAY - (midnight - NOON)


def test_reminders_that_a_night_puts_together_come_once() -> None:
    """Each wait of the clock has an id of its own."""
    minute = NOON % DAY // 60
    rest = Rest((), (minute + 120) % 1440, (minute + 180) % 1440, "UTC", UTC)
    play = Play(DECIDING).do(Begin, ANN, kind="try", values={})
    check = play.state.checks["c1"]
    (asked,) = check.asked
    asked = asked.replace(due=None, reminders=(NOON + 600, NOON + 1200, NOON + 2400))
    play.state = play.state.with_check(check.replace(asked=(asked,)))
    play.state = play.state.replace(settings=play.state.settings.replace(rest=rest))
    play.do(PauseTable)
    play.at += 60
    play.do(ResumeTable)
    assert len(prompt_of(play).reminders) == 1


# --- the time to step in --------------------------------------------------------------------------


def test_a_pause_keeps_what_is_left_of_the_time_to_step_in() -> None:
    play = asked_play()
    check: Check[Any] = play.state.checks["c1"].replace(stage="over", asked=(), final_since=NOON)
    play.state = play.state.with_check(check)
    settings = play.state.settings
    assert step_in_until(settings, check, NOON) == NOON + DAY
    play.at += 6 * HOUR
    play.do(PauseTable)
    play.at += 3 * DAY
    assert step_in_until(play.state.settings, check, play.at) == play.at + 18 * HOUR
    play.do(ResumeTable)
    now = play.state.checks["c1"]
    assert step_in_until(play.state.settings, now, play.at) == play.at + 18 * HOUR
    # A time that is over stays over.
    play.at += 2 * DAY
    play.do(PauseTable)
    play.at += DAY
    play.do(ResumeTable)
    assert play.state.checks["c1"] == now


# --- more time ------------------------------------------------------------------------------------


def test_a_player_takes_as_much_time_again_once() -> None:
    play = asked_play()
    play.at += 20 * HOUR
    play.do(MoreTime, ANN, check="c1", prompt="decide", number=prompt_of(play).number)
    assert prompt_of(play).due == NOON + 2 * DAY
    assert prompt_of(play).reminders == (NOON + DAY // 2, NOON + DAY)
    notice = notice_of(play)
    assert notice.audience.everyone
    assert notice.params == {"name": "Anna", "until": NOON + 2 * DAY, "own": True}
    refused = play.refused(MoreTime, ANN, check="c1", prompt="decide")
    assert refused.code == "more-time-taken"
    play.do(MoreTime, GM, check="c1", prompt="decide")
    assert prompt_of(play).due == NOON + 4 * DAY


def test_a_gm_gives_time_until_any_later_time() -> None:
    play = asked_play()
    play.do(MoreTime, GM, check="c1", prompt="decide", until=NOON + 9 * DAY)
    assert prompt_of(play).due == NOON + 9 * DAY
    play.do(MoreTime, ANN, check="c1", prompt="decide")
    assert prompt_of(play).due == NOON + 18 * DAY, "a player's own time is still to be had"


def test_a_deadline_in_thousands_of_years_is_refused_at_once() -> None:
    rest = {"days": (5, 6), "from_": 480, "to": 1320, "zone": "UTC", "offsets": ((0, 0),)}
    play = asked_play().do(ChangeRest, GM, **rest)
    began = process_time()
    refused = play.refused(MoreTime, GM, check="c1", prompt="decide", until=253_402_214_400)
    assert refused.code == "more-time-limit"
    assert process_time() - began < 1, "the rest of each day is not counted"


def _refusals(play: Play, kind: Any, **fields: Any) -> list[RulesError]:
    late = {**fields, "until": NOON}
    return [
        play.refused(kind, BEN, **fields),
        play.refused(kind, ANN, **{**fields, "until": NOON + 5 * DAY}),
        play.refused(kind, GM, **late),
        play.refused(kind, GM, **{**fields, "until": NOON + 500 * DAY}),
    ]


def test_more_time_for_a_prompt_is_refused() -> None:
    play = asked_play()
    before = play.state
    codes = [error.code for error in _refusals(play, MoreTime, check="c1", prompt="decide")]
    assert codes == ["not-asked", "gm-only", "until-not-later", "more-time-limit"]
    assert play.refused(MoreTime, ANN, check="c1", prompt="decide", number=99).code
    assert play.refused(MoreTime, ANN, check="c9", prompt="decide").code == "unknown-check"
    assert play.state is before
    play.do(PauseTable)
    assert play.refused(MoreTime, ANN, check="c1", prompt="decide").code == "clock-stands"


def test_a_turn_gets_more_time() -> None:
    play = Play().do(NextTurn)
    start = play.state.encounters[PLACE].since
    play.at += DAY
    reminder = waits_of_turn(play.state, PLACE)[0]
    play.do(Due, CLOCK, wait=reminder.id)
    play.do(MoreTurnTime, ANN)
    assert turn_end(play) == start + 4 * DAY
    assert notice_of(play).params == {"name": "Anna", "until": start + 4 * DAY, "own": True}
    assert reminder.id not in {wait.id for wait in waits_of_turn(play.state, PLACE)}
    assert play.refused(MoreTurnTime, ANN).code == "more-time-taken"
    play.do(MoreTurnTime, GM, until=start + 9 * DAY)
    assert turn_end(play) == start + 9 * DAY
    play.do(NextTurn, ANN)
    assert turn_end(play) == play.state.encounters[PLACE].since + 2 * DAY, (
        "the next turn has its own"
    )


def test_more_time_for_a_turn_is_refused() -> None:
    play = Play().do(NextTurn)
    before = play.state
    codes = [error.code for error in _refusals(play, MoreTurnTime)]
    assert codes == ["not-your-turn", "gm-only", "until-not-later", "more-time-limit"]
    assert play.refused(MoreTurnTime, ANN, round=7, turn=1).code == "turn-moved-on"
    assert play.state is before
    assert Play(turn_time=0).do(NextTurn).refused(MoreTurnTime, ANN).code == "no-deadline"

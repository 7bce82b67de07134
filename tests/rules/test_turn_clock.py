"""Deadlines of turns: reminders, the kind default, absence, and what has stalled."""

from __future__ import annotations

from typing import Any, Self

import pytest

from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.table.actions import (
    Action,
    Actor,
    AddToEncounter,
    Begin,
    ChangeSettings,
    CloseChecks,
    DelayTurn,
    Delegate,
    Due,
    JoinEncounter,
    NextTurn,
    OrderEncounter,
    SetAway,
    StartEncounter,
)
from rules.table.check import Check, Prompt
from rules.table.events import BoardChanged, Event
from rules.table.resolve import resolve
from rules.table.state import DAY, HOUR, Character, Settings, TableState
from rules.table.system import Game, System, Turns
from rules.table.turns.board import board_view
from rules.table.turns.turn_clock import is_stalled, turn_waits, waits_of_turn
from tests.rules.toy_turns import PLAIN, Sheet, Trying
from tests.sample_table import ANN, BEN, CLOCK, GM, NOON, PLACE, by

CARL = Actor("p4")
_TRY = PLAIN.procedures["try"].replace(takes_turn=lambda game, check: True)


class _Deciding(Trying):
    """Waits for whoever acts."""

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        return () if check.data.declared else (Prompt("decide", (check.actor,), default="fine"),)


ACTING = PLAIN.replace(procedures={"try": _TRY})
DECIDING = PLAIN.replace(procedures={"try": _TRY.replace(course=(_Deciding(),))})
PHASES = PLAIN.replace(turns=Turns(lambda game, character, rng: None, timeline=True))


class Play:
    """Anna and Boris, who are players' characters, and an orc; turns of two days."""

    def __init__(self, system: System = PLAIN, **settings: Any) -> None:
        people = (
            Character("k1", "Anna", "p2", Sheet()),
            Character("k2", "Boris", "p3", Sheet()),
            Character("k3", "Orc", None, Sheet()),
        )
        agreed = Settings("Hills", "skirmish", ("p1",), **{"turn_time": 2 * DAY, **settings})
        self.system = system
        self.state = TableState(agreed, characters={each.id: each for each in people})
        self.at = NOON
        self.events: tuple[Event, ...] = ()
        self.do(StartEncounter).do(JoinEncounter, ANN).do(JoinEncounter, BEN)

    def do(self, kind: type[Action], /, who: Actor = GM, **fields: Any) -> Self:
        action = kind(**{**by(who, at=self.at), **fields})
        outcome = resolve(self.system, self.state, action, ScriptedRng(()))
        self.state, self.events = outcome.state, outcome.events
        return self

    def refused(self, kind: type[Action], /, who: Actor = GM, **fields: Any) -> RulesError:
        with pytest.raises(RulesError) as found:
            self.do(kind, who, **fields)
        return found.value

    def next_wait(self) -> tuple[str, int]:
        """The next thing that the clock does about turns, and when."""
        return min(turn_waits(self.state).items(), key=lambda item: item[1])

    def tick(self, done: set[str] | None = None) -> Self:
        """The clock reaches the next wait; those `done` are left out."""
        left = {
            wait: due for wait, due in turn_waits(self.state).items() if wait not in (done or ())
        }
        wait = min(left, key=lambda each: left[each])
        if done is not None:
            done.add(wait)
        self.at = max(self.at, left[wait])
        return self.do(Due, CLOCK, wait=wait)

    def lapse(self) -> Self:
        """The turn's time runs out."""
        (wait,) = [each for each in waits_of_turn(self.state, PLACE) if each.ends_turn]
        self.at = wait.due
        return self.do(Due, CLOCK, wait=wait.id)

    def order(self) -> str:
        """The order: `>` before the character on turn, `~` before those who wait."""
        shown = board_view(self.state, PLACE, GM)
        assert shown is not None
        marks = [f"{'>' * line.acts}{'~' * line.waits}{line.name}" for line in shown.lines]
        return f"{shown.round}: {' '.join(marks)}"

    def told(self) -> list[tuple[str, str | None, tuple[str, ...], bool]]:
        """What was told of the order: the step, the name, and who was called."""
        found = [each for each in self.events if isinstance(each, BoardChanged)]
        return [(each.step, each.name, each.ping, each.ping_gms) for each in found]


# --- the deadline of a turn -----------------------------------------------------------------------


def test_a_turn_is_called_once_more_at_half_time_and_then_waits() -> None:
    play = Play()
    assert turn_waits(play.state) == {}, "nobody acts yet"
    play.do(NextTurn)
    reminder, end = waits_of_turn(play.state, PLACE)
    assert (reminder.due, end.due) == (NOON + DAY, NOON + 2 * DAY)
    assert play.refused(Due, CLOCK, wait=reminder.id).code == "not-yet-due"
    assert play.refused(Due, ANN, wait=reminder.id).code == "system-only"
    before = play.state
    play.at = reminder.due
    play.do(Due, CLOCK, wait=reminder.id)
    assert play.told() == [("reminded", "Anna", ("p2",), False)]
    assert play.state is before
    play.do(OrderEncounter, order=("Boris",)).do(OrderEncounter, order=("Anna",))
    assert waits_of_turn(play.state, PLACE) == (reminder, end), "it is still the same turn"
    play.lapse()
    assert play.order() == "1: ~Anna >Boris"
    assert play.told() == [("delayed", "Anna", (), False), ("turn", "Boris", ("p3",), False)]
    assert all(event.audience.everyone for event in play.events)


def test_a_turn_that_waits_comes_back_in_the_same_round() -> None:
    play = Play().do(NextTurn).lapse().do(DelayTurn, ANN, back=True)
    assert play.order() == "1: >Anna Boris"
    assert play.do(NextTurn, ANN).do(NextTurn, BEN).order() == "2: >Anna Boris"


def test_the_next_round_calls_again_whom_the_clock_let_wait() -> None:
    play = Play().do(NextTurn).lapse().do(NextTurn, BEN)
    assert play.order() == "2: >Anna Boris"
    play.do(DelayTurn, ANN).do(NextTurn, BEN)
    assert play.order() == "2: ~Anna >Boris" or play.order() == "3: ~Anna >Boris"


def test_the_last_turn_of_a_round_in_which_all_others_wait_is_over() -> None:
    play = Play().do(AddToEncounter, name="Orc").do(NextTurn).lapse().lapse()
    assert play.order() == "1: ~Anna ~Boris >Orc"
    play.do(NextTurn)
    assert play.order() == "2: >Anna Boris Orc"


def test_a_turn_that_has_been_used_is_over() -> None:
    play = Play(ACTING).do(NextTurn).do(Begin, ANN, kind="try", values={})
    (check,) = play.state.checks
    play.do(CloseChecks, checks=(check,)).lapse()
    assert play.order() == "1: Anna >Boris"
    assert play.told() == [("turn", "Boris", ("p3",), False)]
    assert play.state.encounters[PLACE].lapses == 0


def test_a_used_turn_goes_on_though_its_check_is_open() -> None:
    play = Play(DECIDING).do(NextTurn).do(Begin, ANN, kind="try", values={}).lapse()
    assert play.order() == "1: Anna >Boris"
    (check,) = play.state.checks.values()
    assert check.is_open and play.state.encounters[PLACE].lapses == 0


def test_a_turn_that_its_player_has_ended_keeps_its_deadline() -> None:
    play = Play().do(NextTurn).do(Begin, ANN, kind="try", values={}).do(NextTurn, ANN)
    assert play.order() == "1: >Anna Boris" and play.state.encounters[PLACE].ended
    (end,) = waits_of_turn(play.state, PLACE)
    assert (end.due, end.ends_turn) == (NOON + 2 * DAY, True), "and no reminders"
    play.lapse()
    assert play.order() == "1: Anna >Boris"
    assert play.told() == [("turn", "Boris", ("p3",), False)]
    (check,) = play.state.checks.values()
    assert check.is_open and not play.state.encounters[PLACE].ended


def test_the_gms_are_told_when_an_ended_turn_is_held_by_the_round() -> None:
    play = Play().do(NextTurn).do(Begin, ANN, kind="try", values={}).do(NextTurn, ANN).lapse()
    play.do(NextTurn, BEN)
    assert play.order() == "1: Anna >Boris"
    assert not is_stalled(play.state, PLACE, play.at)
    play.lapse()
    assert play.order() == "1: Anna >Boris"
    assert play.told() == [("stalled", "Boris", (), True)]
    assert not play.events[0].audience.everyone
    assert is_stalled(play.state, PLACE, play.at)
    (check,) = play.state.checks
    assert play.do(CloseChecks, checks=(check,)).order() == "2: >Anna Boris"
    assert not is_stalled(play.state, PLACE, play.at)


def test_a_turn_ended_after_the_clock_has_stopped_has_its_whole_time() -> None:
    play = Play().do(NextTurn).lapse().lapse()
    assert is_stalled(play.state, PLACE, play.at)
    play.at += 30 * DAY
    play.do(Begin, ANN, kind="try", values={}).do(NextTurn, ANN)
    assert not is_stalled(play.state, PLACE, play.at)
    (end,) = waits_of_turn(play.state, PLACE)
    assert end.due == play.at + 2 * DAY
    assert play.lapse().order() == "2: Anna >Boris"


def test_the_time_of_a_turn_stands_while_its_check_waits_for_others() -> None:
    play = Play(ACTING).do(NextTurn)
    play.at = NOON + HOUR
    play.do(Begin, ANN, kind="try", values={})
    (check,) = play.state.checks
    assert turn_waits(play.state) == {}
    play.at = NOON + 5 * DAY
    play.do(CloseChecks, checks=(check,))
    due = [each.due for each in waits_of_turn(play.state, PLACE)]
    assert due == [NOON + 6 * DAY - HOUR, NOON + 7 * DAY - HOUR]
    play.do(NextTurn, ANN)
    due = [each.due for each in waits_of_turn(play.state, PLACE)]
    assert due == [NOON + 6 * DAY, NOON + 7 * DAY], "the next turn has its own time"


def test_on_a_timeline_nothing_happens_for_now() -> None:
    play = Play(PHASES).do(NextTurn).lapse()
    assert play.order() == "1: >Boris ~Anna"
    assert play.do(DelayTurn, ANN, back=True).order() == "1: >Boris Anna"


def test_where_turns_have_no_limit_the_clock_does_nothing() -> None:
    assert turn_waits(Play(turn_time=0).do(NextTurn).state) == {}


def test_a_turn_is_not_over_at_once_because_the_table_has_changed_its_times() -> None:
    play = Play().do(NextTurn)
    play.at = NOON + DAY
    play.do(ChangeSettings, values={"turn_time": HOUR})
    ((_, due),) = [item for item in turn_waits(play.state).items() if "remind" not in item[0]]
    assert due == NOON + DAY + HOUR
    play.do(NextTurn)
    (_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == NOON + DAY + HOUR, "a turn that begins later has the new time"


def test_a_shorter_turn_is_not_longer_than_it_was() -> None:
    play = Play().do(NextTurn)
    play.at = NOON + 2 * DAY - 600
    play.do(ChangeSettings, values={"turn_time": DAY})
    assert _turn_end(play) == NOON + 2 * DAY
    play.do(ChangeSettings, values={"turn_time": HOUR})
    assert _turn_end(play) == NOON + 2 * DAY, "nor by a second change"


def test_a_shorter_turn_reminds_of_no_time_that_is_over() -> None:
    play = Play().do(NextTurn)
    play.at = NOON + 18 * HOUR
    play.do(ChangeSettings, values={"turn_time": DAY})
    # By the new time, the reminder would have come at noon + 12 hours.
    (end,) = waits_of_turn(play.state, PLACE)
    assert end.ends_turn and end.due == NOON + DAY
    play.do(NextTurn)
    assert [wait.ends_turn for wait in waits_of_turn(play.state, PLACE)] == [False, True]


def test_a_turn_without_a_deadline_still_stalls_after_a_change() -> None:
    play = Play().do(AddToEncounter, name="Orc").do(NextTurn)
    while "Orc" not in play.order().split(">")[1].split()[0]:
        play.do(NextTurn)
    began = play.state.encounters[PLACE].since
    play.at = began + 20 * DAY
    play.do(ChangeSettings, values={"turn_time": HOUR})
    (last,) = waits_of_turn(play.state, PLACE)
    assert not last.ends_turn
    play.do(Due, CLOCK, wait=last.id)
    assert any(isinstance(event, BoardChanged) and event.step == "stalled" for event in play.events)


def test_a_turn_that_had_no_limit_has_an_hour_left() -> None:
    play = Play(turn_time=0).do(NextTurn)
    play.at = NOON + 3 * DAY
    play.do(ChangeSettings, values={"turn_time": DAY})
    assert _turn_end(play) == play.at + HOUR
    play.do(ChangeSettings, values={"turn_time": HOUR})
    assert _turn_end(play) == play.at + HOUR


def test_a_longer_turn_is_as_long_as_agreed() -> None:
    play = Play().do(NextTurn)
    play.at = NOON + DAY
    play.do(ChangeSettings, values={"turn_time": 3 * DAY})
    assert _turn_end(play) == NOON + 3 * DAY


def _turn_end(play: Play) -> int:
    (end,) = [each.due for each in waits_of_turn(play.state, PLACE) if each.ends_turn]
    return end


def test_a_reminder_that_is_late_is_left_out() -> None:
    play = Play().do(NextTurn)
    reminder, end = waits_of_turn(play.state, PLACE)
    play.at = end.due
    assert play.refused(Due, CLOCK, wait=reminder.id).code == "wait-over"
    play.do(Due, CLOCK, wait=end.id)
    assert play.refused(Due, CLOCK, wait=end.id).code == "wait-over"


# --- what stalls ----------------------------------------------------------------------------------


def test_the_turn_of_an_npc_never_lapses() -> None:
    play = Play().do(AddToEncounter, name="Orc").do(OrderEncounter, order=("Orc",)).do(NextTurn)
    start = play.state.encounters[PLACE].since
    waits = waits_of_turn(play.state, PLACE)
    assert [each.due - start for each in waits] == [2 * DAY, 4 * DAY, 8 * DAY]
    assert not any(each.ends_turn for each in waits)
    done: set[str] = set()
    play.tick(done)
    assert play.told() == [("reminded", "Orc", (), True)]
    assert not is_stalled(play.state, PLACE, play.at)
    play.tick(done).tick(done)
    assert play.told() == [("reminded", "Orc", (), True), ("stalled", "Orc", (), True)]
    assert not play.events[1].audience.everyone
    assert is_stalled(play.state, PLACE, play.at)
    play.do(NextTurn)
    assert not is_stalled(play.state, PLACE, play.at)


def test_when_nobody_acts_for_a_whole_round_the_gms_are_told_and_the_clock_stops() -> None:
    play = Play().do(NextTurn).lapse().lapse()
    assert play.order() == "2: >Anna Boris"
    assert play.told()[-1] == ("stalled", None, (), True)
    assert turn_waits(play.state) == {}
    assert is_stalled(play.state, PLACE, play.at)
    play.do(NextTurn, ANN)
    assert not is_stalled(play.state, PLACE, play.at)
    assert play.lapse().order() == "3: >Anna Boris"
    assert play.state.encounters[PLACE].lapses == 1


def test_the_clock_alone_brings_every_fight_to_an_end_or_to_the_gms() -> None:
    """Whatever the order is, the clock has nothing left to do in 30 days."""
    for system in (PLAIN, PHASES):
        for names in ((), ("Orc",), ("Orc", "a fire")):
            play = Play(system)
            for name in names:
                play.do(AddToEncounter, name=name)
            play.do(NextTurn)
            done: set[str] = set()
            while turn_waits(play.state).keys() - done:
                play.tick(done)
            encounter = play.state.encounters[PLACE]
            quiet = encounter.timeline and all(slot.delayed for slot in encounter.order)
            assert quiet or is_stalled(play.state, PLACE, play.at)
            assert play.at <= NOON + 30 * DAY


# --- whoever is away ------------------------------------------------------------------------------


def test_for_whoever_is_away_the_gms_are_called_for_an_hour() -> None:
    play = Play().do(SetAway, ANN).do(NextTurn, GM)
    assert play.told() == [("turn", "Anna", (), False)], "a GM has brought it about"
    play = Play().do(SetAway, BEN).do(NextTurn).do(NextTurn, ANN)
    assert play.told() == [("turn", "Boris", (), True)]
    (call,) = play.events
    assert isinstance(call, BoardChanged) and call.away == "p3"
    reminder, end = waits_of_turn(play.state, PLACE)
    start = play.state.encounters[PLACE].since
    assert (reminder.due, end.due) == (start + HOUR // 2, start + HOUR)
    assert play.lapse().order() == "2: >Anna Boris", "all others have acted"


def test_a_stand_in_is_called_and_has_the_full_time() -> None:
    play = Play().do(Delegate, BEN, to=CARL.id, character="Boris").do(SetAway, BEN)
    play.do(NextTurn).do(NextTurn, ANN)
    assert play.told() == [("turn", "Boris", ("p4",), False)]
    (_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == play.state.encounters[PLACE].since + 2 * DAY
    play.do(Begin, CARL, kind="try", values={})
    assert play.state.checks["c1"].actor == "k2", "the stand-in acts in the turn"
    play.do(CloseChecks, checks=("c1",)).do(NextTurn, CARL)
    assert play.order() == "2: >Anna Boris"
    assert play.refused(NextTurn, CARL).code == "not-your-turn"
    assert play.refused(Begin, CARL, kind="try", values={}, as_="Boris").code != ""


def test_gms_act_for_an_hour_where_the_stand_in_is_away_too() -> None:
    play = Play().do(Delegate, BEN, to=ANN.id, character="Boris").do(SetAway, BEN)
    play.do(SetAway, ANN).do(NextTurn).do(NextTurn, GM)
    (call,) = [each for each in play.events if isinstance(each, BoardChanged) and each.calls]
    assert (call.name, call.ping, call.away) == ("Boris", (), "p3")
    (*_, end) = waits_of_turn(play.state, PLACE)
    start = play.state.encounters[PLACE].since
    assert end.due == start + HOUR
    play.do(Begin, GM, kind="try", values={})
    assert play.state.checks["c1"].actor == "k2"
    play.do(CloseChecks, checks=("c1",)).do(SetAway, ANN, back=True)
    (*_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == start + 2 * DAY, "the stand-in is back"


def test_a_stand_in_who_goes_away_in_the_turn_leaves_the_gms_an_hour() -> None:
    play = Play().do(Delegate, BEN, to=ANN.id, character="Boris").do(SetAway, BEN)
    play.do(NextTurn).do(NextTurn, ANN)
    assert play.told() == [("turn", "Boris", (), False)], "the stand-in has brought it about"
    play.at = NOON + 6 * HOUR
    play.do(SetAway, ANN)
    (*_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == NOON + 7 * HOUR
    play.do(Begin, GM, kind="try", values={})
    assert play.state.checks["c1"].actor == "k2"


def test_gms_act_in_the_turn_of_whoever_is_away() -> None:
    play = Play().do(NextTurn)
    assert play.refused(Begin, GM, kind="try", values={}, as_="Anna").code == "unknown-character"
    play.do(SetAway, ANN).do(Begin, GM, kind="try", values={})
    assert play.state.checks["c1"].actor == "k1"


def test_whoever_goes_away_in_their_turn_leaves_an_hour_from_then_on() -> None:
    play = Play().do(NextTurn)
    play.at = NOON + 6 * HOUR
    play.do(SetAway, ANN)
    (*_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == NOON + 7 * HOUR
    play.at = NOON + 6 * HOUR + 60
    play.do(SetAway, ANN, back=True)
    (*_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == play.state.encounters[PLACE].since + 2 * DAY


def test_whoever_is_back_within_the_hour_has_the_full_time() -> None:
    play = Play().do(SetAway, ANN, until=NOON + HOUR // 2).do(NextTurn)
    (*_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == play.state.encounters[PLACE].since + 2 * DAY


def test_an_npc_with_nothing_left_to_act_with_is_passed_over() -> None:
    """It acted out of turn, so nobody waits for it; a turn that has begun is the GMs' to end."""
    assert PLAIN.turns is not None
    tired: set[str] = set()
    turns = PLAIN.turns.replace(spent=lambda game, character: character.name in tired)
    play = Play(PLAIN.replace(turns=turns)).do(AddToEncounter, name="Orc")
    play.do(OrderEncounter, order=("Anna", "Orc", "Boris")).do(NextTurn)
    tired.add("Orc")
    play.do(NextTurn, ANN)
    assert play.order() == "1: Anna Orc >Boris"
    assert ("turn", "Boris", ("p3",), False) in play.told()
    assert not any(each[1] == "Orc" for each in play.told())
    tired.clear()
    play.do(NextTurn, BEN).do(NextTurn, ANN)
    assert play.order() == "2: Anna >Orc Boris"
    tired.add("Orc")
    play.do(Delegate, ANN, to="p4")
    assert play.order() == "2: Anna >Orc Boris"


@pytest.mark.parametrize("can_act", [True, False])
def test_a_round_does_not_wait_for_a_delayed_character_with_nothing_left(can_act: bool) -> None:
    """Anna delays and acts out of turn; then Boris has acted too, or can't act any more."""
    assert PLAIN.turns is not None
    tired: set[str] = set()
    stunned: set[str] = set()
    turns = PLAIN.turns.replace(
        spent=lambda game, character: character.name in tired,
        idle=lambda game, character: () if character.name in stunned else None,
    )
    play = Play(PLAIN.replace(turns=turns)).do(AddToEncounter, name="Orc")
    play.do(OrderEncounter, order=("Orc", "Anna", "Boris")).do(NextTurn).do(NextTurn)
    play.do(DelayTurn, ANN)
    assert play.order() == "1: Orc ~Anna >Boris"
    (tired if can_act else stunned).add("Boris")
    play.do(Delegate, ANN, to="p4")
    assert play.order() == "1: Orc ~Anna >Boris", "Anna can still act"
    tired.add("Anna")
    play.do(Delegate, ANN, to="p3")
    assert play.order() == "2: >Orc ~Anna Boris"

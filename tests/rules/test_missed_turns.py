"""Deadlines that players miss in a row: counted, forgiven, and told to the GMs alone."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.table.absence import is_away, missed_deadlines, orders_of
from rules.table.actions import (
    Action,
    Actor,
    ChangePerson,
    DelayTurn,
    Due,
    JoinEncounter,
    NextTurn,
    NoteDeparture,
    PauseTable,
    SetAway,
    SetWords,
    StartEncounter,
)
from rules.table.arrangements.absence_actions import absence_waits
from rules.table.events import Event, Notice
from rules.table.resolve import resolve
from rules.table.state import DAY, Character, Settings, TableState
from rules.table.turns.turn_clock import waits_of_turn
from tests.rules.toy_turns import PLAIN, Sheet
from tests.sample_table import ANN, BEN, CLOCK, GM, NOON, PLACE, by


class Play:
    """Anna, Boris and an orc, whose turns last two days, in rounds of initiative."""

    def __init__(self, **settings: Any) -> None:
        people = (
            Character("k1", "Anna", "p2", Sheet()),
            Character("k2", "Boris", "p3", Sheet()),
            Character("k3", "Orc", None, Sheet()),
        )
        agreed = Settings("Hills", "skirmish", ("p1",), **{"turn_time": 2 * DAY, **settings})
        self.state = TableState(agreed, characters={each.id: each for each in people})
        self.at = NOON
        self.events: tuple[Event, ...] = ()
        self.do(StartEncounter).do(JoinEncounter, ANN).do(JoinEncounter, BEN).do(NextTurn)

    def do(self, kind: type[Action], /, who: Actor = GM, **fields: Any) -> Play:
        action = kind(**{**by(who, at=self.at), **fields})
        outcome = resolve(PLAIN, self.state, action, ScriptedRng(()))
        self.state, self.events = outcome.state, outcome.events
        return self

    def refused(self, kind: type[Action], /, who: Actor = GM, **fields: Any) -> RulesError:
        with pytest.raises(RulesError) as found:
            self.do(kind, who, **fields)
        return found.value

    def lapse(self) -> Play:
        """Let the time of the present turn run out."""
        (wait,) = [each for each in waits_of_turn(self.state, PLACE) if each.ends_turn]
        self.at = wait.due
        return self.do(Due, CLOCK, wait=wait.id)

    def next_day(self) -> Play:
        self.at += DAY
        return self

    def notices(self, what: str) -> list[Notice]:
        return [each for each in self.events if isinstance(each, Notice) and each.what == what]

    def missed(self) -> dict[str, int]:
        return self.state.counters.missed


def test_two_missed_turns_in_a_row_are_told_to_the_gms_alone() -> None:
    play = Play().lapse()
    assert play.missed() == {"p2": 1}
    assert not play.notices("missed-in-a-row")
    play.do(NextTurn, BEN)
    assert play.missed() == {"p2": 1}, "what Ben does forgives Ann nothing"
    play.lapse()
    (told,) = play.notices("missed-in-a-row")
    assert (told.params["who"], told.params["count"], told.params["names"]) == ("p2", 2, ("Anna",))
    assert (told.audience.everyone, told.audience.gms, told.audience.people) == (False, True, ())
    assert (told.ping_gms, told.quiet) == (True, True), "no channel of the GMs, no public stub"


def test_a_block_counts_once_for_each_player() -> None:
    play = Play(block_turns=True).lapse()
    assert play.missed() == {"p2": 1, "p3": 1}
    both = Play(block_turns=True)
    boris = both.state.characters["k2"].replace(owner="p2")
    both.state = both.state.with_character(boris)
    assert both.lapse().missed() == {"p2": 1}


def test_nothing_is_missed_while_the_table_is_paused() -> None:
    play = Play()
    (wait,) = [each for each in waits_of_turn(play.state, PLACE) if each.ends_turn]
    play.do(PauseTable)
    play.at = wait.due
    assert play.refused(Due, CLOCK, wait=wait.id).code == "wait-over"
    assert play.missed() == {}


def test_any_act_of_the_player_forgives_and_changes_no_other_part() -> None:
    play = Play().lapse()
    before = play.state
    play.do(ChangePerson, ANN, plain=True)
    assert play.missed() == {}
    assert set(play.state.changes_since(before)) == {"counters", "person:p2"}
    before = play.state
    play.do(ChangePerson, ANN, plain=False)
    assert set(play.state.changes_since(before)) == {"person:p2"}, "written only if it changes"


def test_a_refused_act_forgives_nothing() -> None:
    play = Play().lapse()
    assert play.refused(SetAway, ANN, back=True).code == "not-away"
    assert play.missed() == {"p2": 1}


def test_no_miss_is_counted_while_away_or_where_the_table_tells_of_none() -> None:
    play = Play().do(SetAway, ANN).lapse()
    assert play.missed() == {}
    assert Play(excused=0).lapse().missed() == {}
    assert Play(excused=1).lapse().notices("missed-in-a-row")


def test_a_gm_treats_a_player_as_away_until_the_player_acts() -> None:
    play = Play().lapse().do(SetAway, person="p2", until=None)
    (told,) = play.notices("arranged-treated-away")
    assert (told.audience.everyone, told.params["who"], told.by) == (True, "p2", "p1")
    assert is_away(play.state, "p2", play.at)
    assert play.refused(SetAway, person="p2").code == "already-away"
    assert absence_waits(play.state) == {}
    began = play.at
    play.next_day().do(DelayTurn, ANN, back=True)
    assert not is_away(play.state, "p2", play.at), "the act itself is that of a player who is here"
    assert orders_of(play.state, "p2").away is not None, "an undo of the act must not bring it back"
    ((wait, due),) = absence_waits(play.state).items()
    assert due == began
    play.do(Due, CLOCK, wait=wait)
    (back,) = play.notices("arranged-back")
    assert (back.params["who"], back.params["names"], back.audience.everyone) == (
        "p2",
        ("Anna",),
        True,
    )
    assert not play.notices("absence-over"), "the player is here already"
    assert orders_of(play.state, "p2").away is None
    assert play.refused(Due, CLOCK, wait=wait).code == "wait-over"


def test_a_private_act_ends_it_without_telling_others() -> None:
    play = Play().lapse().do(SetAway, person="p2")
    play.do(SetWords, ANN, character="Anna", words="Stay low")
    assert not is_away(play.state, "p2", play.at)
    ((wait, _),) = absence_waits(play.state).items()
    play.do(Due, CLOCK, wait=wait)
    (back,) = play.notices("arranged-back")
    assert (back.audience.everyone, back.audience.gms, back.quiet) == (False, True, True)
    assert play.missed() == {}
    assert orders_of(play.state, "p2").away is None


def test_a_gm_ends_what_a_gm_began_and_nothing_else() -> None:
    play = Play().do(SetAway, person="p2")
    play.do(SetAway, person="p2", back=True)
    assert play.notices("arranged-back")
    assert play.refused(SetAway, person="p2", back=True).code == "not-away"
    play.do(SetAway, ANN)
    assert play.refused(SetAway, person="p2", back=True).code == "away-themselves"
    assert play.refused(SetAway, person="p2").code == "away-themselves"
    assert play.refused(SetAway, person="p9").code == "plays-no-character"
    assert play.refused(SetAway, BEN, person="p2").code == "gm-only"


def test_a_player_who_is_treated_as_away_says_back_in_one_entry() -> None:
    play = Play().lapse().do(SetAway, person="p2").do(SetAway, ANN, back=True)
    assert play.notices("arranged-back")
    assert absence_waits(play.state) == {}
    assert missed_deadlines(play.state, "p2") == 0


def test_a_player_who_left_the_server_counts_as_away_and_is_told_of_once() -> None:
    play = Play()
    assert play.refused(NoteDeparture, person="p2").code == "system-only"
    play.do(NoteDeparture, CLOCK, person="p2")
    (told,) = play.notices("player-left-server")
    assert (told.audience.gms, told.audience.everyone) == (True, False)
    assert is_away(play.state, "p2", play.at)
    assert play.refused(NoteDeparture, CLOCK, person="p2").code == "already-away"
    assert play.refused(NoteDeparture, CLOCK, person="p9").code == "plays-no-character"
    play.do(ChangePerson, ANN, plain=True)
    assert not is_away(play.state, "p2", play.at)


def test_the_end_of_an_announced_absence_is_told_to_all_and_in_private() -> None:
    play = Play().do(SetAway, ANN, until=NOON + DAY)
    ((wait, due),) = absence_waits(play.state).items()
    play.at = due
    play.do(Due, CLOCK, wait=wait)
    (private,) = play.notices("absence-over")
    assert (private.audience.people, private.ping) == (("p2",), ("p2",))
    (back,) = play.notices("arranged-back")
    assert back.audience.everyone
    assert back.params["names"] == ("Anna",)

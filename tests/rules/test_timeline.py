"""Time in phases (BAR-PHASE): who is done when, what they begin, breaking off, doing nothing, and
the reminders.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.registry import read_only_game
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.timed_actions import BeginAction
from rules.table.actions import (
    Action,
    Actor,
    AddToEncounter,
    AdvanceTime,
    DelayTurn,
    Due,
    ForgetPerson,
    JoinEncounter,
    NextTurn,
    OrderEncounter,
    RemoveNpc,
    Retire,
    StartEncounter,
)
from rules.table.events import EVERYONE, BoardChanged, Notice
from rules.table.forms.fields import FormContext
from rules.table.initiative import encounter_in, slot_on_turn, turn_number
from rules.table.state import SYSTEM, AnyEncounter, Character, Settings, TableState
from rules.table.turns.board import BoardLine, board_view
from rules.table.turns.slots import slot_options
from rules.table.turns.turn_clock import turn_waits
from tests.sample_table import ANN, BEN, GM, NOON, PLACE, by, patient, resolve


class Play:
    """Anna, Boris and a spy nobody knows of on a timeline, in phase 1."""

    def __init__(self, *, begun: bool = True, **settings: Any) -> None:
        people = (
            Character("k1", "Anna", "p2", BarSheet()),
            Character("k2", "Boris", "p3", BarSheet()),
            Character("k3", "Spy", None, BarSheet(), stage="off"),
        )
        self.state = TableState(
            Settings("Marshes", "barmore", ("p1",), **patient(settings)),
            characters={each.id: each for each in people},
        )
        self.events: tuple[BoardChanged, ...] = ()
        self.do(StartEncounter).do(JoinEncounter, ANN).do(JoinEncounter, BEN).do(
            AddToEncounter, name="Spy"
        )
        if begun:
            self.do(NextTurn)

    def do(self, kind: type[Action], who: Actor = GM, /, at: int = NOON, **fields: Any) -> Play:
        outcome = resolve(self.state, kind(**by(who, at=at), **fields), ScriptedRng(()))
        self.state = outcome.state
        self.events = tuple(event for event in outcome.events if isinstance(event, BoardChanged))
        return self

    def begin(self, who: Actor, phases: int, doing: str = "", **fields: Any) -> Play:
        """Something of this base cost: nobody here has a score that makes it less."""
        return self.do(BeginAction, who, costs=(str(phases),), doing=doing, **fields)

    def refused(self, kind: type[Action], who: Actor = GM, /, **fields: Any) -> RulesError:
        before = self.state
        with pytest.raises(RulesError) as caught:
            self.do(kind, who, **fields)
        assert self.state is before
        return caught.value

    @property
    def encounter(self) -> AnyEncounter:
        found = encounter_in(self.state, PLACE)
        assert found is not None
        return found

    @property
    def now(self) -> tuple[int, str | None]:
        """The phase, and who is done in it."""
        slot = slot_on_turn(self.encounter)
        return self.encounter.round, None if slot is None else slot.character

    def lines(self, viewer: Actor | None = None) -> tuple[BoardLine, ...]:
        shown = board_view(self.state, PLACE, viewer)
        assert shown is not None and shown.timeline
        return shown.lines

    def called(self) -> list[tuple[str, int, str | None, str, tuple[str, ...], bool]]:
        found = [event for event in self.events if event.audience == EVERYONE]
        return [(e.step, e.round, e.name, e.doing, e.ping, e.ping_gms) for e in found]


@pytest.mark.rule("BAR-PHASE")
def test_whoever_is_done_first_acts_first() -> None:
    play = Play()
    assert play.now == (1, "k1")
    play.begin(ANN, 7, "draws the bow")
    (begun,) = [event for event in play.events if event.step == "begun"]
    assert (begun.audience.people, begun.doing) == (("p2",), "draws the bow")
    assert begun.lines[0].params["phases"] == 7
    assert play.now == (1, "k2")
    play.begin(BEN, 3, "climbs the wall")
    assert play.now == (1, "k3")
    play.begin(GM, 9, "loads the crossbow", as_="Spy")
    assert play.now == (4, "k2"), "the time moves on to the first who is done"
    assert play.called() == [("turn", 4, "Boris", "climbs the wall", ("p3",), False)]
    play.begin(BEN, 20, "hides")
    assert play.called() == [("turn", 8, "Anna", "draws the bow", ("p2",), False)]
    play.do(NextTurn, ANN)
    assert play.called() == [("delayed", 8, "Anna", "", (), False)], (
        "nobody knows of the spy, or what they do"
    )
    assert [(line.name, line.ends, line.doing, line.waits) for line in play.lines()] == [
        ("Boris", 24, "hides", False),
        ("Anna", 8, "", True),
    ]
    assert play.lines(GM)[0].doing == "loads the crossbow"


@pytest.mark.rule("BAR-PHASE")
def test_of_those_done_together_the_gm_may_choose() -> None:
    play = Play()
    play.do(OrderEncounter, order=("Boris",))
    assert play.now == (1, "k2")
    play.begin(BEN, 2).begin(ANN, 2).do(NextTurn)
    assert play.now == (3, "k1")
    play.do(OrderEncounter, order=("Boris",))
    assert play.now == (3, "k2")


@pytest.mark.rule("BAR-PHASE")
def test_breaking_off_takes_time_as_well() -> None:
    play = Play().begin(ANN, 5, "reads")
    error = play.refused(BeginAction, ANN, costs=("2",), doing="runs")
    assert (error.code, error.params) == ("still-busy", {"name": "Anna", "ends": 6})
    play.begin(ANN, 3, "runs", switch=True)
    assert next(line for line in play.lines() if line.name == "Anna").ends == 1 + 2 + 3
    assert (
        play.refused(BeginAction, BEN, costs=("1",), doing="x", switch=True).code
        == "nothing-to-break-off"
    )


def test_doing_nothing_and_coming_back() -> None:
    play = Play()
    for who in (ANN, BEN, GM):
        play.do(NextTurn, who)
    assert play.now == (1, None)
    assert play.called() == [], (
        "players have heard before that it is quiet: nobody they know of does anything"
    )
    assert play.refused(NextTurn).code == "nobody-does-anything"
    assert play.refused(DelayTurn).code == "nobody-does-anything"
    play.do(DelayTurn, BEN, back=True)
    assert play.now == (1, "k2")
    play.begin(BEN, 4, "looks around")
    assert play.now == (5, "k2"), "nobody else does anything meanwhile"
    play.begin(ANN, 1, "wakes up")
    assert next(line for line in play.lines() if line.name == "Anna").ends == 6
    play.do(DelayTurn, BEN)
    assert play.now == (6, "k1")


def test_whose_it_is_to_act() -> None:
    play = Play()
    assert play.refused(NextTurn, BEN).code == "not-your-turn"
    assert (
        play.refused(BeginAction, BEN, costs=("1",), doing="x", as_="Anna").code == "not-your-turn"
    )
    assert play.refused(BeginAction, BEN, costs=("1",), doing="x", as_="Spy").code == "not-in-order"
    play.begin(GM, 2, "is pushed", as_="Anna")
    assert play.now == (1, "k2")
    assert play.refused(BeginAction, ANN, costs=("1",), doing="x" * 81).code in (
        "too-long",
        "still-busy",
    )
    play.do(Retire, BEN, character="Boris")
    assert play.now == (1, "k3")


def test_a_turn_that_was_shown_and_is_over_is_not_passed_on() -> None:
    play = Play()
    shown = board_view(play.state, PLACE)
    assert shown is not None and (shown.round, shown.turn) == (1, turn_number(play.encounter))
    play.do(NextTurn, round=1, turn=shown.turn)
    error = play.refused(NextTurn, round=1, turn=shown.turn)
    assert error.code == "turn-moved-on", (
        "though the phase is the same, and whoever acts still stands first"
    )
    assert error.params == {"name": "Boris", "round": 1, "timeline": True}


def test_somebody_may_begin_while_they_gather() -> None:
    play = Play(begun=False).begin(ANN, 3, "sneaks up")
    assert play.now == (0, None)
    play.do(NextTurn)
    assert play.now == (1, "k2")


def test_reminders_come_once_a_turn() -> None:
    play = Play(turn_time=3600)
    (wait, due) = next(iter(turn_waits(play.state).items()))
    play.do(Due, Actor(SYSTEM), wait=wait, at=due)
    assert play.called() == [("reminded", 1, "Anna", "", ("p2",), False)]
    assert due == NOON + 1800
    play.do(NextTurn, ANN, at=NOON + 5)
    assert wait not in turn_waits(play.state)
    for who in (BEN, GM):
        play.do(NextTurn, who)
    assert turn_waits(play.state) == {}, "nobody does anything"


def test_who_is_forgotten_leaves_no_words_on_the_board() -> None:
    play = Play().begin(ANN, 3, "sings").begin(BEN, 5, "dances")
    play.do(ForgetPerson, ANN)
    assert "sings" not in str(play.state) and "dances" in str(play.state)


def test_where_there_are_turns_there_is_no_timeline() -> None:
    play = Play()
    turns = play.encounter.replace(timeline=False)
    play.state = play.state.replace(encounters={PLACE: turns})
    assert play.refused(BeginAction, ANN, costs=("1",), doing="x").code == "no-timeline"
    play.state = play.state.replace(encounters={})
    assert play.refused(BeginAction, ANN, costs=("1",), doing="x").code == "no-encounter"
    play.do(StartEncounter)
    assert play.refused(BeginAction, ANN, costs=("1",), doing="x").code == "not-on-timeline"


def test_who_has_left_the_game_is_not_offered() -> None:
    play = Play()
    play.do(RemoveNpc, npc="Spy")
    game = read_only_game(play.state, GM, NOON)
    assert [each.value for each in slot_options(FormContext(game))] == ["Anna", "Boris"]


@pytest.mark.rule("BAR-PHASE")
@pytest.mark.parametrize("gone", ["removed", "retired"])
def test_the_storys_time_names_nobody_busy_who_has_left_the_table(gone: str) -> None:
    play = Play().begin(ANN, 6, "climbs").begin(BEN, 5, "rows")
    if gone == "removed":
        left = {key: each for key, each in play.state.characters.items() if key != "k1"}
        play.state = play.state.replace(characters=left)
    else:
        play.do(Retire, ANN, character="Anna")
    outcome = resolve(play.state, AdvanceTime(**by(GM), minutes=60), ScriptedRng(()))
    (event,) = outcome.events
    assert isinstance(event, Notice)
    assert event.lines == (), "Boris is on turn, and nobody else is there"

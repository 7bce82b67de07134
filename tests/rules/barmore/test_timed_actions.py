"""Doing things in phases: durations, several at once, breaking off, ties, and who may."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rules.core.errors import InvalidInput
from rules.systems.barmore.timed_actions import BeginAction, simultaneous_times
from rules.table.actions import (
    AddToEncounter,
    DelayTurn,
    JoinEncounter,
    NextTurn,
    OrderEncounter,
    StartEncounter,
)
from rules.table.events import BoardChanged
from rules.table.turns.board import board_view
from tests.rules.barmore.play import Play
from tests.sample_table import ANN, BEN, GM, PLACE


def _begun() -> Play:
    """Marek and Ilka on the timeline, in phase 1."""
    play = Play().do(StartEncounter, GM).do(JoinEncounter, ANN).do(JoinEncounter, BEN)
    return play.do(NextTurn, GM)


def _act(play: Play, who: Any, doing: str, *costs: str, **fields: Any) -> Play:
    return play.do(BeginAction, who, doing=doing, costs=costs, **fields)


def _ends(play: Play) -> dict[str, int | None]:
    shown = board_view(play.state, PLACE)
    assert shown is not None
    return {line.name: line.ends for line in shown.lines}


def _called(play: Play) -> list[tuple[str | None, int]]:
    found = [
        event for event in play.events if isinstance(event, BoardChanged) and event.step == "turn"
    ]
    return [(event.name, event.round) for event in found]


@pytest.mark.rule("BAR-PHASE")
def test_base_cost_less_the_governing_score() -> None:
    play = _act(_begun(), ANN, "climb out", "5", scores=("Speed",))
    assert _ends(play) == {"Ilka": 1, "Marek": 1 + 3}
    assert _called(play) == [("Ilka", 1)]
    _act(play, BEN, "bandage", "2", scores=("Wits",))  # Wits 2 by Mind: one phase at least
    assert _ends(play) == {"Ilka": 2, "Marek": 4}
    assert _called(play) == [("Ilka", 2)]
    _act(play, BEN, "run", "4", scores=("Speed",))  # Speed -1 takes longer
    assert _ends(play) == {"Marek": 4, "Ilka": 2 + 5}
    assert _called(play) == [("Marek", 4)]


@pytest.mark.rule("BAR-MULTI")
def test_several_at_once_take_the_slowest_and_one_for_each() -> None:
    play = _act(_begun(), ANN, "three things", "3", "4", "5", scores=("Speed",))
    assert _ends(play)["Marek"] == 1 + 3 + 3


@pytest.mark.rule("BAR-PHASE")
def test_breaking_off_costs_two_phases() -> None:
    play = _act(_begun(), ANN, "aim", "9")
    assert play.refused(BeginAction, ANN, doing="x", costs=("1",)).code == "still-busy"
    _act(play, ANN, "duck", "3", switch=True)
    assert _ends(play)["Marek"] == 1 + 2 + 2
    error = play.refused(BeginAction, BEN, doing="x", costs=("1",), switch=True)
    assert error.code == "nothing-to-break-off"


@pytest.mark.rule("BAR-PHASE")
def test_of_those_done_together_the_higher_score_then_the_gm() -> None:
    play = _act(_act(_begun(), ANN, "a", "2"), BEN, "b", "1", scores=("Reaction Time",))
    assert list(_ends(play)) == ["Marek", "Ilka"]
    play = _act(_begun(), ANN, "a", "1", scores=("Wits",))  # -1: two phases
    _act(play, BEN, "b", "2", scores=("Reaction Time",))  # 0: two phases
    assert list(_ends(play)) == ["Ilka", "Marek"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"costs": ()}, "how-long"),
        ({"costs": ("x",)}, "not-a-number"),
        ({"costs": ("0",)}, "out-of-range"),
        ({"costs": ("1001",)}, "out-of-range"),
        ({"costs": ("1",) * 11}, "how-long"),
        ({"costs": ("1",), "as_": "Ilka"}, "not-your-turn"),
        ({"costs": ("1",), "as_": "Spy"}, "not-in-order"),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any], code: str) -> None:
    assert _begun().refused(BeginAction, ANN, doing="x", **fields).code == code


@pytest.mark.rule("BAR-MULTI")
def test_the_least_time_of_several_things() -> None:
    assert simultaneous_times(("1 hour", "30 minutes", "15 min")) == (
        (60, 30, 15),
        Fraction(165, 2),
    )
    assert simultaneous_times(("2h 30m", "0 min")) == ((150, 0), 150)


@pytest.mark.parametrize(
    ("times", "code"),
    [
        ((), "how-long"),
        (("1 hour",), "how-long"),
        (("1 hour",) * 11, "how-long"),
        (("1 hour", "soon"), "bad-span"),
        (("1 hour", "-1 hour"), "out-of-range"),
    ],
)
def test_times_that_cannot_be(times: tuple[str, ...], code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        simultaneous_times(times)
    assert (caught.value.code, caught.value.params["field"]) == (code, "times")


def test_without_a_timeline_nothing_begins() -> None:
    play = Play()
    assert play.refused(BeginAction, ANN, doing="x", costs=("1",)).code == "no-encounter"
    play.do(StartEncounter, GM)
    assert play.refused(BeginAction, ANN, doing="x", costs=("1",)).code == "not-on-timeline"


def test_anything_may_stand_on_it_and_the_gm_acts_for_it() -> None:
    play = _begun().do(AddToEncounter, GM, name="Flood")
    _act(play, GM, "rises", "6", as_="Flood")
    assert _ends(play)["Flood"] == 7


def test_who_is_not_known_is_not_named() -> None:
    play = _begun().do(AddToEncounter, GM, name="Spy")
    _act(play, GM, "creeps closer", "4", as_="Spy")
    public = [event for event in play.events if event.audience.everyone]
    assert "Spy" not in repr((public, board_view(play.state, PLACE)))
    assert "creeps" not in repr((public, board_view(play.state, PLACE)))


def test_waiting_and_coming_back() -> None:
    play = _act(_begun(), BEN, "b", "3")
    play.do(NextTurn, ANN)
    assert _called(play) == [("Ilka", 4)]
    play.do(DelayTurn, ANN, back=True)
    assert _ends(play)["Marek"] == 4


def test_the_last_one_who_does_nothing_hears_so() -> None:
    play = _begun().do(NextTurn, ANN).do(NextTurn, BEN)
    (event,) = play.events
    assert isinstance(event, BoardChanged) and event.step == "delayed"
    assert event.audience.everyone and event.name == "Ilka"
    assert play.refused(NextTurn, GM).code == "nobody-does-anything"


def test_the_gm_decides_between_equals() -> None:
    play = (
        Play()
        .do(StartEncounter, GM)
        .do(AddToEncounter, GM, name="Flood")
        .do(AddToEncounter, GM, name="Fire")
    )
    play.do(NextTurn, GM)
    assert list(_ends(play)) == ["Flood", "Fire"]
    play.do(OrderEncounter, GM, order=("Fire", "Flood"))
    assert list(_ends(play)) == ["Fire", "Flood"]

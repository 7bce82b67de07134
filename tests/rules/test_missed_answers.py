"""Answers that the clock gives for players: counted, but never in a secret prompt."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.table.actions import (
    Action,
    Actor,
    ChangePerson,
    CloseChecks,
    Delegate,
    Due,
    SetAway,
    SetWords,
)
from rules.table.checks.prompt_times import pending_waits
from rules.table.events import Event, Notice
from rules.table.outcome import Outcome
from rules.table.resolve import resolve
from rules.table.state import TableState
from rules.table.turns.missed_turns import with_missed
from tests.rules.checks.toy_procedures import CLOCK, GM, PLACE, TOYS, Play, table

ANN = Actor("p2")


def _do(play: Play, kind: type[Action], who: Actor, **fields: Any) -> tuple[Event, ...]:
    action = kind(who=who, place=PLACE, at=play.at, **fields)
    outcome = resolve(TOYS, play.state, action, ScriptedRng((1, 1, 1, 1, 1, 1)))
    play.state = outcome.state
    return outcome.events


def _let_lapse(play: Play) -> tuple[Event, ...]:
    """Let the clock answer the prompts that end first."""
    ends = [wait for wait in pending_waits(play.check) if wait.default is not None]
    wait = min(ends, key=lambda each: each.due)
    play.at = wait.due
    return _do(play, Due, CLOCK, wait=wait.id)


def _missed(state: TableState) -> dict[str, int]:
    return state.counters.missed


def _echo(count: int = 1, **settings: Any) -> tuple[Play, tuple[Event, ...]]:
    """Checks of `a` whose only prompt the clock has passed, so many times."""
    play, events = Play(table({"excused": 2, **settings})), ()
    for _ in range(count):
        play.begin("echo")
        events = _let_lapse(play)
    return play, events


def test_each_answer_of_the_clock_is_a_missed_deadline() -> None:
    play, events = _echo(1)
    assert _missed(play.state) == {"p2": 1}
    assert not [each for each in events if isinstance(each, Notice)]
    play, events = _echo(2)
    assert _missed(play.state) == {"p2": 2}
    (told,) = [each for each in events if isinstance(each, Notice)]
    assert (told.what, told.params["who"], told.audience.everyone) == (
        "missed-in-a-row",
        "p2",
        False,
    )


def test_the_gms_are_told_again_after_as_many_more() -> None:
    told: list[bool] = []
    for count in range(1, 6):
        _, events = _echo(count)
        told.append(any(isinstance(each, Notice) for each in events))
    assert told == [False, True, False, True, False]


def test_a_secret_prompt_counts_nothing() -> None:
    play = Play(table({"excused": 1})).begin("duel", sides=["a", "b"], target="b")
    play.do("side", "low", "b")
    events = _let_lapse(play)
    assert _missed(play.state) == {}
    assert not [each for each in events if isinstance(each, Notice)]


def test_what_a_gm_closes_or_an_order_passes_is_not_missed() -> None:
    play = Play(table({"excused": 1})).begin("echo")
    _do(play, CloseChecks, GM, checks=(play.id,))
    assert _missed(play.state) == {}


def test_several_characters_of_one_player_miss_one_deadline() -> None:
    state = table({"excused": 3})
    both = state.characters["b"].replace(owner="p2")
    game = Play(state.with_character(both)).game(CLOCK)
    outcome = with_missed(game, Outcome(game.state, ()), ("a", "b", "orc"), PLACE)
    assert _missed(outcome.state) == {"p2": 1}


def _words_told(events: tuple[Event, ...]) -> list[Notice]:
    return [each for each in events if isinstance(each, Notice) and each.what == "words-left"]


def test_words_are_told_when_a_prompt_becomes_the_gms() -> None:
    play = Play(table()).begin("team")
    _do(play, SetWords, ANN, character="a", words="Down, out of sight")
    play.do("start", "start", "a", struck="a")
    (told,) = _words_told(_do(play, SetAway, ANN))
    assert (told.note, told.by, told.params["name"], told.params["check"]) == (
        "Down, out of sight",
        "p2",
        "a",
        play.id,
    )
    assert (told.audience.gms, told.audience.everyone, told.audience.people) == (True, False, ())
    assert not _words_told(_do(play, ChangePerson, GM, plain=True)), "once"
    _do(play, SetAway, ANN, back=True)
    assert _words_told(_do(play, SetAway, ANN)), "for each time that it becomes theirs"


def test_no_words_are_told_while_nothing_waits_or_a_stand_in_is_there() -> None:
    play = Play(table()).begin("team")
    _do(play, SetWords, ANN, character="a", words="Down, out of sight")
    _do(play, Delegate, ANN, character="a", to="p3")
    play.do("start", "start", "a", struck="a")
    assert not _words_told(_do(play, SetAway, ANN))
    other = Play(table()).begin("blast", targets=["a"])
    _do(other, SetWords, ANN, character="a", words="Down, out of sight")
    assert not _words_told(_do(other, SetAway, ANN))


def test_words_can_be_changed_and_taken_back_by_their_player_alone() -> None:
    play = Play(table())
    with pytest.raises(RulesError, match="owner-only"):
        _do(play, SetWords, Actor("p3"), character="a", words="Run")
    with pytest.raises(RulesError, match="owner-only"):
        _do(play, SetWords, GM, character="orc", words="Run")
    with pytest.raises(RulesError, match="nothing-arranged"):
        _do(play, SetWords, ANN, character="a", words="")
    with pytest.raises(RulesError):
        _do(play, SetWords, ANN, character="a", words="x" * 301)
    (event,) = _do(play, SetWords, ANN, character="a", words="Run")
    assert isinstance(event, Notice)
    assert (event.what, event.audience.people, event.audience.gms) == (
        "arranged-words",
        ("p2",),
        False,
    )
    _do(play, SetWords, ANN, character="a", words="")
    assert not [key for key in play.state.own if key.startswith("orders:")]

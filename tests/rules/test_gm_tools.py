"""Sessions, the story's time, awards and values set by hand, as a table has them."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.table.actions import (
    Action,
    Actor,
    Adjust,
    AdvanceTime,
    Award,
    ChangePlaces,
    ChangeSettings,
    Session,
)
from rules.table.events import EVERYONE, GMS, Audience, Notice
from rules.table.outcome import Outcome
from rules.table.state import Character, GameClock, Settings, TableState
from rules.table.times.duration import DAY, LATEST, WEEK, parse_moment, parse_span, split_moment
from tests.sample_table import ANN, GM, by, ebb_character, game, resolve


def character(key: str, name: str, owner: str | None, **changes: Any) -> Character[Any]:
    _, sheet = game().sheets.read(game(), ebb_character(name, **changes.pop("sheet", {})), False)
    return Character(key, name, owner, sheet, **changes)


def table() -> TableState:
    """Anna and Boris are players'; Rat is the GM's, off stage; Old is retired, New not approved."""
    tired = {"sheet": {"sacrificed": {"Fitness": 1}}}
    people = (
        character("k1", "Anna", "p2", **tired),
        character("k2", "Boris", "p3"),
        character("k3", "Rat", None, stage="off", **tired),
        character("k4", "Old", "p2", retired=True, **tired),
        character("k5", "New", "p3", approved=False, **tired),
    )
    return TableState(
        Settings("Marshes", "ebb", ("p1",), gm_place="900"),
        characters={each.id: each for each in people},
    )


def do(state: TableState, action: Action) -> Outcome:
    return resolve(state, action, ScriptedRng(()))


def refusal(state: TableState, action: Action) -> str:
    with pytest.raises(RulesError) as refused:
        do(state, action)
    return refused.value.code


# --- sessions -------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-HEAL")
def test_a_session_begins_and_ends_with_what_that_restores() -> None:
    begun = do(table(), Session(**by(GM), start=True))
    assert begun.events == (Notice("session-begins", {"number": 1, "now": 0}),)
    assert begun.state.clock == GameClock(session=1, playing=True)
    assert refusal(begun.state, Session(**by(GM), start=True)) == "session-is-on"
    ended = do(begun.state, Session(**by(GM), start=False))
    lost = {name: each.sheet.sacrificed for name, each in ended.state.characters.items()}
    assert lost == {"k1": (), "k2": (), "k3": (), "k4": (("Fitness", 1),), "k5": (("Fitness", 1),)}
    public, for_gms = ended.events
    assert isinstance(public, Notice)
    assert isinstance(for_gms, Notice)
    assert (public.audience, for_gms.audience) == (EVERYONE, GMS)
    assert [line.params["name"] for line in public.lines] == ["Anna"]
    assert [line.params["name"] for line in for_gms.lines] == ["Rat"]
    assert ended.state.changes_since(begun.state).keys() - {"counters"} == {
        "clock",
        "character:k1",
        "character:k3",
    }
    assert refusal(ended.state, Session(**by(GM), start=False)) == "no-session"
    again = do(ended.state, Session(**by(GM), start=True))
    assert again.state.clock.session == 2


# --- time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("3 days", 3 * DAY),
        ("2h 30m", 150),
        ("2h30m", 150),
        ("1 week", WEEK),
        ("1 Week, 2 days and 5 minutes", WEEK + 2 * DAY + 5),
        ("-1 day", -DAY),
        ("− 90 min", -90),
        ("+1h", 60),
        ("0 m", 0),
    ],
)
def test_spans(text: str, minutes: int) -> None:
    assert parse_span(text, "advance") == minutes


@pytest.mark.parametrize(
    "text",
    ["", "-", "3", "days", "3 fortnights", "1h 2", "1.5 days", "1 day -2h", "--1 day", "٣ days"],
)
def test_no_spans(text: str) -> None:
    with pytest.raises(RulesError, match="bad-span"):
        parse_span(text, "advance")


def test_a_span_has_an_end() -> None:
    with pytest.raises(RulesError, match="span-too-long"):
        parse_span("999999999 weeks", "advance")


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("day 1 08:00", 480),
        ("Day 4, 14:30", 3 * DAY + 870),
        ("4 7:05", 3 * DAY + 425),
        ("day 2", DAY),
    ],
)
def test_moments(text: str, time: int) -> None:
    assert parse_moment(text, "set") == time


@pytest.mark.parametrize(
    "text", ["", "day 0", "day 1 24:00", "day 1 08:60", "08:00", "tomorrow", "day 999999"]
)
def test_no_moments(text: str) -> None:
    with pytest.raises(RulesError, match="bad-moment"):
        parse_moment(text, "set")


def test_a_moment_in_parts() -> None:
    assert split_moment(0) == (1, 0, 0)
    assert split_moment(3 * DAY + 870) == (4, 14, 30)


def test_time_passes() -> None:
    later = do(table(), AdvanceTime(**by(GM), minutes=150))
    assert later.events == (Notice("time-passed", {"time": 150, "minutes": 150}),)
    back = do(later.state, AdvanceTime(**by(GM), moment=30))
    assert back.events == (Notice("time-passed", {"time": 30, "minutes": -120}),)
    cases: dict[str, dict[str, int]] = {"one-time": {}, "no-time-passes": {"moment": 30}}
    for code, options in cases.items():
        assert refusal(back.state, AdvanceTime(**by(GM), **options)) == code
    for minutes in (-31, LATEST):
        assert refusal(back.state, AdvanceTime(**by(GM), minutes=minutes)) == "time-out-of-bounds"


# --- awards ---------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-FATE")
def test_the_party_is_awarded_at_once() -> None:
    done = do(table(), Award(**by(GM), kind="fate", amount=2, reason="  the   bridge "))
    assert {key: each.sheet.fate for key, each in done.state.characters.items()} == {
        "k1": 5,
        "k2": 5,
        "k3": 3,
        "k4": 3,
        "k5": 3,
    }
    (event,) = done.events
    assert isinstance(event, Notice)
    assert (event.audience, event.characters, event.note) == (EVERYONE, ("k1", "k2"), "the bridge")


def test_awards_to_one() -> None:
    (event,) = do(table(), Award(**by(GM), kind="fate", to="Ann")).events
    assert event.audience == EVERYONE
    (event,) = do(table(), Award(**by(GM), kind="fate", to="rat")).events
    assert event.audience == GMS, "the players do not know of Rat"


def test_awards_that_are_refused_give_nobody_anything() -> None:
    state = table()
    cases: list[tuple[dict[str, Any], str]] = [
        ({"kind": "gold"}, "unknown-award"),
        ({"amount": 0}, "out-of-range"),
        ({"amount": 11}, "out-of-range"),
        ({"to": "Old"}, "unknown-character"),
        ({"reason": "x" * 301}, "too-long"),
    ]
    for options, code in cases:
        assert refusal(state, Award(**by(GM), **{"kind": "fate", **options})) == code
    assert refusal(state.replace(characters={}), Award(**by(GM), kind="fate")) == "nobody-to-award"


# --- values set by hand ---------------------------------------------------------------------------


@pytest.mark.rule("EBB-INJURY")
def test_a_value_set_by_hand_is_told_to_the_owner_and_the_gms() -> None:
    action = Adjust(**by(GM), character="Anna", what="injury", value="a cut", reason="the fall")
    done = do(table(), action)
    assert done.state.characters["k1"].sheet.injuries[0].text == "a cut"
    (event,) = done.events
    assert isinstance(event, Notice)
    assert (event.what, event.params["name"], event.note) == (
        "character-adjusted",
        "Anna",
        "the fall",
    )
    assert event.audience == Audience(gms=True, people=("p2",))
    (event,) = do(table(), action.replace(character="Rat")).events
    assert event.audience == GMS


# --- places and settings --------------------------------------------------------------------------


def test_places_change_nothing_in_the_state() -> None:
    state = table()
    done = do(state, ChangePlaces(**by(GM), bind="300"))
    assert done.state.changes_since(state).keys() <= {"counters"}, "the time of the GM's act"
    assert refusal(state, ChangePlaces(**by(GM), bind="900")) == "place-is-gm-channel"
    wrong: tuple[dict[str, Any], ...] = ({}, {"bind": "1", "unbind": "2"}, {"bind": ""})
    for options in wrong:
        assert refusal(state, ChangePlaces(**by(GM), **options)) == "one-place"


def test_every_setting_can_be_changed() -> None:
    shared: dict[str, Any] = {"approve": True, "gm_place": "901"}
    own = {"house_initiative": True, "hit_default": "suffer"}
    settings = do(table(), ChangeSettings(**by(GM), values={**shared, **own})).state.settings
    assert {name: getattr(settings, name) for name in shared} == shared
    assert settings.own == own
    assert refusal(table(), ChangeSettings(**by(GM), values={})) == "nothing-to-change"


def test_a_number_out_of_bounds_is_no_duration() -> None:
    state = TableState(Settings("Hills", "ego", (GM.id,)))
    action = ChangeSettings(**by(GM), values={"cbp": 20_000})
    assert refusal(state, action) == "out-of-range"


@pytest.mark.parametrize(
    "action",
    [
        Session(**by(ANN), start=True),
        AdvanceTime(**by(ANN), minutes=5),
        Award(**by(ANN), kind="fate"),
        Adjust(**by(ANN), character="Anna", what="fate", value="9"),
        ChangePlaces(**by(ANN), bind="300"),
        ChangeSettings(**by(Actor("p3")), values={"approve": True}),
    ],
    ids=lambda action: type(action).__name__,
)
def test_all_of_it_is_for_gms(action: Action) -> None:
    assert refusal(table(), action) == "gm-only"

"""Dice thrown for nothing but their result: what is kept of them, who hears of it, numbers
by name.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.dice import parse, throw
from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.rng import KeyedStreams, ScriptedRng
from rules.registry import SYSTEMS
from rules.systems.ebb.sheet import Ability, EbbSheet
from rules.table.actions import Actor, RollDice, SaveRoll
from rules.table.events import EVERYONE, GMS, Audience, DiceRolled
from rules.table.state import Character, Settings, TableState
from tests.sample_table import resolve

GM, ANN = Actor("p1"), Actor("p2")
SHEET = EbbSheet(
    abilities=(Ability("Climbing [high]", "Fitness", 8), Ability("Clinics", "Education", 6))
)
STATE = TableState(
    Settings("T", "ebb", ("p1",)), characters={"k1": Character("k1", "Anna", "p2", SHEET, alias="")}
)
FREE = TableState(Settings("F", "free", ()))


def roll_events(
    dice: str, *faces: int, who: Actor = ANN, state: TableState = STATE, **options: Any
) -> Any:
    action = RollDice(who=who, place="1", at=0, dice=dice, **options)
    return resolve(state, action, ScriptedRng(faces)).events


@given(
    st.sampled_from(
        ("4d6kh3", "6x 2d%", "3d6e6rr1", "8d10mi3>4", "(2d6, 1d8)kl1 * 3", "1d6ra6 / 2", "7")
    ),
    st.text(max_size=5),
)
def test_the_faces_are_all_that_is_needed_to_show_a_roll(dice: str, key: str) -> None:
    action = RollDice(who=ANN, place="1", at=0, dice=dice)
    streams = KeyedStreams(b"0" * 32, b"1" * 32, key.encode("utf-8", "replace").decode())
    (event,) = resolve(STATE, action, streams).events
    assert isinstance(event, DiceRolled)
    script = ScriptedRng(event.faces)
    assert tuple(each.total for each in throw(parse(event.text), script)) == event.totals
    assert script.left == 0
    assert (streams.public.drawn >= len(event.faces), streams.hidden) == (True, 0)


@pytest.mark.parametrize(
    ("state", "who", "visibility", "audiences"),
    [
        (STATE, ANN, "public", [EVERYONE]),
        (STATE, ANN, "private", [Audience(gms=True, people=("p2",))]),
        (STATE, ANN, "blind", [Audience(people=("p2",)), GMS]),
        (STATE, GM, "private", [GMS]),
        (STATE, GM, "blind", [GMS]),
        (FREE, ANN, "public", [EVERYONE]),
        (FREE, ANN, "private", [Audience(people=("p2",))]),
    ],
)
def test_who_hears_of_it(
    state: TableState, who: Actor, visibility: Any, audiences: list[Audience]
) -> None:
    events = roll_events("1d6", 3, state=state, who=who, visibility=visibility)
    assert [event.audience for event in events] == audiences
    assert all((event.totals == (3,)) == (event.faces == (3,)) for event in events)
    assert [event.totals for event in events][-1] == (3,)
    assert len(events) == 1 or events[0].totals == ()


@pytest.mark.parametrize(
    ("dice", "text"),
    [
        ("{climbing}+d6", "1d8 [Climbing high]+d6"),
        ("{CLIN}", "1d6 [Clinics]"),
        ("{Fitness}d6", "1d6"),
        ("{Climbing}kh1", "1d8kh1"),
        ("2 * {Fitness}", "2 * 1 [Fitness]"),
        ("d20 + {Education} - {Fitness}", "d20 + 1 [Education] - 1 [Fitness]"),
    ],
)
def test_numbers_by_name(dice: str, text: str) -> None:
    (event,) = roll_events(dice, *[1] * 3)
    assert (event.text, event.name) == (text, "Anna")


@pytest.mark.parametrize("dice", ["2{Fitness}", "{Fitness}2", "{Fitness}{Fitness}", "2d{Climbing}"])
def test_numbers_do_not_run_into_one_another(dice: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        roll_events(dice, 1)
    assert caught.value.code == "dice-unexpected"


@pytest.mark.parametrize(
    ("state", "dice", "options", "kind", "code"),
    [
        (STATE, "{}", {}, NotFound, "unknown-value"),
        (STATE, "{Cli}", {}, NotFound, "unknown-value"),
        (STATE, "{Climb", {}, InvalidInput, "dice-unreadable"),
        (STATE, "1d6", {"reason": "x" * 201}, InvalidInput, "too-long"),
        (STATE, "1d6", {"as_": "Boris"}, NotFound, "unknown-character"),
        (FREE, "{Climbing}", {}, Impossible, "free-no-characters"),
        (FREE, "1d6", {"as_": "Anna"}, Impossible, "free-no-characters"),
        (FREE, "1d6", {"visibility": "blind"}, Impossible, "blind-without-gm"),
        (STATE, "1d6rr<7", {}, Impossible, "dice-endless"),
    ],
)
def test_refusals(
    state: TableState, dice: str, options: Any, kind: type[RulesError], code: str
) -> None:
    with pytest.raises(kind) as caught:
        roll_events(dice, *[1] * 1001, state=state, **options)
    assert caught.value.code == code


def test_ambiguous_beginnings_name_what_fits() -> None:
    with pytest.raises(NotFound) as caught:
        roll_events("{Cli}", 1)
    assert caught.value.params["nearest"] == ("Climbing [high]", "Clinics")


def test_saved_rolls_are_ones_own_and_replaced_by_name() -> None:
    state = STATE
    for name, dice in (("The Axe", "d20"), ("the  axe", "d20+{Fitness}"), ("Bow", "{Climbing}")):
        state = resolve(
            state, SaveRoll(who=ANN, place="1", at=0, name=name, dice=dice), ScriptedRng(())
        ).state
    assert state.person("p2").rolls == (("Bow", "{Climbing}"), ("the axe", "d20+{Fitness}"))
    assert state.person("p1").rolls == ()
    (event,) = roll_events("THE AXE", 4, state=state)
    assert event.totals == (5,)


def test_every_system_knows_whether_it_can_be_played() -> None:
    assert {key for key, system in SYSTEMS.items() if not system.playable} == {"free"}

"""NPCs: coming in, in groups, becoming known, changing and going."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Impossible, InvalidInput, NotFound, NotPermitted, Problems, RulesError
from rules.core.rng import ScriptedRng
from rules.systems.ebb.sheet import EbbSheet
from rules.table.actions import Action, Actor, AddNpcs, Begin, ChangeNpc, ImportCharacter, RemoveNpc
from rules.table.events import EVERYONE, GMS, CheckChanged, Event, Notice
from rules.table.lookup import find_known, known_characters, may_name_openly, name_bearer
from rules.table.people.npcs import find_npcs, groups
from rules.table.state import AnyCharacter, Settings, TableState
from tests.sample_table import ANN, GM, by, ebb_character, resolve

GRAY = "the figure in gray"


def table() -> TableState:
    """GM p1, and Ann's Anna."""
    state = TableState(Settings("The Zone", "ebb", ("p1",)))
    return do(state, ImportCharacter(**by(ANN), data=ebb_character("Anna")))[0]


def do(state: TableState, action: Action, *faces: int) -> tuple[TableState, tuple[Event, ...]]:
    outcome = resolve(state, action, ScriptedRng(faces))
    return outcome.state, outcome.events


def add(state: TableState, name: str, **options: Any) -> TableState:
    return do(state, AddNpcs(**by(GM), name=name, **options))[0]


def change(state: TableState, npc: str, **options: Any) -> tuple[TableState, tuple[Event, ...]]:
    return do(state, ChangeNpc(**by(GM), npc=npc, **options))


def waits(name: str, **values: Any) -> Begin:
    """A check of somebody's."""
    values = {"attribute": "Fitness", "approach": "waits", **values}
    return Begin(**by(GM), kind="check", as_=name, values=values)


def error_of(state: TableState, action: Action) -> RulesError:
    with pytest.raises(RulesError) as caught:
        resolve(state, action, ScriptedRng(()))
    return caught.value


def character_named(state: TableState, name: str) -> AnyCharacter:
    return next(each for each in state.characters.values() if each.name == name)


def told_lines(events: tuple[Event, ...]) -> list[tuple[str, str]]:
    """What everybody hears: code and parameters of each line."""
    return [
        (line.code, str(line.params))
        for event in events
        if isinstance(event, Notice) and event.audience.everyone
        for line in event.lines
    ]


# --- coming in ------------------------------------------------------------------------------------


def test_somebody_without_a_sheet_is_off_stage() -> None:
    state, events = do(table(), AddNpcs(**by(GM), name="  Iwo  the quartermaster ", notes=" lies "))
    npc = state.characters["k2"]
    assert (npc.name, npc.owner, npc.stage, npc.notes) == (
        "Iwo the quartermaster",
        None,
        "off",
        "lies",
    )
    assert npc.sheet == EbbSheet()
    assert [event.audience for event in events] == [GMS]
    assert state.counters.character == 2


def test_an_alias_makes_somebody_known_by_it() -> None:
    state, events = do(table(), AddNpcs(**by(GM), name="Iwo", alias=GRAY))
    assert state.characters["k2"].stage == "aliased"
    assert [event.audience for event in events] == [GMS, EVERYONE]
    assert told_lines(events) == [("npcs-here", str({"names": (GRAY,)}))]
    assert "Iwo" not in str(events[1])
    hidden, events = do(table(), AddNpcs(**by(GM), name="Iwo", alias=GRAY, stage="off"))
    assert hidden.characters["k2"].alias == GRAY
    assert told_lines(events) == []


def test_a_group_is_numbered_and_goes_on_counting() -> None:
    state = add(table(), "Bandit", count=3, alias="a shape")
    assert [each.name for each in groups(state)["Bandit"]] == ["Bandit 1", "Bandit 2", "Bandit 3"]
    assert [each.alias for each in groups(state)["Bandit"]] == [
        "a shape 1",
        "a shape 2",
        "a shape 3",
    ]
    state = add(add(state, "bandit"), "BANDIT", count=8)
    assert list(groups(state)) == ["Bandit"]
    assert [each.name for each in groups(state)["Bandit"]][-3:] == [
        "Bandit 10",
        "Bandit 11",
        "Bandit 12",
    ]
    assert character_named(state, "Bandit 4").stage == "off"


def test_the_sheet_gives_name_and_values() -> None:
    data = ebb_character("Rat", portrait="https://example.org/rat.png", notes="squeaks")
    data.update(abilities=data["abilities"][:2], drawbacks=data["drawbacks"][:2])
    rat = character_named(add(table(), "", data=data), "Rat")
    assert len(rat.sheet.abilities) == 2
    assert (rat.portrait, rat.notes) == ("https://example.org/rat.png", "squeaks")
    assert len(character_named(add(table(), "Cat", data=data), "Cat").sheet.abilities) == 2
    del data["name"]
    assert len(groups(add(table(), "Rat", data=data, count=2))["Rat"][1].sheet.abilities) == 2


@pytest.mark.parametrize(
    ("options", "kind", "code"),
    [
        ({"name": " "}, InvalidInput, "empty"),
        ({"name": "x" * 81}, InvalidInput, "too-long"),
        ({"name": "x" * 79, "count": 2}, InvalidInput, "too-long"),
        ({"name": "a\x07b"}, InvalidInput, "unprintable-text"),
        ({"name": "Iwo", "count": 0}, InvalidInput, "out-of-range"),
        ({"name": "Iwo", "count": 21}, InvalidInput, "out-of-range"),
        ({"name": "Iwo", "stage": "aliased"}, InvalidInput, "needs-alias"),
        ({"name": "Iwo", "notes": "x" * 2001}, InvalidInput, "too-long"),
        ({"name": "Iwo", "portrait": "javascript:alert(1)"}, InvalidInput, "bad-portrait"),
        ({"name": "Iwo", "data": {}}, Problems, "bad-character"),
        ({"name": "anna"}, Impossible, "npc-name-taken"),
        ({"name": "Anna", "count": 2}, Impossible, "npc-name-taken"),
        ({"name": "Iwo", "alias": "Anna"}, Impossible, "npc-name-taken"),
    ],
)
def test_what_cannot_come_in(options: dict[str, Any], kind: type[RulesError], code: str) -> None:
    error = error_of(table(), AddNpcs(**by(GM), **options))
    assert (type(error), error.code) == (kind, code)


def test_a_table_has_room_for_so_many() -> None:
    state = table()
    for letter in "ABCDEFGHI":
        state = add(state, letter, count=20)
    state = add(state, "J", count=19)
    assert len(state.characters) == 200
    assert error_of(state, AddNpcs(**by(GM), name="K")).code == "table-full"


@pytest.mark.parametrize("kind", [AddNpcs, ChangeNpc, RemoveNpc])
def test_players_are_refused_without_a_word(kind: Any) -> None:
    state = add(table(), "Iwo")
    for name in ("Iwo", "Nobody"):
        options: dict[str, Any] = {"name" if kind is AddNpcs else "npc": name}
        error = error_of(state, kind(**by(ANN), **options))
        assert isinstance(error, NotPermitted)
        assert (error.code, error.params) == ("gm-only", {})


# --- names that players may not know --------------------------------------------------------------


def test_what_is_hidden_is_not_in_players_way() -> None:
    state = add(add(table(), "Iwo"), "Rosa", alias=GRAY)
    for name in ("Iwo", "Rosa"):
        taken, _ = do(state, ImportCharacter(**by(ANN), data=ebb_character(name)))
        assert sum(each.name == name for each in taken.characters.values()) == 2
    error = error_of(state, ImportCharacter(**by(ANN), data=ebb_character(GRAY), overwrite=True))
    assert error.code == "name-taken"
    assert name_bearer(state, ANN, "Iwo") is None
    assert name_bearer(state, GM, "Iwo") == character_named(state, "Iwo")


def test_a_name_that_a_player_has_taken_is_not_revealed() -> None:
    state = add(table(), "Iwo")
    state, _ = do(state, ImportCharacter(**by(ANN), data=ebb_character("Iwo")))
    state, _ = change(state, "Iwo", notes="the other one")
    assert (
        error_of(state, ChangeNpc(**by(GM), npc="Iwo", stage="revealed")).code == "npc-name-taken"
    )
    state, _ = change(state, "Iwo", name="Iwo the elder", stage="revealed")
    assert state.characters["k2"].name == "Iwo the elder"


def test_everybody_is_known_by_the_name_they_go_by() -> None:
    state = add(add(add(table(), "Iwo"), "Rosa", alias=GRAY), "Tomas", stage="revealed")
    assert [each.name for each in known_characters(state, ANN)] == ["Anna", "Rosa", "Tomas"]
    assert find_known(state, ANN, "the fig", "target").name == "Rosa"
    for hidden in ("Rosa", "Iwo", "k2"):
        error = refused_find(state, hidden)
        assert "Rosa" not in str(error.params.get("nearest"))
        assert "Iwo" not in str(error.params.get("nearest"))
    assert may_name_openly(state, GM, "Tom")
    assert may_name_openly(state, GM, "k2")
    assert not may_name_openly(state, GM, "Iwo")
    assert not may_name_openly(state, GM, "Rosa")


def refused_find(state: TableState, name: str) -> RulesError:
    with pytest.raises(NotFound) as caught:
        find_known(state, ANN, name, "target")
    return caught.value


def test_checks_of_hidden_npcs_are_nobodys_to_players() -> None:
    state = add(add(table(), "Iwo"), "Rosa", alias=GRAY)
    for name, shown in (("Iwo", ""), ("Rosa", GRAY)):
        proposal = waits(name, difficulty="Easy")
        _, events = do(state, proposal, 5)
        public, full = events
        assert isinstance(public, CheckChanged)
        assert isinstance(full, CheckChanged)
        assert (public.audience, full.audience) == (EVERYONE, GMS)
        assert public.actor is not None
        assert public.actor.name == shown
        assert name not in str(public)
        assert full.actor is not None
        assert (full.actor.name, full.actor.alias) == (name, shown)


# --- becoming known -------------------------------------------------------------------------------


def test_a_name_is_revealed_to_everybody() -> None:
    state = add(table(), "Iwo", alias=GRAY)
    after, events = change(state, "iwo", stage="revealed")
    assert after.characters["k2"].stage == "revealed"
    assert told_lines(events) == [("npc-is", str({"alias": GRAY, "name": "Iwo"}))]
    assert len(events) == 1
    _, events = change(add(table(), "Iwo"), "Iwo", stage="revealed")
    assert told_lines(events) == [("npcs-here", str({"names": ("Iwo",)}))]


def test_what_is_hidden_again_only_the_gms_hear() -> None:
    state = add(table(), "Iwo", alias=GRAY, stage="revealed")
    for stage in ("aliased", "off"):
        state, events = change(state, "Iwo", stage=stage)
        assert [event.audience for event in events] == [GMS]
    state, events = change(state, "Iwo", stage="aliased")
    assert told_lines(events) == [("npcs-here", str({"names": (GRAY,)}))]


def test_a_new_alias_is_told_where_it_is_what_players_know() -> None:
    state = add(table(), "Iwo", alias=GRAY)
    state, events = change(state, GRAY, alias="the man with the scar")
    assert told_lines(events) == [
        ("npc-called", str({"before": GRAY, "name": "the man with the scar"}))
    ]
    assert error_of(state, ChangeNpc(**by(GM), npc="Iwo", alias="")).code == "needs-alias"
    state, events = change(state, "Iwo", stage="off", alias="nobody")
    assert told_lines(events) == []


def test_a_new_name_of_a_known_npc_is_no_unmasking() -> None:
    state = add(table(), "Iwo", alias=GRAY, stage="revealed")
    _, events = change(state, "Iwo", name="Ivo")
    assert told_lines(events) == [("npc-called", str({"before": "Iwo", "name": "Ivo"}))]


def test_a_group_is_revealed_at_once() -> None:
    state = add(table(), "Bandit", count=2)
    state, events = change(state, "Bandit", alias="a shape", stage="aliased")
    assert told_lines(events) == [("npcs-here", str({"names": ("a shape 1", "a shape 2")}))]
    state, events = change(state, "Bandit 2", stage="revealed")
    assert told_lines(events) == [("npc-is", str({"alias": "a shape 2", "name": "Bandit 2"}))]
    state, events = change(state, "bandit", stage="revealed")
    assert told_lines(events) == [("npc-is", str({"alias": "a shape 1", "name": "Bandit 1"}))]


# --- changing -------------------------------------------------------------------------------------


def test_a_group_is_changed_as_one() -> None:
    state = add(table(), "Bandit", count=2, alias="a shape")
    state, events = change(state, "Bandit", name="Thug", notes="paid by the mayor")
    assert [each.name for each in groups(state)["Thug"]] == ["Thug 1", "Thug 2"]
    assert {each.notes for each in groups(state)["Thug"]} == {"paid by the mayor"}
    assert {each.alias for each in groups(state)["Thug"]} == {"a shape 1", "a shape 2"}
    assert [event.audience for event in events] == [GMS]
    state, _ = change(state, "Thug 2", name="Scarface")
    assert character_named(state, "Scarface").group == ""
    assert [each.name for each in add_to(state, "Thug")] == ["Thug 1", "Thug 2"]


def add_to(state: TableState, group: str) -> tuple[AnyCharacter, ...]:
    return groups(add(state, group))[group]


def test_changes_that_are_refused() -> None:
    state = add(add(add(table(), "Iwo"), "Rosa"), "Bandit", count=2)
    several: tuple[tuple[dict[str, Any], str], ...] = (
        ({"npc": "Iwo"}, "npc-unchanged"),
        ({"npc": "Iwo", "stage": "off"}, "npc-unchanged"),
        ({"npc": "Iwo", "name": "rosa"}, "npc-name-taken"),
        ({"npc": "Iwo", "name": "Anna"}, "npc-name-taken"),
        ({"npc": "Iwo", "name": "Bandit"}, "npc-name-taken"),
        ({"npc": "Bandit", "name": "Iwo"}, "npc-name-taken"),
        ({"npc": "Iwo", "name": " "}, "empty"),
        ({"npc": "Anna", "name": "Rat"}, "unknown-npc"),
        ({"npc": "Nobody", "name": "Rat"}, "unknown-npc"),
        ({"npc": "", "name": "Rat"}, "unknown-npc"),
        ({"npc": "Bandit ", "notes": ""}, "npc-unchanged"),
        ({"npc": "Ban", "notes": "x"}, "ambiguous-character"),
    )
    for options, code in several:
        assert error_of(state, ChangeNpc(**by(GM), **options)).code == code, options


def test_a_new_sheet_keeps_what_an_open_check_needs() -> None:
    data = ebb_character("Rat")
    state = add(table(), "", data=data)
    state, _ = do(state, waits("Rat", skill="Climbing"))
    spare = {**data, "abilities": data["abilities"][1:], "drawbacks": data["drawbacks"][1:]}
    assert error_of(state, ChangeNpc(**by(GM), npc="Rat", data=spare)).code == "unknown-ability"
    state, _ = change(state, "Rat", data={**data, "fate": 9})
    assert character_named(state, "Rat").sheet.fate == 9


# --- going ----------------------------------------------------------------------------------------


def test_whoever_goes_takes_the_checks_that_are_over_with_them() -> None:
    state = add(add(table(), "Iwo"), "Rosa")
    state = state.replace(settings=state.settings.replace(step_in_time=0))
    for name in ("Iwo", "Rosa"):
        proposal = waits(name, difficulty="Easy")
        state, _ = do(state, proposal, 5)
    state = state.with_check(state.checks["c2"].replace(id="c3", target="k2"))
    gone, events = do(state, RemoveNpc(**by(GM), npc="Iwo"))
    assert list(gone.characters) == ["k1", "k3"]
    assert list(gone.checks) == ["c2"]
    assert [event.audience for event in events] == [GMS]
    assert find_npcs(gone, "Rosa")[0] == "Rosa"


def test_nobody_goes_out_of_an_open_check() -> None:
    state = add(table(), "Bandit", count=2)
    state, _ = do(state, waits("Bandit 2"))
    for name in ("Bandit 2", "Bandit"):
        error = error_of(state, RemoveNpc(**by(GM), npc=name))
        assert (error.code, error.params["checks"]) == ("npc-in-checks", ("c1",))
    aimed = state.checks["c1"].replace(actor="k1", target="k3")
    error = error_of(state.with_check(aimed), RemoveNpc(**by(GM), npc="k3"))
    assert error.code == "npc-in-checks"
    state, _ = do(state, RemoveNpc(**by(GM), npc="Bandit 1"))
    assert [each.name for each in groups(state)["Bandit"]] == ["Bandit 2"]


def test_a_gm_by_role_leads_them_too() -> None:
    state = table()
    state = state.replace(settings=state.settings.replace(gm_roles=("77",)))
    state, _ = do(state, AddNpcs(who=Actor("p9", ("77",)), place="200", at=1, name="Iwo"))
    assert character_named(state, "Iwo").owner is None

"""Tables as objects: what is written, what an empty table makes of it, and what is refused; and
forgetting people.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from rules.core.cards.piles import Piles
from rules.core.errors import Problems, RulesError
from rules.core.rng import ScriptedRng
from rules.registry import PLAYABLE, get_system, read_only_game
from rules.table.actions import (
    Action,
    Actor,
    AddNpcs,
    Begin,
    ChangeSettings,
    Choose,
    CreateTable,
    ForgetPerson,
    ImportCharacter,
    ImportTable,
    RemoveNpc,
    Retire,
)
from rules.table.events import EVERYONE, GMS, Notice
from rules.table.lookup import playable_characters
from rules.table.outcome import Outcome
from rules.table.settings.table_settings import setting_value, settings_form
from rules.table.state import SYSTEM, Counters, Person, Settings, TableState
from rules.table.transfer import plan_new, write_table
from tests.sample_table import ANN, BEN, GM, by, ebb_character, resolve

EBB = get_system("ebb")


def do(state: TableState, action: Action) -> Outcome:
    return resolve(state, action, ScriptedRng(()))


def error_of(state: TableState, action: Action) -> RulesError:
    with pytest.raises(RulesError) as caught:
        do(state, action)
    return caught.value


def empty() -> TableState:
    return TableState(
        Settings("Nothing yet", "ebb", ("p1",), gm_place="900"),
        people={"p7": Person("p7", plain=True)},
    )


@pytest.fixture
def full() -> TableState:
    """Players' characters, one of them retired, NPCs of every stage, and other settings."""
    state = TableState(Settings("Marshes", "ebb", ("p1",), gm_place="555", gm_roles=("77",)))
    for action in (
        ImportCharacter(
            **by(ANN),
            data={**ebb_character("Anna"), "notes": "hums", "portrait": "https://a.org/b"},
        ),
        ImportCharacter(**by(ANN), data=ebb_character("Rat")),
        AddNpcs(
            **by(GM), name="Boris"
        ),  # of whom players do not know, so that the name is free for theirs
        ImportCharacter(**by(BEN), data=ebb_character("Boris")),
        Retire(**by(ANN), character="Rat"),
        AddNpcs(**by(GM), name="Iwo", notes="poisoner", portrait="https://a.org/c"),
        AddNpcs(**by(GM), name="Bandit", count=3, alias="the men"),
        AddNpcs(**by(GM), name="Sidor", stage="revealed", data=ebb_character("Sidor", fate=1)),
        ChangeSettings(
            **by(GM),
            values={
                "step_in_time": 60,
                "live": True,
                "reveal": "all",
                "approve": True,
                "hit_default": "suffer",
            },
        ),
        ImportCharacter(**by(BEN), data=ebb_character("Newcomer")),
    ):
        state = do(state, action).state
    return state


def write_and_read(state: TableState) -> dict[str, Any]:
    """As it comes back from a file."""
    return json.loads(json.dumps(write_table(state, read_only_game(state))))


def bring(data: Any, **owners: str) -> ImportTable:
    return ImportTable(**by(GM), data=data, owners=owners)


# --- there and back -------------------------------------------------------------------------------


def test_everything_that_makes_the_table_comes_back(full: TableState) -> None:
    outcome = do(empty(), bring(write_and_read(full), p2="p7", p3="p8"))
    state = outcome.state
    for old, new in zip(full.characters.values(), state.characters.values(), strict=True):
        owner = {"p2": "p7", "p3": "p8", None: None}[old.owner]
        assert new.owner == owner
        for field in (
            "name",
            "sheet",
            "stage",
            "alias",
            "group",
            "portrait",
            "notes",
            "retired",
            "approved",
        ):
            assert getattr(new, field) == getattr(old, field), (old.name, field)
    for each in settings_form(read_only_game(state).system).fields:
        assert setting_value(state.settings, each) == setting_value(full.settings, each), each.key
    assert (state.settings.gms, state.settings.gm_place, state.settings.gm_roles) == (
        ("p1",),
        "900",
        (),
    )
    assert state.counters.character == len(full.characters)
    assert state.people["p7"] == Person("p7", active="k1", plain=True)
    assert [each.name for each in playable_characters(state, Actor("p7"))] == ["Anna"]
    again = write_and_read(state)
    assert {**again, "characters": None} == {**write_and_read(full), "characters": None}
    public, secret = outcome.events
    assert isinstance(public, Notice) and isinstance(secret, Notice)
    assert (public.audience, secret.audience) == (EVERYONE, GMS)
    assert (
        "Iwo" not in str(public) and "Bandit" not in str(public) and "Newcomer" not in str(public)
    )
    assert "Iwo" in str(secret)


def test_without_owners_the_characters_are_the_gms(full: TableState) -> None:
    state = do(empty(), bring(write_and_read(full))).state
    assert {each.owner for each in state.characters.values()} == {None}
    assert [each.stage for each in state.characters.values() if each.name == "Boris"] == [
        "off",
        "revealed",
    ]


def test_numbers_go_on_from_what_was_there() -> None:
    state = empty()
    for action in (AddNpcs(**by(GM), name="Early"), RemoveNpc(**by(GM), npc="Early")):
        state = do(state, action).state
    assert state.counters.replace(gm_acted_at=0) == Counters(character=1)
    data = write_and_read(do(empty(), AddNpcs(**by(GM), name="Iwo")).state)
    assert list(do(state, bring(data)).state.characters) == ["k2"]


def test_a_file_holds_no_participant_but_by_number(full: TableState) -> None:
    text = json.dumps(write_and_read(full))
    assert "555" not in text and "77" not in text, "channels and roles are the server's"


# --- what is refused ------------------------------------------------------------------------------


def test_only_a_gm_fills_only_an_empty_table(full: TableState) -> None:
    data = write_and_read(full)
    assert error_of(empty(), ImportTable(**by(ANN), data=data, owners={})).code == "gm-only"
    assert error_of(full, bring(data)).code == "table-not-empty"
    late = do(
        do(empty(), AddNpcs(**by(GM), name="Iwo")).state, RemoveNpc(**by(GM), npc="Iwo")
    ).state
    do(late, bring(data))


@pytest.mark.parametrize("owners", [{"p9": "p1"}, {"p2": "Ann"}, {"p2": ""}, {"p2": 7}, {"": "p1"}])
def test_unknown_owners(full: TableState, owners: dict[str, Any]) -> None:
    assert (
        error_of(empty(), ImportTable(**by(GM), data=write_and_read(full), owners=owners)).code
        == "unknown-owner"
    )


def test_nobody_gets_more_than_one_may_have(full: TableState) -> None:
    data = write_and_read(full)
    data["characters"] = [
        {**data["characters"][0], "id": f"k{n}", "sheet": ebb_character(f"A{n}")} for n in range(21)
    ]
    assert error_of(empty(), bring(data, p2="p7")).code == "too-many-characters"
    do(empty(), bring(data))


SPOILT: list[tuple[str, Any, str]] = [
    ("settings", None, "settings"),
    ("settings", [], "settings"),
    ("settings.window", True, "settings.window"),
    ("settings.window", 10**10, "settings.window"),
    ("settings.reveal", "nothing", "settings.reveal"),
    ("settings.name", "\x00", "settings.name"),
    ("settings.gms", ["p1"], "settings.gms"),
    ("clock.time", -1, "clock.time"),
    ("clock.playing", 1, "clock.playing"),
    ("characters", {}, "characters"),
    ("characters", [1], "characters[0]"),
    ("characters.0.owner", "501", "characters[0].owner"),
    ("characters.0.stage", "off", "characters[0].stage"),
    ("characters.0.sheet", [], "characters[0].sheet"),
    ("characters.0.sheet.abilities.0.die", "d7", "characters[0].sheet.abilities[0].die"),
    ("characters.0.sheet.portrait", "http://a", "characters[0].sheet.portrait"),
    ("characters.1.id", "k1", "characters[1].id"),
    ("characters.1.sheet.name", "anna", "characters[1].name"),
    ("characters.2.name", "", "characters[2].name"),
    ("characters.2.notes", "\ud800", "characters[2].notes"),
    ("characters.2.stage", "aliased", "characters[2].alias"),
    ("characters.2.alias", 5, "characters[2].alias"),
    ("characters.2.retired", "no", "characters[2].retired"),
    ("wings", 2, "wings"),
]


@pytest.mark.parametrize(("path", "value", "field"), SPOILT)
def test_each_fault_is_named(full: TableState, path: str, value: Any, field: str) -> None:
    data = write_and_read(full)
    spoil(data, path, value)
    error = error_of(empty(), bring(data))
    assert isinstance(error, Problems)
    assert field in [problem.params["field"] for problem in error.problems]


def test_an_id_that_is_there_twice_is_named_with_its_first_place(full: TableState) -> None:
    data = write_and_read(full)
    for index in (1, 2):
        data["characters"][index]["id"] = data["characters"][0]["id"]
    error = error_of(empty(), bring(data))
    assert isinstance(error, Problems)
    twice = [each.params for each in error.problems if each.code == "duplicate-field"]
    assert [(each["field"], each["first"]) for each in twice] == [
        ("characters[1].id", "characters[0].id"),
        ("characters[2].id", "characters[0].id"),
    ]


def test_all_faults_are_named_at_once(full: TableState) -> None:
    data = write_and_read(full)
    together = [each for each in SPOILT if each[0].count(".") and each[0] != "characters.0.sheet"]
    for path, value, _ in together:
        spoil(data, path, value)
    error = error_of(empty(), bring(data))
    assert isinstance(error, Problems)
    found = {problem.params["field"] for problem in error.problems}
    # These are faults only beside what is read: another of that name, and an owner.
    hidden = {"characters[1].name", "characters[0].stage"}
    assert {field for _, _, field in together} - hidden <= found


def spoil(data: Any, path: str, value: Any) -> None:
    *way, last = [int(piece) if piece.isdigit() else piece for piece in path.split(".")]
    for piece in way:
        data = data[piece]
    data[last] = value


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"format": "x"}, "other-format"),
        ({"format": None}, "other-format"),
        ({"version": 2}, "other-version"),
        ({"version": True}, "other-version"),
        ({"system": "chess"}, "other-system"),
    ],
)
def test_other_files_are_refused_at_once(
    full: TableState, changes: dict[str, Any], code: str
) -> None:
    assert error_of(empty(), bring(write_and_read(full) | changes)).code == code


def test_nothing_of_the_file_is_changed(full: TableState) -> None:
    data = write_and_read(full)
    before = copy.deepcopy(data)
    do(empty(), bring(data))
    assert data == before


# --- a new table from a file ----------------------------------------------------------------------


def opening(**changes: Any) -> CreateTable:
    return CreateTable(**by(GM), **{"name": "the channel", "system": "", **changes})


def test_a_table_is_opened_from_what_is_written(full: TableState) -> None:
    data = write_and_read(full)
    action, plan = plan_new(opening(), data, PLAYABLE)
    assert (action.system, action.name, plan.settings.name) == ("ebb", "Marshes", "Marshes")
    assert [each.name for each in plan.characters] == [
        each.name for each in full.characters.values()
    ]
    opened = do_new(action)
    filled = do(opened, ImportTable(**by(GM), data=data, owners={"p2": "p4"})).state
    assert filled.settings == plan.settings
    assert write_and_read(filled)["settings"] == data["settings"]
    assert {each.owner for each in filled.characters.values()} == {None, "p4"}


def test_a_file_without_a_name_leaves_that_of_the_channel(full: TableState) -> None:
    data = write_and_read(full)
    del data["settings"]["name"]
    action, plan = plan_new(opening(), data, PLAYABLE)
    assert action.name == plan.settings.name == "the channel"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"system": "chess"}, "unknown-system"),
        ({"system": "free"}, "unknown-system"),
        ({"system": ["ebb"]}, "unknown-system"),
        ({"format": "other"}, "other-format"),
        ({"version": 99}, "other-version"),
        ({"settings": {"step_in_time": -1}}, "bad-table"),
        ({"characters": {}}, "bad-table"),
    ],
)
def test_what_opens_no_table(full: TableState, changes: dict[str, Any], code: str) -> None:
    with pytest.raises(RulesError) as caught:
        plan_new(opening(), {**write_and_read(full), **changes}, PLAYABLE)
    assert caught.value.code == code


def do_new(action: CreateTable) -> TableState:
    return resolve(None, action, ScriptedRng(())).state


# --- forgetting -----------------------------------------------------------------------------------


def forget(state: TableState, who: Actor) -> Outcome:
    return do(state, ForgetPerson(**by(who)))


def propose(who: Actor, text: str) -> Begin:
    return Begin(
        **by(who),
        kind="check",
        values={"skill": "Climbing", "attribute": "Fitness", "approach": text},
    )


def test_characters_become_the_gms_and_texts_go(full: TableState) -> None:
    state = do(full, propose(BEN, "bens plan")).state
    state = do(state, propose(ANN, "annas plan")).state
    outcome = forget(state, BEN)
    state = outcome.state
    owned = {key: (each.owner, each.stage, each.approved) for key, each in state.characters.items()}
    boris, newcomer = (
        next(
            key for key, each in full.characters.items() if (each.name, each.owner) == (name, "p3")
        )
        for name in ("Boris", "Newcomer")
    )
    assert owned[boris] == (None, "revealed", True)
    assert owned[newcomer] == (None, "off", True), "players never knew of somebody not let in"
    assert owned["k1"] == ("p2", "revealed", True)
    assert "p3" not in state.people
    assert [(each.stage, each.approach) for each in state.checks.values()] == [
        ("over", ""),
        ("proposed", "annas plan"),
    ]
    first = outcome.events[0]
    assert isinstance(first, Notice)
    assert first.params["names"] == ("Boris",), "whoever was not let in is not told of"
    assert "bens plan" not in str(outcome.events)


def test_a_gm_leads_no_more(full: TableState) -> None:
    state = do(full, propose(ANN, "plan")).state
    (rule, _) = state.checks["c1"].asked
    free: dict[str, Any] = {
        "check": "c1",
        "prompt": "rule",
        "number": rule.number,
        "option": "free",
    }
    state = do(state, Choose(**by(GM), **free, values={"note": "granted"})).state
    assert state.checks["c1"].note == "granted"
    state = forget(state, GM).state
    assert state.settings.gms == ()
    assert (state.checks["c1"].note, state.checks["c1"].approach) == ("", "plan")


def test_hands_go_to_the_discard_pile(full: TableState) -> None:
    piles = Piles(
        {"draw": ("a",), "hand:p3": ("b", "c"), "offer:1:p2:p3": ("d",), "hand:p33": ("e",)}
    )
    state = TableState(full.settings, characters=full.characters, decks={"standard": piles})
    after = forget(state, BEN).state.decks["standard"]
    assert after.cards == piles.cards
    assert sorted(after.cards_at("discard")) == ["b", "c", "d"]
    assert after.cards_at("hand:p33") == ("e",)
    assert forget(state, Actor("p9")).state.decks is state.decks


def test_the_clock_is_not_forgotten(full: TableState) -> None:
    assert error_of(full, ForgetPerson(**by(Actor(SYSTEM)))).code == "nobody-to-forget"

"""Anything at all in any field of any action at a table of Barmore's dice pool: done or refused,
never anything else.

The same for campaigns and whole tables as files: what is spoilt is refused with words for
everything that is wrong.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presenters.errors import describe_error
from bot.services.table_opening import create_table
from bot.services.transfer import export_bytes, full_export, split_import_file
from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.registry import read_only_game
from rules.systems.barmore.complex_actions import DropTask, RollTask, StartTask
from rules.systems.barmore.timed_actions import BeginAction
from rules.table import actions
from rules.table.actions import Action, ChangeCampaign, CreateTable, ImportTable
from rules.table.checks.available_moves import available_moves
from rules.table.outcome import Outcome
from rules.table.state import Settings, TableState
from rules.table.transfer import import_table
from tests.example_counts import examples
from tests.property.systems import BARMORE, open_table
from tests.property.test_fuzz import (
    FITTING,
    PATIENT,
    any_action,
    fuzzed,
    json_values,
    perform_all,
    texts,
)
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    GUILD,
    USERS,
    Session,
    answer,
    barmore_character,
    by,
    choose,
    game,
    make_house,
    newest,
    open_game,
    propose,
)

OWN_KINDS: list[type[Action]] = [BeginAction, StartTask, RollTask, DropTask]
#: What fits at this table, so that not everything is refused at the first look.
SUITED: dict[str, tuple[Any, ...]] = {
    "skill": ("Boats", "Blades", "none", "Athletics"),
    "attribute": ("Speed", "Wits", "Muscle Power"),
    "difficulty": ("15", "937", "-3", "none"),
    "options": (
        ("die: d12-2", "convert: 1"),
        ("no dice",),
        ("halvings: 2", "doublings: 1"),
        ("chances: 1", "factor: 3/2"),
        ("mental", "non-lethal"),
        ("use: Boats", "support: Athletics"),
        ("phases saved: 1", "phases extra: 1"),
    ),
    "kind": ("check", "attack", "treat", "rest", "team", "contest", "roll"),
    "what": (
        "ability",
        "attribute",
        "new wound",
        "wound healed",
        "wound care",
        "wound rest",
        "wound stabilized",
        "never rolls",
    ),
    "value": ("physical 4", "mental 12", "1 x 2", "1: slower", "Boats 3", "Boats none", "1", "no"),
    "check": ("c1", "c2", "c3", "c4", "c5"),
    "task": ("t1", "t2"),
    "target": ("Anna", "Boris", "the shape"),
    "npc": ("Rat", "the shape", "Hand 2"),
    "costs": (("3",), ("1", "5")),
    "rolls": (None, 0, 1),
    "every": (60, 1),
    "required": (1, 40),
    "system": ("barmore",),
    "minutes": (10, 60 * 24 * 300, -60),
}


@st.composite
def campaigns(draw: st.DrawFn) -> dict[str, Any]:
    """A campaign: a good one with some places spoilt, or nothing like one."""
    data = spoilt(draw, CAMPAIGN)
    return draw(
        st.one_of(st.just(data), st.just(data), st.dictionaries(texts, json_values, max_size=3))
    )


CAMPAIGN: dict[str, Any] = {
    "traits": {
        "origin": "The river",
        "abilities": [{"name": "Water", "parent": None}, {"name": "Boats", "parent": "Water"}],
        "attributes": [
            {"name": "Body", "parent": None, "activity": "physical"},
            *[
                {"name": name, "parent": "Body"}
                for name in (
                    "Muscle Power",
                    "Toughness",
                    "Physical Threshold",
                    "Immune System",
                    "Stamina",
                )
            ],
            *[{"name": name, "parent": "Body"} for name in ("Speed", "Reaction Time")],
            {"name": "Mind", "parent": None, "activity": "mental"},
            *[{"name": name, "parent": "Mind"} for name in ("Wits", "Mental Threshold")],
        ],
    },
    "chart": {
        "origin": "The river",
        "rows": [
            {
                "from": 1,
                "name": "Sore",
                "penalty": 1,
                "other_penalty": 0,
                "healing_days": 3,
                "mental_healing_days": 3,
            },
            {
                "from": 9,
                "name": "Sinking",
                "penalty": None,
                "other_penalty": None,
                "healing_days": 200,
                "mental_healing_days": 200,
                "effect": "dying until stabilized",
            },
        ],
    },
    "options": {"dice_phobes": True, "minor_npcs": False},
}
#: Values that are wrong in a way of their own.
ODD: tuple[Any, ...] = (
    None,
    "",
    -1,
    0,
    10**30,
    1e308,
    float("nan"),
    [],
    {},
    "Body",
    "\ud800",
    [None],
    True,
    "x" * 5000,
)


def spoilt(draw: st.DrawFn, data: dict[str, Any]) -> dict[str, Any]:
    """The same object with up to three places somewhere inside replaced, doubled or taken away."""
    data = deepcopy(data)
    for _ in range(draw(st.integers(0, 3))):
        node: Any = data
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            inner = node[key]
            if isinstance(inner, dict | list) and inner and draw(st.booleans()):
                node = inner
                continue
            how = draw(st.sampled_from(("replace", "drop", "double")))
            if how == "drop":
                del node[key]
            elif how == "double" and isinstance(node, list):
                node.append(deepcopy(inner))
            else:
                node[key] = deepcopy(draw(st.one_of(st.sampled_from(ODD), json_values)))
            break
    return data


def suited_action(kind: type[Action]) -> st.SearchStrategy[Any]:
    """An action of that class, with what fits at this table mixed in."""
    objects = campaigns() if kind is ChangeCampaign else sheets()
    scores = {"score": (None, "Speed", "Reaction Time")} if kind is BeginAction else {}
    return any_action(kind, fitting=FITTING | SUITED | scores, objects=objects)


@st.composite
def sheets(draw: st.DrawFn) -> dict[str, Any]:
    """A character: a good one with some places spoilt."""
    wound = {"name": "Light", "degree": 2, "penalty": 1, "base_days": 7, "healed": "1/3"}
    return spoilt(
        draw, barmore_character(draw(st.sampled_from(("Anna", "Rat"))), wounds=[wound], minor=False)
    )


@pytest.fixture(scope="module")
def played() -> Iterator[Path]:
    """A folder with a table on which everything that the dice pool has is going on."""

    async def prepare(folder: Path) -> None:
        async with make_house(folder) as house:
            session = await open_table(BARMORE, house)
            await session.do(actions.AddNpcs(**by(GM), name="Rat", alias="the shape"))
            boats: dict[str, Any] = {"skill": "Boats", "attribute": "Speed", "approach": "so"}
            team = await session.proposed(kind="team", mode="combining_dice", **boats)
            await session.do(choose(team, "join", "join", BEN, "Boris", skill="Athletics"))
            contest = await session.proposed(
                kind="contest", mode="indirect", target="Boris", **boats
            )
            await session.do(answer(contest, difficulty="10"))
            hidden = newest((await session.do(propose(BEN, **boats))).state)
            await session.do(answer(hidden, difficulty="937", hidden=True))
            await session.do(propose(**{**boats, "skill": "Blades"}, visibility="blind"))
            await session.do(propose(kind="attack", target="Boris", weapon="Boathook", **boats))
            await session.do(
                actions.Adjust(**by(GM), character="Anna", what="new wound", value="physical 4")
            )
            await session.do(
                StartTask(
                    **by(GM),
                    name="hull",
                    as_="Anna",
                    difficulty="10",
                    required=9,
                    every=60,
                    skill="Boats",
                    hidden=True,
                )
            )
            await session.do(actions.StartEncounter(**by(GM)))
            await session.do(actions.JoinEncounter(**by(ANN)))
            await session.do(actions.JoinEncounter(**by(BEN)))
            await session.do(actions.NextTurn(**by(GM)))
            state = await session.state()
            assert len(state.checks) == 5 and state.own and state.encounters
            assert available_moves(open_game(state, ANN))

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(prepare(Path(folder)))
        yield Path(folder)


@pytest.mark.parametrize("kind", [*OWN_KINDS, *fuzzed()], ids=lambda kind: kind.__name__)
@given(data=st.data())
@examples(8, by_day=4, suppress_health_check=PATIENT)
def test_anything_is_done_or_refused(played: Path, kind: type[Action], data: st.DataObject) -> None:
    asyncio.run(
        perform_all(played, data.draw(st.lists(suited_action(kind), min_size=1, max_size=4)))
    )


@given(st.lists(st.one_of(*map(suited_action, [*OWN_KINDS, *fuzzed()])), min_size=2, max_size=8))
@examples(25, suppress_health_check=PATIENT)
def test_anything_after_anything(played: Path, deeds: list[Action]) -> None:
    asyncio.run(perform_all(played, deeds))


@given(campaign=campaigns())
@examples(40, suppress_health_check=PATIENT)
def test_a_table_is_opened_with_a_campaign_or_not_at_all(campaign: dict[str, Any]) -> None:
    async def open_one(folder: Path) -> None:
        async with make_house(folder) as house:
            tables = await house.enter()
            before = house.rows()
            action = CreateTable(**by(GM), name="Harbor", system="barmore", campaign=campaign)
            try:
                done = await create_table(tables, GUILD, action, "open", USERS[0], None)
            except RulesError as error:
                assert describe_error(error)
                assert house.rows() == before
            else:
                tables = await house.restart()
                assert (await tables.get(done.table.id)).state == done.state

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(open_one(Path(folder)))


async def _written(played: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(played / "tables.db", folder)
        async with make_house(Path(folder)) as house:
            session = Session(house, await house.enter(), 1)
            table = await session.tables.get(1)
            return json.loads(export_bytes(full_export(table, None)))


@pytest.fixture(scope="module")
def written(played: Path) -> dict[str, Any]:
    """That table as a file, with all that is under way in it."""
    return asyncio.run(_written(played))


def _read(data: dict[str, Any]) -> Outcome:
    empty = TableState(Settings("Empty", "barmore", ("p1",)), campaign=game("barmore").campaign)
    action = ImportTable(**by(GM), data=split_import_file(data)[0], owners={})
    return import_table(empty, action, read_only_game(empty).replace(rng=ScriptedRng(())))


def test_a_table_goes_out_and_comes_in(written: dict[str, Any]) -> None:
    made = _read(written).state
    assert [each.name for each in made.characters.values()] == ["Anna", "Boris", "Rat"]
    assert (made.checks, made.own, made.encounters) == ({}, {}, {})
    (wound,) = next(iter(made.characters.values())).sheet.wounds
    assert wound.degree == 4
    assert (made.settings.name, made.settings.gm_place) == ("Marshes", None)


@st.composite
def spoilt_copies(draw: st.DrawFn, data: dict[str, Any]) -> dict[str, Any]:
    return spoilt(draw, data)


@given(data=st.data())
@examples(100, suppress_health_check=PATIENT)
def test_a_file_is_read_or_refused_whole(written: dict[str, Any], data: st.DataObject) -> None:
    found = data.draw(spoilt_copies(written))
    try:
        made = _read(found).state
    except RulesError as error:
        assert describe_error(error)
    else:
        assert made.settings.system == "barmore" and made.checks == {}

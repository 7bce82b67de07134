"""Anything at all in any field of any action: it is done or refused, never anything else."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from bot.presenters.errors import describe_error
from bot.services.outbox_plan import ReplyTo
from bot.services.perform import perform
from bot.services.replay import ReplayImpossible, replay
from bot.services.table_opening import create_table
from bot.storage import codec
from rules.core.errors import RulesError
from rules.core.record import Record
from rules.registry import SYSTEMS
from rules.table import actions
from rules.table.actions import (
    Action,
    Actor,
    AddNpcs,
    ChangeSettings,
    CreateTable,
    DrawCards,
    JoinEncounter,
    OfferCard,
    SaveRoll,
    StartEncounter,
)
from rules.table.check import PASS
from rules.table.events import StepView
from rules.table.settings.table_settings import settings_form
from rules.table.state import DAY, SYSTEM
from tests.example_counts import examples
from tests.property.random_play import action_kinds
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    GUILD,
    NOON,
    PLACE,
    USERS,
    Session,
    by,
    ebb_character,
    make_house,
    make_session,
)
from tests.sample_table import propose as proposal

#: A table on a file takes its time.
PATIENT = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
#: Whatever may come out of JSON: lone surrogates and control characters as well.
texts = st.text(st.characters(exclude_categories=()), max_size=12)
numbers = st.one_of(st.integers(), st.integers(-3, 12))
ANYBODY = (GM, ANN, BEN, Actor(SYSTEM), Actor("p99"), Actor("p3", roles=("77",)))

#: What fits, so that not everything is refused at the first look.
FITTING: dict[str, tuple[Any, ...]] = {
    "check": ("c1", "c2", "c3", "c4"),
    "checks": (("c1", "c2"), ("c3",)),
    "prompt": ("rule", "own", "reply", "ready", "react", "stand", "face", "join"),
    "option": ("roll", "free", "ask", "revise", "withdraw", "reroll", "join", "face", PASS),
    "number": (1, 2, 3),
    "values": (
        {},
        {"skill": "Climbing", "approach": "so", "dilemma": 2},
        {"skill": "Boats", "attribute": "Speed", "die": "d12-2", "convert": 1},
        {"difficulty": "9137", "hidden": True},
        {"difficulty": "10", "disallow": ["ability"]},
        {"question": "How?"},
    ),
    "skill": ("Climbing", "rif", "none"),
    "attribute": ("Fitness", "zone"),
    "difficulty": ("Tricky", "9137", "Legendary+2", "none"),
    "options": (("dilemma",), ("flaw:2", "drawback"), ("luck:zone",), ("specialist",)),
    "as_": ("Anna", "Boris", "k1"),
    "character": ("Anna", "Boris", "Rat"),
    "owner": ("p2", "p3"),
    "npc": ("Sidor", "Bandit", "Bandit 2", "the guard", "k3"),
    "alias": ("", "the guard", "Anna"),
    "count": (1, 2, 3),
    "what": (
        "anomaly",
        "luck",
        "reroll",
        "fate",
        "injury",
        "drawback:1",
        "die:Climbing",
        "lost:Zone",
    ),
    "value": ("1", "d6", "a cut; arm; severe"),
    "name": ("Anna", "Boris", "the fire", "Bandit"),
    "order": (("Boris",), ("the fire", "k1"), ("Boris", "Boris")),
    "round": (None, 0, 1),
    "turn": (None, 0, 1),
    "kind": ("fate", "roll", "check", "attack", "treat", "rest"),
    "target": ("Anna", "Boris", "the guard"),
    "tool": ("", "rifle", "rest", "session"),
    "severity": ("", "light", "sev"),
    "text": ("a broken arm",),
    "to": ("Anna", "p2"),
    "minutes": (0, 90),
    "moment": (None, 600),
    "bind": (None, "201"),
    "unbind": (None, "201", PLACE),
    "wait": (f"c1.1.rule.{NOON + DAY}", f"c2.2.ready.{NOON + DAY}", "c3.3", "c9.1"),
    "entry": tuple(range(1, 16)),
    "add": ("p1", "p2"),
    "remove": ("p1", "p2"),
    "system": ("ebb",),
    "at": (1_800_000_000, 1_900_000_000),
    "place": (PLACE,),
    "fields": (
        {"description": "Tall."},
        {"notes": "", "portrait": "https://example.org/a.png"},
        {"name": "Rat"},
    ),
    "drawback": ("Cold feet",),
    "explanation": ("the flood",),
    "dice": ("2d6+1", "{Climbing}+d6", "the axe", "6x 3d6", "d6>4"),
    "card": ("queen", "QH", "seven of clubs"),
    "deck": ("standard",),
    "offer": (1, 2),
}

#: What may be settled at a table of some rules, and what at none.
SETTINGS = sorted(
    {
        "gm_place",
        "wings",
        *(each.key for system in SYSTEMS.values() for each in settings_form(system).fields),
    }
)

Fitting = Mapping[str, tuple[Any, ...]]
Objects = st.SearchStrategy[dict[str, Any]] | None

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.floats(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def sheets(draw: st.DrawFn) -> dict[str, Any]:
    """A character's object: a good one, with some fields spoilt, or nothing like one."""
    data = ebb_character(draw(st.sampled_from(("Anna", "Rat"))))
    for name in draw(
        st.lists(st.sampled_from((*data, "age", "sacrificed", "injuries", "wings")), max_size=3)
    ):
        data[name] = draw(json_values)
    return draw(st.one_of(st.just(data), st.dictionaries(texts, json_values, max_size=3)))


def values(name: str, hint: Any, fitting: Fitting, objects: Objects) -> st.SearchStrategy[Any]:
    """Anything of the kind that a field has, often something that fits."""
    if hint is Actor:
        return st.sampled_from(ANYBODY)
    if name in fitting and hint is not bool:
        return st.one_of(st.sampled_from(fitting[name]), kind_of(hint, objects))
    return kind_of(hint, objects)


def kind_of(hint: Any, objects: Objects) -> st.SearchStrategy[Any]:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return st.one_of(*(kind_of(each, objects) for each in get_args(hint)))
    if origin is Literal:
        return st.one_of(st.sampled_from(get_args(hint)), texts)
    if origin is tuple:
        return st.lists(kind_of(get_args(hint)[0], objects), max_size=3).map(tuple)
    if origin is dict:
        return sheets() if objects is None else objects
    if hint is StepView:
        return st.builds(StepView, st.sampled_from(("begun", "chosen", "over")))
    if isinstance(hint, type) and issubclass(hint, Record):
        fields = get_type_hints(hint)
        return st.builds(hint, **{name: kind_of(each, objects) for name, each in fields.items()})
    return {str: texts, int: numbers, bool: st.booleans(), NoneType: st.none()}[hint]


def fuzzed() -> list[type[Action]]:
    """Everything that is done at a table, without what only others are made of."""
    bases = (Action, actions.OnCheck, actions.OnCharacter, actions.OnNpcs)
    return [kind for kind in action_kinds() if kind not in bases]


def any_action(
    kind: type[Any], fitting: Fitting = FITTING, objects: Objects = None
) -> st.SearchStrategy[Any]:
    """An action of that class with anything in its fields; `fitting` by name, `objects` where JSON
    is wanted.
    """
    hints = get_type_hints(kind)
    needed = {name: values(name, hints[name], fitting, objects) for name in kind.__struct_fields__}
    if kind is ChangeSettings:
        anything = st.one_of(json_values, numbers, texts, st.booleans())
        needed["values"] = st.dictionaries(st.sampled_from(SETTINGS), anything, max_size=3)
    who_can = {"who", "place", "at"}
    free = {name: value for name, value in needed.items() if name not in who_can}
    usual = st.fixed_dictionaries(
        {"who": needed["who"], "place": st.just(PLACE), "at": st.just(1_900_000_000)}
    )
    odd = st.fixed_dictionaries({name: needed[name] for name in ("who", "place", "at")})
    return st.builds(
        lambda head, rest: kind(**head, **rest),
        st.one_of(usual, usual, odd),
        st.fixed_dictionaries(free),
    )


@pytest.fixture(scope="module")
def played() -> Iterator[Path]:
    """A folder with a table on which everything is going on."""

    async def prepare(folder: Path) -> None:
        async with make_house(folder) as house:
            session = await make_session(house)
            await session.do(AddNpcs(**by(GM), name="Sidor", alias="the guard"))
            await session.do(AddNpcs(**by(GM), name="Bandit", count=2))
            await session.proposed()
            await session.answered()
            await session.rolled(BEN, hidden=True, difficulty="9137")
            await session.do(proposal(BEN, visibility="blind"))
            await session.do(StartEncounter(**by(GM)))
            await session.do(JoinEncounter(**by(ANN)))
            await session.do(SaveRoll(**by(ANN), name="the axe", dice="1d20+{Climbing}"))
            drawn = await session.do(DrawCards(**by(ANN), count=30))
            await session.do(
                OfferCard(
                    **by(ANN), card=drawn.state.decks["standard"].cards_at("hand:p2")[0], to="p3"
                )
            )

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(prepare(Path(folder)))
        yield Path(folder)


async def perform_all(played: Path, deeds: list[Action]) -> None:
    """Try these one after the other at a copy of that table; what is refused has words and changes
    nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(played / "tables.db", folder)
        async with make_house(Path(folder)) as house:
            session = Session(house, await house.enter(), 1)
            table = await session.tables.get(1)
            for number, action in enumerate(deeds):
                await _one(session, action, f"fuzz {number}", number)
            state = table.state
            if table.redacted:
                with pytest.raises(ReplayImpossible):
                    await replay(session.tables.store, 1)
            else:
                assert await replay(session.tables.store, 1) == state
            await session.restart()
            assert await session.state() == state


async def _one(session: Session, action: Action, request_id: str, number: int) -> None:
    table = await session.tables.get(1)
    before = session.house.rows(), table.state, table.revision
    try:
        await perform(session.tables, 1, action, request_id, ReplyTo(number % 2 == 0, "token"))
    except RulesError as error:
        assert describe_error(error)
        assert (session.house.rows(), table.state, table.revision) == before
    else:
        assert table.revision == before[2] + 1
        row = await session.tables.store.load_table(1)
        assert row is not None
        assert codec.read_state(row.system, 1, row.parts) == table.state


@pytest.mark.parametrize("kind", fuzzed(), ids=lambda kind: kind.__name__)
@given(data=st.data())
@examples(20, by_day=8, suppress_health_check=PATIENT)
def test_anything_is_done_or_refused(played: Path, kind: type[Action], data: st.DataObject) -> None:
    deeds = data.draw(st.lists(any_action(kind), min_size=1, max_size=4))
    asyncio.run(perform_all(played, deeds))


@given(st.lists(st.one_of(*map(any_action, fuzzed())), min_size=2, max_size=8))
@examples(25, suppress_health_check=PATIENT)
def test_anything_after_anything(played: Path, deeds: list[Action]) -> None:
    asyncio.run(perform_all(played, deeds))


@given(action=any_action(CreateTable))
@examples(20, suppress_health_check=PATIENT)
def test_a_table_is_opened_or_refused(action: CreateTable) -> None:
    async def open_one(folder: Path) -> None:
        async with make_house(folder) as house:
            tables = await house.enter()
            before = house.rows()
            try:
                done = await create_table(tables, GUILD, action, "open", USERS[0], None)
            except RulesError:
                assert house.rows() == before
            else:
                tables = await house.restart()
                assert (await tables.get(done.table.id)).state == done.state

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(open_one(Path(folder)))


def test_every_kind_of_action_is_tried() -> None:
    assert len(fuzzed()) >= 17
    assert {kind.__name__ for kind in fuzzed()} >= {
        "Choose",
        "Undo",
        "ImportCharacter",
        "CreateTable",
    }

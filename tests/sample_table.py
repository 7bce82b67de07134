"""Ready-made characters, tables and actions for tests."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypedDict
from weakref import WeakKeyDictionary

from bot.services.directory import Directory
from bot.services.perform import ActionResult, perform
from bot.services.readers import NO_VIEWS, PlaceViews, Reader
from bot.services.replay import replay
from bot.services.table_opening import create_table
from bot.services.tables import Tables
from bot.storage.store import SqlStore
from rules.core.rng import Streams
from rules.registry import SYSTEMS, read_only_game, system_for
from rules.table import resolve as resolving
from rules.table.actions import (
    Action,
    Actor,
    Begin,
    ChangeSettings,
    Choose,
    CreateTable,
    ImportCharacter,
)
from rules.table.check import ANY_GM, AnyCheck, Visibility
from rules.table.checks.prompt_times import CheckWait, pending_waits
from rules.table.outcome import Outcome
from rules.table.readable_places import EVERYWHERE
from rules.table.settings.table_settings import settings_form
from rules.table.state import SYSTEM, Settings, TableState
from rules.table.system import Game

#: Noon of some day, in seconds since 1970.
NOON = 1_800_000_000
GUILD = "100"
PLACE = "200"
GM_PLACE = "900"
GM, ANN, BEN = Actor("p1"), Actor("p2"), Actor("p3")
#: Who acts when a time has run out.
CLOCK = Actor(SYSTEM)
#: User id and name behind p1, p2, p3.
USERS = (("501", "Gia"), ("502", "Ann"), ("503", "Ben"))


#: The highest number that was given at each table.
_highest = WeakKeyDictionary[Directory, int]()


def numbered_id(directory: Directory) -> str:
    """In place of `new_id`: participants are `p1`, `p2`, … as they come, so that tests can name
    whom they mean.
    """
    known = [int(key[1:]) for key in directory.participants() if key[1:].isdecimal()]
    _highest[directory] = max([_highest.get(directory, 0), *known]) + 1
    return f"p{_highest[directory]}"


def patient(settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return settings of a table that waits for everybody, so that every prompt can be looked at.

    In live play attacks roll at once there.
    """
    given = dict(settings or {})
    return {"wait_for_everybody": True, "attacks_at_once": given.get("live", False), **given}


def resolve(state: TableState | None, action: Action, rng: Streams) -> Outcome:
    """An action carried out by the rules of its table."""
    return resolving.resolve(system_for(state, action), state, action, rng)


def game(key: str = "ebb", campaign: Any = None, **own: Any) -> Game:
    """Return an empty table of that system to look at; `own` are settings of the system's own."""
    settings = Settings("Riverside", key, ("p1",), own=own)
    return read_only_game(TableState(settings, campaign=campaign))


def open_game(state: TableState, who: Actor, at: int = 0) -> Game:
    """A table as somebody looks at it who can view every place."""
    return read_only_game(state, who, at, EVERYWHERE)


class By(TypedDict):
    """What every action has in common."""

    who: Actor
    place: str
    at: int


def by(who: Actor = ANN, *, place: str = PLACE, at: int = NOON) -> By:
    """Who acts, where and when: the beginning of every action."""
    return {"who": who, "place": place, "at": at}


def own_action(name: str) -> Any:
    """The class of the actions of that name that a system's own command carries out."""
    return next(
        kind for system in SYSTEMS.values() for kind in system.actions if kind.__name__ == name
    )


def waits(state: TableState) -> dict[str, CheckWait]:
    """Everything that checks wait for and that ends by itself, by id.

    While the clock is paused, only the reminders of before are left.
    """
    everything = [wait for check in state.checks.values() for wait in pending_waits(check)]
    pause = state.settings.pause
    if pause is not None:
        everything = [
            wait for wait in everything if wait.default is None and wait.due <= pause.since
        ]
    return {wait.id: wait for wait in everything}


# --- EBB ------------------------------------------------------------------------------------------


def ebb_character(name: str, **changes: Any) -> dict[str, Any]:
    """A new EBB character as a JSON object, with `changes` to its fields."""
    abilities = [
        ("Climbing", "Fitness", "d8"),
        ("Running", "Fitness", "d6"),
        ("Rifles", "Alertness", "d6"),
        ("Listening", "Alertness", "d6"),
        ("Tracking", "Intellect", "d6"),
        ("Anomalies", "Zone", "d6"),
        ("Artefacts", "Zone", "d6"),
        ("Mutants", "Zone", "d6"),
        ("Bargaining", "Charisma", "d6"),
        ("First aid", "Education", "d4"),
    ]
    return {
        "name": name,
        "role": "Stalker",
        "fate": 3,
        "abilities": [
            {"name": ability, "group": group, "die": die} for ability, group, die in abilities
        ],
        "drawbacks": [f"Drawback {number}" for number in range(len(abilities))],
        **changes,
    }


def barmore_character(name: str, **changes: Any) -> dict[str, Any]:
    """A new character of Barmore's dice pool as a JSON object, with `changes` to its fields."""
    return {
        "name": name,
        "abilities": {"Boats": 4, "Brawling": 5, "Athletics": 2, "Medicine": 3},
        "attributes": {"Body": 1, "Muscle Power": 3, "Mind": 0, "Wits": -1},
        "weapons": [{"name": "Boathook", "modifier": 4, "kind": "piercing"}],
        "armour": [{"name": "Oilskins", "rating": 1, "covers": ["cutting"]}],
        **changes,
    }


def masterbook_character(name: str = "Anna", **fields: Any) -> dict[str, Any]:
    """A character of MasterBook's, as a file has it."""
    return {
        "name": name,
        "agility": 9,
        "dexterity": 9,
        "strength": 9,
        "endurance": 9,
        "skills": [
            {"name": "Stealth", "adds": 2},
            {"name": "Fire Combat", "adds": 2, "specializations": {"pistols": 1}},
            {"name": "Melee Combat", "adds": 1},
            {"name": "Dodge", "adds": 2},
            {"name": "Taunt", "adds": 1},
            {"name": "Willpower", "adds": 1},
            {"name": "First Aid", "adds": 1},
            {"name": "Medicine", "adds": 1},
        ],
        "skill_points": 30,
        "weight": 70,
        "arms": [
            {"name": "Knife"},
            {"name": "Colt .45 revolver", "rounds": 6, "magazine": 6},
            {"name": "Fragmentation grenade"},
        ],
        "armour": [{"name": "Leather armor", "add": 4}],
    } | fields


def ego_character(name: str, **changes: Any) -> dict[str, Any]:
    """A new EGO character within its points as a JSON object, with `changes` to its fields."""
    return {
        "name": name,
        "muscle": 6,
        "agility": 7,
        "intellect": 5,
        "vitality": 7,
        "skills": [
            {"name": "Gun Combat", "level": 2},
            {"name": "Melee Combat", "level": 1},
            {"name": "Stealth", "level": 1},
            {"name": "Acrobatics", "level": 2},
            {"name": "Medical", "level": 1},
            {"name": "Superpowers", "level": 3},
            {"name": "Pilot", "level": 1, "field": "ground"},
        ],
        "specialties": [{"name": "Tumbling", "level": 1}],
        "powers": [{"name": "Energy Blast", "rating": 3}, {"name": "Flight", "rating": 2}],
        "advantages": ["Agile"],
        "armour": "Leather 5/5",
        "arms": [
            {"name": "Sword, Long", "drawn": True},
            {"name": "Med Cal, automatic", "rounds": 6, "magazine": 6},
            {"name": "Frag Grenade", "weight": 1},
        ],
        **changes,
    }


# --- actions --------------------------------------------------------------------------------------


def propose(
    who: Actor = ANN,
    *,
    at: int = NOON,
    kind: str = "check",
    as_: str | None = None,
    target: str | None = None,
    visibility: Visibility = "public",
    gm_only: bool = False,
    **values: Any,
) -> Begin:
    """A proposal (`values`) that can be rolled once it is answered."""
    values = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the rope", **values}
    return Begin(
        **by(who, at=at),
        kind=kind,
        as_=as_,
        target=target,
        values={key: value for key, value in values.items() if value is not None},
        visibility=visibility,
        gm_only=gm_only,
    )


def choose(
    check: AnyCheck,
    prompt: str,
    option: str,
    who: Actor = ANN,
    *as_: str,
    at: int = NOON,
    number: int | None = None,
    **values: Any,
) -> Choose:
    """An answer to a prompt of the check as it stands; of GMs for the GMs where nobody is named."""
    asked = check.prompt(prompt)
    shown = number if number is not None else 0 if asked is None else asked.number
    named = as_ or ((ANY_GM,) if who == GM else ())
    return Choose(
        **by(who, at=at),
        check=check.id,
        prompt=prompt,
        number=shown,
        option=option,
        as_=named,
        values=values,
    )


def answer(
    check: AnyCheck, who: Actor = GM, *, at: int = NOON, kind: str = "roll", **values: Any
) -> Choose:
    """The GM's answer to a check as it stands: roll against Tricky."""
    values = {"difficulty": "Tricky"} | values if kind in ("roll", "margin-only") else values
    return choose(check, "rule", kind, who, ANY_GM, at=at, **values)


def roll(check: AnyCheck, who: Actor = ANN, *, at: int = NOON) -> Choose:
    """Throw the dice for a check as it stands, as whoever acts in it."""
    return choose(check, "ready", "roll", who, check.actor, at=at)


def newest(state: TableState) -> AnyCheck:
    """The check begun last."""
    return max(state.checks.values(), key=lambda each: each.number)


def faces(check: AnyCheck) -> tuple[int, ...]:
    """The dice of a check that was rolled."""
    assert check.data.roll is not None
    return tuple(die.face for die in check.data.roll.dice)


# --- tables ---------------------------------------------------------------------------------------


def counted_bytes(label: str = "") -> Callable[[int], bytes]:
    """Seeds that are different each time and the same in every run."""
    number = 0

    def make(size: int) -> bytes:
        nonlocal number
        number += 1
        return hashlib.shake_256(f"{label}{number}".encode()).digest(size)

    return make


class House:
    """Tables on one SQLite file, as one process after another, or several at once, would
    have them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open: list[Tables] = []

    async def enter(self) -> Tables:
        """One more process with the file open."""
        tables = Tables(await SqlStore.open(self.path), token_bytes=counted_bytes())
        self._open.append(tables)
        await tables.start()
        return tables

    async def restart(self) -> Tables:
        """End every process and begin a new one."""
        await self.close()
        return await self.enter()

    async def close(self) -> None:
        while self._open:
            await self._open.pop().store.close()

    def rows(self, *tables: str) -> dict[str, list[tuple[Any, ...]]]:
        """Everything in the file, or in these tables of the database."""
        with closing(sqlite3.connect(self.path)) as connection:
            names = tables or tuple(
                name
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                )
            )
            return {
                name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
                for name in names
            }


@asynccontextmanager
async def make_house(folder: Path) -> AsyncIterator[House]:
    """A house on a new file; everything is closed at the end."""
    house = House(folder / "tables.db")
    try:
        yield house
    finally:
        await house.close()


class Session:
    """A ready table: p1 leads it, p2 and p3 play Anna and Boris. Each action has a request id of
    its own.
    """

    def __init__(self, house: House, tables: Tables, table_id: int) -> None:
        self.house = house
        self.tables = tables
        self.table_id = table_id
        self._requests = 0

    async def do(self, action: Action, **options: Any) -> ActionResult:
        """Carry an action out."""
        self._requests += 1
        return await perform(self.tables, self.table_id, action, f"r{self._requests}", **options)

    async def state(self) -> TableState:
        """The table as it is in memory."""
        return (await self.tables.get(self.table_id)).state

    async def reader(
        self, who: Actor, *, views: PlaceViews = NO_VIEWS, here: str = PLACE, at: int = NOON
    ) -> Reader:
        """Somebody who looks at the table from a place."""
        table = await self.tables.get(self.table_id)
        return Reader(self.tables.store, table, who, at, views, here)

    async def proposed(self, who: Actor = ANN, **options: Any) -> AnyCheck:
        """A new check."""
        return newest((await self.do(propose(who, **options))).state)

    async def answered(self, who: Actor = ANN, **options: Any) -> AnyCheck:
        """A new check with the GM's answer (`options`)."""
        visibility = options.pop("visibility", "public")
        return newest(
            (
                await self.do(answer(await self.proposed(who, visibility=visibility), **options))
            ).state
        )

    async def rolled(self, who: Actor = ANN, **options: Any) -> AnyCheck:
        """A new check, answered (`options`) and rolled."""
        return newest((await self.do(roll(await self.answered(who, **options), who))).state)

    async def restart(self) -> None:
        """The process ends and comes back."""
        self.tables = await self.house.restart()

    async def replayed(self) -> TableState:
        """The state, which is also what a replay and a new process make of the file."""
        state = await self.state()
        assert await replay(self.tables.store, self.table_id) == state
        await self.restart()
        assert await self.state() == state
        return state


async def make_session(
    house: House,
    tables: Tables | None = None,
    *,
    place: str = PLACE,
    system: str = "ebb",
    character: Callable[[str], dict[str, Any]] = ebb_character,
    **settings: Any,
) -> Session:
    """Open a table at `place`, with these settings, two players and their characters.

    It waits for everybody, where its system has the setting.
    """
    tables = tables or await house.enter()
    known = "wait_for_everybody" in settings_form(SYSTEMS[system]).by_key
    creation = CreateTable(
        **by(GM, place=place),
        name="Marshes",
        system=system,
        gm_place=GM_PLACE,
        settings=patient() if known else {},
    )
    table = (await create_table(tables, GUILD, creation, f"create-{place}", USERS[0], None)).table
    session = Session(house, tables, table.id)
    session._requests = 1000 * table.id
    for user, name in USERS[1:]:
        table.directory.ensure_participant(user, name)
    if settings:
        await session.do(ChangeSettings(**by(GM), values=settings))
    for who, name in ((ANN, "Anna"), (BEN, "Boris")):
        grown = system == "masterbook"
        await session.do(ImportCharacter(**by(who), data=character(name), grown=grown))
    return session

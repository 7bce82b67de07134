"""The tables that are measured: six player characters, fifteen NPCs, live play, results that stand
at once.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from bot.services import directory
from bot.services.loaded_table import Table
from bot.services.perform import perform
from bot.services.table_opening import create_table
from bot.services.tables import Tables
from bot.storage.location import Where
from bot.storage.store import SqlStore
from rules.core.rng import KeyedStreams
from rules.table.actions import (
    Action,
    Actor,
    ChangeNpc,
    ChangeSettings,
    CreateTable,
    ImportCharacter,
    ImportDeck,
)
from rules.table.state import TableState
from tests.sample_table import (
    barmore_character,
    ebb_character,
    ego_character,
    masterbook_character,
    numbered_id,
    own_action,
    resolve,
)

GM = Actor("p1")
PLAYERS = 6
NPCS = 15
NOW = 1_800_000_000
PLACE = "200"


@dataclass(frozen=True)
class Cast:
    """By which rules a table plays, what its players' characters and its NPCs are as files have
    them, and settings.

    `begins` is what a GM does then, each given who, where and when.
    """

    system: str
    player: Callable[[str], dict[str, Any]]
    npc: Callable[[str], dict[str, Any]]
    settings: Mapping[str, Any] = field(default_factory=lambda: {"step_in_time": 0})
    begins: tuple[Callable[..., Action], ...] = ()

    def opening(
        self, players: list[Actor], place: str, *, live: bool = True, npcs: int = NPCS
    ) -> Iterator[Action]:
        """What its people do once a table is open, until it can be played at; players know every
        NPC by name.
        """
        now = NOW if place == PLACE else int(time.time())
        gm: Any = {"who": GM, "place": place, "at": now}
        yield ChangeSettings(**gm, values={"live": live, "attacks_at_once": live, **self.settings})
        for number, who in enumerate(players, 1):
            data = self.player(hero(number))
            yield ImportCharacter(who=who, place=place, at=now, data=data, grown=True)
        for number in range(1, npcs + 1):
            yield ImportCharacter(**gm, data=self.npc(foe(number)), npc=True, grown=True)
            yield ChangeNpc(**gm, npc=foe(number), stage="revealed")
        for action in self.begins:
            yield action(**gm)

    def state(self) -> TableState:
        """Such a table by the rules alone, at `PLACE`."""
        creation = CreateTable(
            who=GM, place=PLACE, at=NOW, name="The Dry Canal", system=self.system
        )
        rng = KeyedStreams(b"p" * 32, b"s" * 32, "prepare")
        state = resolve(None, creation, rng).state
        for action in self.opening([Actor(f"p{2 + number}") for number in range(PLAYERS)], PLACE):
            state = resolve(state, action, rng).state
        return state


def hero(number: int) -> str:
    """What players' characters are called, from 1 on."""
    return f"Stalker {number}"


def foe(number: int) -> str:
    """What NPCs are called, from 1 on."""
    return f"Bandit {number}"


def _armored(name: str) -> dict[str, Any]:
    """Somebody whom hundreds of blows go through to, and whose armor they never wear down."""
    return ego_character(name, vitality=100, armour="Powered armor 12/25")


def _without_rerolls(name: str) -> dict[str, Any]:
    return ego_character(name, muscle=12, agility=10, karma=0, advantages=[])


def _without_life_points(name: str) -> dict[str, Any]:
    return masterbook_character(name, life_points=0)


EBB: Final = Cast("ebb", ebb_character, ebb_character)
EGO: Final = Cast("ego", _without_rerolls, _armored)
#: Players have nothing to spend: a player with points is asked about each result.
MASTERBOOK: Final = Cast("masterbook", _without_life_points, masterbook_character)
BARMORE: Final = Cast("barmore", barmore_character, barmore_character, settings={})
#: NPCs whose armor stops most blows: a fight with them goes on for hundreds of attacks.
MASTERBOOK_FIGHT: Final = Cast(
    "masterbook",
    _without_life_points,
    lambda name: masterbook_character(name, armour=[{"name": "Plate", "add": 14}]),
)


def _deck() -> dict[str, Any]:
    """As many cards as there are in the game's own deck, each of which may be played at any
    time.
    """
    line = {"first": "P", "p": None, "g": {"effect": "stymied"}}
    row = {
        "name": "drama",
        "standard": line,
        "dramatic": line,
        "critical": {"kind": "complication"},
    }
    head = {"format": "masterbook-deck", "format_version": 1, "deck_id": "drama", "title": "Drama"}
    return head | {"cards": [{"number": number, **row} for number in range(1, 107)]}


#: With cards, in the midst of an adventure.
CARDS: Final = Cast(
    "masterbook",
    masterbook_character,
    masterbook_character,
    {"step_in_time": 0, "cards_mode": "full"},
    (partial(ImportDeck, data=_deck()), partial(own_action("Tell"), what="adventure-start")),
)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on a real disk for databases."""
    path = Path(tempfile.mkdtemp(prefix="storyguide-bench-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


async def furnish(
    where: Where,
    guild: str,
    places: list[str],
    gm: tuple[str, str],
    players: list[tuple[str, str]],
    *,
    live: bool,
    npcs: int = NPCS,
    cast: Cast = EBB,
) -> list[Table]:
    """A table at each place, as real actions make it. People are user ids and names, and numbered
    as they come.
    """
    directory.new_id = numbered_id
    store = await SqlStore.open(where)
    try:
        tables = Tables(store)
        await tables.start()
        return [
            await _table(tables, guild, place, gm, players, cast, live=live, npcs=npcs)
            for place in places
        ]
    finally:
        await store.close()


async def _table(
    tables: Tables,
    guild: str,
    place: str,
    gm: tuple[str, str],
    players: list[tuple[str, str]],
    cast: Cast,
    *,
    live: bool,
    npcs: int,
) -> Table:
    now = int(time.time())
    creation = CreateTable(who=GM, place=place, at=now, name="The Dry Canal", system=cast.system)
    table = (await create_table(tables, guild, creation, _request(), gm, None)).table
    who = [Actor(table.directory.ensure_participant(user, name)) for user, name in players]
    for action in cast.opening(who, place, live=live, npcs=npcs):
        await perform(tables, table.id, action, _request())
    await mark_all_said(tables, table)
    return table


def _request() -> str:
    return f"furnish-{secrets.token_hex(8)}"


async def mark_all_said(tables: Tables, table: Table) -> None:
    """Everything that waits to be said at a table counts as said."""
    now = int(time.time())
    await tables.store.mark_done(
        [(out.id, now, None) for out in await tables.store.unsent_rows(table.id)]
    )

"""The table that is measured: six player characters, fifteen NPCs, live play, results that stand at once."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.services import directory
from bot.services.opening import create
from bot.services.perform import perform
from bot.services.table import Table
from bot.services.tables import Tables
from bot.storage.store import SqliteStore
from rules.table.actions import Actor, ChangeSettings, CreateTable, ImportCharacter
from tests.builders import ebb_character, numbered

GM = Actor("p1")
PLAYERS = 6
NPCS = 15


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on a real disk for databases."""
    path = Path(tempfile.mkdtemp(prefix="storyguide-bench-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


async def furnish(
    path: Path,
    guild: str,
    places: list[str],
    gm: tuple[str, str],
    players: list[tuple[str, str]],
    *,
    live: bool,
    npcs: int = NPCS,
) -> list[Table]:
    """A table at each place, as real actions make it. People are user ids and names, and numbered as they come."""
    directory.new_id = numbered
    store = await SqliteStore.open(path)
    try:
        tables = Tables(store)
        await tables.start()
        return [await _table(tables, guild, place, gm, players, live=live, npcs=npcs) for place in places]
    finally:
        await store.close()


async def _table(
    tables: Tables,
    guild: str,
    place: str,
    gm: tuple[str, str],
    players: list[tuple[str, str]],
    *,
    live: bool,
    npcs: int,
) -> Table:
    now = int(time.time())

    def request() -> str:
        return f"furnish-{secrets.token_hex(8)}"

    creation = CreateTable(who=GM, place=place, at=now, name="The Dry Canal", system="ebb")
    table = (await create(tables, guild, creation, request(), gm, None)).table
    settings = ChangeSettings(who=GM, place=place, at=now, values={"live": live, "window": 0})
    await perform(tables, table.id, settings, request())
    for number, (user, name) in enumerate(players, 1):
        who = Actor(table.directory.participant(user, name))
        data = ebb_character(f"Stalker {number}")
        await perform(tables, table.id, ImportCharacter(who=who, place=place, at=now, data=data), request())
    for number in range(1, npcs + 1):
        npc = ImportCharacter(who=GM, place=place, at=now, data=ebb_character(f"Bandit {number}"), npc=True)
        await perform(tables, table.id, npc, request())
    for out in await tables.store.open_outs(table.id):
        await tables.store.mark_done([(out.id, now, None)])
    return table

"""A table after years of play: a short stretch of it is played, and its rows are copied until the journal is long."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from pathlib import Path

from bot.services.perform import perform
from bot.services.tables import Tables
from bot.storage.store import SqliteStore
from rules.table.actions import Action, Actor, Begin, RollDice
from tests.bench.commands import OPTIONS

#: So many entries are played; of these the copies are made.
STRETCH = 80


async def lengthen(path: Path, place: str, players: int, entries: int) -> None:
    """Give the table of a place so many entries more, by these players, p2 and on; what was said is said."""
    store = await SqliteStore.open(path)
    try:
        tables = Tables(store)
        await tables.start()
        table_id = tables.places.table_id(place)
        assert table_id is not None
        first = (await tables.get(table_id)).revision
        for number in range(min(STRETCH, entries)):
            who, now = Actor(f"p{2 + number % players}"), int(time.time())
            action: Action = RollDice(who=who, place=place, at=now, dice="4d6kh3", reason="over the roof")
            if number % 8 == 0:
                action = Begin(who=who, place=place, at=now, kind="check", values=dict(OPTIONS))
            await perform(tables, table_id, action, f"stretch:{number}")
        await store.mark_done([(out.id, 1, "1/2") for out in await store.open_outs(table_id)])
    finally:
        await store.close()
    _copy(path, table_id, first, (entries - 1) // STRETCH)


def _copy(path: Path, table_id: int, after: int, times: int) -> None:
    """Copy everything that belongs to the entries after this one so many times, and put it behind them."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TEMP TABLE copy (n INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO copy VALUES (?)", [(number,) for number in range(1, times + 1)])
        (step, length) = connection.execute(
            "SELECT MAX(id), MAX(seq) - ? FROM journal WHERE table_id = ?", (after, table_id)
        ).fetchone()
        mine = f"(SELECT id FROM journal WHERE table_id = {table_id} AND seq > {after})"
        made = {
            "journal": {
                "id": f"id + n * {step}",
                "seq": f"seq + n * {length}",
                "request_id": "request_id || ':' || n",
            },
            "before_part": {"journal_id": f"journal_id + n * {step}"},
            "outbox": {"id": "NULL", "journal_id": f"journal_id + n * {step}"},
        }
        where = {
            "journal": f"id IN {mine}",
            "before_part": f"journal_id IN {mine}",
            "outbox": f"journal_id IN {mine}",
        }
        for name, changed in made.items():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            values = ", ".join(changed.get(column, f'"{column}"') for column in columns)
            connection.execute(f"CREATE TEMP TABLE of_{name} AS SELECT * FROM {name} WHERE {where[name]}")
            connection.execute(f"INSERT INTO {name} SELECT {values} FROM copy CROSS JOIN of_{name}")
        connection.execute(
            "UPDATE game_table SET revision = (SELECT MAX(seq) FROM journal WHERE table_id = ?1),"
            " head = (SELECT request_id FROM journal WHERE table_id = ?1 ORDER BY seq DESC LIMIT 1) WHERE id = ?1",
            (table_id,),
        )

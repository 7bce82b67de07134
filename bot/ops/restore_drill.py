"""A restore, tried: whether a copy would do if the database were lost. Everything happens in a
folder of its own.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from bot.ops.backup import restore_database
from bot.ops.database_files import OperationRefused, connect, side_file
from bot.services.replay import ReplayImpossible, replay
from bot.storage import codec
from bot.storage.errors import StorageUnavailable, TableUnreadable
from bot.storage.store import SqlStore


def run_restore_drill(copy: Path) -> list[str]:
    """Restore a copy (with its log, where there is one) elsewhere and carry out every journal
    again; what was found.

    Refused where it would not do. The copy is only read.
    """
    if not copy.is_file():
        raise OperationRefused(f"No file at {copy}.")
    with tempfile.TemporaryDirectory(prefix="storyguide-drill-") as name:
        found, database = Path(name) / "copy.db", Path(name) / "restored" / "storyguide.db"
        try:
            for suffix in ("", "-wal"):
                if side_file(copy, suffix).exists():
                    shutil.copyfile(side_file(copy, suffix), side_file(found, suffix))
            # A log belongs to the file: it is moved into it as the bot's own start would.
            with closing(connect(found, "rw")) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except (OSError, sqlite3.Error) as error:
            raise OperationRefused(f"Can't read {copy}: {error}.") from error
        restore_database(database, found)
        newest = _newest(database)
        replayed, others = asyncio.run(_replay_tables(database))
    lines = [f"Sound: {copy} can be restored.", newest, f"Replayed as stored: {replayed} tables."]
    return [*lines, *others, "Nothing was changed."]


def _newest(database: Path) -> str:
    with closing(connect(database)) as connection:
        row = connection.execute("SELECT id, at FROM journal ORDER BY id DESC LIMIT 1").fetchone()
    if row is None:
        return "Newest entry: none."
    return (
        f"Newest entry: {row[0]}, of {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(row[1]))} UTC."
    )


async def _replay_tables(database: Path) -> tuple[int, list[str]]:
    """How many tables come out of their journal as they are stored, and why others cannot
    be tried.
    """
    count, others = 0, list[str]()
    try:
        store = await SqlStore.open(database, reading=True)
        try:
            for table_id in await store.table_places():
                row = await store.load_table(table_id)
                if row is None or not row.revision or not row.guild:
                    continue  # its server was deleted, and it is on its way out
                try:
                    again = await replay(store, table_id)
                except ReplayImpossible as error:
                    others.append(f"Table {table_id} can't be replayed: {error}.")
                    continue
                if again != codec.read_state(row.system, table_id, row.parts):
                    raise OperationRefused(f"Table {table_id} doesn't match its journal.")
                count += 1
        finally:
            await store.close()
    except (StorageUnavailable, TableUnreadable) as error:
        raise OperationRefused(f"Can't be used: {error}.") from error
    return count, others

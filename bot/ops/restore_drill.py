"""A restore drill: a test that a copy could replace a lost database, in a folder of its own."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bot.ops.backup import restore_database
from bot.ops.database_files import OperationRefused, connect, side_file
from bot.ops.row_copy import Progress, Tell, copy_to_file
from bot.services.replay import ReplayImpossible, replay
from bot.storage import codec
from bot.storage.errors import StorageUnavailable, TableUnreadable
from bot.storage.location import Where
from bot.storage.store import SqlStore


def run_restore_drill(where: Where, tell: Tell = lambda text: None) -> list[str]:
    """Restore a copy elsewhere and replay every journal; return the lines for the operator.

    The copy is a file, with its log if it has one. The rows of a server are copied to a file first,
    even while a bot runs. Nothing is changed. *tell* gets lines about the progress. Raises
    OperationRefused if the copy can't replace the database.
    """
    with tempfile.TemporaryDirectory(prefix="storyguide-drill-") as name:
        if isinstance(where, Path):
            return [*_drill_file(where, Path(name), str(where)), "Nothing was changed."]
        file = Path(name) / "rows.db"
        place, rows = copy_to_file(where, file, Progress(tell))
        lines = _drill_file(file, Path(name), f"a copy of {place}")
        return [f"Copied: {rows:,} rows of {place}.", *lines, "Nothing was changed."]


def _drill_file(copy: Path, folder: Path, name: str) -> list[str]:
    """Drill a file in a folder of its own; *name* is its name in the lines."""
    if not copy.is_file():
        raise OperationRefused(f"No file at {copy}.")
    file, database = folder / "copy.db", folder / "restored" / "storyguide.db"
    try:
        for suffix in ("", "-wal"):
            if side_file(copy, suffix).exists():
                shutil.copyfile(side_file(copy, suffix), side_file(file, suffix))
        # The log belongs to the file, so it is moved into the file as at a start of the bot.
        with closing(connect(file, "rw")) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (OSError, sqlite3.Error) as error:
        raise OperationRefused(f"Can't read {copy}: {error}.") from error
    restore_database(database, file)
    newest = _newest(database)
    findings = asyncio.run(replay_tables(database))
    if findings.other:
        raise OperationRefused(f"Table {findings.other[0]} doesn't match its journal.")
    return [
        f"Sound: {name} can be restored.",
        newest,
        f"Replayed as stored: {findings.count} tables.",
        *findings.impossible,
    ]


def _newest(database: Path) -> str:
    with closing(connect(database)) as connection:
        row = connection.execute("SELECT id, at FROM journal ORDER BY id DESC LIMIT 1").fetchone()
    if row is None:
        return "Newest entry: none."
    return (
        f"Newest entry: {row[0]}, of {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(row[1]))} UTC."
    )


@dataclass(slots=True)
class ReplayFindings:
    """Outcome of replaying every table."""

    #: Tables that come out of their journal as they are stored.
    count: int = 0
    #: Lines about tables that can't be replayed.
    impossible: list[str] = field(default_factory=list[str])
    #: Tables that come out of their journal in another state.
    other: list[int] = field(default_factory=list[int])


async def replay_tables(
    where: Where, report: Callable[[int], None] = lambda count: None
) -> ReplayFindings:
    """Replay every table of a database; *report* gets the number of tables now and then.

    Raises OperationRefused if a table can't be read.
    """
    findings = ReplayFindings()
    try:
        store = await SqlStore.open(where, reading=True)
        try:
            for table_id in await store.table_places():
                row = await store.load_table(table_id)
                if row is None or not row.revision or not row.guild:
                    continue  # its server was deleted, and it is on its way out
                try:
                    again = await replay(store, table_id)
                except ReplayImpossible as error:
                    findings.impossible.append(f"Table {table_id} can't be replayed: {error}.")
                    continue
                if again == codec.read_state(row.system, table_id, row.parts):
                    findings.count += 1
                else:
                    findings.other.append(table_id)
                report(findings.count)
        finally:
            await store.close()
    except (StorageUnavailable, TableUnreadable) as error:
        raise OperationRefused(f"Can't be used: {error}.") from error
    return findings

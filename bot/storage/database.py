"""One SQLite file behind one aiosqlite connection; writes that wait together share a commit."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from bot.storage.errors import explain
from bot.storage.schema import check_version, migrate

log = logging.getLogger("storyguide.storage")

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], Any]

#: How many units may share one commit.
BATCH = 64
#: Turns of the event loop to wait before a batch is taken, so that what is ready by now is in it.
YIELDS = 1
#: How long SQLite itself waits for a lock held by another process, in milliseconds. Well under the three
#: seconds in which an interaction must be acknowledged.
BUSY_MS = 1000


class Database:
    """Runs functions on the connection's own thread: one hop for a whole transaction, not one a statement."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._waiting: list[tuple[Work, asyncio.Future[Any]]] = []
        self._writer: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, path: Path | str) -> Database:
        """Open or create the file and bring it to the latest schema.

        Raises SchemaTooNew, or StorageUnavailable when the file cannot be opened or written.
        """
        connection = aiosqlite.connect(str(path), isolation_level=None, cached_statements=256)
        try:
            await connection
        except sqlite3.Error as error:
            # Its thread has been told to end; it must not report that to a loop that is closed by then.
            await asyncio.to_thread(connection._thread.join)
            raise explain(error) from error
        database = cls(connection)
        try:
            await database.read(_prepare)
        except BaseException:
            await connection.close()
            raise
        return database

    async def close(self) -> None:
        """Finish what is being written and close."""
        while self._writer is not None and not self._writer.done():
            await asyncio.wait([self._writer])
        await self._connection.close()

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` outside a transaction. Raises StorageUnavailable."""
        try:
            # One hop for many statements; aiosqlite's public methods take one each way per statement, which
            # costs more than the statements themselves. Its version is pinned and a test watches this name.
            return await self._connection._execute(work, self._connection._conn)
        except sqlite3.Error as error:
            raise explain(error) from error

    def write(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """Run `work` in a transaction; the future has its result once that is durable.

        Works run in the order of these calls. What one raises undoes only its own changes and comes out of
        its own future. The future raises StorageUnavailable when the commit itself fails; nothing of the
        batch has changed then.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, future))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._drain(), name="storage-writer")
        return future

    async def _drain(self) -> None:
        while self._waiting:
            for _ in range(YIELDS):
                await asyncio.sleep(0)
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            works = [work for work, _ in batch]
            try:
                results = await self.read(lambda connection, works=works: _commit(connection, works))
            except BaseException as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                if not isinstance(error, Exception):
                    raise
                continue
            for (_, future), (result, error) in zip(batch, results, strict=True):
                if future.done():
                    continue
                if error is not None:
                    future.set_exception(error)
                else:
                    future.set_result(result)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    check_version(connection)  # before anything is written to the file, its mode included
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection)


class _UnitFailed(Exception):
    """One of several units raised."""


def _commit(connection: sqlite3.Connection, works: list[Work]) -> list[tuple[Any, Exception | None]]:
    """Run the works in one transaction; a result or an error for each.

    They nearly always all succeed, so they are first run without savepoints; if one of several fails, the
    transaction is undone and done again with a savepoint for each.
    """
    try:
        return _transaction(connection, works, careful=False)
    except _UnitFailed:
        return _transaction(connection, works, careful=True)


def _transaction(
    connection: sqlite3.Connection, works: list[Work], *, careful: bool
) -> list[tuple[Any, Exception | None]]:
    results: list[tuple[Any, Exception | None]] = []
    connection.execute("BEGIN IMMEDIATE")
    try:
        for work in works:
            if careful:
                connection.execute("SAVEPOINT unit")
            try:
                results.append((work(connection), None))
            except Exception as error:
                if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError):
                    raise
                if not careful and len(works) > 1:
                    raise _UnitFailed from error
                connection.execute("ROLLBACK TO unit" if careful else "ROLLBACK")
                results.append((None, error))
            if careful:
                connection.execute("RELEASE unit")
        if connection.in_transaction:
            log.debug("storage.committing")
            connection.execute("COMMIT")
            log.debug("storage.committed")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return results

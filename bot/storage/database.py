"""The SQLite engine: one file behind one aiosqlite connection."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import aiosqlite

from bot.storage.errors import Reason, StorageUnavailable
from bot.storage.file_watch import FileWatch, Loss
from bot.storage.fingerprint import check_fingerprint, stored_fingerprint
from bot.storage.high_water_mark import note_older, raise_mark, stored_highest_entry
from bot.storage.move_notes import require_startable
from bot.storage.schema import migrate
from bot.storage.write_batches import Engine, Results, WriteUnit, commit_batch

log = logging.getLogger("storyguide.storage")

T = TypeVar("T")
#: Milliseconds that SQLite waits for a lock of another process. That is well under the three
#: seconds in which an interaction must be acknowledged.
BUSY_MS = 1000
#: The same while the file is opened: several processes may take turns, and no answer waits.
OPENING_MS = 5000
#: Seconds between two tries to open where SQLite itself doesn't wait.
OPENING_PAUSE = 0.01
#: Pages after which a commit moves the log into the file. SQLite's own 1000 are soon full.
CHECKPOINT_PAGES = 4000
#: Seconds without a commit after which the log is moved into the file.
REST_DELAY = 5.0
#: Seconds to the next try if a reader still needs the log.
REST_RETRY_DELAY = 60.0
#: Seconds between two looks at where the files are, while nothing is committed.
WATCH_INTERVAL = 10.0
#: Bytes of a page in a new file. With half of that, every earlier form of a part would take a page
#: of its own.
PAGE_SIZE = 8192
#: SQLite's setting with which a commit waits for the disk.
SYNCHRONOUS = "FULL"


class FileConnection(sqlite3.Connection):
    """A connection to a file, with the interface that the storage functions use.

    RETURNING would cost SQLite a temporary table and a step for each row, a tenth of an entry.
    """

    def insert(self, sql: str, parameters: Sequence[Any], count: int, /) -> range:
        # Nobody else writes during a transaction, so the ids of a statement follow one another.
        last = self.execute(sql, parameters).lastrowid
        assert last is not None
        return range(last - count + 1, last + 1)

    def change(self, sql: str, parameters: Sequence[Any], /) -> int:
        return self.execute(sql, parameters).rowcount

    @contextmanager
    def overwriting(self) -> Iterator[None]:
        """Overwrite what is deleted meanwhile in the file, not only take it out of sight."""
        self.execute("PRAGMA secure_delete = ON").close()
        try:
            yield
        finally:
            self.execute("PRAGMA secure_delete = OFF").close()


class Database(Engine):
    """A SQLite file. Functions run on the connection's own thread: one hop a transaction."""

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        super().__init__()
        self._connection = connection
        self.path = path
        #: The files as they were opened for writing.
        self.files: FileWatch | None = None
        self._on_loss: Callable[[Loss], None] | None = None
        self._watch_timer: asyncio.TimerHandle | None = None
        #: When something was last committed, and the timer that looks whether that is long ago, or
        #: looks again.
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._again = False
        #: Whether the log must be emptied, not only moved, because it may hold deleted data.
        self._emptying = True
        self._closed = False
        #: The highest journal entry at opening or at the last rest, and whether the note beside the
        #: file names a later one, so that the loss of the log is known.
        self._rested_entry = 0
        self._marked = False

    @property
    def name(self) -> str:
        return str(self.path)

    @classmethod
    async def open(cls, path: Path | str, *, reading: bool = False) -> Database:
        """Open or create the file and bring it to the latest schema. With *reading*, only read it.

        Raises SchemaTooNew, FingerprintMismatch, DatabaseMoved, or StorageUnavailable if the file
        cannot be opened or written.
        """
        connection = aiosqlite.connect(
            _read_only_uri(path) if reading else str(path),
            isolation_level=None,
            cached_statements=512,
            uri=reading,
            factory=FileConnection,
        )
        try:
            await connection
        except sqlite3.Error as error:
            # Its thread has been told to end; it must not report that to a loop that is closed by
            # then.
            connection._thread.join()
            raise storage_error(error) from error
        database = cls(connection, Path(path))
        try:
            await database.read(_prepare_reading if reading else _prepare)
            if not reading:
                database.files = FileWatch(database.path)
                database._rested_entry = await database.read(_entry_at_opening)
        except OSError as error:
            await connection.close()
            raise StorageUnavailable("unknown", str(error)) from error
        except BaseException:
            await connection.close()
            raise
        return database

    async def close(self) -> None:
        """Finish what is being written and close."""
        await self._at_rest.wait()
        self._closed = True
        for timer in (self._timer, self._watch_timer):
            if timer is not None:
                timer.cancel()
        await self._connection.close()
        if self.files is not None:
            self.files.close()
            self.files = None

    async def read(self, work: Callable[[FileConnection], T]) -> T:
        """Run `work` outside a transaction. Raises StorageUnavailable."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._run_on_thread(work, future)
        try:
            return await future
        except sqlite3.Error as error:
            trouble = storage_error(error)
            self._note_trouble(trouble)
            raise trouble from error

    def _run_on_thread(
        self, work: Callable[[FileConnection], T], future: asyncio.Future[T] | None
    ) -> None:
        """Have `work` run on the connection's thread; `future`, if any, gets what comes of it.

        One hop for many statements; aiosqlite's public methods take one each way per statement,
        which costs more than the statements themselves. Its version is pinned and a test watches
        the names.
        """
        if not self._connection._running:
            raise ValueError("the connection is closed")
        self._connection._tx.put_nowait(
            (future, partial(work, cast(FileConnection, self._connection._conn)))
        )

    def _carry_out(self, connection: FileConnection, batch: list[WriteUnit]) -> Results:
        self._require_in_place()
        results = commit_batch(connection, batch)
        # A commit to a file that is gone by now counts as failed.
        self._require_in_place()
        return results

    def _as_storage_error(self, error: Exception) -> StorageUnavailable | None:
        return storage_error(error) if isinstance(error, sqlite3.Error) else None

    def _changes(self, connection: FileConnection) -> int:
        return connection.total_changes

    def _after_commit(self, connection: FileConnection) -> None:
        if not self._marked:
            self._mark_log(connection)

    def _committed(self) -> None:
        self._last = asyncio.get_running_loop().time()
        if self._timer is None or self._again:
            self._schedule_rest(REST_DELAY)

    async def note_if_older(self) -> None:
        await self.write(note_older, self.path)

    async def sizes(self) -> dict[str, float]:
        if self.loss is not None:
            return {}
        wal = self.path.with_name(f"{self.path.name}-wal")
        return {
            "database_bytes": self.path.stat().st_size,
            "log_bytes": wal.stat().st_size if wal.exists() else 0,
        }

    def _mark_log(self, connection: sqlite3.Connection) -> None:
        """Note the first entry that is in the log alone, so that the loss of the log is known.

        No commit waits for the note.
        """
        with suppress(sqlite3.Error, OSError):
            highest = stored_highest_entry(connection)
            raise_mark(self.path, highest)
            self._marked = highest > self._rested_entry

    # --- in place ---------------------------------------------------------------------------------

    def watch(self, on_loss: Callable[[Loss], None], *, idle: bool) -> None:
        """Call `on_loss` once a commit or a rest finds that the files are not in place.

        With *idle*, also look at intervals while nothing is committed.
        """
        self._on_loss = on_loss
        if self.loss is not None:
            on_loss(self.loss)
        elif idle:
            self._watch_timer = self._loop.call_later(WATCH_INTERVAL, self._look)

    def _look(self) -> None:
        def look(_: sqlite3.Connection) -> None:
            with suppress(StorageUnavailable):
                self._require_in_place()

        if self.loss is None and not self._closed:
            self._watch_timer = self._loop.call_later(WATCH_INTERVAL, self._look)
            self._run_on_thread(look, None)

    def _require_in_place(self) -> None:
        """Raise StorageUnavailable("lost") once the path leads to other files than those opened.

        Runs on the connection's thread.
        """
        if self.loss is None and self.files is not None:
            self.loss = self.files.loss()
            if self.loss is not None:
                self._loop.call_soon_threadsafe(self._tell_loss, self.loss)
        if self.loss is not None:
            raise StorageUnavailable("lost", self.loss)

    def _tell_loss(self, loss: Loss) -> None:
        log.error("storage.lost", extra={"kind": loss, "file": self.path})
        if self._on_loss is not None:
            self._on_loss(loss)

    # --- at rest ----------------------------------------------------------------------------------

    @property
    def is_resting(self) -> bool:
        """True if nothing is left that should be moved into the file."""
        return self._timer is None

    async def empty_log(self) -> None:
        """Empty the log, which holds deleted data; at a later rest if a reader still needs it.

        Raises StorageUnavailable.
        """
        self._emptying = not await self.read(
            lambda connection: self._checkpoint_log(connection, emptying=True)
        )
        if self._emptying and self._timer is None:
            self._schedule_rest(REST_RETRY_DELAY, again=True)

    def _schedule_rest(self, seconds: float, *, again: bool = False) -> None:
        self._again = again
        if self._timer is not None:
            self._timer.cancel()
        if not self._closed:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._rest_if_idle)

    def _rest_if_idle(self) -> None:
        """Move the log into the file, if nothing was committed for a while: there it cannot be lost
        with the log.
        """
        loop = asyncio.get_running_loop()
        asked, emptying = loop.time(), self._emptying
        if asked < self._last + REST_DELAY:
            self._schedule_rest(self._last + REST_DELAY - asked)
            return
        self._again = False

        def rest(connection: sqlite3.Connection) -> None:
            moved = False
            try:
                moved = self._checkpoint_log(connection, emptying=emptying)
                self._rested_entry, self._marked = stored_highest_entry(connection), False
                raise_mark(self.path, self._rested_entry)
            except StorageUnavailable:
                moved = True  # nothing is left that could be moved anywhere
            except (sqlite3.Error, OSError) as error:
                log.warning("storage.not-at-rest", extra={"reason": str(error)})
            loop.call_soon_threadsafe(self._finish_rest, moved, emptying, asked)

        self._run_on_thread(rest, None)

    def _checkpoint_log(self, connection: sqlite3.Connection, *, emptying: bool) -> bool:
        """Move the log into the file, if both are in place. Raises StorageUnavailable("lost")."""
        self._require_in_place()
        return _checkpoint_log(connection, self.path, emptying=emptying)

    def _finish_rest(self, moved: bool, emptied: bool, asked: float) -> None:
        self._timer = None
        if moved and emptied:
            self._emptying = False
        if self._last > asked:
            self._schedule_rest(REST_DELAY)
        elif not moved:
            self._schedule_rest(REST_RETRY_DELAY, again=True)


def storage_error(error: sqlite3.Error) -> StorageUnavailable:
    """Return an error of SQLite in the store's terms."""
    text = str(error)
    low = text.casefold()
    reasons: tuple[tuple[str, Reason], ...] = (
        ("full", "full"),
        ("readonly", "read-only"),
        ("read-only", "read-only"),
        ("locked", "locked"),
        ("busy", "locked"),
        ("malformed", "damaged"),
        ("not a database", "damaged"),
        ("could not decode", "damaged"),
        ("disk i/o", "full"),
    )
    for needle, reason in reasons:
        if needle in low:
            return StorageUnavailable(reason, text)
    return StorageUnavailable("unknown", text)


def _read_only_uri(path: Path | str) -> str:
    return f"{Path(path).absolute().as_uri()}?mode=ro"


def _prepare(connection: sqlite3.Connection) -> None:
    if has_table(connection, "note"):
        require_startable(connection)
    prepare_file(connection)


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Return whether a file has a table of that name."""
    sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(sql, (name,)).fetchone() is not None


def prepare_file(connection: sqlite3.Connection) -> None:
    """Bring a file to the latest schema, and set the connection up for writing.

    Raises SchemaTooNew, FingerprintMismatch or sqlite3.Error.
    """
    connection.execute(f"PRAGMA busy_timeout = {OPENING_MS}")
    # Before anything is written to the file, its mode included.
    check_fingerprint(connection, stored_fingerprint())
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    connection.execute("PRAGMA temp_store = MEMORY")
    _use_wal(connection)
    connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    migrate(connection, stored_fingerprint())
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


def _checkpoint_log(connection: sqlite3.Connection, path: Path, *, emptying: bool) -> bool:
    """Move as much of the log into the file as readers allow; return whether that was all.

    With *emptying* the log is truncated too. The path must lead to the connection's file: SQLite
    deletes the log beside an empty one.

    A lock keeps all writers out, Litestream included: up to SQLite 3.51.2 a log that another
    process restarts at that moment may be taken for one that has been moved.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"  # doesn't create a file
    with closing(sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            return False
        _, length, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return moved >= length and (not emptying or _empty(connection))


def _empty(connection: sqlite3.Connection) -> bool:
    """Truncate the log unless a reader needs it; return whether it was truncated."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


def _prepare_reading(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA busy_timeout = {OPENING_MS}")
    check_fingerprint(connection, stored_fingerprint())


def _entry_at_opening(connection: sqlite3.Connection) -> int:
    """Return the highest journal entry; 0 in a damaged file, which is told when it is read."""
    with suppress(sqlite3.Error):
        return stored_highest_entry(connection)
    return 0


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch the file to WAL, which it stays in.

    The switch takes a lock for which SQLite doesn't wait: of two processes it refuses one at once,
    whatever the busy timeout. So this function waits, as long as the timeout.
    """
    deadline = time.monotonic() + OPENING_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
        time.sleep(OPENING_PAUSE)

"""The PostgreSQL engine: one session that writes, two that read.

A commit whose answer was lost is looked up by its request ids as soon as the server is back. If the
server stays away, the outcome is in doubt, and the caller is told so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from itertools import cycle, groupby
from operator import attrgetter
from typing import Any, Final, TypeVar

import psycopg

from bot.storage.errors import DuplicateRequest, Reason, StorageUnavailable
from bot.storage.file_watch import Loss
from bot.storage.instance_lock import DatabaseInUse
from bot.storage.journal import OUTBOX_COLUMNS, read_outbox_row
from bot.storage.journal_writer import PendingEntry, append_entries, create_tables
from bot.storage.location import ServerAddress
from bot.storage.row_records import NewEntry, WrittenEntry
from bot.storage.server_agreement import agree_on_note, hold_identify_turn, note_restored
from bot.storage.server_claim import Claim, Obstacle
from bot.storage.server_health import health_figures
from bot.storage.server_history import SavedEntries, note_timeline, watch_timeline
from bot.storage.server_schema import check_schema
from bot.storage.server_session import (
    Session,
    SessionThread,
    ShareLost,
    SlotHeld,
    connection_error,
    is_lasting,
    storage_error,
)
from bot.storage.share import OtherProcessCount, Share
from bot.storage.write_batches import (
    Engine,
    Results,
    WriteUnit,
    is_refusal,
    run_one_by_one,
    run_transaction,
)

log = logging.getLogger("storyguide.storage")
T = TypeVar("T")

#: For how many seconds a server that does not answer is waited for: a promotion takes some.
PATIENCE: Final = 20.0
#: Seconds between two tries at the start, and between two looks whether a server is back.
RETRY_DELAY: Final = 1.0
#: Seconds between two tries to take a share, and after how many of them waiting is worth a line.
CLAIM_DELAY: Final = 0.25
SAY_AFTER: Final = 1.0
#: Seconds between two checks that the writing session lives. So a process soon notices that its
#: share has passed to another.
WATCH_INTERVAL: Final = 2.0
#: Sessions that read.
READERS: Final = 2
#: Most tries of a transaction that conflicts with another.
MAX_TRIES: Final = 5
#: Seconds that a thread has to end.
CLOSING: Final = 10.0
#: Seconds within which a server tells its state; then it counts as gone.
HEALTH_TIMEOUT: Final = 5.0


class ServerDatabase(Engine):
    """A database on a PostgreSQL server."""

    overwrites_deleted = False

    def __init__(
        self, address: ServerAddress, writer: SessionThread, readers: Sequence[SessionThread]
    ) -> None:
        super().__init__()
        self._address = address
        self._writer = writer
        self._readers = readers
        self._turns = cycle(readers)
        self._closed = False
        #: Whether the server was given up. Until it's back, no call waits for it.
        self._given_up = False
        self._on_return: Callable[[], None] | None = None
        self._returning: asyncio.Task[None] | None = None
        self._saved = SavedEntries()
        #: Whether the server lacks saved entries. Nothing is read or saved then.
        self._is_older = False
        self._on_older: Callable[[], None] | None = None
        self._noting_older: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        #: Whether another process has the share. It stays so.
        self._lost = False
        self._on_lost_share: Callable[[], None] | None = None

    @classmethod
    async def open(
        cls, address: ServerAddress, *, reading: bool = False, processes: int | None = None
    ) -> ServerDatabase:
        """Connect and bring the database to the latest schema. With *reading*, only read it.

        With *processes*, be one of so many of a bot: take a share, and wait for a free one, or for
        a server that is down, as long as it takes. Otherwise wait for `PATIENCE`. Raises
        DatabaseInUse, OtherProcessCount, SchemaTooNew, FingerprintMismatch or StorageUnavailable.
        """
        claim = None if reading else Claim(processes)
        patient = processes is not None
        on_open = None if claim is None else claim.renew
        on_primary = not reading
        writer = SessionThread(Session(address, on_open=on_open, on_primary=on_primary))
        readers = [SessionThread(Session(address, on_primary=on_primary)) for _ in range(READERS)]
        database = cls(address, writer, readers)
        try:
            await database._connect(writer, patient=patient)
            if claim is None:
                await writer.run(check_schema)
            else:
                database.share = await database._wait_for_share(claim, patient=patient)
            if patient:
                await writer.run(database._saved.learn)
                await writer.run(watch_timeline)
            for thread in readers:
                await database._connect(thread, patient=patient)
        except psycopg.Error as error:
            await database.close()
            # The driver quotes pieces of an address, perhaps of the password.
            raise connection_error(error) from None
        except BaseException:
            await database.close()
            raise
        if patient:
            database._watching = asyncio.create_task(database._watch_session(), name="share")
        return database

    async def _wait_for_share(self, claim: Claim, *, patient: bool) -> Share:
        """Take a share as soon as one is free, and say once what it is waited for.

        Raises OtherProcessCount or DatabaseInUse if that waits in vain, and as `Claim.take`.
        """
        loop = asyncio.get_running_loop()
        obstacle, since, said = None, loop.time(), False
        while True:
            try:
                outcome = await self._writer.run(claim.take)
            except psycopg.OperationalError:
                if not self._writer.session.is_broken:
                    raise
                await self._connect(self._writer, patient=patient)
                continue
            if isinstance(outcome, Share):
                break
            if outcome is not obstacle:
                obstacle, since, said = outcome, loop.time(), False
            waited = loop.time() - since
            if waited >= SAY_AFTER and not said:
                log.warning(_WAITING[outcome], extra={"file": self.name})
                said = True
            if waited >= PATIENCE:
                if claim.processes is None:
                    raise DatabaseInUse("processes of another release")
                if outcome is Obstacle.PROCESSES:
                    running = await self._writer.run(claim.noted_processes)
                    raise OtherProcessCount(claim.processes, running)
            await asyncio.sleep(CLAIM_DELAY)
        if patient:
            log.info("storage.share", extra={"share": outcome.number, "count": outcome.count})
        return outcome

    async def _connect(self, thread: SessionThread, *, patient: bool) -> None:
        """Connect; try again while the server is down. Raises psycopg.Error."""
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE
        waited = False
        while True:
            try:
                await thread.run(Session.open)
            except psycopg.Error as error:
                if is_lasting(error) or (loop.time() > end and not patient):
                    raise
                if not waited:
                    facts = {"file": self.name, "reason": connection_error(error).detail}
                    log.warning("storage.waiting-for-server", extra=facts)
                waited = True
            else:
                if waited:
                    log.info("storage.server-there", extra={"file": self.name})
                return
            await asyncio.sleep(RETRY_DELAY)

    @property
    def name(self) -> str:
        return str(self._address)

    async def close(self) -> None:
        await self._at_rest.wait()
        self._closed = True
        for task in (self._returning, self._watching, self._noting_older):
            if task is not None:
                task.cancel()
        for thread in (self._writer, *self._readers):
            await thread.end(CLOSING)

    async def read(self, work: Callable[[Session], T]) -> T:
        def carry_out(session: Session) -> T:
            self._reconnect(session)
            try:
                return work(session)
            except psycopg.OperationalError:
                if not session.is_broken:
                    raise
            self._reconnect(session)
            return work(session)

        if self._closed:
            raise ValueError("the connection is closed")
        if self._lost:
            raise _share_lost("unreachable")
        try:
            return await next(self._turns).run(carry_out)
        except psycopg.Error as error:
            trouble = storage_error(error)
            self._note_trouble(trouble)
            raise trouble from error

    async def empty_log(self) -> None:
        """Do nothing: the server's log and its copies are the operator's."""

    async def note_if_older(self) -> None:
        """Do nothing: nothing beside the server tells what it held."""

    async def sizes(self) -> dict[str, float]:
        sql = "SELECT pg_database_size(current_database())"
        return {"database_bytes": await self.read(lambda session: _number(session, sql))}

    async def health(self) -> dict[str, float]:
        try:
            figures = await asyncio.wait_for(self.read(health_figures), HEALTH_TIMEOUT)
        except (StorageUnavailable, TimeoutError):
            return {"server_connected": 0}
        return {"server_connected": 1, **figures}

    def watch(self, on_loss: Callable[[Loss], None], *, idle: bool) -> None:
        """Do nothing: a server has no files that could be moved away under the bot."""

    def on_return(self, call: Callable[[], None]) -> None:
        self._on_return = call

    def on_older(self, call: Callable[[], None]) -> None:
        self._on_older = call

    async def agree(self, key: str, proposal: str) -> str:
        def carry_out(session: Session) -> str:
            self._reconnect(session)
            return agree_on_note(session, key, proposal)

        if self._closed:
            raise ValueError("the connection is closed")
        try:
            return await self._writer.run(carry_out)
        except psycopg.Error as error:
            raise storage_error(error) from error

    def identify_turn(self, bucket: int) -> AbstractAsyncContextManager[None]:
        return hold_identify_turn(self._address, bucket)

    def on_lost_share(self, call: Callable[[], None]) -> None:
        self._on_lost_share = call
        if self._lost:
            call()

    # --- writing ----------------------------------------------------------------------------------

    def _run_on_thread(self, work: Callable[[Any], T], future: asyncio.Future[T] | None) -> None:
        if self._closed:
            raise ValueError("the connection is closed")
        self._writer.run(work, future)

    def _as_storage_error(self, error: Exception) -> StorageUnavailable | None:
        if isinstance(error, psycopg.Error):
            return storage_error(error)
        return error if isinstance(error, StorageUnavailable) else None

    def _after_commit(self, connection: Session) -> None:
        """Do nothing."""

    def _committed(self) -> None:
        """Do nothing."""

    def _carry_out(self, connection: Session, batch: list[WriteUnit]) -> Results:
        in_doubt = False
        for _ in range(MAX_TRIES):
            try:
                self._reconnect(connection, in_doubt=in_doubt)
                if in_doubt:
                    results = run_transaction(connection, batch, _run_missing)
                else:
                    results = _commit_in_pipeline(connection, batch)
                self._saved.add(_saved_entries(batch, results))
                return results
            except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
                continue
            except psycopg.errors.ReadOnlySqlTransaction:
                connection.close()  # This server is no primary any more: look for the new one.
                raise
            except psycopg.OperationalError as error:
                if not connection.is_broken:
                    raise
                in_doubt = in_doubt or connection.commit_sent
                log.warning(
                    "storage.connection-lost",
                    extra={"reason": type(error).__name__, "count": len(batch)},
                )
        raise StorageUnavailable("in-doubt" if in_doubt else "locked", "tried too often")

    def _reconnect(self, session: Session, *, in_doubt: bool = False) -> None:
        """Open a broken session.

        Raises StorageUnavailable if the server stays away or lacks what was saved to it, or if
        another process has the share.
        """
        reason = "in-doubt" if in_doubt else "unreachable"
        if self._lost:
            raise _share_lost(reason)
        if self._is_older:
            raise _older(reason)
        if not session.is_broken:
            return
        try:
            session.reopen(0 if self._given_up else PATIENCE)
        except ShareLost as error:
            self._lose_share()
            raise _share_lost(reason) from error
        except (psycopg.Error, SlotHeld) as error:
            if not self._given_up:
                log.error("storage.server-gone", extra={"reason": reason, "file": self.name})
            self._given_up = True
            self._loop.call_soon_threadsafe(self._await_return)
            raise StorageUnavailable(reason, type(error).__name__) from error
        self._require_saved(session, reason)

    def _require_saved(self, session: Session, reason: Reason = "unreachable") -> None:
        """Raise StorageUnavailable if a server that was away lacks what was saved to it."""
        if _lacks(session, self._saved, writes=session is self._writer.session):
            self._is_older = True
            log.error("storage.older", extra={"file": self.name})
            self._loop.call_soon_threadsafe(self._begin_note_older)
            raise _older(reason)

    def _begin_note_older(self) -> None:
        if not self._closed:
            self._noting_older = asyncio.create_task(self._note_older(), name="older")

    async def _note_older(self) -> None:
        """Note the database as restored, as soon as that can be written, and tell of it."""

        def note(_: Session) -> None:
            note_restored(self._address)

        while True:
            try:
                await self._writer.run(note)
            except psycopg.Error:
                await asyncio.sleep(RETRY_DELAY)
                continue
            break
        if self._on_older is not None:
            self._on_older()

    def _await_return(self) -> None:
        """Look for the server until it is back, then say so: what was in doubt may be unsent."""
        if self._returning is None and not self._closed:
            self._returning = asyncio.create_task(self._look_for_server(), name="server")

    async def _look_for_server(self) -> None:
        def look(session: Session) -> bool:
            if session.is_broken:
                session.open()
                self._require_saved(session)
            session.execute("SELECT 1").fetchone()
            return True

        while True:
            await asyncio.sleep(RETRY_DELAY)
            try:
                await self._writer.run(look)
            except (psycopg.Error, SlotHeld):
                continue
            except ShareLost:
                self._lose_share()
                return
            except StorageUnavailable:
                return  # The process ends.
            break
        self._returning, self._given_up = None, False
        log.info("storage.server-there", extra={"file": self.name})
        if self._on_return is not None:
            self._on_return()

    def _lose_share(self) -> None:
        """Read and save nothing from now on; called on any thread."""
        if not self._lost:
            self._lost = True
            log.error("storage.share-lost", extra={"file": self.name})
            self._loop.call_soon_threadsafe(self._tell_lost_share)

    def _tell_lost_share(self) -> None:
        if self._on_lost_share is not None:
            self._on_lost_share()

    async def _watch_session(self) -> None:
        """Look at intervals whether the writing session lives, and open it again if not."""

        def look(session: Session) -> None:
            if self._given_up:
                return  # `_look_for_server` looks.
            self._reconnect(session)
            with suppress(psycopg.Error):
                self._saved.learn(session)
            self._reconnect(session)

        while not self._lost:
            await asyncio.sleep(WATCH_INTERVAL)
            with suppress(StorageUnavailable, psycopg.Error):
                await self._writer.run(look)


#: Log events of a process that waits, by the obstacle.
_WAITING: Final = {
    Obstacle.RELEASE: "storage.waiting-for-release",
    Obstacle.PROCESSES: "storage.waiting-for-processes",
    Obstacle.SLOT: "storage.waiting-as-spare",
}


def _share_lost(reason: Reason) -> StorageUnavailable:
    return StorageUnavailable(reason, "another process has the share")


def _older(reason: Reason) -> StorageUnavailable:
    """Return why nothing is read or saved on a server that lacks what was saved to it."""
    return StorageUnavailable(reason, "the server lacks what was saved to it")


def _lacks(session: Session, saved: SavedEntries, *, writes: bool) -> bool:
    """Return whether a server lacks saved entries; otherwise note its timeline if *writes* is true.

    If that can't be told, close the session, so that the next one is asked. Raises psycopg.Error.
    """
    try:
        lacks = saved.are_lost(session)
        if writes and not lacks:
            note_timeline(session)
    except psycopg.Error:
        session.close()
        raise
    return lacks


def _saved_entries(
    batch: Sequence[WriteUnit], results: Results
) -> Iterator[tuple[NewEntry, WrittenEntry]]:
    """Yield each entry that a batch wrote, as it was asked for and as it is stored."""
    for unit, (result, refusal) in zip(batch, results, strict=True):
        entries = _entries_of(unit)
        if entries and refusal is None:
            written = (result,) if unit.work is append_entries else result
            yield from zip(entries, written, strict=True)


def _number(session: Session, sql: str) -> int:
    number: int = session.execute(sql).fetchone()[0]
    return number


def _commit_in_pipeline(session: Session, batch: list[WriteUnit]) -> Results:
    """Commit a batch in few round trips; if a unit fails, commit each on its own."""
    session.commit_sent = False
    try:
        with session.pipeline():
            session.execute("BEGIN IMMEDIATE")
            results: Results = []
            for work, units in groupby(batch, key=attrgetter("work")):
                values = [unit.value for unit in units]
                results += [(result, None) for result in work(session, values)]
            log.debug("storage.committing")
            session.execute("COMMIT")
    except Exception as error:
        if session.is_broken or not is_refusal(session, error):
            if not session.is_broken:
                session.execute("ROLLBACK")
            raise
    else:
        session.commit_sent = False
        log.debug("storage.committed")
        return results
    session.execute("ROLLBACK")
    return run_transaction(session, batch, run_one_by_one)


def _run_missing(connection: Any, batch: list[WriteUnit]) -> Results:
    """Carry out what is not in the database; of the rest return what was written."""
    results: Results = []
    for unit in batch:
        entries = _entries_of(unit)
        stored = [_stored_entry(connection, entry.request_id) for entry in entries]
        written = [entry for entry in stored if entry is not None]
        if not written or len(written) < len(entries):
            results += run_one_by_one(connection, [unit])
        elif not _is_written_by(unit, written):
            results.append((None, DuplicateRequest()))
        else:
            log.warning("storage.was-committed", extra={"count": len(written)})
            results.append((written[0] if unit.work is append_entries else written, None))
    return results


def _is_written_by(unit: WriteUnit, written: Sequence[WrittenEntry]) -> bool:
    """Return whether a unit wrote these entries; otherwise an earlier delivery of the request did.

    The unit's entry has the number that the unit asked for, and nothing of it was sent yet.
    """
    if any(out.done_at is not None for entry in written for out in entry.outs):
        return False
    if unit.work is not append_entries:
        return True
    pending: PendingEntry = unit.value
    expected = (pending.table_id, pending.revision + 1)
    return (written[0].table_id, written[0].seq) == expected


def _entries_of(unit: WriteUnit) -> Sequence[NewEntry]:
    if unit.work is append_entries:
        pending: PendingEntry = unit.value
        return (pending.entry,)
    if unit.work is create_tables:
        entries: Sequence[NewEntry] = unit.value[1]
        return entries
    return ()


def _stored_entry(connection: Any, request_id: str) -> WrittenEntry | None:
    sql = "SELECT id, table_id, seq FROM journal WHERE request_id = ?"
    row = connection.execute(sql, (request_id,)).fetchone()
    if row is None:
        return None
    journal_id, table_id, seq = row
    outs = connection.execute(
        f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE journal_id = ? ORDER BY id", (journal_id,)
    ).fetchall()
    return WrittenEntry(table_id, journal_id, seq, tuple(map(read_outbox_row, outs)))

"""Queue of writes in front of one connection: writes that wait together share a commit."""

from __future__ import annotations

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeVar

from bot.storage.connection import Connection
from bot.storage.errors import StorageUnavailable
from bot.storage.file_watch import Loss
from bot.storage.share import WHOLE, Share

log = logging.getLogger("storyguide.storage")

T = TypeVar("T")
U = TypeVar("U")
#: A function that writes several units at once, with a result for each. It raises if one fails.
Work = Callable[[Connection, Sequence[U]], Sequence[T]]

#: Most units that share one commit.
MAX_BATCH = 64
#: Seconds for which units are gathered for one commit under load. A lone unit never waits.
GATHER_SECONDS = 0.004
#: Units of a batch above which there is load.
LOAD_THRESHOLD = 2
#: Trouble that the operator has to end.
_LASTING_TROUBLE = frozenset({"full", "read-only", "damaged", "unreachable", "unknown"})

#: A result or an error for each unit.
Results = list[tuple[Any, Exception | None]]


@dataclass(slots=True)
class WriteUnit:
    """One call of `write` on its way."""

    work: Work[Any, Any]
    value: Any
    future: asyncio.Future[Any]


@dataclass(slots=True)
class CommitStats:
    """Durations of transactions in seconds; several units share one."""

    count: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one transaction."""
        self.count += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)


class Engine(ABC):
    """A database of the store: reads, and writes in batches, on a thread of the connection's own.

    Both engines have the same batches, savepoints and order. What differs is the thread, the
    driver's errors, and what surrounds a commit.
    """

    #: Loss of the database's file, once its path leads elsewhere. Nothing is saved after that.
    loss: Loss | None = None
    #: Whether deleted data is overwritten in pages and in the log.
    overwrites_deleted: bool = True
    #: The servers whose tables this engine works on.
    share: Share = WHOLE

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        #: Why nothing can be saved just now; None while saving works.
        self._trouble: str | None = None
        self.commits = CommitStats()
        self._waiting: deque[WriteUnit] = deque()
        self._at_rest = asyncio.Event()
        self._at_rest.set()
        self._crowded = False

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the database in logs, without any secret."""

    @abstractmethod
    async def close(self) -> None:
        """Finish what is being written and close."""

    @abstractmethod
    async def read(self, work: Callable[[Any], T]) -> T:
        """Run `work` outside a transaction. Raises StorageUnavailable."""

    @abstractmethod
    async def empty_log(self) -> None:
        """Leave nothing of what was deleted in a log beside the data. Raises StorageUnavailable."""

    @abstractmethod
    async def note_if_older(self) -> None:
        """Note the database as restored, once, if it is an older copy put in place by hand."""

    @abstractmethod
    async def sizes(self) -> dict[str, float]:
        """Return sizes in bytes, by the name of the figure."""

    async def health(self) -> dict[str, float]:
        """Return figures of a server's state, by name; a file has none. Never waits long."""
        return {}

    @abstractmethod
    def watch(self, on_loss: Callable[[Loss], None], *, idle: bool) -> None:
        """Call `on_loss` once the database's files are not in place; a server has none."""

    def on_return(self, call: Callable[[], None]) -> None:  # noqa: B027 - a file never goes away
        """Call this each time a server is back that was given up on."""

    def on_older(self, call: Callable[[], None]) -> None:  # noqa: B027 - a file has its mark
        """Call this once a server lacks what was saved to it. Nothing is saved after that.

        The database is noted as restored by then.
        """

    def on_lost_share(self, call: Callable[[], None]) -> None:  # noqa: B027 - a file has no shares
        """Call this once another process has this one's share. Nothing is read or saved then."""

    async def agree(self, key: str, proposal: str) -> str:
        """Return the value of a note that all running processes have in common.

        It is the proposal, which is noted, unless another process that agreed on it runs. A file
        has only one process. Raises StorageUnavailable.
        """
        return proposal

    def identify_turn(self, bucket: int) -> AbstractAsyncContextManager[None]:
        """Have the turn to identify with Discord, which one shard of a bucket has at a time.

        A file has only one process, whose shards identify one after the other. Raises
        StorageUnavailable.
        """
        return nullcontext()

    @abstractmethod
    def _run_on_thread(self, work: Callable[[Any], T], future: asyncio.Future[T] | None) -> None:
        """Have `work` run on the writing connection's thread; `future`, if any, gets its outcome.

        Raises ValueError if the connection is closed.
        """

    @abstractmethod
    def _carry_out(self, connection: Any, batch: list[WriteUnit]) -> Results:
        """Carry a batch out in one transaction, on the thread. Raises the driver's errors."""

    @abstractmethod
    def _as_storage_error(self, error: Exception) -> StorageUnavailable | None:
        """Return a driver's error in the store's terms; None for other errors."""

    def _changes(self, connection: Any) -> int:
        """Return a number that grows with each change."""
        return self.commits.count

    @abstractmethod
    def _after_commit(self, connection: Any) -> None:
        """Do on the thread what no commit waits for."""

    @abstractmethod
    def _committed(self) -> None:
        """Note on the loop that something was committed."""

    def write(self, work: Work[U, T], unit: U) -> asyncio.Future[T]:
        """Have `work` carry this unit out in a transaction; the future has its result once that is
        durable.

        Units are carried out in the order of these calls; neighbors with the same `work` are
        handed to it together. What one of them raises undoes only its own changes and comes out of
        its own future. The future raises StorageUnavailable when the commit itself fails; nothing
        of the batch has changed then, unless the reason is `in-doubt`.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self._at_rest.is_set():
            self._at_rest.clear()
            loop.call_soon(self._send)  # what is ready by then is in the batch
        self._waiting.append(WriteUnit(work, unit, future))
        return future

    def _send(self) -> None:
        """Have the next batch carried out. Its outcome goes to `_finish_batch`, without a future in
        between.
        """
        loop = asyncio.get_running_loop()
        batch: list[WriteUnit] = []
        wait, self._crowded = self._crowded, False

        def carry_out(connection: Any) -> None:
            self._take(batch, wait)
            begun, changes = time.perf_counter(), self._changes(connection)
            try:
                outcome = self._carry_out(connection, batch)
            except Exception as error:
                outcome = error
            self.commits.add(time.perf_counter() - begun)
            changed = self._changes(connection) > changes
            loop.call_soon_threadsafe(self._finish_batch, batch, outcome, changed)
            if changed and not isinstance(outcome, Exception):
                self._after_commit(connection)

        try:
            self._run_on_thread(carry_out, None)
        except ValueError as error:
            self._finish_batch(self._take(batch, wait=False), error, changed=False)

    def _finish_batch(
        self, batch: list[WriteUnit], outcome: Results | Exception, changed: bool
    ) -> None:
        if isinstance(outcome, Exception):
            trouble = self._as_storage_error(outcome)
            if trouble is not None:
                self._note_trouble(trouble)
            _fail(batch, trouble or outcome)
        else:
            if changed and any(refusal is None for _, refusal in outcome):
                self._note_success()
            self._crowded = len(batch) > LOAD_THRESHOLD
            self._committed()
            for unit, (result, refusal) in zip(batch, outcome, strict=True):
                if unit.future.done():
                    continue
                if refusal is None:
                    unit.future.set_result(result)
                else:
                    unit.future.set_exception(refusal)
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._send)
        else:
            self._at_rest.set()

    def _take(self, batch: list[WriteUnit], wait: bool) -> list[WriteUnit]:
        """Take the next units, on the connection's thread. With `wait` others, on their way here,
        may join them.

        Their share of this commit costs less than one of their own.
        """
        if wait and len(self._waiting) < MAX_BATCH:
            time.sleep(GATHER_SECONDS)
        while self._waiting and len(batch) < MAX_BATCH:
            batch.append(self._waiting.popleft())
        return batch

    def _note_trouble(self, trouble: StorageUnavailable) -> None:
        """Log trouble that lasts, once until it is over or another kind of it comes."""
        if trouble.reason in _LASTING_TROUBLE and trouble.reason != self._trouble:
            self._trouble = trouble.reason
            log.error("storage.failing", extra={"reason": trouble.reason, "file": self.name})

    def _note_success(self) -> None:
        if self._trouble is not None:
            log.info("storage.working-again", extra={"reason": self._trouble})
            self._trouble = None


def _fail(units: Iterable[WriteUnit], error: Exception) -> None:
    for unit in units:
        if not unit.future.done():
            unit.future.set_exception(error)


class _UnitFailed(Exception):
    """Failure of one of several units."""


def commit_batch(connection: Connection, batch: list[WriteUnit]) -> Results:
    """Carry the units out in one transaction; return a result or an error for each.

    They nearly always all succeed, so they are first done together; if one of several fails, the
    transaction is undone and done again with each on its own, in a savepoint.
    """
    try:
        return run_transaction(connection, batch, _run_together)
    except _UnitFailed:
        return run_transaction(connection, batch, run_one_by_one)


def run_transaction(
    connection: Connection,
    batch: list[WriteUnit],
    carry_out: Callable[[Connection, list[WriteUnit]], Results],
) -> Results:
    """Carry the units out between BEGIN and COMMIT; any error rolls back and is raised."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        results = carry_out(connection, batch)
        if connection.in_transaction:
            log.debug("storage.committing")
            connection.execute("COMMIT")
            log.debug("storage.committed")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return results


def is_refusal(connection: Connection, error: Exception) -> bool:
    """Return whether an error concerns one unit only; otherwise the storage is in trouble."""
    if not isinstance(error, connection.Error):
        return True
    return isinstance(error, (connection.IntegrityError, connection.DataError))


def _run_together(connection: Connection, batch: list[WriteUnit]) -> Results:
    results: Results = []
    for work, units in groupby(batch, key=attrgetter("work")):
        try:
            results += [
                (result, None) for result in work(connection, [unit.value for unit in units])
            ]
        except Exception as error:
            if not is_refusal(connection, error):
                raise
            if len(batch) > 1:
                raise _UnitFailed from error
            connection.execute("ROLLBACK")
            return [(None, error)]
    return results


def run_one_by_one(connection: Connection, batch: list[WriteUnit]) -> Results:
    """Carry each unit out in a savepoint of its own, inside a transaction."""
    results: Results = []
    for unit in batch:
        connection.execute("SAVEPOINT unit")
        try:
            results += [(result, None) for result in unit.work(connection, [unit.value])]
        except Exception as error:
            if not is_refusal(connection, error):
                raise
            connection.execute("ROLLBACK TO unit")
            results.append((None, error))
        connection.execute("RELEASE unit")
    return results

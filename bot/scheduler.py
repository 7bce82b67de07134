"""The scheduler: it wakes up when a table's wait ends, and has the system act on it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Container, Iterable, Sequence
from itertools import islice

from bot.clock import Clock, cancel_and_wait
from bot.delivery.outbox import Outbox
from bot.notices import NoticeDispatcher
from bot.services.loaded_table import Table
from bot.services.perform import ActionResult, perform
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable, TableUnreadable
from rules.core.errors import Outdated, RulesError
from rules.table.actions import Actor, Due
from rules.table.gm_office import CLAIM
from rules.table.state import SYSTEM
from rules.table.wait_places import place_of_wait

log = logging.getLogger("storyguide.scheduler")

#: Longest sleep, in seconds: the clock of the machine may be set meanwhile.
LONGEST_SLEEP = 3600
#: Most waits that are read at once.
BATCH = 100
#: Most tables that are worked on at once.
MOST_TABLES = 16
#: Wait for a table that takes long, in seconds, before the scheduler looks for other waits.
POLL_DELAY = 1
#: Wait after trouble with the storage, in seconds.
STORAGE_RETRY_DELAY = 30
#: Errors that are logged without a traceback.
_EXPECTED_ERRORS = (RulesError, TableUnreadable)


class Scheduler:
    """One timer for the next wait that is due; the store has all others.

    What is due is carried out at several tables at once, and at each table in order.
    """

    def __init__(self, tables: Tables, outbox: Outbox, clock: Clock) -> None:
        self._tables = tables
        self._outbox = outbox
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        self._next: int | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        #: Called with each act of the clock.
        self.on_acted: Callable[[ActionResult], None] = lambda done: None
        #: Returns whether the claimant of a table whose claim runs out must not get it.
        self.is_barred: Callable[[Table], Awaitable[bool]] = _bar_none
        tables.on_due = self.expect
        #: Sender of notices, which has a queue of its own.
        self.notices = NoticeDispatcher(tables, outbox, clock)

    async def start(self) -> None:
        """Act on the waits that ended while no bot ran, then wait for the next."""
        await self._run()
        await self.notices.start()

    def expect(self, at: int) -> None:
        """Expect a wait that ends at `at`, in seconds since 1970."""
        if self._next is None or at < self._next:
            self._arm(at)

    def _arm(self, at: int | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._next = at
        if at is None or self._closed:
            return
        sleep = min(max(at - self._clock(), 0), LONGEST_SLEEP)
        self._timer = asyncio.get_running_loop().call_later(sleep, self._wake)

    def _wake(self) -> None:
        self._timer = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="scheduler")

    async def _run(self) -> None:
        try:
            await self._act_on_all()
            self._arm(await self._tables.store.next_due())
        except StorageUnavailable as error:
            log.warning("scheduler.storage", extra={"reason": error.reason})
            self._arm(self._clock() + STORAGE_RETRY_DELAY)

    async def _act_on_all(self) -> None:
        """Act on everything that is due: at several tables at once, and at each table in order.

        A table that takes long holds up no other, as long as it isn't one of `MOST_TABLES`.

        Raises StorageUnavailable once no table is being worked on any more.
        """
        busy: dict[int, asyncio.Task[None]] = {}
        limit = BATCH
        try:
            while not self._closed:
                due = await self._tables.store.due_waits(self._clock(), limit)
                waits = _waits_by_table(due, besides=busy)
                if not waits and len(due) == limit:
                    # The waits of tables that take long hide those of others.
                    limit *= 2
                    continue
                limit = BATCH
                for table_id, names in islice(waits.items(), MOST_TABLES - len(busy)):
                    act = self._act_in_order(table_id, names)
                    busy[table_id] = asyncio.create_task(act, name=f"scheduler-{table_id}")
                if not busy:
                    return
                await asyncio.wait(
                    busy.values(), timeout=POLL_DELAY, return_when=asyncio.FIRST_COMPLETED
                )
                for table_id in [key for key, task in busy.items() if task.done()]:
                    busy.pop(table_id).result()
        finally:
            await asyncio.gather(*busy.values(), return_exceptions=True)

    async def _act_in_order(self, table_id: int, waits: Sequence[str]) -> None:
        """Act on the waits of one table, the earliest first."""
        for wait in waits:
            if self._closed:
                return
            await self._act(table_id, wait)

    async def _act(self, table_id: int, wait: str) -> None:
        try:
            table = await self._tables.get(table_id)
            name = wait.partition(".")[0]
            about = table.state.checks.get(name)
            place = about.place if about else place_of_wait(wait) or ""
            barred = wait.startswith(CLAIM) and await self.is_barred(table)
            action = Due(who=Actor(SYSTEM), place=place, at=self._clock(), wait=wait, barred=barred)
            log.debug("scheduler.acting", extra={"table": table_id, "wait": wait})
            done = await perform(self._tables, table_id, action, f"due:{table_id}:{wait}")
            log.debug("scheduler.acted", extra={"table": table_id, "wait": wait})
            if not done.repeated:
                self._outbox.dispatch(done)
                self.on_acted(done)
        except StorageUnavailable:
            raise
        except Exception as error:
            about = {
                "table": table_id,
                "wait": wait,
                "reason": getattr(error, "code", type(error).__name__),
            }
            if not (isinstance(error, Outdated) and error.code == "wait-over"):
                # A fault at one table doesn't stop the waits of the others, and may be over later.
                log.error(
                    "scheduler.failed",
                    extra=about,
                    exc_info=not isinstance(error, _EXPECTED_ERRORS),
                )
                await self._tables.store.put_off(table_id, wait, self._clock())
                return
            log.info("scheduler.over", extra=about)
        # A reminder leaves the state as it is, so its row would stay.
        await self._tables.store.drop_due(table_id, wait)

    def stop(self) -> None:
        """Stop acting on deadlines."""
        self._closed = True
        self.notices.stop()
        if self._timer is not None:
            self._timer.cancel()

    async def close(self) -> None:
        """Stop waking up, and wait for the present act."""
        self._closed = True
        await cancel_and_wait(self._timer, self._task)
        await self.notices.close()


async def _bar_none(table: Table) -> bool:
    return False


def _waits_by_table(
    due: Iterable[tuple[int, str, int]], besides: Container[int]
) -> dict[int, list[str]]:
    """Return the waits of each table, the earliest first; none of tables named *besides*."""
    waits: dict[int, list[str]] = {}
    for table_id, wait, _ in due:
        if table_id not in besides:
            waits.setdefault(table_id, []).append(wait)
    return waits

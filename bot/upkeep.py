"""Background upkeep of tables in small steps, while no participant waits for an answer."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from bot.clock import Clock, cancel_and_wait
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable
from bot.storage.upkeep import UndoRetention

log = logging.getLogger("storyguide.upkeep")

#: Seconds from one look to the next, unless there is known work.
CHECK_INTERVAL: Final = 3600.0
#: Rest after a step, as a multiple of the step's duration, and at least so many seconds.
_REST: Final = 3.0
_MIN_REST: Final = 0.02
#: Most rests in a row while the bot answers participants.
_PATIENCE: Final = 100


class Upkeep:
    """A task that does the steps of `bot.storage.upkeep` from time to time, and when it's woken.

    `days` and `entries` are the reach of undo. `busy` tells whether the bot is answering a
    participant.
    """

    def __init__(
        self, tables: Tables, clock: Clock, days: int, entries: int, busy: Callable[[], bool]
    ) -> None:
        self._tables = tables
        self._clock = clock
        self._days = days
        self._entries = entries
        self._busy = busy
        #: Tables that still have work to do.
        self._untidy: list[int] = []
        #: Tables at which a step failed.
        self._faulty: set[int] = set()
        #: Whether there was work since the last look that found none.
        self._had_work = False
        self._waited = 0
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        tables.on_untidy = self.wake

    def wake(self) -> None:
        """Look for work soon."""
        self._had_work = True
        if self._task is None or self._task.done():
            self._arm(0)

    def _arm(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self._closed:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._begin)

    def _begin(self) -> None:
        if self._busy() and self._waited < _PATIENCE:
            self._waited += 1
            self._arm(_MIN_REST)
            return
        self._waited = 0
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._step(), name="upkeep")

    async def _step(self) -> None:
        begun, rest = time.monotonic(), CHECK_INTERVAL
        try:
            if await self._run_step():
                rest = max(_MIN_REST, (time.monotonic() - begun) * _REST)
        except StorageUnavailable as error:
            log.warning("upkeep.storage", extra={"reason": error.reason})
        self._arm(rest)

    async def _run_step(self) -> bool:
        """Do one step; return whether there was work, so that there may be more."""
        store, keep = self._tables.store, UndoRetention(self._clock(), self._days, self._entries)
        if not self._untidy:
            had_work, self._had_work = self._had_work, False
            untidy = await store.untidy_tables(keep)
            self._untidy = [table for table in untidy if table not in self._faulty]
            if not self._untidy:
                self._faulty.clear()  # they may succeed the next time
                if had_work:
                    await store.purge()
                return False
        table = self._untidy[-1]
        try:
            more = await store.tidy(table, keep)
        except StorageUnavailable:
            raise
        except Exception:
            # A fault at one table doesn't stop the upkeep of the others.
            log.exception("upkeep.faulty", extra={"table": table})
            self._faulty.add(table)
            more = False
        if not more:
            self._untidy.pop()
        self._had_work = True
        return True

    async def close(self) -> None:
        """Stop, and wait for the present step. The next start does the rest."""
        self._closed = True
        await cancel_and_wait(self._timer, self._task)

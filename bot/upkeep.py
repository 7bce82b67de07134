"""Does in the background what need not be done at once, in small steps, while nobody is waiting."""

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

#: Seconds from one look to the next, unless something is known to be there.
CHECK_INTERVAL: Final = 3600.0
#: After a step it rests so many times as long as the step took, and so many seconds at least.
_REST: Final = 3.0
_MIN_REST: Final = 0.02
#: So often it rests at most because somebody is being answered.
_PATIENCE: Final = 100


class Upkeep:
    """Looks now and then, and when it is told to, at which tables there is something to do
    (`bot.storage.upkeep`).

    `days` and `entries` say how far back undo reaches, `busy` whether somebody is being answered.
    """

    def __init__(
        self, tables: Tables, clock: Clock, days: int, entries: int, busy: Callable[[], bool]
    ) -> None:
        self._tables = tables
        self._clock = clock
        self._days = days
        self._entries = entries
        self._busy = busy
        self._left: list[int] = []
        self._faulty: set[int] = set()
        self._found = False
        self._waited = 0
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        tables.on_untidy = self.wake

    def wake(self) -> None:
        """There is something to do."""
        self._found = True
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
        """Whether something was done, so that there may be more."""
        store, keep = self._tables.store, UndoRetention(self._clock(), self._days, self._entries)
        if not self._left:
            found, self._found = self._found, False
            self._left = [
                each for each in await store.untidy_tables(keep) if each not in self._faulty
            ]
            if not self._left:
                self._faulty.clear()  # it may be right the next time
                if found:
                    await store.purge()
                return False
        table = self._left[-1]
        try:
            more = await store.tidy(table, keep)
        except StorageUnavailable:
            raise
        except Exception:
            # What is wrong at one table keeps no other's from being tidied up.
            log.exception("upkeep.faulty", extra={"table": table})
            self._faulty.add(table)
            more = False
        if not more:
            self._left.pop()
        self._found = True
        return True

    async def close(self) -> None:
        """No more looking; the step under way is waited for, the rest is for the next start."""
        self._closed = True
        await cancel_and_wait(self._timer, self._task)

"""What was delivered, written down: together with what is delivered soon after, so that it shares a commit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from bot.clock import Clock
from bot.services.tables import Tables
from bot.storage.records import Out

log = logging.getLogger("storyguide.outbox")

#: How long delivered answers may wait to be noted, in seconds: they share a commit then.
NOTE_AFTER = 0.2


class Noting:
    """Rows of the outbox that were delivered, from then on until that is on disk. `start` runs in the background."""

    def __init__(
        self, tables: Tables, clock: Clock, start: Callable[[Coroutine[Any, Any, None]], None]
    ) -> None:
        self._tables = tables
        self._clock = clock
        self._start = start
        self._settled: set[int] = set()
        self._said: list[tuple[int, int, str | None]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._closing = False

    def __contains__(self, row: int) -> bool:
        return row in self._settled

    def add(self, out: Out, message: str | None) -> None:
        """A row was delivered; `message` is where it stands, if that will be needed."""
        self._settled.add(out.id)
        self._said.append((out.id, self._clock(), message))
        if self._timer is None and not self._closing:
            self._timer = asyncio.get_running_loop().call_later(NOTE_AFTER, self._soon)

    def _soon(self) -> None:
        self._start(self.write())

    async def write(self) -> None:
        """Write down what was delivered since the last time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        rows, self._said = self._said, []
        if not rows:
            return
        log.debug("outbox.noting", extra={"count": len(rows)})
        try:
            await self._tables.store.mark_done(rows)
        except Exception as error:
            # It will be noted with the next; after a crash the message itself is found in its channel.
            log.warning("outbox.note-failed", extra={"count": len(rows), "reason": type(error).__name__})
            self._said = rows + self._said
            return
        self._settled.difference_update(row for row, _, _ in rows)
        log.debug("outbox.noted", extra={"count": len(rows)})

    def close(self) -> None:
        """No more timers: what is left is written by whoever closes."""
        self._closing = True

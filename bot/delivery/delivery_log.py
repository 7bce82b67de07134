"""Record of deliveries and deletions, written in batches that share a commit."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from bot.clock import Clock
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow

log = logging.getLogger("storyguide.outbox")

#: Seconds that deliveries wait to be written, so that they share a commit.
FLUSH_DELAY = 0.2
#: Number of later messages after which a card counts as out of sight.
BURIED_AFTER = 10


class DeliveryLog:
    """Rows that were delivered and messages that are closed, until both are on disk.

    `start` runs a coroutine in the background.
    """

    def __init__(
        self, tables: Tables, clock: Clock, start: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        self._tables = tables
        self._clock = clock
        self._start = start
        #: Ids of delivered rows that are not on disk yet.
        self._unwritten: set[int] = set()
        #: Ids of the newest messages of each channel where the bot has reported, oldest first.
        self._newest: dict[str, deque[int]] = {}
        self._deliveries: list[tuple[int, int, str | None]] = []
        self._closed: list[int] = []
        self._timer: asyncio.TimerHandle | None = None
        self._closing = False

    def __contains__(self, row: int) -> bool:
        return row in self._unwritten

    def record_delivery(self, out: OutboxRow, message: str | None) -> None:
        """Record that a row was delivered; `message` is its address, if that will be needed."""
        self._unwritten.add(out.id)
        if message is not None and out.public and out.kind in ("reply", "post", "card", "thread"):
            place, _, ids = message.partition("/")
            self._newest.setdefault(place, deque(maxlen=BURIED_AFTER)).append(
                int(ids.partition("/")[0])
            )
        self._deliveries.append((out.id, self._clock(), message))
        self._schedule_flush()

    def record_closed(self, sent: Iterable[OutboxRow]) -> None:
        """Record messages that were deleted or lost their buttons.

        After a crash before the flush, that is done again.
        """
        self._closed += [out.id for out in sent]
        self._schedule_flush()

    def _schedule_flush(self) -> None:
        if self._timer is None and not self._closing:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(FLUSH_DELAY, lambda: self._start(self.flush()))

    def record_other_message(self, place: str, message: int) -> None:
        """Record that a user wrote in a channel where the bot reports.

        Only the message's id is kept.
        """
        if place in self._newest:
            self._newest[place].append(message)

    def is_buried(self, where: str) -> bool:
        """Return whether `BURIED_AFTER` later messages stand below a message."""
        place, _, ids = where.partition("/")
        later = self._newest.get(place, ())
        first = int(ids.partition("/")[0])
        return len(later) == BURIED_AFTER and all(message > first for message in later)

    async def flush(self) -> None:
        """Write the deliveries and closed messages since the last flush."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        rows, self._deliveries = self._deliveries, []
        over, self._closed = self._closed, []
        if not rows and not over:
            return
        log.debug("outbox.noting", extra={"count": len(rows)})
        try:
            await self._tables.store.mark_done(rows, over)
        except Exception as error:
            # The next flush writes them; after a crash the message itself is found in its channel.
            log.warning(
                "outbox.note-failed", extra={"count": len(rows), "reason": type(error).__name__}
            )
            self._deliveries, self._closed = rows + self._deliveries, over + self._closed
            return
        self._unwritten.difference_update(row for row, _, _ in rows)
        log.debug("outbox.noted", extra={"count": len(rows)})

    def close(self) -> None:
        """Start no more timers; the caller flushes the rest."""
        self._closing = True

"""What was delivered or taken back, written down: together with what comes soon after, so that it
shares a commit.
"""

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

#: How long delivered answers may wait to be noted, in seconds: they share a commit then.
FLUSH_DELAY = 0.2
#: After so many later messages nobody looks at a card any more.
BURIED_AFTER = 10


class DeliveryLog:
    """Rows that were delivered, and messages that are over, until that is on disk. `start` runs in
    the background.
    """

    def __init__(
        self, tables: Tables, clock: Clock, start: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        self._tables = tables
        self._clock = clock
        self._start = start
        self._settled: set[int] = set()
        #: The ids of the newest messages of each channel in which the bot tells of something,
        #: oldest first.
        self._newest: dict[str, deque[int]] = {}
        self._said: list[tuple[int, int, str | None]] = []
        self._over: list[int] = []
        self._timer: asyncio.TimerHandle | None = None
        self._closing = False

    def __contains__(self, row: int) -> bool:
        return row in self._settled

    def record_delivery(self, out: OutboxRow, message: str | None) -> None:
        """A row was delivered; `message` is where it stands, if that will be needed."""
        self._settled.add(out.id)
        if message is not None and out.public and out.kind in ("reply", "post", "card"):
            place, _, ids = message.partition("/")
            self._newest.setdefault(place, deque(maxlen=BURIED_AFTER)).append(
                int(ids.partition("/")[0])
            )
        self._said.append((out.id, self._clock(), message))
        self._soon()

    def record_closed(self, sent: Iterable[OutboxRow]) -> None:
        """Messages that were deleted, or whose buttons were taken off; after a crash that is done
        again.
        """
        self._over += [out.id for out in sent]
        self._soon()

    def _soon(self) -> None:
        if self._timer is None and not self._closing:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(FLUSH_DELAY, lambda: self._start(self.flush()))

    def record_other_message(self, place: str, message: int) -> None:
        """Somebody else has written where the bot tells of something: what, and who, nobody looks
        at.
        """
        if place in self._newest:
            self._newest[place].append(message)

    def is_buried(self, where: str) -> bool:
        """Whether so much was written in that channel since that nobody looks there any more."""
        place, _, ids = where.partition("/")
        later = self._newest.get(place, ())
        return len(later) == BURIED_AFTER and all(
            each > int(ids.partition("/")[0]) for each in later
        )

    async def flush(self) -> None:
        """Write down what was delivered and taken back since the last time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        rows, self._said = self._said, []
        over, self._over = self._over, []
        if not rows and not over:
            return
        log.debug("outbox.noting", extra={"count": len(rows)})
        try:
            await self._tables.store.mark_done(rows, over)
        except Exception as error:
            # It will be noted with the next; after a crash the message itself is found in its
            # channel.
            log.warning(
                "outbox.note-failed", extra={"count": len(rows), "reason": type(error).__name__}
            )
            self._said, self._over = rows + self._said, over + self._over
            return
        self._settled.difference_update(row for row, _, _ in rows)
        log.debug("outbox.noted", extra={"count": len(rows)})

    def close(self) -> None:
        """No more timers: what is left is written by whoever closes."""
        self._closing = True

"""Rows of the outbox that wait for their next try, and go early once an outage is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from bot.delivery.refused_messages import RefusedMessages
from bot.storage.row_records import OutboxRow

#: Waits before further tries, in seconds; after the last the row counts as refused.
SEND_RETRY_DELAYS = (2, 15, 120, 900)
#: Least seconds between early tries of waiting rows, and of refused ones.
EARLY_RETRY_INTERVAL = 15.0
EARLY_REFUSED_INTERVAL = 300.0

#: Sends a row, given the number of the try and, for an early try, when the regular one is due.
Send = Callable[[int, float | None], Coroutine[Any, Any, None]]


def is_last_try(attempt: int) -> bool:
    """Return whether no further try follows the one of that number."""
    return attempt >= len(SEND_RETRY_DELAYS)


@dataclass(slots=True)
class _Retry:
    """A waiting row. `send_early` is None unless an outage was the cause."""

    timer: asyncio.TimerHandle
    send_early: Callable[[], Coroutine[Any, Any, None]] | None


class Retries:
    """Sends each waiting row when it is due, and earlier once an outage is over.

    An early try doesn't use up an attempt or move the next due time.
    """

    def __init__(
        self, refused: RefusedMessages, start: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        self._refused = refused
        self._start = start
        self._waiting: dict[int, _Retry] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._last_early = self._last_refused = float("-inf")
        self._closing = False

    def add(
        self, out: OutboxRow, attempt: int, send: Send, *, outage: bool, due: float | None
    ) -> None:
        """Schedule the next try of a row after attempt *attempt* failed.

        *outage*: Discord was in trouble. *due*: the next try keeps this time.
        """
        if self._closing:
            return
        loop = asyncio.get_running_loop()
        at = due if due is not None else loop.time() + SEND_RETRY_DELAYS[attempt]

        def again() -> None:
            del self._waiting[out.id]
            self._start(send(attempt + 1, None))

        early = (lambda: send(attempt, at)) if outage else None
        self._waiting[out.id] = _Retry(loop.call_at(at, again), early)

    def note_success(self) -> None:
        """Note that Discord took a message, and schedule an early try of what an outage delayed."""
        if self._timer is not None or self._closing:
            return
        if any(retry.send_early for retry in self._waiting.values()):
            next_early = self._last_early + EARLY_RETRY_INTERVAL
        elif self._refused.waits_after_outage:
            next_early = self._last_refused + EARLY_REFUSED_INTERVAL
        else:
            return
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(max(next_early, loop.time()), self._retry_early)

    def retry_now(self) -> None:
        """Send everything that waits because of an outage."""
        self._last_early = self._last_refused = float("-inf")
        self._retry_early()

    def _retry_early(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._closing:
            return
        now = self._last_early = asyncio.get_running_loop().time()
        for row, retry in sorted(self._waiting.items(), key=itemgetter(0)):
            if retry.send_early is not None:
                retry.timer.cancel()
                del self._waiting[row]
                self._start(retry.send_early())
        if now >= self._last_refused + EARLY_REFUSED_INTERVAL:
            self._last_refused = now
            self._refused.retry_after_outage()

    def close(self) -> None:
        """Cancel all further tries."""
        self._closing = True
        for retry in self._waiting.values():
            retry.timer.cancel()
        if self._timer is not None:
            self._timer.cancel()

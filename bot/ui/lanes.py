"""Who may talk to Discord in the background: one at a time in a channel, and not in too many channels at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

#: So many channels are served at once; the other sockets are for answers to those who are waiting.
ABREAST: Final = 24
#: How long one row may take, in seconds: then the next has its turn, and this one is tried again later.
LIMIT: Final = 20


class Lanes:
    """A turn for each channel. One that hangs keeps nobody waiting but those that are for it, too."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(ABREAST)
        self._locks: dict[str, asyncio.Lock] = {}
        self._waiting: dict[str, int] = {}

    @asynccontextmanager
    async def turn(self, place: str) -> AsyncIterator[None]:
        """Wait for the channel's turn, and have it for as many rows as go together."""
        lock = self._locks.setdefault(place, asyncio.Lock())
        self._waiting[place] = self._waiting.get(place, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[place] -= 1
            if not self._waiting[place]:
                del self._waiting[place], self._locks[place]

    @asynccontextmanager
    async def row(self) -> AsyncIterator[None]:
        """Send one row, in so long. TimeoutError (an OSError) when that is over."""
        async with self._all, asyncio.timeout(LIMIT):
            yield

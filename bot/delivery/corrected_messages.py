"""Old messages of entries that an amendment undid: they are marked slowly, the newest first.

An amendment can undo many entries. Its own message is the truth, so the marks may take their time,
and those of the oldest messages may be left out.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.send_queue import KeyedLocks
from bot.storage.row_records import OutboxRow

log = logging.getLogger("storyguide.outbox")

#: Seconds between two marks in one channel.
PAUSE: Final = 10
#: Most messages that one amendment marks in one channel.
MOST: Final = 6

#: Marks one message.
Mark = Callable[[OutboxRow], Awaitable[None]]


class CorrectedMessages:
    """Marks of old messages, at most one in `PAUSE` seconds for each channel.

    What still waits when the process ends is left out.
    """

    def __init__(self, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        self._sleep = sleep
        self._channels = KeyedLocks()
        #: Channels in which a mark was set less than `PAUSE` seconds ago.
        self._resting: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def mark(self, messages: Iterable[OutboxRow], mark: Mark) -> None:
        """Mark the newest message of each channel now, and older ones in the background.

        A channel in which a mark was just set waits as a whole. Raises as *mark*.
        """
        by_channel: dict[str, list[OutboxRow]] = {}
        for sent in sorted(messages, key=lambda sent: -sent.id):
            by_channel.setdefault(_channel_of(sent), []).append(sent)
        for channel, sent in by_channel.items():
            left = sent[:MOST]
            if channel not in self._resting:
                await mark(left.pop(0))
                self._rest(channel)
            if left:
                self._start(self._mark_slowly(channel, left, mark))

    def close(self) -> None:
        """Leave out what still waits."""
        for task in self._tasks:
            task.cancel()

    async def _mark_slowly(self, channel: str, messages: list[OutboxRow], mark: Mark) -> None:
        async with self._channels.hold(channel):
            for sent in messages:
                while channel in self._resting:
                    await self._sleep(PAUSE)
                try:
                    await mark(sent)
                except DISCORD_ERRORS as error:
                    log.info("outbox.mark-left-out", extra={"error": type(error).__name__})
                    return
                self._rest(channel)

    def _rest(self, channel: str) -> None:
        self._resting.add(channel)
        self._start(self._wake(channel))

    async def _wake(self, channel: str) -> None:
        await self._sleep(PAUSE)
        self._resting.discard(channel)

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _channel_of(sent: OutboxRow) -> str:
    return (sent.message or sent.place).partition("/")[0]

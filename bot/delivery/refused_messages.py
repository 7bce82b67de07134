"""Rows that Discord refused, by channel, with retries at growing intervals.

A try is one request for a channel: its oldest row. Once that is sent, the others follow in order.
After the last interval there are no more tries.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final

from bot.storage.errors import StorageUnavailable
from bot.storage.row_records import OutboxRow

log = logging.getLogger("storyguide.outbox")

_HOUR: Final = 3600
#: Waits before further tries of a channel, in seconds: nine days in all.
REFUSED_RETRY_DELAYS: Final = (_HOUR, 5 * _HOUR, 18 * _HOUR, *[24 * _HOUR] * 8)


@dataclass(slots=True)
class _Channel:
    rows: dict[int, OutboxRow] = field(default_factory=dict)
    faulty: set[int] = field(default_factory=set)
    mendable: bool = False
    #: Whether an outage of Discord stopped the last try.
    outage: bool = False
    tries: int = 0
    timer: asyncio.TimerHandle | None = None
    trying: bool = False


class RefusedMessages:
    """Rows that Discord refused.

    `send` tries a row once more, and adds it again if it is refused again.
    """

    def __init__(
        self,
        send: Callable[[OutboxRow], Awaitable[None]],
        start: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._send = send
        self._start = start
        self._channels: dict[str, _Channel] = {}
        self._closing = False

    def __contains__(self, out: OutboxRow) -> bool:
        channel = self._channels.get(out.place)
        return channel is not None and out.id in channel.rows

    def rows_of_table(self, table_id: int) -> tuple[OutboxRow, ...]:
        """Return the waiting rows of a table, oldest first."""
        rows = (out for channel in self._channels.values() for out in channel.rows.values())
        return tuple(
            sorted((out for out in rows if out.table_id == table_id), key=lambda out: out.id)
        )

    def is_retrying(self, out: OutboxRow) -> bool:
        """Return whether a row's next try is scheduled or running."""
        channel = self._channels.get(out.place)
        return channel is not None and (channel.timer is not None or channel.trying)

    def add(self, out: OutboxRow, *, mendable: bool | None, outage: bool = False) -> None:
        """Keep a row that was refused.

        `mendable`: the cause may go away; None: the row itself is faulty. `outage`: Discord was in
        trouble.
        """
        channel = self._channels.setdefault(out.place, _Channel())
        channel.rows[out.id] = out
        if mendable is None:
            channel.faulty.add(out.id)
        else:
            channel.mendable, channel.outage = mendable, outage
        self._schedule(channel, out.place)

    def _schedule(self, channel: _Channel, place: str) -> None:
        idle = channel.timer is None and not channel.trying and not self._closing
        if not idle or not channel.mendable or channel.tries >= len(REFUSED_RETRY_DELAYS):
            return
        channel.timer = asyncio.get_running_loop().call_later(
            REFUSED_RETRY_DELAYS[channel.tries], self.retry, place
        )
        channel.tries += 1

    def retry(self, place: str) -> None:
        """Try a channel's rows in the background: a try is due, or the channel has changed."""
        channel = self._channels.get(place)
        if channel is not None and not channel.trying and not self._closing:
            self._start(self._retry_channel(channel, place))

    def retry_all(self, places: Callable[[str], bool]) -> None:
        """Try every channel for which `places` returns true."""
        for place in [place for place in self._channels if places(place)]:
            self.retry(place)

    @property
    def waits_after_outage(self) -> bool:
        """True if a message waits because of an outage."""
        return any(channel.outage for channel in self._channels.values())

    def retry_after_outage(self) -> None:
        """Try every channel that an outage closed, without using up one of its tries."""
        for place, channel in list(self._channels.items()):
            if channel.outage and not channel.trying:
                channel.outage = False
                channel.tries = max(channel.tries - 1, 0)
                self.retry(place)

    async def _retry_channel(self, channel: _Channel, place: str) -> None:
        if channel.trying:
            return
        channel.trying = True
        self._stop(channel)
        try:
            for id in sorted(channel.rows):
                if self._closing or not await self._retry_row(channel, id):
                    break
        except StorageUnavailable as error:
            log.warning("refused.storage", extra={"reason": error.reason})
        finally:
            channel.trying = False
        if not channel.rows:
            self._channels.pop(place, None)
        else:
            self._schedule(channel, place)

    async def _retry_row(self, channel: _Channel, id: int) -> bool:
        """Try a row; return whether the channel seems to take messages.

        Raises StorageUnavailable.
        """
        out = channel.rows.pop(id, None)
        channel.faulty.discard(id)
        if out is not None:
            try:
                await self._send(out)
            except StorageUnavailable:
                channel.rows[id] = out
                raise
        return id not in channel.rows or id in channel.faulty

    async def retry_table(self, table_id: int) -> None:
        """Try every row of a table once, even after failures."""
        for out in self.rows_of_table(table_id):
            if (channel := self._channels.get(out.place)) is not None:
                await self._retry_row(channel, out.id)
                if not channel.rows and not channel.trying:
                    self._stop(channel)
                    self._channels.pop(out.place, None)

    @staticmethod
    def _stop(channel: _Channel) -> None:
        if channel.timer is not None:
            channel.timer.cancel()
            channel.timer = None

    def close(self) -> None:
        """Stop all tries; the next start makes them."""
        self._closing = True
        for channel in self._channels.values():
            self._stop(channel)

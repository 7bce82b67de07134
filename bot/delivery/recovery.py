"""After a start: what was committed but not said when the process ended, each channel for
itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from bot.delivery.channels import ChannelHistories
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow

log = logging.getLogger("storyguide.outbox")

#: The kinds of rows that change what stands there, or are drawn after what does.
_LATER = ("mark", "card", "call")


class Recovery:
    """Sends what is left by `send`, unless it was said by now; it is given what is remembered of
    the row's channel.

    What was sent is found before a mark changes it, and a card that comes back after a mark is
    drawn after it; that concerns a table. Nobody waits for another table's channels, nor for
    another channel.
    """

    def __init__(
        self, tables: Tables, send: Callable[[OutboxRow, ChannelHistories], Awaitable[None]]
    ) -> None:
        self._tables = tables
        self._send = send
        self._listed = asyncio.Event()
        self._found: dict[int, asyncio.Event] = {}

    async def run(self) -> None:
        """Say it; called once, when connected."""
        rows = await self._tables.store.unsent_rows()
        log.info("outbox.recover", extra={"count": len(rows)})
        tables: dict[int, list[OutboxRow]] = {}
        for out in rows:
            tables.setdefault(out.table_id, []).append(out)
        self._found = {key: asyncio.Event() for key in tables}
        self._listed.set()
        await asyncio.gather(*(self._table(self._found[key], mine) for key, mine in tables.items()))
        log.info("outbox.recovered", extra={"count": len(rows)})

    async def wait_until_found(self, table_id: int) -> None:
        """Wait until all is known that was sent at a table before the last end, as far as Discord
        tells.
        """
        await self._listed.wait()
        if table_id in self._found:
            await self._found[table_id].wait()

    def close(self) -> None:
        """Nobody waits any more."""
        self._listed.set()
        for found in self._found.values():
            found.set()

    async def _table(self, found: asyncio.Event, rows: Sequence[OutboxRow]) -> None:
        pasts: dict[str, ChannelHistories] = {out.place: {} for out in rows}
        await self._places(pasts, [out for out in rows if out.kind not in _LATER])
        found.set()
        await self._places(pasts, [out for out in rows if out.kind in _LATER])

    async def _places(self, pasts: dict[str, ChannelHistories], rows: Sequence[OutboxRow]) -> None:
        await asyncio.gather(
            *(
                self._place(past, [out for out in rows if out.place == place])
                for place, past in pasts.items()
            )
        )

    async def _place(self, past: ChannelHistories, rows: Sequence[OutboxRow]) -> None:
        for out in rows:
            try:
                await self._send(out, past)
            except Exception as error:
                # One table that cannot be read must not keep the others from being told.
                reason = type(error).__name__
                log.warning("outbox.recover-failed", extra={"out": out.id, "reason": reason})

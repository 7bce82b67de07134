"""Recovery after a start: rows that the last process committed but did not send, by channel."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from bot.delivery.channels import ChannelHistories
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow

log = logging.getLogger("storyguide.outbox")

#: Kinds of rows that change earlier messages, or are drawn after such a change.
_LATER = ("mark", "card", "call")


class Recovery:
    """Sender of the rows that the last process left.

    `send` gets a row and the cached histories of the row's channel, and skips a row that was sent.
    At each table, sent messages are found before a mark changes them, and a returning card is drawn
    after the mark. No table waits for another table, and no channel for another channel.
    """

    def __init__(
        self, tables: Tables, send: Callable[[OutboxRow, ChannelHistories], Awaitable[None]]
    ) -> None:
        self._tables = tables
        self._send = send
        #: Set once the tables with unsent rows are known.
        self._listed = asyncio.Event()
        #: By table: set once its sent messages are found.
        self._found: dict[int, asyncio.Event] = {}

    async def run(self) -> None:
        """Send the rows; called once, when connected."""
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
        """Wait until every message that the last process sent at a table is known.

        Messages that Discord can't look up don't count.
        """
        await self._listed.wait()
        if table_id in self._found:
            await self._found[table_id].wait()

    def close(self) -> None:
        """Release all waiting tasks."""
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
                # An unreadable table must not stop the messages of the others.
                reason = type(error).__name__
                log.warning("outbox.recover-failed", extra={"out": out.id, "reason": reason})

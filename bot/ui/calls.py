"""Messages that call somebody: sent unless they are not waited for by then, and taken away once they are not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from bot.services.history import told_by
from bot.services.tables import Tables
from bot.storage.records import Out
from bot.ui.channels import Channels
from bot.ui.lanes import Turns
from bot.ui.noting import Noting
from rules.table.events import Event

E = TypeVar("E", bound=Event)


class Calls(ABC, Generic[E]):
    """Calls to things of one kind, one after another about the same, which is known by `_about`."""

    def __init__(self, channels: Channels, tables: Tables, noting: Noting) -> None:
        self._channels = channels
        self._tables = tables
        self._noting = noting
        self._turns = Turns()

    @staticmethod
    @abstractmethod
    def _about(event: E) -> str: ...

    @abstractmethod
    async def _waited_for(self, out: Out, call: E) -> bool:
        """Whether those whom a row calls still are."""

    async def call(self, out: Out, event: E, message: dict[str, Any]) -> str:
        """Send what calls somebody, unless they are not waited for any more; an earlier call to the same goes."""
        async with self._turns.turn((out.table_id, self._about(event))):
            if not await self._waited_for(out, event):
                return ""
            await self._noting.write()
            calls = await self._tables.store.topic_messages(out.table_id, [out.topic or ""])
            new = await self._channels.post(out.place, message, f"{out.id}.0")
            # One at a time: the newest says what is waited for now.
            for row in calls:
                if row.id < out.id:
                    await self.take_away(row)
            return new

    async def called(self, out: Out, event: E, where: str) -> str:
        """A call that was found again: where it stands, or nothing where it is over and was taken away."""
        if await self._waited_for(out, event):
            return where
        await self._channels.delete(where)
        return ""

    async def _sweep(self, calls: Iterable[Out], over: Callable[[Any], bool]) -> None:
        """Take away those that are `over`."""
        for sent in calls:
            found = await told_by(self._tables, sent)
            if found is not None and over(found[1][0]):
                await self.take_away(sent)

    async def take_away(self, sent: Out) -> None:
        """Delete a message that has said what it had to, unless somebody else did."""
        if sent.message is not None:
            await self._channels.delete(sent.message)
        self._noting.over([sent])

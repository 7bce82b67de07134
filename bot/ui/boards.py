"""The one message of each place that shows its order of action: edited, posted where there is none, pinned."""

from __future__ import annotations

import asyncio
import logging

import discord

from bot.presenters.board import board_card, board_id
from bot.presenters.render import custom_ids, to_messages
from bot.services.outgoing import board_topic
from bot.services.table import Table
from bot.services.tables import Tables
from bot.storage.records import Out
from bot.ui.channels import Channels
from bot.ui.noting import Noting
from bot.ui.response import TROUBLE
from bot.ui.scene import scene_of
from rules.table.turns.encounters import board

log = logging.getLogger("storyguide.boards")


class Boards:
    """Carries rows of the kind `board`, those of one place one after another.

    What is drawn is the table as it is at that moment, so a row that comes late or twice does no harm.
    """

    def __init__(self, channels: Channels, tables: Tables, noting: Noting) -> None:
        self._channels = channels
        self._tables = tables
        self._noting = noting
        self._locks: dict[str, asyncio.Lock] = {}
        #: Up to which entry of which table a place's board is known to be drawn.
        self._drawn: dict[tuple[int, str], int] = {}

    async def carry(self, out: Out, seq: int) -> str:
        """Bring the board of a place up to date; returns `<channel id>/<message id>` of a message not known before.

        Raises what `TROUBLE` names when it could not be shown.
        """
        place = out.place
        async with self._locks.setdefault(place, asyncio.Lock()):
            key = (out.table_id, place)
            if seq <= self._drawn.get(key, 0):
                return ""
            await self._noting.write()
            table = await self._tables.committed(out.table_id)
            revision = table.revision
            new = await self._show(table, out)
            self._drawn[key] = revision
            return new

    async def _show(self, table: Table, out: Out) -> str:
        store, place = self._tables.store, out.place
        shown = board(table.state, place)
        (message,) = to_messages(board_card(shown, scene_of(table)))
        known = await store.topic_messages(table.id, [board_topic(place)])
        there = [row.message for row in known if row.message is not None]
        found = None if there else await self._find(table, place)
        if found:
            there = [found]
        refused = await self._channels.edit(there[-1], message) if there else None
        if refused is not None:
            log.info("boards.not-edited", extra={"code": refused.code})
        edited, new = bool(there) and refused is None, found
        if shown is not None and not edited:
            new = await self._channels.post(place, message, f"{out.id}.0")
        if shown is not None and new:
            await self._pin(new)
        if shown is None or not edited:
            for old in there:
                await self._pin(old, on=False)
            await store.close_messages([row.id for row in known])
        return "" if shown is None else new or ""

    async def _find(self, table: Table, place: str) -> str | None:
        """A board that was posted without being noted, known by its buttons."""
        prefix = board_id(table.id, place)

        def ours(message: discord.Message) -> bool:
            ids = custom_ids([component.to_dict() for component in message.components])
            return any(each.startswith(prefix) for each in ids)

        return await self._channels.find(place, ours)

    async def _pin(self, where: str, *, on: bool = True) -> None:
        """Pin the message if that is allowed, or no more: the board works without it."""
        message = self._channels.message(where)
        try:
            await (message.pin() if on else message.unpin())
        except TROUBLE as error:
            kind = "boards.not-pinned" if on else "boards.not-unpinned"
            log.info(kind, extra={"code": getattr(error, "code", 0)})

"""The one message of each place that shows its order of action: edited, posted where there is none, pinned."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import discord

from bot.presenters.board import board_card, board_id
from bot.presenters.render import to_messages
from bot.services.outgoing import board_topic
from bot.services.tables import Table, Tables
from bot.storage.records import Out
from bot.ui.response import TROUBLE
from bot.ui.scene import scene_of
from rules.table.turns.encounters import board

log = logging.getLogger("storyguide.boards")

#: Discord's code for a thread that has to be reopened first.
ARCHIVED = 50083
#: How far back a message is looked for that was posted without being noted.
REACH = 200


class Boards:
    """Carries rows of the kind `board`, those of one place one after another.

    What is drawn is the table as it is at that moment, so a row that comes late or twice does no harm. `post` and
    `reopen` send to a channel and open a thread, `note` writes down what was delivered.
    """

    def __init__(
        self,
        client: discord.Client,
        tables: Tables,
        *,
        post: Callable[[int, dict[str, Any], str], Awaitable[int]],
        reopen: Callable[[int], Awaitable[None]],
        note: Callable[[], Awaitable[None]],
    ) -> None:
        self._client = client
        self._tables = tables
        self._post = post
        self._reopen = reopen
        self._note = note
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
            await self._note()
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
        found = "" if there else await self._find(table, place)
        if found:
            there = [found]
        edited = bool(there) and await self._edit(there[-1], message)
        new = found
        if shown is not None and not edited:
            new = f"{place}/{await self._post(int(place), message, f'{out.id}.0')}"
        if shown is not None and new:
            await self._pin(new)
        if shown is None or not edited:
            for old in there:
                await self._unpin(old)
            await store.close_messages([row.id for row in known])
        return "" if shown is None else new

    async def _find(self, table: Table, place: str) -> str:
        """A board that was posted without being noted, known by its buttons; empty where there is none."""
        channel, me = self._client.get_partial_messageable(int(place)), self._client.user
        prefix = board_id(table.id, place)
        try:
            async for message in channel.history(limit=REACH):
                mine = me is not None and message.author.id == me.id
                if mine and any(each.startswith(prefix) for each in _ids(message)):
                    return f"{place}/{message.id}"
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            # The history may not be read, or the channel is gone: sending will tell.
            log.warning("boards.history-failed", extra={"reason": type(error).__name__})
        return ""

    def _message(self, where: str) -> discord.PartialMessage:
        channel_id, message_id = map(int, where.split("/"))
        return self._client.get_partial_messageable(channel_id).get_partial_message(message_id)

    async def _edit(self, where: str, message: dict[str, Any]) -> bool:
        """Change the message; False where it is gone or cannot be changed any more."""
        there = self._message(where)
        changed = {"content": None, "embed": None, "view": None, **message}
        try:
            await there.edit(**changed)
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            if error.code != ARCHIVED:
                log.info("boards.not-edited", extra={"code": error.code})
                return False
            await self._reopen(there.channel.id)
            await there.edit(**changed)
        return True

    async def _pin(self, where: str) -> None:
        """Pin the message if that is allowed: the board works without it."""
        try:
            await self._message(where).pin()
        except TROUBLE as error:
            log.info("boards.not-pinned", extra={"code": getattr(error, "code", 0)})

    async def _unpin(self, where: str) -> None:
        try:
            await self._message(where).unpin()
        except TROUBLE as error:
            log.info("boards.not-unpinned", extra={"code": getattr(error, "code", 0)})


def _ids(message: discord.Message) -> list[str]:
    """The custom ids of a message's controls, which stand in rows."""
    rows: list[Mapping[str, Any]] = [component.to_dict() for component in message.components]
    return [str(control.get("custom_id", "")) for row in rows for control in row.get("components", ())]

"""Threads that are gone or closed to the bot: what was played there goes on in their channel.

Only a public thread is left, since everybody who reads it reads its channel too. What was played in
a private thread or in a channel of its own waits until a GM moves it.
"""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Sequence
from typing import Any, Final, Literal, Protocol

import discord

from bot.clock import Clock
from bot.delivery.delivery_log import DeliveryLog
from bot.services.loaded_table import Table
from bot.services.perform import ActionResult, perform
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable
from bot.storage.row_records import OutboxRow
from rules.core.errors import RulesError
from rules.table.actions import Actor, LeavePlace
from rules.table.played_scenes import open_scene, scenes_of
from rules.table.scene_moves import is_played_in
from rules.table.state import SYSTEM
from rules.table.typed_texts import is_id

log = logging.getLogger("storyguide.left_places")

Reason = Literal["gone", "closed"]
#: Discord's codes for a thread in which the bot can't write: it was deleted; it is locked; it is
#: archived, and the bot may not open it.
_REASONS: Final[dict[int, Reason]] = {10003: "gone", 160005: "closed", 50083: "closed"}
#: Most places that are remembered with the places that took over from them.
_REMEMBERED: Final = 500


class Sender(Protocol):
    """The outbox, as far as a lost place needs it."""

    delivery_log: DeliveryLog

    def dispatch(self, done: ActionResult) -> None:
        """Send an entry's rows in the background."""
        ...

    async def repost(self, outs: Sequence[OutboxRow]) -> None:
        """Send rows again."""
        ...

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> object:
        """Run a coroutine in the background."""
        ...


class LeftPlaces:
    """Takes what is played in a lost thread to its channel, once."""

    def __init__(
        self, client: discord.Client, tables: Tables, clock: Clock, sender: Sender
    ) -> None:
        self._client = client
        self._tables = tables
        self._clock = clock
        self._sender = sender
        #: The place in which each lost place goes on.
        self._successors: dict[str, str] = {}

    async def redirect(self, table: Table, out: OutboxRow, code: int) -> bool:
        """Send a row that Discord refused to the place that has taken over from its own.

        Returns False without such a place. A board and changes to earlier messages have nothing to
        say there.
        """
        try:
            place = await self._place_after(table, out, code)
        except StorageUnavailable:
            return False
        if place is None or place == out.place:
            return False
        if out.kind in ("board", "mark"):
            self._sender.delivery_log.record_delivery(out, None)
        else:
            self._sender.run_in_background(self._sender.repost([out.replace(place=place)]))
        return True

    async def _place_after(self, table: Table, out: OutboxRow, code: int) -> str | None:
        """Return the place to which a row goes instead, after Discord refused it with a code.

        None if the place isn't lost, or if only a GM can say where play goes on. May raise
        StorageUnavailable.
        """
        reason = _REASONS.get(code)
        if reason is None:
            return None
        known = self._successor(table, out.place)
        if known is not None:
            return known
        to = self._home(table, out.place)
        if to is None or not await self._leave(table, out.place, to, reason, f"left:{out.id}"):
            return None
        return to

    async def leave_deleted(self, guild: int, thread: int, parent: int) -> None:
        """Leave a public thread that was deleted. May raise StorageUnavailable."""
        table_id = await self._tables.places.find(str(parent))
        if table_id is None:
            return
        table = await self._tables.get(table_id)
        if table.guild == str(guild) and is_played_in(table.state, str(thread)):
            await self._leave(table, str(thread), str(parent), "gone", f"left:{thread}")

    def _successor(self, table: Table, place: str) -> str | None:
        """Return where a lost place goes on, as far as the process or a scene knows."""
        for scene in scenes_of(table.state):
            if scene.left_place == place:
                return scene.place
        return self._successors.get(place)

    def _home(self, table: Table, place: str) -> str | None:
        """Return the channel of a public thread; None for any other place."""
        guild = self._client.get_guild(int(table.guild)) if is_id(table.guild) else None
        thread = None if guild is None or not is_id(place) else guild.get_thread(int(place))
        if thread is not None:
            home = None if thread.is_private() else str(thread.parent_id)
        else:
            scene = open_scene(table.state, place)
            home = None if scene is None else scene.home
        owned = self._tables.places.places_of(table.id)
        if home and (home in owned or self._is_in_owned(guild, home, owned)):
            return home
        return None

    def _is_in_owned(self, guild: discord.Guild | None, place: str, owned: tuple[str, ...]) -> bool:
        """Return whether a place is a thread of a channel that the table has."""
        thread = None if guild is None else guild.get_thread(int(place))
        return thread is not None and str(thread.parent_id) in owned

    async def _leave(self, table: Table, place: str, to: str, reason: Reason, request: str) -> bool:
        """Move what is played in a place; return whether anything was, now or before."""
        action = LeavePlace(
            who=Actor(SYSTEM), place=to, at=self._clock(), left=place, to=to, why=reason
        )
        try:
            done = await perform(self._tables, table.id, action, request)
        except RulesError as error:
            log.info("left-places.stays", extra={"reason": error.code})
            return False
        self._successors[place] = to
        while len(self._successors) > _REMEMBERED:
            del self._successors[next(iter(self._successors))]
        if not done.repeated:
            self._sender.dispatch(done)
        return True

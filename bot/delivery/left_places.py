"""Threads that are gone or closed to the bot: what was played there goes on in their channel.

Only a public thread is left, since everybody who reads it reads its channel too. A forum has no
messages of its own: its posts are left for the channel in which their scene was started, if all
readers of that channel can read the forum. What was played in a private thread or in a channel of
its own waits until a GM moves it, and the GMs are told.
"""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Sequence
from typing import Any, Final, Literal, Protocol

import discord

from bot.clock import Clock
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.shared_places import places_shared_with
from bot.services.loaded_table import Table
from bot.services.perform import ActionResult, perform
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable
from bot.storage.row_records import OutboxRow
from rules.core.errors import RulesError
from rules.table.actions import Actor, LeavePlace
from rules.table.forms.typed_texts import is_id
from rules.table.played_scenes import open_scene, scenes_of
from rules.table.scenes.scene_moves import is_played_in
from rules.table.state import SYSTEM

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
        if to is None:
            await self._tell_gms(table, out.place, reason)
            return None
        if not await self._leave(table, out.place, to, reason, f"left:{out.id}"):
            return None
        return to

    async def leave_deleted(self, guild: int, thread: int, parent: int) -> None:
        """Leave a public thread that was deleted. May raise StorageUnavailable."""
        table_id = await self._tables.places.find(str(thread), str(parent))
        if table_id is None:
            return
        table = await self._tables.get(table_id)
        if table.guild != str(guild) or not is_played_in(table.state, str(thread)):
            return
        home = self._channel_of_post(table, thread, parent)
        if home is None:
            await self._tell_gms(table, str(thread), "gone")
        else:
            await self._leave(table, str(thread), home, "gone", f"left:{thread}")

    def _channel_of_post(self, table: Table, thread: int, parent: int) -> str | None:
        """Return where a public thread with this parent goes on; None if only a GM can say it."""
        if not self._is_forum(table, str(parent)):
            return str(parent)
        return self._home(table, str(thread), forum=str(parent))

    def _successor(self, table: Table, place: str) -> str | None:
        """Return where a lost place goes on, as far as the process or a scene knows."""
        for scene in scenes_of(table.state):
            if scene.left_place == place:
                return scene.place
        return self._successors.get(place)

    def _home(self, table: Table, place: str, *, forum: str = "") -> str | None:
        """Return the channel of a public thread, or that in which a forum post's scene was started.

        None for any other place. *forum*: the forum of a post that Discord doesn't list any more.
        """
        guild = self._guild(table)
        thread = None if guild is None or not is_id(place) else guild.get_thread(int(place))
        scene = open_scene(table.state, place)
        if thread is not None and thread.is_private():
            return None
        if thread is not None and not forum:
            parent = str(thread.parent_id)
            forum = parent if self._is_forum(table, parent) else ""
        started_in = "" if scene is None or scene.private else scene.home
        home = started_in if thread is None or forum else str(thread.parent_id)
        owned = self._tables.places.places_of(table.id)
        if not home or self._is_forum(table, home):
            return None
        if forum and forum not in places_shared_with(guild, home, (forum,)):
            return None
        if home in owned or self._is_in_owned(guild, home, owned):
            return home
        return None

    def _guild(self, table: Table) -> discord.Guild | None:
        """Return the server of a table; None if the bot isn't there."""
        return self._client.get_guild(int(table.guild)) if is_id(table.guild) else None

    def _is_forum(self, table: Table, place: str) -> bool:
        """Return whether a place is a forum, which has no messages of its own."""
        guild = self._guild(table)
        channel = None if guild is None or not is_id(place) else guild.get_channel(int(place))
        return isinstance(channel, discord.ForumChannel)

    async def _tell_gms(self, table: Table, place: str, reason: Reason) -> None:
        """Tell the GMs, once a scene, that a lost place waits for them. May raise as `carry`.

        Without a GM channel nobody is told of a whisper scene's place: the line would stand where
        others read.
        """
        scene = open_scene(table.state, place)
        gm_place = table.state.settings.gm_place
        if scene is None or (scene.private and gm_place is None):
            return
        places = [gm_place] if gm_place else self._tables.places.places_of(table.id)
        said_in = [known for known in places if known != place and not self._is_forum(table, known)]
        if said_in:
            action = LeavePlace(
                who=Actor(SYSTEM), place=said_in[0], at=self._clock(), left=place, to="", why=reason
            )
            await self._perform(table, action, f"lost:{place}:{scene.number}")

    def _is_in_owned(self, guild: discord.Guild | None, place: str, owned: tuple[str, ...]) -> bool:
        """Return whether a place is a thread of a channel that the table has."""
        thread = None if guild is None else guild.get_thread(int(place))
        return thread is not None and str(thread.parent_id) in owned

    async def _leave(self, table: Table, place: str, to: str, reason: Reason, request: str) -> bool:
        """Move what is played in a place; return whether anything was, now or before."""
        action = LeavePlace(
            who=Actor(SYSTEM), place=to, at=self._clock(), left=place, to=to, why=reason
        )
        if not await self._perform(table, action, request):
            return False
        self._successors[place] = to
        while len(self._successors) > _REMEMBERED:
            del self._successors[next(iter(self._successors))]
        return True

    async def _perform(self, table: Table, action: LeavePlace, request: str) -> bool:
        """Carry an action out once and send its messages; return whether it was possible."""
        try:
            done = await perform(self._tables, table.id, action, request)
        except RulesError as error:
            log.info("left-places.stays", extra={"reason": error.code})
            return False
        if not done.repeated:
            self._sender.dispatch(done)
        return True

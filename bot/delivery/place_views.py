"""Present access to channels and threads on Discord, for `bot.services.readers`."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import Final

import discord

from bot.delivery.response import DISCORD_ERRORS
from bot.services.readers import PlaceAccess
from rules.table.typed_texts import is_id

log = logging.getLogger("storyguide.places")

#: How long Discord may take to tell of a place, in seconds: a command has three to answer.
LOOKUP_TIMEOUT: Final = 1.5
#: How many archived threads are remembered.
MAX_THREADS: Final = 5000


class ArchivedThreads:
    """The channels that archived public threads are in. The library forgets an archived thread, and
    a forum may have hundreds, so each is asked for once.
    """

    def __init__(self) -> None:
        self._parents: OrderedDict[int, int] = OrderedDict()

    def parent(self, thread: int) -> int | None:
        """The id of the channel that a thread is in; None for one that is not known."""
        return self._parents.get(thread)

    def add(self, thread: discord.Thread) -> None:
        self._parents[thread.id] = thread.parent_id
        if len(self._parents) > MAX_THREADS:
            self._parents.popitem(last=False)

    def forget(self, thread: int) -> None:
        """Drop a deleted thread."""
        self._parents.pop(thread, None)

    def clear(self) -> None:
        """Forget all threads: deletions during a disconnect were missed."""
        self._parents.clear()


class MemberViews:
    """Channel access of one member or role; a failed lookup gives "unknown"."""

    def __init__(self, member: discord.Member | discord.Role, threads: ArchivedThreads) -> None:
        self._member = member
        self._threads = threads

    async def access(self, place: str) -> PlaceAccess:
        guild = self._member.guild
        if not is_id(place) or guild.unavailable:
            return "unknown"
        channel = guild.get_channel_or_thread(int(place))
        parent = self._threads.parent(int(place))
        if channel is None and parent is not None:
            above = guild.get_channel(parent)
            return "gone" if above is None else self._of_channel(above)
        try:
            async with asyncio.timeout(LOOKUP_TIMEOUT):
                if channel is None:
                    channel = await guild.fetch_channel(int(place))
                if not isinstance(channel, discord.Thread):
                    return self._of_channel(channel)
                return await self._of_thread(channel)
        except discord.NotFound:
            return "gone"
        except (*DISCORD_ERRORS, TimeoutError, discord.InvalidData) as error:
            log.info("places.not-known", extra={"reason": type(error).__name__})
            return "unknown"

    def _of_channel(self, channel: discord.abc.GuildChannel) -> PlaceAccess:
        if channel.guild.id != self._member.guild.id:
            return "unknown"
        return "open" if channel.permissions_for(self._member).view_channel else "shut"

    async def _of_thread(self, thread: discord.Thread) -> PlaceAccess:
        """A thread is as open as its channel, a private one only to its members."""
        parent = thread.guild.get_channel(thread.parent_id)
        if parent is None:
            return "gone"
        access = self._of_channel(parent)
        if not thread.is_private():
            if thread.archived:
                self._threads.add(thread)
            return access
        if access == "open":
            try:
                await thread.fetch_member(self._member.id)
            except discord.NotFound:
                return "shut"
        return access

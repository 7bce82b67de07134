"""Current access to channels and threads on Discord, for `bot.services.readers`."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import Final

import discord

from bot.delivery.response import DISCORD_ERRORS
from bot.services.readers import PlaceAccess
from rules.table.forms.typed_texts import is_id

log = logging.getLogger("storyguide.places")

#: Seconds for Discord's answer about a place: a command has three in all.
LOOKUP_TIMEOUT: Final = 1.5
#: How many archived threads and gone places are remembered.
MAX_PLACES: Final = 5000


class PlaceMemory:
    """Memory of places that the library forgets, so that Discord is asked about each once.

    It holds only facts that can't change. An archived public thread stays in its channel. A place
    that is gone never comes back: Discord gives no id twice.
    """

    def __init__(self) -> None:
        #: The channel of an archived thread; None for a place that is gone.
        self._parents: OrderedDict[int, int | None] = OrderedDict()

    def is_gone(self, place: int) -> bool:
        """Return whether a place is known to be gone."""
        return place in self._parents and self._parents[place] is None

    def parent(self, thread: int) -> int | None:
        """Return the id of the channel that a thread is in; None for an unknown thread."""
        return self._parents.get(thread)

    def add(self, thread: discord.Thread) -> None:
        """Remember the channel of an archived public thread."""
        self._remember(thread.id, thread.parent_id)

    def add_gone(self, place: int) -> None:
        """Remember that a place no longer exists."""
        self._remember(place, None)

    def _remember(self, place: int, parent: int | None) -> None:
        self._parents[place] = parent
        if len(self._parents) > MAX_PLACES:
            self._parents.popitem(last=False)

    def clear(self) -> None:
        """Forget everything: deletions during a disconnect were missed."""
        self._parents.clear()


class MemberViews:
    """Channel access of one member or role; a failed lookup gives "unknown"."""

    def __init__(self, member: discord.Member | discord.Role, memory: PlaceMemory) -> None:
        self._member = member
        self._memory = memory

    async def access(self, place: str) -> PlaceAccess:
        guild = self._member.guild
        if not is_id(place) or guild.unavailable:
            return "unknown"
        channel = guild.get_channel_or_thread(int(place))
        if isinstance(channel, discord.abc.GuildChannel):
            return self._of_channel(channel)
        if channel is None and self._memory.is_gone(int(place)):
            return "gone"
        parent = self._memory.parent(int(place))
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
            self._memory.add_gone(int(place))
            return "gone"
        except (*DISCORD_ERRORS, TimeoutError, discord.InvalidData) as error:
            log.info("places.not-known", extra={"reason": type(error).__name__})
            return "unknown"

    def _of_channel(self, channel: discord.abc.GuildChannel) -> PlaceAccess:
        if channel.guild.id != self._member.guild.id:
            return "unknown"
        return "open" if channel.permissions_for(self._member).view_channel else "shut"

    async def _of_thread(self, thread: discord.Thread) -> PlaceAccess:
        """Return the access to a thread: as to its channel; a private one is for members only."""
        parent = thread.guild.get_channel(thread.parent_id)
        if parent is None:
            return "gone"
        access = self._of_channel(parent)
        if not thread.is_private():
            if thread.archived:
                self._memory.add(thread)
            return access
        if access == "open":
            try:
                await thread.fetch_member(self._member.id)
            except discord.NotFound:
                return "shut"
        return access

"""Servers on the shards of other processes, as Discord tells of them on request.

This process has nothing of them in its cache. What decides about rights is looked up: the server's
owner, roles and channels, and the member.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import Any, Final

import discord

from bot.delivery.place_views import PlaceMemory
from bot.delivery.response import DISCORD_ERRORS

log = logging.getLogger("storyguide.places")

#: Seconds for which a server is remembered.
LIFETIME: Final = 300.0
#: How many servers are remembered.
MAX_SERVERS: Final = 200
#: Seconds for Discord's answers about a server.
LOOKUP_TIMEOUT: Final = 4.0
#: What is read of a server: nothing else decides about rights.
_FIELDS: Final = ("id", "name", "owner_id", "roles")


class _Server:
    """A server as it was at a time, with the members who were looked up since."""

    def __init__(self, guild: discord.Guild, at: float) -> None:
        self.guild = guild
        self.at = at
        self.members: dict[int, discord.Member | None] = {}
        #: No event tells when what is remembered changes, so it is forgotten with the server.
        self.places = PlaceMemory()


class ForeignServers:
    """Members of servers that other processes serve. The library computes their rights as usual."""

    def __init__(self) -> None:
        self._servers: OrderedDict[int, _Server] = OrderedDict()

    async def member(self, client: discord.Client, server: int, user: int) -> discord.Member | None:
        """Return a user as a member of a server, with its channels.

        None if they are no member, if the bot is not there, or if Discord doesn't tell.
        """
        now = asyncio.get_running_loop().time()
        known = self._servers.get(server)
        if known is not None and now - known.at >= LIFETIME:
            known = None
        try:
            async with asyncio.timeout(LOOKUP_TIMEOUT):
                if known is None:
                    known = _Server(await _fetch_server(client, server), now)
                if user not in known.members:
                    known.members[user] = await _fetch_member(known.guild, user)
        except (*DISCORD_ERRORS, TimeoutError) as error:
            log.info("places.not-known", extra={"reason": type(error).__name__})
            return None
        self._servers[server] = known
        self._servers.move_to_end(server)
        if len(self._servers) > MAX_SERVERS:
            self._servers.popitem(last=False)
        return known.members[user]

    def place_memory(self, guild: discord.Guild) -> PlaceMemory | None:
        """Return what is remembered of the places of such a server; None for any other."""
        known = self._servers.get(guild.id)
        return known.places if known is not None and known.guild is guild else None


async def _fetch_server(client: discord.Client, server: int) -> discord.Guild:
    """Return a server with its roles and channels. Raises one of `DISCORD_ERRORS`."""
    found, channels = await asyncio.gather(
        client.http.get_guild(server, with_counts=False),
        client.http.get_all_guild_channels(server),
    )
    payload: dict[str, Any] = {key: found[key] for key in _FIELDS}
    # The library has no public way to a server that is complete and not in its cache.
    return discord.Guild(data={**payload, "channels": channels}, state=client._connection)  # pyright: ignore[reportArgumentType]


async def _fetch_member(guild: discord.Guild, user: int) -> discord.Member | None:
    """Return a member; None for a user who is none. Raises one of `DISCORD_ERRORS`."""
    try:
        return await guild.fetch_member(user)
    except discord.NotFound:
        return None

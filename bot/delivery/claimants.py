"""Server managers who claim a table, and their rights when the claim runs out."""

from __future__ import annotations

import discord

from bot.services.loaded_table import Table
from rules.table.gm_office import office_of


class ServerUnknownError(Exception):
    """The server of a table isn't known at the moment, as while Discord is away."""


class Claimants:
    """Questions to Discord about the managers who claim tables."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def is_barred(self, table: Table) -> bool:
        """Return whether the claimant of a table has left the server, or may not manage it.

        Raises ServerUnknownError, and discord.HTTPException if Discord gives no answer. The clock
        tries again later.
        """
        claim = office_of(table.state).claim
        user = None if claim is None else table.directory.user(claim.by)
        if user is None:
            return True
        guild = self._client.get_guild(int(table.guild))
        if guild is None:
            raise ServerUnknownError(table.guild)
        try:
            member = await guild.fetch_member(int(user))
        except discord.NotFound:
            return True
        return not member.guild_permissions.manage_guild

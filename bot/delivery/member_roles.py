"""Roles of GMs that a member of a server has."""

from __future__ import annotations

import discord

from rules.table.state import Settings


def held_gm_roles(
    user: discord.User | discord.Member | None, settings: Settings
) -> tuple[str, ...]:
    """Return the ids of a table's GM roles that a user has on the server.

    The ids are as Discord sent them, because the roles themselves need not be in the cache.
    """
    if not settings.gm_roles or not isinstance(user, discord.Member):
        return ()
    roles = map(str, user._roles)
    return tuple(role for role in roles if role in settings.gm_roles)

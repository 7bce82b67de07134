"""Whether anybody still leads a table."""

from __future__ import annotations

import discord

from bot.services.loaded_table import Table
from rules.core.errors import Impossible


async def require_orphaned(guild: discord.Guild | None, table: Table) -> None:
    """Impossible("table-has-gm") while one of the GMs, or a role that leads, is still on the
    server.

    Who holds a role cannot be seen without a privileged intent, so a role that exists counts as
    led: whoever manages the server can give it to themselves.
    """
    settings = table.state.settings
    if guild is None:
        raise Impossible("table-has-gm", gms=settings.gms, gm_roles=())
    roles = tuple(role for role in settings.gm_roles if guild.get_role(int(role)) is not None)
    if roles:
        raise Impossible("table-has-gm", gms=(), gm_roles=roles)
    for gm in settings.gms:
        user = table.directory.user(gm)
        if user is None:
            continue
        try:
            await guild.fetch_member(int(user))
        except discord.NotFound:
            continue
        raise Impossible("table-has-gm", gms=(gm,), gm_roles=())

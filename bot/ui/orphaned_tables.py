"""Tables without a GM on their server."""

from __future__ import annotations

import discord

from bot.services.loaded_table import Table
from rules.core.errors import Impossible


async def require_orphaned(guild: discord.Guild | None, table: Table) -> None:
    """Raise Impossible("table-has-gm") while a GM, or a GM role, is on the server.

    The holders of a role are not visible without a privileged intent. So an existing role counts as
    held: a manager of the server can take it.
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

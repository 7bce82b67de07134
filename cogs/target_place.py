"""The channel or thread to which a scene or initiative moves."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from bot.delivery.channel_rights import require_playable
from bot.ui.context import Context
from rules.core.errors import InvalidInput

Place = app_commands.AppCommandChannel | app_commands.AppCommandThread


def target_place(ctx: Context, to: Place) -> dict[str, Any]:
    """Return the fields of a `MovePlay` that say where it goes.

    Raises InvalidInput("move-to-forum") for a forum, which has only posts, and as
    `require_playable`.
    """
    if to.type is discord.ChannelType.forum:
        raise InvalidInput("move-to-forum", field="to", value=None)
    require_playable(to, ctx.interaction.guild)
    guild = ctx.interaction.guild
    parent: str | None = None
    in_forum = False
    if isinstance(to, app_commands.AppCommandThread):
        parent = str(to.parent_id)
        channel = None if guild is None else guild.get_channel(to.parent_id)
        in_forum = isinstance(channel, discord.ForumChannel)
    private = to.type is discord.ChannelType.private_thread
    return {"to": str(to.id), "parent": parent, "private": private, "in_forum": in_forum}

"""Whether a channel is fit for secrets: readable by the GMs, the bot and the server's
administrators only.
"""

from __future__ import annotations

from typing import Literal

import discord

from bot.services.loaded_table import Table
from rules.core.errors import InvalidInput

Leak = Literal["gone", "not-text", "everyone", "role", "member", "bot-cannot"]


def channel_leak(
    channel: object, gm_users: frozenset[int], gm_roles: frozenset[int]
) -> tuple[Leak, str] | None:
    """What makes the channel unfit, with the mention of whom it lets in; None when it is fit.

    Only a text channel of the server counts. Administrators read everything anyway and are not held
    against the channel.
    """
    if channel is None:
        return "gone", ""
    if not isinstance(channel, discord.TextChannel):
        return "not-text", ""
    guild = channel.guild
    if channel.permissions_for(guild.default_role).view_channel:
        return "everyone", "@everyone"
    for role in guild.roles:
        # Also a role without any right of its own in the channel may read it, by its rights on the
        # server.
        if role.id in gm_roles or role.permissions.administrator or role == guild.self_role:
            continue
        if channel.permissions_for(role).view_channel:
            return "role", role.mention
    for target, overwrite in channel.overwrites.items():
        if overwrite.view_channel is not True or isinstance(target, discord.Role):
            continue
        if target.id not in gm_users and target.id != guild.me.id:
            member = guild.get_member(target.id)
            if member is None or not member.guild_permissions.administrator:
                return "member", f"<@{target.id}>"
    mine = channel.permissions_for(guild.me)
    if not (mine.view_channel and mine.send_messages and mine.embed_links):
        return "bot-cannot", guild.me.mention
    return None


def gm_channel_leak(channel: object, table: Table) -> tuple[Leak, str] | None:
    """Apply `channel_leak` to a channel and the GMs of a table."""
    settings = table.state.settings
    users = (table.directory.user(gm) for gm in settings.gms)
    gms = frozenset(int(user) for user in users if user is not None)
    return channel_leak(channel, gms, frozenset(map(int, settings.gm_roles)))


def require_fit(found: tuple[Leak, str] | None, **more: str) -> None:
    """InvalidInput("gm-channel-…") when a channel leaks, so that it must not be used for
    secrets.
    """
    if found is not None:
        kind, whom = found
        raise InvalidInput(f"gm-channel-{kind}", field="gm_channel", value=None, whom=whom, **more)

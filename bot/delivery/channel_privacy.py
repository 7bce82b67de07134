"""Privacy of a channel for secrets: only the GMs, the bot and administrators may read it."""

from __future__ import annotations

from typing import Literal

import discord

from bot.services.loaded_table import Table
from rules.core.errors import InvalidInput
from rules.table.gm_office import deputies

Leak = Literal["gone", "not-text", "everyone", "role", "member", "bot-cannot"]


def channel_leak(
    channel: object, gm_users: frozenset[int], gm_roles: frozenset[int]
) -> tuple[Leak, str] | None:
    """Return why a channel is unfit for secrets, with the mention of the role or user it admits.

    None if the channel is fit. Only a text channel of the server can be. Administrators read
    everything anyway and don't count.
    """
    if channel is None:
        return "gone", ""
    if not isinstance(channel, discord.TextChannel):
        return "not-text", ""
    guild = channel.guild
    if channel.permissions_for(guild.default_role).view_channel:
        return "everyone", "@everyone"
    for role in guild.roles:
        # A role without an overwrite in the channel may still read it, by its server-wide rights.
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
    """Apply `channel_leak` to a channel, and the GMs and deputies of a table."""
    settings = table.state.settings
    leaders = (*settings.gms, *deputies(table.state))
    users = (table.directory.user(gm) for gm in leaders)
    gms = frozenset(int(user) for user in users if user is not None)
    return channel_leak(channel, gms, frozenset(map(int, settings.gm_roles)))


def require_fit(found: tuple[Leak, str] | None, **more: str) -> None:
    """Raise InvalidInput("gm-channel-…") for a leak that makes a channel unfit for secrets."""
    if found is not None:
        kind, whom = found
        raise InvalidInput(f"gm-channel-{kind}", field="gm_channel", value=None, whom=whom, **more)

"""Whether a channel can become a place of a table."""

from __future__ import annotations

from typing import Final

import discord
from discord.app_commands import AppCommandChannel, AppCommandThread

from rules.core.errors import InvalidInput
from rules.table.texts import is_id

_PLAYABLE: Final = frozenset(
    {
        discord.ChannelType.text,
        discord.ChannelType.news,
        discord.ChannelType.forum,
        discord.ChannelType.public_thread,
        discord.ChannelType.private_thread,
        discord.ChannelType.news_thread,
    }
)


def require_playable(channel: AppCommandChannel | AppCommandThread, guild: discord.Guild | None) -> None:
    """InvalidInput unless it takes messages ("place-not-text"), and both the GM ("place-not-yours") and the bot
    ("place-bot-cannot") can read it and write there."""
    if channel.type not in _PLAYABLE:
        raise InvalidInput("place-not-text", field="channel", value=None)
    if not _may_write(channel.permissions):
        raise InvalidInput("place-not-yours", field="channel", value=None)
    here = (
        None
        if guild is None
        else guild.get_channel_or_thread(channel.id) or guild.get_channel(getattr(channel, "parent_id", 0))
    )
    if guild is None or here is None or not _may_write(here.permissions_for(guild.me)):
        raise InvalidInput("place-bot-cannot", field="channel", value=None)


def _may_write(rights: discord.Permissions) -> bool:
    return rights.view_channel and (rights.send_messages or rights.send_messages_in_threads)


def place_name(guild: discord.Guild | None, place: str) -> str:
    """A place as suggestions show it: `#zone`, or that it is gone."""
    channel = guild.get_channel_or_thread(int(place)) if guild is not None and is_id(place) else None
    return f"#{channel.name}" if channel is not None else f"{place} (no longer there, or archived)"

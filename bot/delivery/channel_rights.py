"""The bot's rights in a channel, and their check for a table's place."""

from __future__ import annotations

from typing import Final

import discord
from discord.app_commands import AppCommandChannel, AppCommandThread

from rules.core.errors import InvalidInput
from rules.table.forms.typed_texts import is_id

#: Rights that the bot needs in a table's place, with their names in Discord's settings.
RIGHTS: Final[dict[str, str]] = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "embed_links": "Embed Links",
    "attach_files": "Attach Files",
    "read_message_history": "Read Message History",
}
#: Optional rights: either lets the bot pin the order of action.
PINNING: Final = ("pin_messages", "manage_messages")
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


def missing_rights(
    channel: object, rights: discord.Permissions, *, has_threads: bool = True
) -> tuple[tuple[str, ...], bool]:
    """Return the keys of missing `RIGHTS`, and whether pinning is missing too.

    Without *has_threads* the bot posts in no threads of the channel. In a thread, and in a forum
    whose posts are threads, the channel's own Send Messages is not needed. A right that depends on
    a missing right is not listed as well: nothing shows whether it would be there.
    """
    spare = (
        {"send_messages"}
        if isinstance(channel, discord.Thread | discord.ForumChannel)
        else set[str]()
    )
    if not has_threads and not isinstance(channel, discord.Thread | discord.ForumChannel):
        spare.add("send_messages_in_threads")
    if not rights.view_channel:
        spare = RIGHTS.keys() - {"view_channel"}
    elif not rights.send_messages or (
        "send_messages" in spare and not rights.send_messages_in_threads
    ):
        spare |= {"embed_links", "attach_files"}
    lacking = tuple(right for right in RIGHTS if right not in spare and not getattr(rights, right))
    return lacking, not any(getattr(rights, right, False) for right in PINNING)


def may_write(guild: discord.Guild, place: int) -> bool:
    """Return whether the bot may write in a channel or thread of the server.

    False if the bot does not know the place.
    """
    channel = guild.get_channel_or_thread(place)
    if channel is None:
        return False
    try:
        rights = channel.permissions_for(guild.me)
    except discord.ClientException:
        return False  # a thread in a channel that the bot cannot see
    in_thread = isinstance(channel, discord.Thread)
    return rights.view_channel and (
        rights.send_messages_in_threads if in_thread else rights.send_messages
    )


def _writes(rights: discord.Permissions) -> bool:
    return rights.view_channel and (rights.send_messages or rights.send_messages_in_threads)


def require_playable(
    channel: AppCommandChannel | AppCommandThread, guild: discord.Guild | None
) -> None:
    """Raise InvalidInput unless a channel can become a place of a table.

    Raises:
        InvalidInput("place-not-text"): the channel takes no messages.
        InvalidInput("place-not-yours"): the GM can't read it and write there.
        InvalidInput("place-bot-cannot"): the bot can't.
    """
    if channel.type not in _PLAYABLE:
        raise InvalidInput("place-not-text", field="channel", value=None)
    if not _writes(channel.permissions):
        raise InvalidInput("place-not-yours", field="channel", value=None)
    parent = getattr(channel, "parent_id", 0)
    here = guild and (guild.get_channel_or_thread(channel.id) or guild.get_channel(parent))
    if guild is None or here is None or not _writes(here.permissions_for(guild.me)):
        raise InvalidInput("place-bot-cannot", field="channel", value=None)


def place_name(guild: discord.Guild | None, place: str) -> str:
    """Return a place as suggestions show it: `#zone`, or its id with a note that it is gone."""
    channel = (
        guild.get_channel_or_thread(int(place)) if guild is not None and is_id(place) else None
    )
    return f"#{channel.name}" if channel is not None else f"{place} (no longer there, or archived)"

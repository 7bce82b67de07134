"""What the bot must be allowed to do in a channel, and what it lacks."""

from __future__ import annotations

from typing import Final

import discord

#: What is needed where a table is played, as Discord's settings call it.
RIGHTS: Final[dict[str, str]] = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "embed_links": "Embed Links",
    "attach_files": "Attach Files",
    "read_message_history": "Read Message History",
}
#: What makes things nicer: one of these pins the order of action.
PINNING: Final = ("pin_messages", "manage_messages")


def missing(channel: object, rights: discord.Permissions) -> tuple[tuple[str, ...], bool]:
    """The keys of `RIGHTS` that are not there, and whether pinning is not allowed either.

    In a thread, and in a forum whose posts are threads, the channel's own Send Messages is not needed. What goes
    with a right that is missing is not told as well: nobody sees whether it would be there.
    """
    spare = {"send_messages"} if isinstance(channel, discord.Thread | discord.ForumChannel) else set[str]()
    if not rights.view_channel:
        spare = RIGHTS.keys() - {"view_channel"}
    elif not rights.send_messages or ("send_messages" in spare and not rights.send_messages_in_threads):
        spare |= {"embed_links", "attach_files"}
    lacking = tuple(right for right in RIGHTS if right not in spare and not getattr(rights, right))
    return lacking, not any(getattr(rights, right, False) for right in PINNING)


def may_write(guild: discord.Guild, place: int) -> bool:
    """Whether the bot may write in that channel or thread of the server, as far as it knows both."""
    channel = guild.get_channel_or_thread(place)
    if channel is None:
        return False
    try:
        rights = channel.permissions_for(guild.me)
    except discord.ClientException:
        return False  # a thread whose channel is not to be seen
    in_thread = isinstance(channel, discord.Thread)
    return rights.view_channel and (rights.send_messages_in_threads if in_thread else rights.send_messages)

"""Posts in forums: threads that are opened together with their first message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import discord

from bot.delivery.channels import (
    TAG_NEEDED,
    THREAD_DAYS,
    Channels,
    OpenedThread,
    refused_thread,
)
from bot.delivery.drawn_pictures import draw_pictures
from bot.worker_process import WorkerProcess

#: Seconds by which Discord's clock and the bot's may differ.
_CLOCKS_DIFFER: Final = 60
#: Parts of a message that the first message of a post can have.
_PARTS: Final = ("content", "embed", "embeds", "file", "files", "view", "allowed_mentions")


class ForumPosts:
    """Opens posts in forums, and finds those that an earlier process opened.

    All methods may raise one of `bot.delivery.response.DISCORD_ERRORS`.
    """

    def __init__(self, client: discord.Client, channels: Channels, aside: WorkerProcess) -> None:
        self._client = client
        self._channels = channels
        self._aside = aside

    async def open(
        self, forum: str, name: str, message: dict[str, Any]
    ) -> tuple[OpenedThread, str]:
        """Open a post with its first message.

        Returns the post and the address of the message; empty if Discord refuses the post. Where
        each post needs a tag, it gets the first one.
        """
        channel = self._forum(forum)
        if channel is None:
            return OpenedThread(None, "rights"), ""
        (message,) = await draw_pictures((message,), self._aside)
        parts = {key: part for key, part in message.items() if key in _PARTS}
        tags: tuple[discord.ForumTag, ...] = ()
        while True:
            if tags:
                parts["applied_tags"] = tags
            await self._channels.wait_for_turn()
            try:
                made = await channel.create_thread(
                    name=name, auto_archive_duration=THREAD_DAYS, **parts
                )
            except discord.HTTPException as error:
                if error.status >= 500:
                    raise
                if error.code == TAG_NEEDED and not tags:
                    tags = _first_tag(channel)
                    if tags:
                        continue
                return refused_thread(error), ""
            thread = str(made.thread.id)
            return OpenedThread(thread), f"{thread}/{made.message.id}"

    async def find(self, forum: str, since: int, fits: Callable[[str], bool]) -> list[str]:
        """Return the bot's open posts of a forum since a time whose ids fit."""
        channel = self._forum(forum)
        me = self._client.user
        if channel is None or me is None:
            return []
        found: list[str] = []
        for thread in await channel.guild.active_threads():
            if thread.parent_id != channel.id or thread.owner_id != me.id:
                continue
            opened = discord.utils.snowflake_time(thread.id).timestamp()
            if opened >= since - _CLOCKS_DIFFER and fits(str(thread.id)):
                found.append(str(thread.id))
        return found

    def _forum(self, forum: str) -> discord.ForumChannel | None:
        """Return a forum; None if it is gone."""
        channel = self._client.get_channel(int(forum))
        return channel if isinstance(channel, discord.ForumChannel) else None


def _first_tag(channel: discord.ForumChannel) -> tuple[discord.ForumTag, ...]:
    """Return the first tag of a forum that the bot may give, or none."""
    may_moderate = channel.permissions_for(channel.guild.me).manage_threads
    for tag in channel.available_tags:
        if may_moderate or not tag.moderated:
            return (tag,)
    return ()

"""Places that everybody who can read one place can read, by Discord's permissions."""

from __future__ import annotations

from collections.abc import Iterable

import discord

from rules.table.forms.typed_texts import is_id
from rules.table.readable_places import ReadablePlaces


def places_shared_with(
    guild: discord.Guild | None, place: str, others: Iterable[str]
) -> ReadablePlaces:
    """Return a place, and those of the others that all its readers can view now.

    A place that Discord doesn't show the bot counts as closed, and so does a private thread.
    """
    home = _channel_of(guild, place, private=True)
    shared = {place}
    for other in others:
        channel = _channel_of(guild, other, private=False)
        if home is not None and channel is not None and _are_readers_within(home, channel):
            shared.add(other)
    return ReadablePlaces(frozenset(shared))


def _channel_of(
    guild: discord.Guild | None, place: str, *, private: bool
) -> discord.abc.GuildChannel | None:
    """Return the channel whose readers can view a place; None for an unknown place.

    With *private*, a private thread counts as its channel, which all its readers can view.
    """
    if guild is None or not is_id(place):
        return None
    channel = guild.get_channel_or_thread(int(place))
    if not isinstance(channel, discord.Thread):
        return channel
    if channel.is_private() and not private:
        return None
    return guild.get_channel(channel.parent_id)


def _are_readers_within(home: discord.abc.GuildChannel, other: discord.abc.GuildChannel) -> bool:
    """Return whether everybody who can view the first channel can surely view the other."""
    if home.id == other.id or _view_overwrites(home) == _view_overwrites(other):
        return True
    everyone = other.permissions_for(other.guild.default_role).view_channel
    return everyone and False not in _view_overwrites(other).values()


def _view_overwrites(channel: discord.abc.GuildChannel) -> dict[int, bool]:
    """Return the roles and members that a channel shows itself to, or hides itself from."""
    views: dict[int, bool] = {}
    for target, overwrite in channel.overwrites.items():
        if overwrite.view_channel is not None:
            views[target.id] = overwrite.view_channel
    return views

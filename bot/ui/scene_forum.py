"""The forum in which a scene gets a post of its own."""

from __future__ import annotations

import discord

from bot.delivery.channel_rights import place_name
from bot.delivery.shared_places import places_shared_with
from bot.ui.context import Context
from rules.core.errors import Impossible, InvalidInput
from rules.table.forms.typed_texts import is_id


def scene_forum(ctx: Context, named: str | None) -> str:
    """Return the forum for a scene's post: the one named, this post's, or the table's only one.

    A scene that loses its post goes on in this place, so its readers must be able to read the
    forum.

    Raises:
        NotPermitted("gm-only"): the user is no GM.
        InvalidInput("forum-not-bound"): the named forum isn't one of this table.
        Impossible("post-needs-forum", "post-of-several"): the table has no forum, or several.
        Impossible("forum-not-for-all"): others read along here.
    """
    ctx.require_gm()
    guild = ctx.interaction.guild
    forums = _forums_of(ctx, guild)
    if named is not None and named not in forums:
        raise InvalidInput("forum-not-bound", field="forum", value=None)
    forum = named or _own_forum(ctx, forums)
    if forum is None:
        if not forums:
            raise Impossible("post-needs-forum")
        if len(forums) > 1:
            names = tuple([place_name(guild, known) for known in forums])
            raise Impossible("post-of-several", allowed=names)
        forum = forums[0]
    if forum not in places_shared_with(guild, ctx.place, (forum,)):
        raise Impossible("forum-not-for-all", forum=forum)
    return forum


def _forums_of(ctx: Context, guild: discord.Guild | None) -> list[str]:
    """Return the forums among the places of a table."""
    forums: list[str] = []
    for place in ctx.interactions.tables.places.places_of(ctx.table.id):
        channel = None if guild is None or not is_id(place) else guild.get_channel(int(place))
        if isinstance(channel, discord.ForumChannel):
            forums.append(place)
    return forums


def _own_forum(ctx: Context, forums: list[str]) -> str | None:
    """Return the forum of the post in which a command was typed; None for any other place."""
    channel = ctx.interaction.channel
    parent = str(channel.parent_id) if isinstance(channel, discord.Thread) else None
    return parent if parent in forums else None

"""What waits for somebody at all their tables, wherever they ask."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import discord

from bot.delivery.response import TROUBLE
from bot.delivery.table_scene import scene_of
from bot.presenters.checks import moves_lines
from bot.presenters.pending_matters import Waiting, todo_lines
from bot.services.history import card_links
from bot.services.loaded_table import Table
from bot.services.places import PERSONAL
from bot.services.tables import Tables
from bot.ui.interactions import Interactions
from rules.registry import look
from rules.table.actions import Actor
from rules.table.checks.audience_views import view_of
from rules.table.checks.available_moves import available_moves
from rules.table.permissions import is_gm
from rules.table.typed_texts import is_id

#: At so many tables is looked for somebody, the newest first.
MOST: Final = 20


async def waiting_at(tables: Tables, table: Table, actor: Actor, at: int, place: str) -> list[Waiting]:
    """Everything that somebody may do at one table now, as they may know of it."""
    scene = scene_of(table)
    game = look(scene.state, actor, at)
    gm = is_gm(scene.state, actor)
    found = available_moves(game)
    views = {each.check: view_of(game, game.state.checks[each.check]) for each in found}
    links = await card_links(tables, table, views)
    lines = moves_lines(scene, found, views, gm=gm, links=links)
    return todo_lines(scene, lines, who=actor, place=place, gm=gm)


async def waiting_elsewhere(
    interactions: Interactions, interaction: discord.Interaction, here: Table | None
) -> list[tuple[str, str, Sequence[Waiting]]]:
    """The other tables at which something waits, where whoever asks can read: name, web address, what it is."""
    tables = interactions.tables
    known, _ = await tables.memberships(None, str(interaction.user.id))
    members: dict[str, Any] = {}
    found: list[tuple[str, str, Sequence[Waiting]]] = []
    for table, who in known[-MOST:]:
        places = tables.places.of(table.id)
        if table is here or table.guild.startswith(PERSONAL):
            continue
        if table.guild not in members:
            members[table.guild] = await _member(interaction, int(table.guild))
        member = members[table.guild]
        if member is None or not look(table.state).system.playable:
            continue
        place = await _seen(member, places)
        if place is None:
            continue
        roles = tuple([str(role) for role in member._roles if str(role) in table.state.settings.gm_roles])
        lines = await waiting_at(tables, table, Actor(who, roles), interactions.clock(), "")
        if lines:
            url = f"https://discord.com/channels/{table.guild}/{place}"
            found.append((table.state.settings.name, url, lines))
    return found


async def _seen(member: discord.Member, places: Sequence[str]) -> str | None:
    """The first of these channels that somebody may read: who was shut out hears nothing of what is done there."""
    for place in places:
        channel = member.guild.get_channel_or_thread(int(place)) if is_id(place) else None
        if channel is not None and channel.permissions_for(member).view_channel:
            with suppress(*TROUBLE):
                if isinstance(channel, discord.Thread) and channel.is_private():
                    await channel.fetch_member(member.id)
                return place
    return None


async def _member(interaction: discord.Interaction, server: int) -> discord.Member | None:
    """Whoever asks, as a member of that server; None where they are none any more, or the bot is not there."""
    if interaction.guild_id == server and isinstance(interaction.user, discord.Member):
        return interaction.user
    guild = interaction.client.get_guild(server)
    try:
        return None if guild is None else await guild.fetch_member(interaction.user.id)
    except TROUBLE:
        return None

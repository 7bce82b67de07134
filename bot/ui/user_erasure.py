"""Forgets a user at every table of a server."""

from __future__ import annotations

import discord

from bot.services.perform import perform
from bot.ui.interactions import Interactions
from rules.table.actions import Actor, ForgetPerson


async def forget_user(
    interactions: Interactions, interaction: discord.Interaction
) -> tuple[int, int]:
    """Have whoever sent the interaction forgotten; at how many tables, and how many cannot
    be read.
    """
    tables, guild, user = (
        interactions.tables,
        interactions.home_of(interaction),
        str(interaction.user.id),
    )
    found, unread = await tables.memberships(guild, user)
    for table, who in found:
        # Of dice and cards without a table the place is `free:<channel>`.
        place = next(iter(tables.places.places_of(table.id)), "").rpartition(":")[2]
        action = ForgetPerson(who=Actor(who), place=place, at=interactions.clock())
        done = await perform(
            tables, table.id, action, f"{interactions.request_id(interaction)}.{table.id}"
        )
        if not done.repeated:
            interactions.outbox.dispatch(done)
    tables.forget_unsaved(guild, user)
    await tables.store.purge()
    tables.on_untidy()
    return len(found), unread

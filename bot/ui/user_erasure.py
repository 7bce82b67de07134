"""Erasure of a user at every table of a server."""

from __future__ import annotations

import discord

from bot.services.catch_up import forget_catch_up
from bot.services.perform import perform
from bot.ui.interactions import Interactions
from rules.table.actions import Actor, ForgetPerson


async def forget_user(
    interactions: Interactions, interaction: discord.Interaction
) -> tuple[int, int]:
    """Erase the interaction's user on this server, and the user's wishes about notices.

    Return the number of tables, and of unreadable ones.
    """
    tables = interactions.tables
    guild = interactions.home_of(interaction)
    user = str(interaction.user.id)
    memberships, unread = await tables.memberships(guild, user)
    for table, who in memberships:
        # The place of dice and cards without a table is `free:<channel>`.
        place = next(iter(tables.places.places_of(table.id)), "").rpartition(":")[2]
        action = ForgetPerson(who=Actor(who), place=place, at=interactions.clock())
        done = await perform(
            tables, table.id, action, f"{interactions.request_id(interaction)}.{table.id}"
        )
        if not done.repeated:
            interactions.outbox.dispatch(done)
        await forget_catch_up(tables, table.id, who)
    tables.forget_unsaved(guild, user)
    await tables.store.forget_user_notices(user)
    await tables.store.purge()
    tables.on_untidy()
    return len(memberships), unread

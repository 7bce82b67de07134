"""What stands in a table's way on Discord: rights that are missing, and what could not be delivered."""

from __future__ import annotations

import discord

from bot.presenters.permissions import Permissions, PlaceCheck, Undelivered
from bot.ui.context import Context
from bot.ui.privacy import gm_only
from bot.ui.rights import RIGHTS, missing


async def check_permissions(ctx: Context) -> Permissions:
    """Look at every place of the table and its GM channel; what was not delivered is for GMs alone."""
    guild, table = ctx.interaction.guild, ctx.table
    gm_place = table.state.settings.gm_place
    leak = None
    if gm_place is not None:
        leak = gm_only(guild.get_channel(int(gm_place)) if guild is not None else None, table)
    undelivered = None
    if ctx.gm:
        outbox = ctx.interactions.outbox
        await outbox.noting.write()
        rows = await ctx.interactions.tables.store.open_outs(table.id)
        undelivered = tuple(
            Undelivered(out.place, out.error or "", out in outbox.refused, outbox.refused.tried_again(out))
            for out in rows
        )
    return Permissions(
        tuple([await _check(guild, place) for place in ctx.interactions.tables.places.of(table.id)]),
        None if gm_place is None else await _check(guild, gm_place),
        leak,
        undelivered,
    )


async def _check(guild: discord.Guild | None, place: str) -> PlaceCheck:
    channel = None if guild is None else guild.get_channel_or_thread(int(place))
    if guild is not None and channel is None:
        try:
            channel = await guild.fetch_channel(int(place))  # an archived thread is in no cache
        except (discord.NotFound, discord.Forbidden, discord.InvalidData):
            return PlaceCheck(place, there=False)
    if guild is None or channel is None:
        return PlaceCheck(place, there=False)
    try:
        rights = channel.permissions_for(guild.me)
    except discord.ClientException:
        return PlaceCheck(place, there=False)  # a thread whose channel is not to be seen
    lacking, no_pins = missing(channel, rights)
    return PlaceCheck(place, True, tuple(RIGHTS[right] for right in lacking), not no_pins)

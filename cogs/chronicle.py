"""`/chronicle`: the story of a table as a book."""

from __future__ import annotations

from typing import Final, Literal

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.delivery.chronicle_files import ChronicleOrder, write_chronicle
from bot.presenters.chronicle.files import BookFormat, book_name, first_file
from bot.presenters.layout import Layout
from bot.presenters.transfer import chronicle_card, chronicle_part_card
from bot.services.catch_up import typed_span
from bot.services.exports import is_export_too_long
from bot.services.story import Hearer, hearer_for, public_hearer
from bot.ui.context import Context
from bot.ui.exports import players_places
from cogs import command_options
from rules.core.errors import Impossible
from rules.table.readable_places import ReadablePlaces
from rules.table.times.duration import parse_past_end

#: Formats by what Discord shows.
_FORMATS: Final[dict[str, BookFormat]] = {"HTML": "html", "EPUB": "epub", "Markdown": "markdown"}


class Chronicle(commands.Cog):
    """chronicle."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(description="The story of this table as a book, only for you to see")
    @app_commands.describe(
        format="HTML opens in any browser; EPUB is for e-readers (default: HTML)",
        mine="Your own edition: what you were told in private stands in it, too",
        since="Where the story begins: 3 days, Monday, a date, or session 2",
        until="Where it ends: 3 days, Monday or a date; a date means the whole day",
    )
    @app_commands.guild_only()
    async def chronicle(
        self,
        interaction: discord.Interaction,
        format: Literal["HTML", "EPUB", "Markdown"] = "HTML",
        mine: bool = False,
        since: command_options.Name | None = None,
        until: command_options.Name | None = None,
    ) -> None:
        interactions = self.bot.interactions
        async with interactions.respond_to(interaction) as response:
            await response.announce()
            ctx = await interactions.context(response)
            at = interactions.clock()
            table = await interactions.tables.get_committed(ctx.table.id)
            begin, end, after = None, None, 0
            offset_at = command_options.offsets_of_table(table.state)
            if since is not None:
                span = await typed_span(interactions.tables, table, since, at, offset_at)
                begin, after = span.since, span.after
            if until is not None:
                end = parse_past_end(until, "until", at, offset_at)
            if begin is not None and end is not None and begin >= end:
                raise Impossible("span-backwards")
            if await is_export_too_long(interactions.tables, [table]):
                raise Impossible("chronicle-too-long")
            hearer, whole = await self._hearer(ctx, interaction, mine=mine)
            order = ChronicleOrder(
                table_id=table.id,
                hearer=hearer,
                kind=_FORMATS[format],
                name=book_name(table.state.settings.name, "-chronicle"),
                at=at,
                after=after,
                since=begin,
                until=end,
                places=await self._place_names(ctx, interaction, hearer),
            )
            response.plain = ctx.plain
            title = table.state.settings.name

            def show(content: bytes, more: int) -> Layout:
                file = first_file(order.name, order.kind, more + 1)
                return chronicle_card(title, format, file, content, more, own=mine, whole=whole)

            await self.bot.exports.send(response, order, show, write_chronicle, chronicle_part_card)

    async def _hearer(
        self, ctx: Context, interaction: discord.Interaction, *, mine: bool
    ) -> tuple[Hearer, bool]:
        """Return for whom the book is written, and whether it leaves no place out."""
        interactions = self.bot.interactions
        if mine:
            return await hearer_for(interactions.tables, ctx.reader), True
        shared, whole = await players_places(interactions, interaction, ctx.table)
        await ctx.reader.learn(shared.places)
        seen = {place for place in shared.places if ctx.reader.can_view(place)}
        return public_hearer(ReadablePlaces(frozenset({ctx.place, *seen}))), whole

    async def _place_names(
        self, ctx: Context, interaction: discord.Interaction, hearer: Hearer
    ) -> dict[str, str]:
        """Return the names of the places that the hearer can view."""
        guild = interaction.guild
        told = await self.bot.interactions.tables.store.message_places(ctx.table.id)
        names: dict[str, str] = {}
        for place in {*told, ctx.place}:
            is_seen = hearer.readable.everywhere or place in hearer.readable.places
            if guild is None or not is_seen or not place.isdigit():
                continue
            channel = guild.get_channel_or_thread(int(place))
            if channel is not None:
                names[place] = channel.name
        return names


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Chronicle(bot))

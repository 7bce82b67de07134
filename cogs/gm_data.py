"""`/gm` commands for files: exports and imports of whole tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import discord
from discord import app_commands
from discord.ext import commands

from bot.presenters.transfer import (
    campaign_file_card,
    campaign_sample_card,
    export_name,
    export_table_card,
    no_campaign_card,
)
from bot.services.exports import Export, is_export_too_long
from bot.ui.context import Context
from bot.ui.exports import players_places
from cogs import command_options
from rules.core.errors import Impossible
from rules.registry import read_only_game
from rules.table.actions import ChangeCampaign
from rules.table.readable_places import NOWHERE

if TYPE_CHECKING:
    from bot.app import Storyguide


class DataCommands(commands.Cog):
    """campaign, export, import."""

    bot: Storyguide

    @command_options.command(
        description="The campaign's own rules as a file; attach a file to change them", gms=True
    )
    @app_commands.describe(file="The campaign as a JSON file; everybody hears of the change")
    async def campaign(self, ctx: Context, file: discord.Attachment | None = None) -> None:
        if file is not None:
            await ctx.perform(
                ChangeCampaign(**ctx.origin, data=await ctx.read_upload(file, "campaign"))
            )
            return
        game = read_only_game(ctx.table.state)
        agreed = game.system.campaign
        data = agreed.write(game.campaign)
        name = ctx.table.state.settings.name
        if data:
            await ctx.show(campaign_file_card(name, agreed.describe(game.campaign), data))
        elif sample := agreed.sample():
            await ctx.show(campaign_sample_card(name, game.system.name, sample))
        else:
            await ctx.show(no_campaign_card(ctx.table.id, game.system.name))

    @app_commands.command(description="This table as a file, for you or for the players")
    @app_commands.describe(
        what="Everything a GM can see, or only what every player can know",
        journal="Include the journal: everything that was done",
    )
    async def export(
        self,
        interaction: discord.Interaction,
        what: Literal["full", "players"],
        journal: bool = False,
    ) -> None:
        interactions = self.bot.interactions
        async with interactions.respond_to(interaction) as response:
            await response.announce()
            ctx = await interactions.context(response)
            ctx.require_gm()
            table = await interactions.tables.get_committed(ctx.table.id)
            if journal and await is_export_too_long(interactions.tables, [table]):
                raise Impossible("export-too-long")
            name = export_name(table.state, what)
            who = (table.id, ctx.actor.id)
            readable, whole = NOWHERE, True
            if what == "players" and journal:
                readable, whole = await players_places(interactions, interaction, table)
            export = Export(what, name, (who,), ctx.actor.roles, journal, readable)
            response.plain = ctx.plain
            await self.bot.exports.send(
                response,
                export,
                lambda *files: export_table_card(table.state, what, *files, whole=whole),
            )

    @app_commands.command(
        name="import",
        description="Fill this empty table from a /gm export file, or open a new one here",
    )
    @app_commands.describe(file="The table as a JSON file")
    async def import_(self, interaction: discord.Interaction, file: discord.Attachment) -> None:
        interactions, imports = self.bot.interactions, self.bot.imports
        async with interactions.respond_to(interaction) as response:
            table_id = await interactions.tables.places.find(*interactions.places_of(interaction))
            ctx = None if table_id is None else await interactions.context(response, table_id)
            await imports.open(response, ctx, file)

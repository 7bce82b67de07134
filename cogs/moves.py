"""`/moves`: everything that a user can do now."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.controls import create_button
from bot.presenters.pending_matters import todo_card
from bot.ui.moves import show_moves
from bot.ui.other_tables import todos_at_other_tables
from cogs import command_options


class Moves(commands.Cog):
    """A user's moves in open checks, turns and new characters, also at the user's other tables."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(
        name="moves", description="What you can do now, here and at your other tables"
    )
    @command_options.allow_anywhere
    async def moves(self, interaction: discord.Interaction) -> None:
        interactions = self.bot.interactions
        async with interactions.respond_to(interaction) as response:
            if await interactions.table_here(interaction) is None:
                elsewhere = await todos_at_other_tables(interactions, interaction, None)
                near = await interactions.table_here(interaction, guests=True)
                onward = None if near is None else create_button(near[0].id)
                await response.show(todo_card(None, elsewhere, gm=False, onward=onward))
                return
            ctx = await interactions.context(response)
            await show_moves(interactions, ctx)


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Moves(bot))

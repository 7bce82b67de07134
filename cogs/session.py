"""`/session`: where the game begins and ends for the day."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.gm_tools import clock_card
from rules.table.actions import Session as SessionAction


class Session(commands.GroupCog, group_name="session", group_description="This table's sessions"):
    """start, end, show."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()

    @app_commands.command(description="GMs: start a session")
    async def start(self, interaction: discord.Interaction) -> None:
        await self.bot.act(interaction, lambda ctx: SessionAction(**ctx.by, start=True), public=True)

    @app_commands.command(description="GMs: end the session and restore what that restores")
    async def end(self, interaction: discord.Interaction) -> None:
        await self.bot.act(interaction, lambda ctx: SessionAction(**ctx.by, start=False))

    @app_commands.command(description="The session number, and the time in the story")
    async def show(self, interaction: discord.Interaction) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            await ctx.show(clock_card(ctx.scene, gm=ctx.gm))


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Session(bot))

"""`/notify`: a user's wishes about calls, reminders and direct messages."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from cogs import command_options


class Notify(commands.Cog):
    """A user's wishes, at all tables. The command uses no context: making one would register the
    user.
    """

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(
        name="notify", description="When and how Storyguide may ping you, at all your tables"
    )
    @command_options.allow_anywhere
    async def notify(self, interaction: discord.Interaction) -> None:
        async with self.bot.interactions.respond_to(interaction) as response:
            await self.bot.notify.show(response)


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Notify(bot))

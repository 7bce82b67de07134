"""`/help`."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.help import TOPICS, help_card
from rules.registry import PLAYABLE


class Help(commands.Cog):
    """Help by topic."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(name="help", description="How to play, how to run a game, and every command")
    @app_commands.describe(topic="What you want to know about", game="Whose rules (default: the table's)")
    @app_commands.choices(
        topic=[app_commands.Choice(name=title, value=key) for key, title in TOPICS.items()],
        game=[app_commands.Choice(name=system.name, value=key) for key, system in PLAYABLE.items()],
    )
    @app_commands.guild_only()
    async def help(
        self, interaction: discord.Interaction, topic: str = "start", game: str | None = None
    ) -> None:
        interactions = self.bot.interactions
        async with interactions.answering(interaction) as response:
            looked = await interactions.look(interaction)
            system = game or (looked[0].state.settings.system if looked else None)
            await response.say(interactions.rendered(help_card(topic, system), looked))


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Help(bot))

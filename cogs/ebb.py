"""`/ebb`: what only EBB has. Registered on servers where a table uses it."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.app import Storyguide
from cogs import options
from rules.table.actions import Produce

Seen = options.Visibility
_SEEN = "Who sees it: everyone, you and the GMs, or only the GMs"


class Ebb(app_commands.Group):
    """Anomalies and artefacts (EBB-ANOMALY, EBB-ARTEFACT)."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__(name="ebb", description="What only EBB has", guild_only=True)

    @app_commands.command(description="Draw an anomaly: what it is and what it does")
    @app_commands.describe(visibility=_SEEN)
    async def anomaly(self, interaction: discord.Interaction, visibility: Seen = "public") -> None:
        await self._produce(interaction, "anomaly", visibility)

    @app_commands.command(description="Draw an artefact: what it is and what it does")
    @app_commands.describe(visibility=_SEEN)
    async def artefact(self, interaction: discord.Interaction, visibility: Seen = "public") -> None:
        await self._produce(interaction, "artefact", visibility)

    async def _produce(self, interaction: discord.Interaction, what: str, visibility: Seen) -> None:
        async with self.bot.interactions.answering(interaction, public=visibility == "public") as response:
            ctx = await self.bot.interactions.context(response)
            await ctx.perform(Produce(**ctx.by, what=what, visibility=visibility))


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.hold_system("ebb", Ebb(bot))

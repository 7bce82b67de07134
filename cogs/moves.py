"""`/moves`: everything I can do now."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.checks import moves_lines
from bot.presenters.todo import todo_card
from bot.ui.panels.prompt import audience_of, game_of
from rules.table.checks.moves import moves
from rules.table.checks.telling import check_view


class Moves(commands.Cog):
    """One's legal moves on every open check, one's turn, and new characters."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(name="moves", description="What you can do now, with a button for each")
    @app_commands.guild_only()
    async def moves(self, interaction: discord.Interaction) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            game = game_of(ctx)
            found = moves(game)
            checks = {each.check: game.state.checks[each.check] for each in found}
            views = {key: check_view(game, check, audience_of(ctx)) for key, check in checks.items()}
            lines = moves_lines(ctx.scene, found, views, gm=ctx.gm)
            await ctx.show(todo_card(ctx.scene, lines, who=ctx.actor, place=ctx.place, gm=ctx.gm))
            await self.bot.interactions.outbox.show_missed(ctx.response, ctx.table, ctx.actor.id)


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Moves(bot))

"""`/session`: start and end of a game session."""

from __future__ import annotations

from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.gm_tools import clock_card
from bot.ui.context import Context
from cogs import command_options
from rules.table.actions import Session as SessionAction


class Session(commands.GroupCog, group_name="session", group_description="This table's sessions"):
    """start, end, show."""

    @command_options.command(description="GMs: start a session", public=True)
    async def start(self, ctx: Context) -> None:
        await ctx.perform(SessionAction(**ctx.origin, start=True))

    @command_options.command(description="GMs: end the session and restore points")
    async def end(self, ctx: Context) -> None:
        await ctx.perform(SessionAction(**ctx.origin, start=False))

    @command_options.command(description="The session number, and the time in the story")
    async def show(self, ctx: Context) -> None:
        await ctx.show(clock_card(ctx.scene, gm=ctx.gm))


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Session())

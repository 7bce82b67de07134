"""`/recap` and `/log`: the story since a time, and a search in it."""

from __future__ import annotations

from typing import Final

from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.services.catch_up import typed_span
from bot.ui.context import Context
from bot.ui.recap import (
    public_story,
    show_catch_up,
    show_found_lines,
    show_found_page,
    show_page,
    show_span,
)
from bot.ui.router import Press
from cogs import command_options

#: A time, a day, a date or a session.
Since = app_commands.Range[str, 1, 40]
#: Words to look for.
SearchText = app_commands.Range[str, 1, 100]

#: End of the id of a page that belongs to a catch-up.
_SINCE_HERE: Final = "here"


class Recap(commands.Cog):
    """The story as the user was told it."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        bot.router.add_table_route("recap", self.page, update=True)
        bot.router.add_table_route("found", self.found, update=True)
        bot.router.add_table_route("since", self.catch_up)
        bot.router.add("tell", self.post)

    @command_options.command(
        description="What happened since you were last here, or since another time"
    )
    @app_commands.describe(
        since="3 days, Monday, a date, or session (default: since you were last here)"
    )
    async def recap(self, ctx: Context, since: Since | None = None) -> None:
        if since is None:
            await show_catch_up(ctx)
            return
        at = ctx.interactions.clock()
        offset_at = command_options.offsets_of_table(ctx.table.state)
        tables = ctx.interactions.tables
        await show_span(ctx, await typed_span(tables, ctx.table, since, at, offset_at))

    @command_options.command(description="Look for words in everything that you were told here")
    @app_commands.describe(text="A name, or words; lines that hold all of them are found")
    async def log(self, ctx: Context, text: SearchText) -> None:
        await show_found_lines(ctx, text)

    async def catch_up(self, ctx: Context, press: Press) -> None:
        """Show the story since the presser was last here: `sg:since:<table>`."""
        await show_catch_up(ctx)

    async def page(self, ctx: Context, press: Press) -> None:
        """Show a page of the story: `sg:recap:<table>:<after>:<last>:<page>:<here|span>`."""
        after, last, number = press.number(1), press.number(2), press.number(3)
        await show_page(ctx, after, last, number, since_here=press.text(4) == _SINCE_HERE)

    async def found(self, ctx: Context, press: Press) -> None:
        """Show a page of what a search has found: `sg:found:<table>:<search>:<page>`."""
        await show_found_page(ctx, press.text(1), press.number(2))

    async def post(self, press: Press) -> None:
        """Post the story for everyone, for a GM: `sg:tell:<table>:<after>:<last>`."""
        interactions = self.bot.interactions
        async with interactions.respond_to(press.interaction, public=True) as response:
            response.guarded = True
            ctx = await interactions.context(response, press.number(0), guests=True)
            ctx.require_gm()
            await ctx.show(await public_story(ctx, press.number(1), press.number(2)))


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Recap(bot))

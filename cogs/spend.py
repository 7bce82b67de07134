"""`/spend`: spend what the system offers on an open check."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.checks import spendings_card
from bot.ui.context import Context
from bot.ui.panels.prompt import answer_prompt
from cogs import command_options, completions
from rules.table.checks import costs


class Spend(commands.Cog):
    """Spending, by name or from a list with buttons."""

    @command_options.command(
        description="Spend points on a check. Without options: what you can spend"
    )
    @app_commands.describe(
        what="What to spend",
        choice="Which one, if there's a choice",
        check="One of your open checks (default: the newest)",
        as_="Only this character's checks",
    )
    @app_commands.rename(as_="as")
    @app_commands.guild_only()
    @completions.autocomplete(
        what=completions.spend_names,
        choice=completions.spend_choices,
        check=completions.spend_checks,
        as_=completions.characters,
    )
    async def spend(
        self,
        ctx: Context,
        what: command_options.Name | None = None,
        choice: command_options.Name | None = None,
        check: app_commands.Range[str, 1, 20] | None = None,
        as_: command_options.Name | None = None,
    ) -> None:
        game = ctx.game
        if what is None and choice is None:
            possible, reasons = (
                costs.spend_options(game, as_, check),
                costs.spend_refusals(game, as_, check),
            )
            await ctx.show(
                spendings_card(ctx.scene, possible, reasons, gm=ctx.gm, onward=ctx.onward_button)
            )
            return
        spending = costs.find_spend_option(game, what=what, choice=choice, check=check, as_=as_)
        await answer_prompt(ctx, spending.move, spending.option.value)


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Spend())

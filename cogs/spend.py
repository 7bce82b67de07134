"""`/spend`: spend what the system offers on an open check."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.checks import spendings_card
from bot.presenters.language.words import say_bare
from bot.ui.context import Context
from bot.ui.panels.prompt import answer_prompt
from cogs import command_options, completions
from cogs.completions import CompletionContext, Pairs, completer
from rules.table.checks import costs
from rules.table.checks.costs import SpendOption, spend_options


def _spendings(asked: CompletionContext, check: str | None) -> tuple[SpendOption, ...]:
    """Return the options to spend, as far as the other options narrow them down."""
    return spend_options(asked.game, asked.option("as"), check)


@completer
def spend_names(asked: CompletionContext) -> Pairs:
    """Return what the asker can spend now."""
    spendings = _spendings(asked, asked.option("check"))
    first = {spending.what: say_bare(spending.option.label) for spending in reversed(spendings)}
    return reversed(first.items())


@completer
def spend_choices(asked: CompletionContext) -> Pairs:
    """Return the choices of `what`."""
    wanted = asked.option("what")
    spendings = _spendings(asked, asked.option("check"))
    fitting = [spending for spending in spendings if wanted in (None, spending.what)]
    offered = dict.fromkeys(spending.choice for spending in fitting if spending.choice)
    return [(choice, choice) for choice in offered]


@completer
def spend_checks(asked: CompletionContext) -> Pairs:
    """Return the checks on which the asker can spend `what`, newest first."""
    wanted = asked.option("what")
    spendings = _spendings(asked, None)
    fitting = [spending for spending in spendings if wanted in (None, spending.what)]
    names = dict.fromkeys(spending.check for spending in fitting)
    return asked.checks(asked.state.checks[name] for name in names)


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
        what=spend_names,
        choice=spend_choices,
        check=spend_checks,
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

"""`/roll` and `/roll-save`: plain dice rolls, also without a table."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.services.history import dice_roll_at
from bot.ui.context import Context
from bot.ui.router import Press
from cogs import command_options, completions
from cogs.dice_completions import dice, named_values, saved_rolls
from rules.table.actions import RollDice, SaveRoll
from rules.table.lookup import may_name_openly


class Roll(commands.Cog):
    """Dice in notation, rolled again, and saved by name."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        bot.router.add_table_route("again", self.roll_again, guests=True)

    @app_commands.command(
        description="Roll dice: 4d6kh3, 2d10+5, 6d6>4, 6x 3d6 … even without a table"
    )
    @app_commands.describe(
        dice="The dice, or a saved roll; {Name} takes a number from your character",
        reason="What it's for",
        visibility="Who sees it: everyone, you and the GM, or only the GM",
        as_="The character who rolls",
    )
    @app_commands.rename(as_="as")
    @command_options.allow_anywhere
    @completions.autocomplete(dice=dice, as_=completions.characters)
    async def roll(
        self,
        interaction: discord.Interaction,
        dice: command_options.Words,
        reason: command_options.Words | None = None,
        visibility: command_options.Visibility = "public",
        as_: command_options.Name | None = None,
    ) -> None:
        public = visibility == "public"
        # Every player can read the options of a public answer, and a named character may be secret.
        async with self.bot.interactions.respond_to(
            interaction, public=public and as_ is None
        ) as response:
            ctx = await self.bot.interactions.free_context(response, guests=True)
            state = ctx.table.state
            if (
                public
                and as_ is not None
                and state.characters
                and may_name_openly(state, ctx.actor, as_)
            ):
                response.go_public()
            await ctx.perform(
                RollDice(
                    **ctx.origin, dice=dice, reason=reason or "", visibility=visibility, as_=as_
                )
            )

    async def roll_again(self, ctx: Context, press: Press) -> None:
        """Roll the same dice for the user who presses: `sg:again:<table>:<entry>`."""
        first, event = await dice_roll_at(self.bot.interactions.tables, ctx.reader, press.number(1))
        if event.visibility == "public":
            ctx.response.go_public()
        as_ = first.as_ if event.by == ctx.actor.id else None
        await ctx.perform(
            RollDice(
                **ctx.origin,
                dice=event.text,
                reason=event.reason,
                visibility=event.visibility,
                as_=as_,
            )
        )

    @command_options.command(
        name="roll-save", description="Save a roll under a name; without dice: delete it", free=True
    )
    @app_commands.describe(
        name="What to call it, such as attack",
        dice="The dice, such as d20+5; leave out to delete the roll",
    )
    @command_options.allow_anywhere
    @completions.autocomplete(name=saved_rolls, dice=named_values)
    async def roll_save(
        self,
        ctx: Context,
        name: app_commands.Range[str, 1, 40],
        dice: command_options.Words | None = None,
    ) -> None:
        await ctx.perform(SaveRoll(**ctx.origin, name=name, dice=dice or ""))


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Roll(bot))

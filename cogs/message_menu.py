"""Commands of a message's menu: verify its dice, begin a check with its text, or correct it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.control_ids import rows_numbered
from bot.presenters.fair_dice import verified_card
from bot.presenters.language.limits import clip
from bot.presenters.language.words import label_text
from bot.presenters.render import message_row_number
from bot.services.dice_verification import verify_rolls
from bot.services.history import row_of_message
from bot.services.replay import recompute_events
from bot.worker_process import WorkerFailed
from cogs import command_options
from rules.core.errors import InvalidInput, NotFound
from rules.table.checks.procedure import kind_with_role
from rules.table.checks.stages import APPROACH_MAX

#: Reason shown if the recomputation takes too long.
_TOO_LONG: Final = label_text("verify-too-long")


class MessageMenu(commands.Cog):
    """Verify this roll, Check for this post, Amend."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        verify = app_commands.ContextMenu(name="Verify this roll", callback=self.verify)
        bot.tree.add_command(command_options.allow_anywhere(verify))
        check = app_commands.ContextMenu(name="Check for this post", callback=self.check)
        bot.tree.add_command(app_commands.guild_only(check))
        amend = app_commands.ContextMenu(name="Amend", callback=self.amend)
        bot.tree.add_command(app_commands.guild_only(amend))

    async def verify(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Show whether the dice in a message are what their seed gives."""
        interactions = self.bot.interactions
        async with interactions.respond_to(interaction) as response:
            ours = self.bot.user is not None and message.author.id == self.bot.user.id
            number = message_row_number(message) if ours else None
            changed = int((message.edited_at or message.created_at).timestamp())
            row = None
            if number is not None:
                row = await row_of_message(
                    interactions.tables, rows_numbered(number), message.id, changed
                )
            if row is None:
                raise NotFound("no-dice-in-message", field="message", value=None, nearest=())
            await response.announce()
            ctx = await interactions.context(response, row.table_id)
            user, where = interaction.user.id, self.bot.database_location

            async def again(table: int, wanted: Sequence[int]) -> tuple[dict[int, str], str]:
                try:
                    return await self.bot.aside.run_for(
                        user, recompute_events, where, table, wanted
                    )
                except WorkerFailed:
                    return {}, _TOO_LONG

            verifications = await verify_rolls(interactions.tables, ctx.reader, row, again)
            await ctx.show(verified_card(verifications))

    async def check(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Open the panel of a check with the message's text as the approach."""
        async with self.bot.interactions.respond_to(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            idea = message.content.strip()
            if message.author.bot or not idea:
                raise InvalidInput("no-idea-in-message", field="message", value=None)
            kind = kind_with_role(ctx.game.system, "check")
            await self.bot.beginnings.open(ctx, kind, {"approach": clip(idea, APPROACH_MAX)})

    async def amend(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Correct the entry behind a message, or ask the GMs to."""
        async with self.bot.interactions.respond_to(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            ours = self.bot.user is not None and message.author.id == self.bot.user.id
            await self.bot.corrections.open_message(ctx, message, ours=ours)


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(MessageMenu(bot))

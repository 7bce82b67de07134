"""What the menu of a message offers: verify the dice in it, or make a check of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.fair_dice import verified_card
from bot.presenters.language.limits import clip
from bot.presenters.language.words import label_text
from bot.presenters.render import message_outbox_row
from bot.services.dice_verification import verify_rolls
from bot.services.replay import recompute_events
from bot.worker_process import WorkerFailed
from cogs import command_options
from rules.core.errors import InvalidInput, NotFound
from rules.table.checks.stages import APPROACH_MAX

#: Why nothing could be recomputed just now.
_TOO_LONG: Final = label_text("verify-too-long")


class MessageMenu(commands.Cog):
    """Verify this roll, Check for this post."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        verify = app_commands.ContextMenu(name="Verify this roll", callback=self.verify)
        bot.tree.add_command(command_options.allow_anywhere(verify))
        check = app_commands.ContextMenu(name="Check for this post", callback=self.check)
        bot.tree.add_command(app_commands.guild_only(check))

    async def verify(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Say whether the dice in a message are what their seed gives."""
        interactions = self.bot.interactions
        async with interactions.respond_to(interaction) as response:
            ours = self.bot.user is not None and message.author.id == self.bot.user.id
            row = message_outbox_row(message) if ours else None
            told = None if row is None else await interactions.tables.store.outbox_row(row)
            if told is None:
                raise NotFound("no-dice-in-message", field="message", value=None, nearest=())
            await response.announce()
            ctx = await interactions.context(response, told.table_id)
            user, path = interaction.user.id, str(self.bot.settings.storyguide_database.absolute())

            async def again(table: int, wanted: Sequence[int]) -> tuple[dict[int, str], str]:
                try:
                    return await self.bot.aside.run_for(user, recompute_events, path, table, wanted)
                except WorkerFailed:
                    return {}, _TOO_LONG

            found = await verify_rolls(interactions.tables, ctx.reader, told, again)
            await ctx.show(verified_card(found))

    async def check(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Open the panel of a check with what somebody has written as the idea."""
        async with self.bot.interactions.respond_to(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            idea = message.content.strip()
            if message.author.bot or not idea:
                raise InvalidInput("no-idea-in-message", field="message", value=None)
            await self.bot.beginnings.open(ctx, "check", {"approach": clip(idea, APPROACH_MAX)})


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(MessageMenu(bot))

"""`/setup`: a table for this channel."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.table import gm_channel_card
from bot.services.opening import create
from bot.services.outgoing import ReplyTo
from bot.ui.context import Context
from bot.ui.privacy import gm_only, leak, require_fit
from bot.ui.router import Press
from bot.ui.uploads import read_upload
from rules.core.errors import NotPermitted, Outdated
from rules.registry import PLAYABLE
from rules.table.actions import Actor, ChangeSettings, CreateTable
from rules.table.permissions import require_gm
from rules.table.texts import is_id

#: The participant that a founder becomes.
FOUNDER = "p1"


class Setup(commands.Cog):
    """Opening a table and choosing its GM channel."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        bot.router.at_table("gmch", self.channel_chosen, update=True)
        bot.router.at_table("nogm", self.no_channel, update=True)

    @app_commands.command(description="Open a table in this channel; you become its GM")
    @app_commands.describe(
        system="The rules you play by",
        name="What the table is called (default: the channel's name)",
        gm_channel="A channel that only GMs can read, for secrets",
        file="The campaign's own rules as a JSON file (/gm campaign makes one)",
    )
    @app_commands.choices(
        system=[app_commands.Choice(name=system.name, value=key) for key, system in PLAYABLE.items()]
    )
    @app_commands.default_permissions(manage_channels=True)
    @app_commands.guild_only()
    async def setup(
        self,
        interaction: discord.Interaction,
        system: str,
        name: app_commands.Range[str, 1, 80] | None = None,
        gm_channel: discord.TextChannel | None = None,
        file: discord.Attachment | None = None,
    ) -> None:
        interactions, user = self.bot.interactions, interaction.user
        async with interactions.answering(interaction, public=True) as response:
            if not interaction.permissions.manage_channels:
                raise NotPermitted("needs-manage-channels")
            if gm_channel is not None:
                require_fit(leak(self._whole(gm_channel), frozenset({user.id}), frozenset()))
            channel = interaction.channel
            title = name or str(getattr(channel, "name", "")) or "Table"
            action = CreateTable(
                who=Actor(FOUNDER),
                place=str(interaction.channel_id),
                at=interactions.clock(),
                name=title[:80],
                system=system,
                gm_place=None if gm_channel is None else str(gm_channel.id),
                campaign=None if file is None else await read_upload(file, "campaign"),
            )
            founder = (str(user.id), user.display_name)
            reply = ReplyTo(True, interaction.token)
            done = await create(
                interactions.tables,
                str(interaction.guild_id),
                action,
                interactions.request_id(interaction),
                founder,
                reply,
            )
            await interactions.outbox.answer(response, done)
            if not done.repeated:
                await self.bot.first.open(done.table, interaction)
            await self.bot.offer_system(int(done.table.guild), system)

    def _whole(self, channel: discord.TextChannel) -> object:
        """The channel with its overwrites, as the server's own list has it."""
        return channel.guild.get_channel(channel.id)

    async def channel_chosen(self, ctx: Context, press: Press) -> None:
        """The GM channel picked from the menu after `/setup`."""
        require_gm(ctx.table.state, ctx.actor)
        guild = press.interaction.guild
        chosen = press.values[0] if press.values else "0"
        if not is_id(chosen):
            raise Outdated("unknown-control")
        require_fit(gm_only(guild.get_channel(int(chosen)) if guild else None, ctx.table))
        await ctx.perform(ChangeSettings(**ctx.by, values={"gm_place": chosen}))

    async def no_channel(self, ctx: Context, press: Press) -> None:
        """No GM channel: secrets wait behind buttons."""
        require_gm(ctx.table.state, ctx.actor)
        if ctx.table.state.settings.gm_place is not None:
            await ctx.perform(ChangeSettings(**ctx.by, values={"gm_place": ""}))
            return
        await ctx.show(gm_channel_card(ctx.table.id, declined=True))
        await self.bot.first.declined(ctx.table)


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Setup(bot))

"""`/setup`: a table for this channel."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.delivery.channel_privacy import channel_leak, gm_channel_leak, require_fit
from bot.delivery.response import Response
from bot.presenters.hands import cards_out_count, cards_still_out
from bot.presenters.language.limits import CUSTOM_ID, is_within
from bot.presenters.language.words import say_bare
from bot.presenters.render import to_messages
from bot.presenters.table import gm_channel_card, system_choice_card
from bot.ui.context import Context
from bot.ui.interactions import create_table_action, require_founder
from bot.ui.router import Press
from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.registry import PLAYABLE
from rules.table.actions import ChangeSettings
from rules.table.forms.typed_texts import is_id
from rules.table.settings.pace import BY_POST, PACE_LABELS, PACES, pace_values
from rules.table.settings.table_settings import settings_form


class Setup(commands.Cog):
    """Opening a table and choosing its GM channel."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        bot.router.add_table_route("gmch", self.choose_channel, update=True, gms=True)
        bot.router.add_table_route("nogm", self.decline_channel, update=True, gms=True)
        bot.router.add("setup", self.choose_system)

    @app_commands.command(
        description="Open a table in this channel; you become its GM. Later: your first steps again"
    )
    @app_commands.rename(system="game")
    @app_commands.describe(
        system="The game you play (default: choose from a menu)",
        name="What the table is called (default: the channel's name)",
        pace="How you play; sets how long everything waits (default: by post)",
        gm_channel="A channel that only GMs can read, for secrets",
        file="The campaign's own rules as a JSON file (/gm campaign makes one)",
    )
    @app_commands.choices(
        system=[
            app_commands.Choice(name=system.name, value=key) for key, system in PLAYABLE.items()
        ],
        pace=[
            app_commands.Choice(name=say_bare(label), value=key)
            for key, label in PACE_LABELS.items()
        ],
    )
    @app_commands.default_permissions(manage_channels=True)
    @app_commands.guild_only()
    async def setup(
        self,
        interaction: discord.Interaction,
        system: str | None = None,
        name: app_commands.Range[str, 1, 80] | None = None,
        pace: str | None = None,
        gm_channel: discord.TextChannel | None = None,
        file: discord.Attachment | None = None,
    ) -> None:
        interactions = self.bot.interactions
        async with interactions.respond_to(interaction, public=True) as response:
            plain = name is None and gm_channel is None and file is None and pace is None
            if plain and await self._show_first_steps_again(response, system):
                return
            require_founder(interaction)
            if system is None:
                if name is not None or gm_channel is not None or file is not None:
                    raise InvalidInput("which-system", field="system", value=None)
                response.go_private()
                await response.show(system_choice_card(PLAYABLE, pace or BY_POST))
                return
            if gm_channel is not None:
                user = interaction.user.id
                without = f"sg:setup:{system}:{pace or BY_POST}" + (f":{name}" if name else "")
                # A button can't carry a file.
                opens = {"opens": without} if file is None and is_within(without, CUSTOM_ID) else {}
                whole = gm_channel.guild.get_channel(gm_channel.id)  # with its overwrites
                require_fit(channel_leak(whole, frozenset({user}), frozenset()), **opens)
            campaign = None
            if file is not None:
                campaign = await interactions.uploads.read(response, file, "campaign")
            gm_place = None if gm_channel is None else str(gm_channel.id)
            await self._open(response, system, pace, name, gm_place, campaign)

    async def choose_system(self, press: Press) -> None:
        """Open a table, or show the menu of `/setup` again with another pace.

        `sg:setup:<system>:<pace>[:<name>]` opens the table; `sg:setup:-:<pace>` picks the pace.
        """
        interactions = self.bot.interactions
        if press.text(1) not in PACES:
            raise Outdated("unknown-control")
        if press.text(0) == "-":
            async with interactions.respond_to(press.interaction, update=True) as response:
                await response.show(system_choice_card(PLAYABLE, press.text(1)))
            return
        async with interactions.respond_to(press.interaction, public=True) as response:
            require_founder(press.interaction)
            if press.text(0) not in PLAYABLE:
                raise Outdated("unknown-control")
            name = ":".join(press.args[2:]) or None
            await self._open(response, press.text(0), press.text(1), name, None, None)

    async def _show_first_steps_again(self, response: Response, system: str | None) -> bool:
        """Show the first steps again to a GM of the channel's table; return whether it has one.

        Raises Impossible("place-taken") for other users, and for another rule system.
        """
        interactions = self.bot.interactions
        table_id = await interactions.tables.places.find(
            interactions.places_of(response.interaction)[0]
        )
        if table_id is None:
            return False
        ctx = await interactions.context(response, table_id, guests=True)
        if not ctx.gm or system not in (None, ctx.table.state.settings.system):
            raise Impossible("place-taken", name=ctx.table.state.settings.name, here=True)
        response.go_private()
        await self.bot.first.bring_back(ctx)
        return True

    async def _open(
        self,
        response: Response,
        system: str,
        pace: str | None,
        name: str | None,
        gm_place: str | None,
        campaign: Any,
    ) -> None:
        """Open the table, and show its founder the first steps."""
        interaction, interactions = response.interaction, self.bot.interactions
        more: dict[str, Any] = {} if name is None else {"name": name[:80]}
        more |= {"system": system, "gm_place": gm_place, "campaign": campaign}
        more["settings"] = pace_values(settings_form(PLAYABLE[system]), pace or BY_POST)
        done = await interactions.open_table(
            response, create_table_action(interaction, interactions.clock(), **more)
        )
        if not done.repeated:
            await self.bot.first.open(done.table, interaction)
            await self._tell_of_cards(interaction)
        await self.bot.register_system_commands(int(done.table.guild), system)

    async def _tell_of_cards(self, interaction: discord.Interaction) -> None:
        """Tell the founder of cards that were drawn before the table opened.

        They stay where they are.
        """
        interactions = self.bot.interactions
        table_id = await interactions.tables.places.find(interactions.free_place_of(interaction))
        held = (
            0
            if table_id is None
            else cards_out_count((await interactions.tables.get(table_id)).state)
        )
        if held:
            for message in to_messages(cards_still_out(held)):
                await interaction.followup.send(**message)

    async def choose_channel(self, ctx: Context, press: Press) -> None:
        """Set the GM channel that was picked from the menu after `/setup`."""
        guild = press.interaction.guild
        chosen = press.values[0] if press.values else "0"
        if not is_id(chosen):
            raise Outdated("unknown-control")
        require_fit(gm_channel_leak(guild.get_channel(int(chosen)) if guild else None, ctx.table))
        await ctx.perform(ChangeSettings(**ctx.origin, values={"gm_place": chosen}))

    async def decline_channel(self, ctx: Context, press: Press) -> None:
        """Record that the table has no GM channel: secrets wait behind buttons."""
        if ctx.table.state.settings.gm_place is not None:
            await ctx.perform(ChangeSettings(**ctx.origin, values={"gm_place": ""}))
            return
        await ctx.show(gm_channel_card(ctx.table.id, declined=True))
        await self.bot.first.decline_channel(ctx.table)


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Setup(bot))

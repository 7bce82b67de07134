"""`/privacy`: a user's stored data, and its deletion."""

from __future__ import annotations

from collections.abc import Iterable

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.catalog_cards import card
from bot.presenters.controls import Attachment, Button
from bot.presenters.language.words import label_text
from bot.presenters.layout import Layout
from bot.services.exports import Export
from bot.services.preferences import has_preference
from bot.ui.router import Press
from bot.ui.user_erasure import forget_user
from cogs import command_options
from rules.core.errors import Outdated
from rules.table.state import TableState
from rules.table.system import FREE_SYSTEM


@command_options.allow_anywhere
class Privacy(commands.GroupCog, group_name="privacy", group_description="Your data"):
    """export, delete. These commands use no context: making one would register the user."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()
        bot.router.add("forget", self.decide)

    @app_commands.command(description="Get all your data on this server, as a file")
    async def export(self, interaction: discord.Interaction) -> None:
        interactions = self.bot.interactions
        async with interactions.respond_to(interaction) as response:
            await response.announce()
            memberships, _ = await self.bot.tables.memberships(
                interactions.home_of(interaction), str(interaction.user.id)
            )
            user = str(interaction.user.id)
            wishes = await has_preference(self.bot.tables.store, user)
            if not memberships and not wishes:
                await response.show(_nothing_kept())
                return
            for table, _ in memberships:
                await self.bot.tables.get_committed(table.id)
            names = _table_names(table.state for table, _ in memberships)
            export = Export(
                "own", "my-data", tuple([(table.id, who) for table, who in memberships]), user=user
            )

            def export_card(content: bytes, parts: int) -> Layout:
                file = Attachment("my-data.json", content)
                return card(
                    "own",
                    "own-data",
                    None,
                    attachment=file,
                    tables=names,
                    parts=parts,
                    free=len(names) < len(memberships),
                    wishes=wishes,
                )

            await self.bot.exports.send(response, export, export_card)

    @app_commands.command(description="Delete all your data on this server")
    async def delete(self, interaction: discord.Interaction) -> None:
        async with self.bot.interactions.respond_to(interaction) as response:
            user = str(interaction.user.id)
            memberships, unread = await self.bot.tables.memberships(
                self.bot.interactions.home_of(interaction), user
            )
            wishes = await has_preference(self.bot.tables.store, user)
            if not memberships and not unread and not wishes:
                self.bot.tables.forget_unsaved(self.bot.interactions.home_of(interaction), user)
                await response.show(_nothing_kept())
                return
            states = [(table.state, who) for table, who in memberships]
            names: list[str] = []
            for state, who in states:
                own = [held for held in state.characters.values() if held.owner == who]
                names += [character.name for character in own]
            led = [state.settings.name for state, who in states if who in state.settings.gms]
            asked = card(
                "own",
                "forget",
                None,
                rows=(
                    (
                        Button("sg:forget:yes", label_text("forget-all"), "danger"),
                        Button("sg:forget:no", label_text("form-cancel")),
                    ),
                ),
                tables=_table_names(state for state, _ in states),
                free=any(state.settings.system == FREE_SYSTEM.key for state, _ in states),
                characters=tuple(names),
                led=tuple(led),
                wishes=wishes,
                overwritten=self.bot.tables.store.overwrites_deleted,
            )
            await response.show(asked)

    async def decide(self, press: Press) -> None:
        """Carry out the user's decision on deletion."""
        async with self.bot.interactions.respond_to(press.interaction, update=True) as response:
            choice = press.text(0)
            if choice == "no":
                await response.show(card("waiting", "not-forgotten", None))
            elif choice == "yes":
                user = str(press.interaction.user.id)
                wishes = await has_preference(self.bot.tables.store, user)
                count, unread = await forget_user(self.bot.interactions, press.interaction)
                done = card(
                    "own",
                    "forgotten",
                    None,
                    tables=count,
                    unread=unread,
                    wishes=wishes,
                    overwritten=self.bot.tables.store.overwrites_deleted,
                )
                done = done if count or unread or wishes else _nothing_kept()
                await response.show(done)
            else:
                raise Outdated("unknown-control")


def _table_names(states: Iterable[TableState]) -> tuple[str, ...]:
    """Return the tables' names; rolls and cards without a table have none."""
    return tuple(
        [state.settings.name for state in states if state.settings.system != FREE_SYSTEM.key]
    )


def _nothing_kept() -> Layout:
    """Return the card for a user without stored data."""
    return card("own", "nothing-kept", None)


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Privacy(bot))

"""`/privacy`: what is kept about oneself, and its end."""

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
from bot.ui.router import Press
from bot.ui.user_erasure import forget_user
from cogs import command_options
from rules.core.errors import Outdated
from rules.table.state import TableState
from rules.table.system import FREE_SYSTEM


@command_options.allow_anywhere
class Privacy(commands.GroupCog, group_name="privacy", group_description="Your data"):
    """export, delete. Nobody needs a context here: making one would make them known."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()
        bot.router.add("forget", self.decide)

    @app_commands.command(description="Get all your data on this server, as a file")
    async def export(self, interaction: discord.Interaction) -> None:
        interactions = self.bot.interactions
        async with interactions.respond_to(interaction) as response:
            await response.announce()
            found, _ = await self.bot.tables.memberships(
                interactions.home_of(interaction), str(interaction.user.id)
            )
            if not found:
                await response.show(_nothing_kept())
                return
            for table, _ in found:
                await self.bot.tables.get_committed(table.id)
            names = _named(table.state for table, _ in found)
            export = Export("own", "my-data", tuple([(table.id, who) for table, who in found]))

            def shown(content: bytes, parts: int) -> Layout:
                file = Attachment("my-data.json", content)
                return card(
                    "own",
                    "own-data",
                    None,
                    attachment=file,
                    tables=names,
                    parts=parts,
                    free=len(names) < len(found),
                )

            await self.bot.exports.send(response, export, shown)

    @app_commands.command(description="Delete all your data on this server")
    async def delete(self, interaction: discord.Interaction) -> None:
        async with self.bot.interactions.respond_to(interaction) as response:
            user = str(interaction.user.id)
            found, unread = await self.bot.tables.memberships(
                self.bot.interactions.home_of(interaction), user
            )
            if not found and not unread:
                self.bot.tables.forget_unsaved(self.bot.interactions.home_of(interaction), user)
                await response.show(_nothing_kept())
                return
            states = [(table.state, who) for table, who in found]
            theirs = [
                each.name
                for state, who in states
                for each in state.characters.values()
                if each.owner == who
            ]
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
                tables=_named(state for state, _ in states),
                free=any(state.settings.system == FREE_SYSTEM.key for state, _ in states),
                characters=tuple(theirs),
                led=tuple(led),
                overwritten=self.bot.tables.store.overwrites_deleted,
            )
            await response.show(asked)

    async def decide(self, press: Press) -> None:
        """The decision."""
        async with self.bot.interactions.respond_to(press.interaction, update=True) as response:
            choice = press.text(0)
            if choice == "no":
                await response.show(card("waiting", "not-forgotten", None))
            elif choice == "yes":
                count, unread = await forget_user(self.bot.interactions, press.interaction)
                done = card(
                    "own",
                    "forgotten",
                    None,
                    tables=count,
                    unread=unread,
                    overwritten=self.bot.tables.store.overwrites_deleted,
                )
                done = done if count or unread else _nothing_kept()
                await response.show(done)
            else:
                raise Outdated("unknown-control")


def _named(states: Iterable[TableState]) -> tuple[str, ...]:
    """What the tables are called; rolls and cards without a table have no name."""
    return tuple(
        [state.settings.name for state in states if state.settings.system != FREE_SYSTEM.key]
    )


def _nothing_kept() -> Layout:
    """Nobody knows this person here."""
    return card("own", "nothing-kept", None)


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Privacy(bot))

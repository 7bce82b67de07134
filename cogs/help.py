"""`/help`."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.delivery.response import Response
from bot.presenters.help import TOPICS, HelpReader, help_card
from bot.ui.router import Press
from cogs import command_options
from rules.registry import PLAYABLE
from rules.table.permissions import is_gm


class Help(commands.Cog):
    """Help by topic."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        bot.router.add("help", self.press)

    @app_commands.command(
        name="help", description="How to play, how to run a game, and every command"
    )
    @app_commands.describe(
        topic="What you want to know about (default: how to play)",
        game="Which game (default: the table's)",
    )
    @app_commands.choices(
        topic=[app_commands.Choice(name=title, value=key) for key, title in TOPICS.items()],
        game=[app_commands.Choice(name=system.name, value=key) for key, system in PLAYABLE.items()],
    )
    @command_options.allow_anywhere
    async def help(
        self, interaction: discord.Interaction, topic: str = "", game: str | None = None
    ) -> None:
        async with self.bot.interactions.respond_to(interaction) as response:
            await self._show(response, topic, game)

    async def press(self, press: Press) -> None:
        """Show another page in this one's place.

        The ids are `sg:help:topic:<game>`, `sg:help:game` and
        `sg:help:page:<topic>:<game>:<number>`.
        """
        async with self.bot.interactions.respond_to(press.interaction, update=True) as response:
            chosen = press.values[0] if press.values else ""
            match press.text(0):
                case "page":
                    await self._show(
                        response, press.text(1), _known_game(press.text(2)), press.number(3)
                    )
                case "game":
                    await self._show(response, "", chosen)
                case _:
                    await self._show(response, chosen, _known_game(press.text(1)))

    def _usable(self, interaction: discord.Interaction) -> dict[str, int]:
        """Return the ids of the commands that the user can run here, by name.

        Discord shows any other command as unavailable.
        """
        usable: dict[str, int] = {}
        for name, id in self.bot.command_registry.ids_on(interaction.guild_id).items():
            command = self.bot.tree.get_command(name)
            needed = getattr(command, "default_permissions", None) or discord.Permissions.none()
            here = interaction.guild_id is not None or not getattr(command, "guild_only", False)
            if here and needed <= interaction.permissions:
                usable[name] = id
        return usable

    async def _show(self, response: Response, topic: str, game: str | None, page: int = 0) -> None:
        interactions, interaction = self.bot.interactions, response.interaction
        here = await interactions.table_here(interaction, guests=True)
        system, gm = game, True
        if here is not None:
            state, actor = here[0].state, here[1]
            system, gm = game or state.settings.system, is_gm(state, actor)
            response.plain = state.person(actor.id).plain
        reader = HelpReader(gm, self._usable(interaction))
        await response.show(help_card(topic, system, reader, page))


def _known_game(text: str) -> str | None:
    """Return the game that an id names; None for `-`."""
    return None if text == "-" else text


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Help(bot))

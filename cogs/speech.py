"""`/say`, `/post`, and the commands of a message's menu about what characters say."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.ui.context import Context
from bot.ui.speech import SpeechPanel, open_post, repost, show_speaker, speak
from cogs import command_options, completions

#: Text of `/say`; a longer one needs the dialog of `/post`.
SaidText = app_commands.Range[str, 1, 2000]


class Speech(commands.Cog):
    """Words of characters, under their names."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        SpeechPanel(bot.router)
        for menu in (
            app_commands.ContextMenu(name="Post as my character", callback=self.repost),
            app_commands.ContextMenu(name="Who said this", callback=self.show_speaker),
        ):
            bot.tree.add_command(app_commands.guild_only(menu))

    @command_options.command(description="Say something as your character, for everybody here")
    @app_commands.describe(
        text="What your character says; // or (( at the start: out of character",
        as_="The character who speaks (default: your main character)",
    )
    @app_commands.rename(as_="as")
    @app_commands.guild_only()
    @completions.autocomplete(as_=completions.characters)
    async def say(
        self, ctx: Context, text: SaidText, as_: command_options.Name | None = None
    ) -> None:
        await speak(ctx, text, as_)

    @command_options.command(description="Write a longer post as your character")
    @app_commands.describe(as_="The character who speaks (default: your main character)")
    @app_commands.rename(as_="as")
    @app_commands.guild_only()
    @completions.autocomplete(as_=completions.characters)
    async def post(self, ctx: Context, as_: command_options.Name | None = None) -> None:
        await open_post(ctx, as_)

    async def repost(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Say the text of the user's own post as their character."""
        async with self.bot.interactions.respond_to(interaction) as response:
            await repost(await self.bot.interactions.context(response), message)

    async def show_speaker(
        self, interaction: discord.Interaction, message: discord.Message
    ) -> None:
        """Show who said what stands in a message."""
        async with self.bot.interactions.respond_to(interaction) as response:
            # Moderators ask, too, and may play in no table.
            ctx = await self.bot.interactions.context(response, guests=True)
            await show_speaker(ctx, message)


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Speech(bot))

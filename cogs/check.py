"""`/check`: propose what a character tries."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from cogs import completion, options


class Check(commands.Cog):
    """Proposing a check, with options or as a panel."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(description="Try something: your proposal goes to the GM. No options: a panel")
    @app_commands.describe(
        skill=options.SKILL,
        attribute=options.ATTRIBUTE,
        difficulty=options.DIFFICULTY,
        approach=options.APPROACH,
        with_=options.WITH,
        modifier=options.MODIFIER,
        as_=options.AS,
        visibility=options.VISIBILITY,
    )
    @app_commands.rename(with_="with", as_="as")
    @app_commands.guild_only()
    @completion.completes(
        skill=completion.of_form("skill"),
        attribute=completion.of_form("attribute"),
        difficulty=completion.difficulties,
        with_=completion.options,
        as_=completion.characters,
    )
    async def check(
        self,
        interaction: discord.Interaction,
        skill: options.Name | None = None,
        attribute: options.Name | None = None,
        difficulty: options.Name | None = None,
        approach: options.Idea | None = None,
        with_: options.Words | None = None,
        modifier: options.Modifier = 0,
        as_: options.Name | None = None,
        visibility: options.Visibility = "public",
    ) -> None:
        panel = not any((skill, attribute, difficulty, approach, with_, modifier))
        public = visibility == "public" and not panel
        # The options of a public answer can be read by all, so nobody is named in it before it is clear who.
        async with self.bot.interactions.answering(interaction, public=public and as_ is None) as response:
            ctx = await self.bot.interactions.context(response)
            given = {"skill": skill, "attribute": attribute, "difficulty": difficulty, "approach": approach}
            await self.bot.beginnings.begin(
                ctx,
                "check",
                given | {"modifier": modifier or None},
                words=completion.split_words(with_),
                as_=as_,
                visibility=visibility,
            )


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Check(bot))

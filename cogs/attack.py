"""`/attack` and `/contest`: checks against somebody."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from cogs import completion, options


class Attack(commands.Cog):
    """Proposing an attack or a contest, with options or as a panel."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(
        description="Attack somebody. Against another player's character you both roll. No options: a panel"
    )
    @app_commands.describe(
        target="Who you attack",
        weapon="Your weapon; everybody sees it",
        skill=options.SKILL,
        attribute=options.ATTRIBUTE,
        with_=options.WITH,
        difficulty="Against NPCs: a level or a number to suggest",
        approach=options.APPROACH,
        modifier=options.MODIFIER,
        as_="The character who attacks",
        visibility="Who sees it: everyone, those involved, or only the GM sees the result",
    )
    @app_commands.rename(with_="with", as_="as")
    @app_commands.guild_only()
    @completion.completes(
        target=completion.targets,
        weapon=completion.of_form("weapon"),
        skill=completion.of_form("skill"),
        attribute=completion.of_form("attribute"),
        with_=completion.options,
        difficulty=completion.difficulties,
        as_=completion.characters,
    )
    async def attack(
        self,
        interaction: discord.Interaction,
        target: options.Name | None = None,
        weapon: options.Name | None = None,
        skill: options.Name | None = None,
        attribute: options.Name | None = None,
        with_: options.Words | None = None,
        difficulty: options.Name | None = None,
        approach: options.Idea | None = None,
        modifier: options.Modifier = 0,
        as_: options.Name | None = None,
        visibility: options.Visibility = "public",
    ) -> None:
        given = {"weapon": weapon, "skill": skill, "attribute": attribute, "difficulty": difficulty}
        given |= {"approach": approach, "modifier": modifier or None}
        await self._begin(interaction, "attack", given, with_, target, as_, visibility)

    @app_commands.command(description="Compete with somebody: both choose in secret. No options: a panel")
    @app_commands.describe(
        target="Who you're up against",
        mode="Where the system has several ways to compete: which one",
        skill=options.SKILL,
        attribute=options.ATTRIBUTE,
        with_=options.WITH,
        difficulty="Against somebody who doesn't roll: a level or a number to suggest",
        approach=options.APPROACH,
        modifier=options.MODIFIER,
        as_="The character who acts",
        visibility="Who sees it: everyone, those involved, or only the GM sees the result",
    )
    @app_commands.rename(with_="with", as_="as")
    @app_commands.guild_only()
    @completion.completes(
        target=completion.targets,
        mode=completion.of_form("mode"),
        skill=completion.of_form("skill"),
        attribute=completion.of_form("attribute"),
        with_=completion.options,
        difficulty=completion.difficulties,
        as_=completion.characters,
    )
    async def contest(
        self,
        interaction: discord.Interaction,
        target: options.Name | None = None,
        mode: options.Name | None = None,
        skill: options.Name | None = None,
        attribute: options.Name | None = None,
        with_: options.Words | None = None,
        difficulty: options.Name | None = None,
        approach: options.Idea | None = None,
        modifier: options.Modifier = 0,
        as_: options.Name | None = None,
        visibility: options.Visibility = "public",
    ) -> None:
        given = {"mode": mode, "skill": skill, "attribute": attribute, "difficulty": difficulty}
        given |= {"approach": approach, "modifier": modifier or None}
        await self._begin(interaction, "contest", given, with_, target, as_, visibility)

    async def _begin(
        self,
        interaction: discord.Interaction,
        kind: str,
        given: dict[str, Any],
        words: str | None,
        target: str | None,
        as_: str | None,
        visibility: options.Visibility,
    ) -> None:
        # What one chooses against another's character is secret, and the options of a public answer are not.
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            await self.bot.beginnings.begin(
                ctx,
                kind,
                given,
                words=completion.split_words(words),
                target=target,
                as_=as_,
                visibility=visibility,
                aims=True,
            )


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Attack(bot))

"""`/check`: propose what a character tries."""

from __future__ import annotations

from typing import Literal

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from cogs import completion
from rules.table.actions import Propose


class Check(commands.Cog):
    """Proposing a check, with options or as a panel."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(description="Try something: your proposal goes to the GM. No options: a panel")
    @app_commands.describe(
        skill="The ability whose die you roll",
        attribute="The attribute you add",
        difficulty="A level or a number you have in mind",
        approach="How you go about it, in words: there is no roll without an idea",
        with_="What makes it easier or harder, separated by commas",
        modifier="A bonus or penalty the GM has granted",
        as_="The character who acts",
        visibility="Who sees it: everyone, you and the GM, or only the GM the result",
    )
    @app_commands.rename(with_="with", as_="as")
    @app_commands.guild_only()
    async def check(
        self,
        interaction: discord.Interaction,
        skill: app_commands.Range[str, 1, 100] | None = None,
        attribute: app_commands.Range[str, 1, 100] | None = None,
        difficulty: app_commands.Range[str, 1, 100] | None = None,
        approach: app_commands.Range[str, 1, 1000] | None = None,
        with_: app_commands.Range[str, 1, 200] | None = None,
        modifier: app_commands.Range[int, -20, 20] = 0,
        as_: app_commands.Range[str, 1, 100] | None = None,
        visibility: Literal["public", "private", "blind"] = "public",
    ) -> None:
        panel = not any((skill, attribute, difficulty, approach, with_, modifier))
        public = visibility == "public" and not panel
        async with self.bot.desk.answering(interaction, public=public) as ack:
            seat = await self.bot.desk.take_seat(ack)
            if panel:
                await self.bot.proposals.open(seat, as_, visibility)
                return
            await seat.perform(
                Propose(
                    **seat.by,
                    skill=skill,
                    attribute=attribute,
                    difficulty=difficulty,
                    approach=approach or "",
                    switches=completion.split_words(with_),
                    modifier=modifier,
                    as_=as_,
                    visibility=visibility,
                )
            )

    @check.autocomplete("skill")
    async def _skill(self, interaction: discord.Interaction, typed: str) -> completion.Choices:
        return await completion.skills(self.bot.desk, interaction, typed)

    @check.autocomplete("attribute")
    async def _attribute(self, interaction: discord.Interaction, typed: str) -> completion.Choices:
        return await completion.attributes(self.bot.desk, interaction, typed)

    @check.autocomplete("difficulty")
    async def _difficulty(self, interaction: discord.Interaction, typed: str) -> completion.Choices:
        return await completion.difficulties(self.bot.desk, interaction, typed)

    @check.autocomplete("with_")
    async def _with(self, interaction: discord.Interaction, typed: str) -> completion.Choices:
        return await completion.switches(self.bot.desk, interaction, typed)

    @check.autocomplete("as_")
    async def _as(self, interaction: discord.Interaction, typed: str) -> completion.Choices:
        return await completion.characters(self.bot.desk, interaction, typed)


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Check(bot))

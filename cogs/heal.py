"""`/heal`: rest, and treating an injury."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from cogs import completion, options
from rules.registry import look
from rules.table.lookup import heals_openly


class Heal(commands.Cog):
    """Recovery, in the ways that the table's system has."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(
        description="Rest, or treat an injury; the GM says if there's time and how hard it is",
        extras={"kind": "treat"},
    )
    @app_commands.describe(
        method="Rest, treat an injury, or another way these rules have",
        target="Who it's for (default: the character who acts)",
        injury="Which injury to treat",
        skill=options.SKILL,
        attribute=options.ATTRIBUTE,
        with_=options.WITH,
        approach=options.APPROACH,
        difficulty=options.DIFFICULTY,
        as_=options.AS,
    )
    @app_commands.rename(with_="with", as_="as")
    @app_commands.guild_only()
    @completion.completes(
        method=completion.heal_methods,
        target=completion.targets,
        injury=completion.injuries,
        skill=completion.of_form("skill"),
        attribute=completion.of_form("attribute"),
        with_=completion.options,
        difficulty=completion.difficulties,
        as_=completion.characters,
    )
    async def heal(
        self,
        interaction: discord.Interaction,
        method: options.Name,
        target: options.Name | None = None,
        injury: options.Name | None = None,
        skill: options.Name | None = None,
        attribute: options.Name | None = None,
        with_: options.Words | None = None,
        approach: options.Idea | None = None,
        difficulty: options.Name | None = None,
        as_: options.Name | None = None,
    ) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            game = look(ctx.table.state)
            openly = heals_openly(game.state, ctx.actor, target, as_, ctx.place)
            kind, said = completion.heal_method(game, method)
            if target is not None and as_ is None and game.system.procedures[kind].anybody:
                as_, target = target, None
            given = {"injury": injury, "skill": skill, "attribute": attribute, "difficulty": difficulty}
            await self.bot.beginnings.begin(
                ctx,
                kind,
                given | said | {"approach": approach},
                words=completion.split_words(with_),
                target=target,
                as_=as_,
                aims=True,
                openly=openly,
            )


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Heal(bot))

"""`/initiative`: the order of action in a place, on one board that everybody sees."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.board import private_board_card
from cogs import completion, options
from cogs.options import Name
from rules.core.errors import Impossible
from rules.table.actions import (
    AddToEncounter,
    DelayTurn,
    EndEncounter,
    JoinEncounter,
    NextTurn,
    OrderEncounter,
    RemoveFromEncounter,
    StartEncounter,
)
from rules.table.turns.encounters import SCORES, board


class Initiative(commands.GroupCog, group_name="initiative", group_description="Who acts when"):
    """Keeping the order of action. Answers are private, names may be secret: everybody sees the board and the calls."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()

    @app_commands.command(description="GMs: start initiative in this channel")
    async def start(self, interaction: discord.Interaction) -> None:
        await self.bot.act(interaction, lambda ctx: StartEncounter(**ctx.by))

    @app_commands.command(description="Join initiative with one of your characters")
    @app_commands.describe(as_="The character who joins")
    @app_commands.rename(as_="as")
    @completion.completes(as_=completion.characters)
    async def join(self, interaction: discord.Interaction, as_: Name | None = None) -> None:
        await self.bot.act(interaction, lambda ctx: JoinEncounter(**ctx.by, as_=as_))

    @app_commands.command(description="GMs: add somebody, a whole group, or anything else that acts")
    @app_commands.describe(
        name="A character, a group, or any name; everybody sees a name you make up",
        score="Initiative score: higher acts first",
    )
    @completion.completes(name=completion.newcomers)
    async def add(
        self,
        interaction: discord.Interaction,
        name: Name,
        score: app_commands.Range[int, SCORES[0], SCORES[1]] | None = None,
    ) -> None:
        await self.bot.act(interaction, lambda ctx: AddToEncounter(**ctx.by, name=name, score=score))

    @app_commands.command(description="GMs: set the order; everybody you don't name follows as before")
    @app_commands.describe(names="Names from first to last, separated by commas")
    @completion.completes(names=completion.several_in_order)
    async def order(self, interaction: discord.Interaction, names: options.Idea) -> None:
        await self.bot.act(
            interaction, lambda ctx: OrderEncounter(**ctx.by, order=completion.split_words(names))
        )

    @app_commands.command(description="End your turn. GMs: begin, or move on")
    async def next(self, interaction: discord.Interaction) -> None:
        await self.bot.act(interaction, lambda ctx: NextTurn(**ctx.by))

    @app_commands.command(description="Wait for your moment, or take it")
    @app_commands.describe(back="Act now, just before the current turn", as_="Who waits or acts")
    @app_commands.rename(as_="as")
    @completion.completes(as_=completion.one_in_order)
    async def delay(
        self, interaction: discord.Interaction, back: bool = False, as_: Name | None = None
    ) -> None:
        await self.bot.act(interaction, lambda ctx: DelayTurn(**ctx.by, as_=as_, back=back))

    @app_commands.command(description="Take your character out of initiative; GMs: anybody")
    @app_commands.describe(name="Who leaves initiative")
    @completion.completes(name=completion.one_in_order)
    async def remove(self, interaction: discord.Interaction, name: Name) -> None:
        await self.bot.act(interaction, lambda ctx: RemoveFromEncounter(**ctx.by, name=name))

    @app_commands.command(description="Show initiative, only to you")
    async def show(self, interaction: discord.Interaction) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            shown = board(ctx.table.state, ctx.place, ctx.actor)
            if shown is None:
                raise Impossible("no-encounter")
            await ctx.show(private_board_card(shown, ctx.scene))

    @app_commands.command(description="GMs: end initiative in this channel")
    async def end(self, interaction: discord.Interaction) -> None:
        await self.bot.act(interaction, lambda ctx: EndEncounter(**ctx.by))


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Initiative(bot))

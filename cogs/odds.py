"""`/odds`: exact chances before the roll."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.aside import AsideFailed
from bot.presenters.odds import SIZES, dice_odds_card, odds_card
from bot.ui.panels.begin import values_of
from bot.ui.panels.prompt import game_of
from bot.ui.response import Response
from cogs import completion, options
from rules.core.dice import parse
from rules.core.dice.summary import summarized
from rules.core.errors import Impossible, InvalidInput
from rules.registry import look
from rules.table.checks.chances import chances_of, chances_of_check
from rules.table.lookup import acting_as
from rules.table.rolls import expression


class Odds(commands.Cog):
    """The odds of what one has in mind, or of a check as the GM ruled it."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot

    @app_commands.command(
        description="Your exact chances before a roll, and what spending would add",
        extras={"kind": "check"},
    )
    @app_commands.describe(
        skill=options.SKILL,
        attribute=options.ATTRIBUTE,
        difficulty="A level or a number (default: the levels side by side)",
        with_=options.WITH,
        modifier=options.MODIFIER,
        as_=options.AS,
        check="An answered check, exactly as the GM ruled it; leave out the rest",
        dice="Dice or a saved roll, even without a table; leave out the rest",
    )
    @app_commands.rename(with_="with", as_="as")
    @options.anywhere
    @completion.completes(
        skill=completion.skills,
        attribute=completion.attributes,
        difficulty=completion.difficulties,
        with_=completion.options,
        as_=completion.characters,
        check=completion.checks_with_odds,
        dice=completion.dice,
    )
    async def odds(
        self,
        interaction: discord.Interaction,
        skill: options.Name | None = None,
        attribute: options.Name | None = None,
        difficulty: options.Name | None = None,
        with_: options.Words | None = None,
        modifier: options.Modifier = 0,
        as_: options.Name | None = None,
        check: app_commands.Range[str, 1, 20] | None = None,
        dice: options.Words | None = None,
    ) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            if dice is not None:
                if any((skill, attribute, difficulty, with_, modifier, as_, check)):
                    raise InvalidInput("odds-of-dice-alone", field="dice", value=dice)
                await self._of_dice(response, dice)
                return
            ctx = await self.bot.interactions.context(response)
            if check is not None:
                if any((skill, attribute, difficulty, with_, modifier, as_)):
                    raise InvalidInput("odds-of-check-alone", field="check", value=check)
                found = chances_of_check(game_of(ctx), check)
            else:
                game = game_of(ctx)
                who = acting_as(game.state, ctx.actor, as_, ctx.place).id
                given = {"skill": skill, "attribute": attribute, "difficulty": difficulty}
                words = completion.split_words(with_)
                values = values_of(game, "check", given | {"modifier": modifier or None}, words, who)
                found = chances_of(game, values, ctx.place, as_=as_)
            await ctx.show(odds_card(found, draw=not ctx.plain))

    async def _of_dice(self, response: Response, typed: str) -> None:
        """The odds of dice; nothing of a table is needed for them. It may take a while: it is announced at once."""
        await response.announce()
        interaction, interactions = response.interaction, self.bot.interactions
        looked = await interactions.look(interaction, free=True)
        text, plain = typed, False
        if looked is not None:
            state, actor = looked[0].state, looked[1]
            place, game = str(interaction.channel_id), look(state)
            text = expression(state, game, actor, typed, None, place)[0].text
            plain = state.person(actor.id).plain
        notation = parse(text)
        try:
            found = await self.bot.aside.run_for(interaction.user.id, summarized, text, SIZES)
        except AsideFailed:
            raise Impossible("dice-odds-too-large") from None
        await response.say(interactions.rendered(dice_odds_card(notation, found, draw=not plain), looked))


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Odds(bot))

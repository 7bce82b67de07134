"""`/odds`: exact chances before the roll."""

from __future__ import annotations

from typing import Any, Final

import discord

from bot.app import Storyguide
from bot.delivery.response import Response
from bot.presenters.catalog_cards import card
from bot.presenters.language.words import COMMANDS
from bot.presenters.odds import SUMMARY_SIZES, dice_odds_card, odds_card
from bot.ui.context import Context
from bot.ui.panels.check_start import command_values
from bot.ui.panels.prompt import roll_buttons
from bot.worker_process import WorkerFailed
from cogs import command_options
from rules.core.dice import parse, translate_notation
from rules.core.dice.odds_summary import summarize_odds
from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.name_matching import split_words
from rules.registry import read_only_game
from rules.table.chance.free_rolls import expression
from rules.table.checks.odds import neighboring_odds, odds_of_check, proposal_odds
from rules.table.checks.procedure import kind_with_role
from rules.table.lookup import acting_character

_OPTIONS: Final = ("skill", "attribute", "difficulty", "with", "modifier", "as", "check", "dice")


class Odds:
    """Odds of a proposal, of a check as the GM ruled it, or of dice."""

    def __init__(self, bot: Storyguide) -> None:
        self._bot = bot

    async def run(self, interaction: discord.Interaction, said: dict[str, Any]) -> None:
        """Show the odds for the stated options."""
        given = {key: value for key, value in said.items() if value}  # a modifier of 0 is none
        async with self._bot.interactions.respond_to(interaction) as response:
            if "dice" in given and len(given) > 1:
                raise InvalidInput("odds-of-dice-alone", field="dice", value=given["dice"])
            if "check" in given and len(given) > 1:
                raise InvalidInput("odds-of-check-alone", field="check", value=given["check"])
            if "dice" in given:
                await self._of_dice(response, given["dice"])
                return
            ctx = await self._bot.interactions.context(response)
            if not given:
                await self._open_panel(ctx)
                return
            game = ctx.game
            near, propose, rolls = (), "", ()
            if "check" in given:
                report = odds_of_check(game, given["check"])
                rolls = roll_buttons(ctx, report)
            else:
                words, as_ = split_words(given.pop("with", None)), given.pop("as", None)
                kind = kind_with_role(game.system, "check")
                who = acting_character(game.state, ctx.actor, as_, ctx.place).id
                values = command_values(game, kind, given, words, who)
                report = proposal_odds(game, values, ctx.place, as_=as_)
                near = neighboring_odds(game, values, ctx.place, report)
                propose = await self._bot.beginnings.draft_button_id(ctx, kind, values, who)
            await ctx.show(
                odds_card(report, draw=not ctx.plain, near=near, propose=propose, rolls=rolls)
            )

    async def _open_panel(self, ctx: Context) -> None:
        """Open the private panel of a check, which shows the odds of its choices.

        Without a character, show what else can be asked.
        """
        try:
            await self._bot.beginnings.open(ctx, kind_with_role(ctx.game.system, "check"))
        except RulesError:
            await ctx.show(card("own", "odds-of-what", None))

    async def _of_dice(self, response: Response, typed: str) -> None:
        """Show the odds of dice, also without a table.

        The answer is announced at once, since the calculation may take a while.
        """
        await response.announce()
        interaction, interactions = response.interaction, self._bot.interactions
        here = await interactions.table_here(interaction, free=True, guests=True)
        if here is None:
            text = translate_notation(typed)
        else:
            state, actor = here[0].state, here[1]
            place, game = str(interaction.channel_id), read_only_game(state)
            text = expression(state, game, actor, typed, None, place)[0].text
            response.plain = state.person(actor.id).plain
        notation = parse(text)
        try:
            summary = await self._bot.aside.run_for(
                interaction.user.id, summarize_odds, text, SUMMARY_SIZES
            )
        except WorkerFailed:
            raise Impossible("dice-odds-too-large") from None
        await response.show(dice_odds_card(notation, summary, draw=not response.plain))


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    taken = {key: command_options.SHARED[key] for key in _OPTIONS}
    command = command_options.build_command(
        "odds", COMMANDS["checks"], taken, Odds(bot).run, role="check"
    )
    bot.tree.add_command(command_options.allow_anywhere(command))

"""`/gm` commands for records: awards, story time, adjustments, the journal, places, blind rolls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discord import app_commands
from discord.ext import commands

from bot.delivery.channel_rights import place_name, require_playable
from bot.delivery.shared_places import places_shared_with
from bot.presenters.gm_tools import BLIND_ROLL, clock_card
from bot.presenters.log import log_card
from bot.services.gm_journal import read_log
from bot.services.place_binding import require_free
from bot.ui.context import Context
from cogs import command_options, completions
from cogs.check_completions import difficulties, option_words, trait_completer
from cogs.command_options import Name
from cogs.completions import CompletionContext, Pairs, option_pairs, to_gms
from rules.table.actions import Adjust, AdvanceTime, Award, ChangePlaces
from rules.table.checks.procedure import kind_with_role
from rules.table.commands import CheckStart
from rules.table.gm_values import Tools
from rules.table.lookup import find_known
from rules.table.resources import award_options
from rules.table.system import Game
from rules.table.times.duration import parse_moment, parse_span

if TYPE_CHECKING:
    from bot.app import Storyguide

#: Entries that `/gm log` shows by default.
LOG_ENTRIES = 20

Text = app_commands.Range[str, 1, 300]
Place = app_commands.AppCommandChannel | app_commands.AppCommandThread


#: Abilities and attributes of the character in `as`, for GMs.
anybodys_skills = trait_completer("skill", lambda asked: asked.named_character("as"), gms=True)
anybodys_attributes = trait_completer(
    "attribute", lambda asked: asked.named_character("as"), gms=True
)


def _tools(game: Game) -> Tools:
    return game.require(game.system.tools)


#: Awards, and the values on the sheet of `character` that can be set, for GMs.
awards = to_gms(lambda asked: option_pairs(award_options(asked.game.system.resources)))
adjustables = to_gms(
    lambda asked: option_pairs(_tools(asked.game).adjustables(asked.named_character("character")))
)


@to_gms
def adjust_values(asked: CompletionContext) -> Pairs:
    """Return the values that `what` can be set to, for GMs; empty without a list of values."""
    what = asked.option("what")
    if not what:
        return ()
    return option_pairs(_tools(asked.game).values(asked.named_character("character"), what))


@to_gms
def places(asked: CompletionContext) -> Pairs:
    """Return the table's places, for GMs."""
    bound = asked.interaction.client.tables.places.places_of(asked.table.id)
    return [(place, place_name(asked.interaction.guild, place)) for place in bound]


class GmToolCommands(commands.Cog):
    """award, time, adjust, log, bind, unbind, roll."""

    bot: Storyguide

    @command_options.command(description="Reward an achievement")
    @app_commands.describe(
        kind="What to award",
        amount="How much, 1 to 10",
        to="Who gets it (default: all players' characters)",
        reason="What for",
    )
    @completions.autocomplete(kind=awards, to=completions.for_gms)
    async def award(
        self,
        ctx: Context,
        kind: Name,
        amount: app_commands.Range[int, 1, 10] = 1,
        to: Name | None = None,
        reason: Text | None = None,
    ) -> None:
        await ctx.perform(Award(**ctx.origin, kind=kind, amount=amount, to=to, reason=reason or ""))

    @command_options.command(
        description="See the story's time, or move it on",
        public=lambda given: given["show"],
        gms=True,
    )
    @app_commands.describe(
        advance="How much time passes: 3 days, 2h 30m, -1 day",
        set_="What time it is now: day 4 14:30",
        show="Show the time to everybody",
    )
    @app_commands.rename(set_="set")
    async def time(
        self,
        ctx: Context,
        advance: app_commands.Range[str, 1, 60] | None = None,
        set_: app_commands.Range[str, 1, 60] | None = None,
        show: bool = False,
    ) -> None:
        if advance is None and set_ is None:
            await ctx.show(clock_card(ctx.scene, gm=True))
            return
        minutes = 0 if advance is None else parse_span(advance, "advance")
        moment = None if set_ is None else parse_moment(set_, "set")
        await ctx.perform(AdvanceTime(**ctx.origin, minutes=minutes, moment=moment))

    @command_options.command(description="Set a value on a sheet by hand")
    @app_commands.describe(
        character="Whose sheet",
        what="What to set",
        value="The new value",
        reason="Why; the player can read it",
    )
    @completions.autocomplete(character=completions.for_gms, what=adjustables, value=adjust_values)
    async def adjust(
        self,
        ctx: Context,
        character: Name,
        what: Name,
        value: Text,
        reason: Text | None = None,
    ) -> None:
        await ctx.perform(
            Adjust(**ctx.origin, character=character, what=what, value=value, reason=reason or "")
        )

    @command_options.command(description="The journal: who did what, and when", gms=True)
    @app_commands.describe(
        entries="How many entries, up to 100", character="Only entries about this character"
    )
    @completions.autocomplete(character=completions.for_gms)
    async def log(
        self,
        ctx: Context,
        entries: app_commands.Range[int, 1, 100] = LOG_ENTRIES,
        character: Name | None = None,
    ) -> None:
        state = ctx.table.state
        about = None if character is None else find_known(state, ctx.actor, character, "character")
        logged = await read_log(ctx.interactions.tables, ctx.reader, entries, about)
        await ctx.show(log_card(ctx.scene, logged, about.name if about else None))

    @command_options.command(description="Add a channel, forum or thread to play in", gms=True)
    @app_commands.describe(channel="Which one")
    async def bind(self, ctx: Context, channel: Place) -> None:
        require_playable(channel, ctx.interaction.guild)
        parent = getattr(channel, "parent_id", None)
        await require_free(
            ctx.interactions.tables, ctx.table, str(channel.id), parent and str(parent)
        )
        await ctx.perform(ChangePlaces(**ctx.origin, bind=str(channel.id)))

    @command_options.command(description="Stop playing in a channel")
    @app_commands.describe(channel="Which one")
    @completions.autocomplete(channel=places)
    async def unbind(self, ctx: Context, channel: Name) -> None:
        place = channel.strip().strip("<#>")
        shared = place in places_shared_with(ctx.interaction.guild, ctx.place, (place,))
        await ctx.perform(ChangePlaces(**ctx.origin, unbind=place, shared=shared))

    @command_options.command(
        description="Roll for anybody in secret; only GMs know of it", gms=True, role="check"
    )
    @app_commands.describe(
        as_=command_options.AS,
        skill=command_options.SKILL,
        attribute=command_options.ATTRIBUTE,
        difficulty="A level or a number",
        with_=command_options.WITH,
        modifier="A bonus or penalty",
        note="What it's for",
    )
    @app_commands.rename(with_="with", as_="as")
    @completions.autocomplete(
        as_=completions.for_gms,
        skill=anybodys_skills,
        attribute=anybodys_attributes,
        difficulty=difficulties,
        with_=option_words,
    )
    async def roll(
        self,
        ctx: Context,
        as_: Name | None = None,
        skill: Name | None = None,
        attribute: Name | None = None,
        difficulty: Name | None = None,
        with_: command_options.Words | None = None,
        modifier: command_options.Modifier = 0,
        note: Text | None = None,
    ) -> None:
        given = {"skill": skill, "attribute": attribute, "difficulty": difficulty}
        start = CheckStart(
            kind_with_role(ctx.game.system, "check"),
            given | {"modifier": modifier or None, "approach": note or BLIND_ROLL},
            words=with_,
            as_=as_,
            visibility="blind",
            gm_only=True,
        )
        await self.bot.beginnings.begin(ctx, start)

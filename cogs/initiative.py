"""`/initiative`: the order of action in a place, on one public board."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.delivery.channel_rights import place_name
from bot.presenters.board import private_board_card
from bot.presenters.language.text import bare_text
from bot.ui.context import Context
from cogs import command_options, completions
from cogs.command_options import Name
from cogs.completions import CompletionContext, Pairs, completer, group_pairs, of_several, to_gms
from cogs.target_place import Place, target_place
from rules.core.errors import Impossible
from rules.core.name_matching import split_words
from rules.table import lookup
from rules.table.actions import (
    AddToEncounter,
    DelayTurn,
    EndEncounter,
    JoinEncounter,
    MovePlay,
    NextTurn,
    OrderEncounter,
    RemoveFromEncounter,
    StartEncounter,
)
from rules.table.initiative import encounter_in, slot_name
from rules.table.turns.board import board_view
from rules.table.turns.encounters import SCORE_RANGE, may_handle


@to_gms
def newcomers(asked: CompletionContext) -> Pairs:
    """Return the characters who aren't in initiative here yet, and groups, for GMs."""
    encounter = encounter_in(asked.state, asked.place)
    there = {slot.character for slot in encounter.order} if encounter else set()
    known = lookup.known_characters(asked.state, asked.actor)
    new = [character for character in known if character.approved and character.id not in there]
    return [*group_pairs(asked.state), *asked.people(new)]


def _in_order(asked: CompletionContext) -> Pairs:
    state, actor = asked.state, asked.actor
    encounter = encounter_in(state, asked.place)
    order = encounter.order if encounter else ()
    names = (slot_name(state, slot, actor) for slot in order if may_handle(state, actor, slot))
    return [(name, bare_text(name)) for name in names if name and name not in asked.named]


#: Entries of initiative here that the asker may handle; several of them.
one_in_order, several_in_order = completer(_in_order), of_several(_in_order)


@to_gms
def initiative_places(asked: CompletionContext) -> Pairs:
    """Return the places with initiative, for GMs."""
    guild = asked.interaction.guild
    return [(place, place_name(guild, place)) for place in asked.state.encounters]


class Initiative(commands.GroupCog, group_name="initiative", group_description="Who acts when"):
    """Commands of the order of action.

    Answers are private, since names may be secret. The board and the calls are public.
    """

    @command_options.command(description="GMs: start initiative in this channel")
    async def start(self, ctx: Context) -> None:
        await ctx.perform(StartEncounter(**ctx.origin))

    @command_options.command(description="Join initiative with one of your characters")
    @app_commands.describe(as_="The character who joins")
    @app_commands.rename(as_="as")
    @completions.autocomplete(as_=completions.characters)
    async def join(self, ctx: Context, as_: Name | None = None) -> None:
        await ctx.perform(JoinEncounter(**ctx.origin, as_=as_))

    @command_options.command(
        description="GMs: add somebody, a whole group, or anything else that acts"
    )
    @app_commands.describe(
        name="A character, a group, or any name; everybody sees a name you make up",
        score="Initiative score: higher acts first",
    )
    @completions.autocomplete(name=newcomers)
    async def add(
        self,
        ctx: Context,
        name: Name,
        score: app_commands.Range[int, SCORE_RANGE[0], SCORE_RANGE[1]] | None = None,
    ) -> None:
        await ctx.perform(AddToEncounter(**ctx.origin, name=name, score=score))

    @command_options.command(
        description="GMs: set the order; everybody you don't name follows as before"
    )
    @app_commands.describe(names="Names from first to last, separated by commas")
    @completions.autocomplete(names=several_in_order)
    async def order(self, ctx: Context, names: command_options.Idea) -> None:
        await ctx.perform(OrderEncounter(**ctx.origin, order=split_words(names)))

    @command_options.command(description="End your turn. GMs: begin a round, or move on")
    @app_commands.describe(as_="Whose turn ends, of several who act in any order")
    @app_commands.rename(as_="as")
    @completions.autocomplete(as_=one_in_order)
    async def next(self, ctx: Context, as_: Name | None = None) -> None:
        await ctx.perform(NextTurn(**ctx.origin, as_=as_))

    @command_options.command(description="Delay your turn, or act now")
    @app_commands.describe(back="Act now, just before the current turn", as_="Who waits or acts")
    @app_commands.rename(as_="as")
    @completions.autocomplete(as_=one_in_order)
    async def delay(self, ctx: Context, back: bool = False, as_: Name | None = None) -> None:
        await ctx.perform(DelayTurn(**ctx.origin, as_=as_, back=back))

    @command_options.command(
        description="GMs: initiative goes on elsewhere, with the checks of its rounds"
    )
    @app_commands.describe(
        to="The channel or thread where it goes on", source="Where it is now (default: here)"
    )
    @app_commands.rename(source="from")
    @completions.autocomplete(source=initiative_places)
    async def move(self, ctx: Context, to: Place, source: Name | None = None) -> None:
        here = "" if source is None else source.strip().strip("<#>")
        target = target_place(ctx, to)
        await ctx.perform(MovePlay(**ctx.origin, what="initiative", source=here, **target))

    @command_options.command(description="Take your character out of initiative; GMs: anybody")
    @app_commands.describe(name="Who leaves initiative")
    @completions.autocomplete(name=one_in_order)
    async def remove(self, ctx: Context, name: Name) -> None:
        await ctx.perform(RemoveFromEncounter(**ctx.origin, name=name))

    @command_options.command(description="Show initiative, only to you")
    async def show(self, ctx: Context) -> None:
        shown = board_view(ctx.table.state, ctx.place, ctx.actor)
        if shown is None:
            raise Impossible("no-encounter")
        await ctx.show(private_board_card(shown, ctx.scene, gm=ctx.gm))

    @command_options.command(description="GMs: end initiative in this channel")
    async def end(self, ctx: Context) -> None:
        await ctx.perform(EndEncounter(**ctx.origin))


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Initiative())

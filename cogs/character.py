"""`/character`: creating, importing, showing, advancing and handing over characters."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.character import characters_card, export_card, give_card, use_card
from bot.ui.context import Context
from bot.ui.router import Press
from cogs import command_options, completions
from cogs.check_completions import trait_completer
from cogs.completions import CompletionContext, Pairs, completer, option_pairs
from rules.core.errors import InvalidInput, Outdated
from rules.registry import read_only_game
from rules.table.actions import Advance, Give, ImportCharacter, Learn, Retire, UseCharacter
from rules.table.checks import access
from rules.table.lookup import readable_characters
from rules.table.people.characters import (
    editable_characters,
    find_own,
    growable_characters,
    retired_characters,
)
from rules.table.people.sheets import write_object
from rules.table.state import AnyCharacter


def _growing_character(asked: CompletionContext) -> AnyCharacter:
    """Return the learning character: the one in `character`, else as the command finds it.

    Raises as `find_own`.
    """
    growable = growable_characters(asked.state, asked.actor)
    return find_own(asked.state, asked.actor, asked.option("character"), growable)


#: Growth options of the learning character, with their prices, and its attributes.
growth_options = completer(
    lambda asked: option_pairs(asked.game.system.advances(asked.game, _growing_character(asked)))
)
grown_attributes = trait_completer("attribute", _growing_character)
#: Characters that the asker may look at.
presentable = completer(lambda asked: asked.people(access.viewable_characters(asked.game)))


@completer
def retiring(asked: CompletionContext) -> Pairs:
    """Return the characters that the asker may retire, or bring back with `back`."""
    pool = retired_characters if asked.option("back") else editable_characters
    return asked.people(pool(asked.state, asked.actor))


class Character(
    commands.GroupCog, group_name="character", group_description="Characters at this table"
):
    """Characters: create, import, export, show, list, use, edit, learn, advance, give, retire."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()
        bot.router.add_table_route("give", self.hand_over, update=True)

    @command_options.command(
        name="import", description="Bring in a character from a JSON file", guests=True
    )
    @app_commands.describe(
        file="The character as a JSON file",
        replace="Replace your character with the same name",
        owner="GMs: who plays the character",
        npc="GMs: make it an NPC",
        grown="This character has grown: skip the rules for new characters",
    )
    async def import_(
        self,
        ctx: Context,
        file: discord.Attachment,
        replace: bool = False,
        owner: discord.User | discord.Member | None = None,
        npc: bool = False,
        grown: bool = False,
    ) -> None:
        data = await ctx.read_upload(file, "character")
        who = None if owner is None else ctx.participant(owner, "owner")
        await ctx.perform(
            ImportCharacter(
                **ctx.origin, data=data, owner=who, npc=npc, overwrite=replace, grown=grown
            )
        )

    @command_options.command(description="Look at a character sheet")
    @app_commands.describe(character="Whose sheet (default: the character who acts)")
    @completions.autocomplete(character=presentable)
    async def show(self, ctx: Context, character: command_options.Name | None = None) -> None:
        await self.bot.sheets.open(ctx, character)

    @command_options.command(name="list", description="Who is at this table")
    async def list_(self, ctx: Context) -> None:
        await ctx.show(characters_card(ctx.scene, ctx.game))

    @command_options.command(
        description="Pick your main character, who acts unless you name another"
    )
    @app_commands.describe(character="One of your characters")
    @completions.autocomplete(character=completions.characters)
    async def use(self, ctx: Context, character: command_options.Name | None = None) -> None:
        if character is None:
            await ctx.show(use_card(ctx.scene, ctx.actor))
        else:
            await ctx.perform(UseCharacter(**ctx.origin, character=character))

    @command_options.command(
        description="Make a new character: take a ready one, or step by step", guests=True
    )
    async def create(self, ctx: Context) -> None:
        await self.bot.creations.open(ctx)

    @command_options.command(
        description="Change the texts on a sheet: description, equipment, notes, portrait …"
    )
    @app_commands.describe(character="Whose sheet (default: yours)")
    @completions.autocomplete(character=completions.pool_completer(editable_characters))
    async def edit(self, ctx: Context, character: command_options.Name | None = None) -> None:
        await self.bot.creations.edit(ctx, character)

    @command_options.command(description="Learn something new, at a price; everybody hears of it")
    @app_commands.describe(
        skill="What to call it",
        attribute="The attribute it belongs to, where the rules ask for one",
        drawback="The drawback that comes with it, where the rules ask for one",
        explanation="How it came about; the GM says yes or no",
        character="Who learns it (default: yours)",
    )
    @completions.autocomplete(
        character=completions.pool_completer(growable_characters),
        attribute=grown_attributes,
    )
    async def learn(
        self,
        ctx: Context,
        skill: app_commands.Range[str, 1, 300],
        attribute: command_options.Name = "",
        drawback: app_commands.Range[str, 0, 300] = "",
        explanation: command_options.Idea = "",
        character: command_options.Name | None = None,
    ) -> None:
        await ctx.perform(
            Learn(
                **ctx.origin,
                character=character,
                skill=skill,
                attribute=attribute,
                drawback=drawback,
                explanation=explanation,
            )
        )

    @command_options.command(
        description="Raise something by one step, at a price; everybody hears of it"
    )
    @app_commands.describe(
        skill="What to raise (default: a menu of everything)",
        character="Whose (default: yours)",
        explanation="How it came about; then it waits for the GM's yes",
    )
    @completions.autocomplete(
        character=completions.pool_completer(growable_characters), skill=growth_options
    )
    async def advance(
        self,
        ctx: Context,
        skill: app_commands.Range[str, 1, 300] | None = None,
        character: command_options.Name | None = None,
        explanation: command_options.Idea = "",
    ) -> None:
        if skill is None:
            await self.bot.sheets.grow(ctx, character)
            return
        await ctx.perform(
            Advance(**ctx.origin, character=character, skill=skill, explanation=explanation)
        )

    improve = app_commands.command(name="improve", description="The same as /character advance")(
        advance.callback
    )

    @command_options.command(description="Get a character as a file you can import again")
    @app_commands.describe(character="Who (default: yours)")
    @completions.autocomplete(character=completions.pool_completer(readable_characters))
    async def export(self, ctx: Context, character: command_options.Name | None = None) -> None:
        state = ctx.table.state
        pool = readable_characters(state, ctx.actor)
        if character is None:
            pool = editable_characters(state, ctx.actor)
        exported = find_own(state, ctx.actor, character, pool)
        await ctx.show(export_card(exported, write_object(read_only_game(state), exported)))

    @command_options.command(description="Hand a character over; everybody sees it")
    @app_commands.describe(
        to="Who plays the character from now on",
        character="Who (default: yours)",
        npc="GMs: make it an NPC",
    )
    @completions.autocomplete(character=completions.pool_completer(editable_characters))
    async def give(
        self,
        ctx: Context,
        to: discord.User | discord.Member | None = None,
        character: command_options.Name | None = None,
        npc: bool = False,
    ) -> None:
        if to is not None and npc:
            raise InvalidInput(
                "give-to-whom", field="to", value=None, allowed="a member, or npc for the GMs"
            )
        if to is None and not npc:
            await self._ask_receiver(ctx, character)
            return
        who = None if to is None else ctx.participant(to, "to")
        await ctx.perform(Give(**ctx.origin, character=character, to=who))

    async def _ask_receiver(self, ctx: Context, character: str | None) -> None:
        """Ask which of several characters to hand over, and to which player."""
        state = ctx.table.state
        mine = editable_characters(state, ctx.actor)
        several = character is None and len(mine) > 1
        chosen = None if several else find_own(state, ctx.actor, character, mine)
        await ctx.show(give_card(ctx.scene, mine, chosen, gm=ctx.gm))

    async def hand_over(self, ctx: Context, press: Press) -> None:
        """Handle the card of a handover: `sg:give:<table>:<who|to|npc>:<character>`."""
        verb, value = press.text(1), press.choice
        if verb == "who":
            await self._ask_receiver(ctx, value)
        elif verb == "to" and value:
            await ctx.perform(
                Give(**ctx.origin, character=press.text(2), to=ctx.chosen_participant(value, "to"))
            )
        elif verb == "npc":
            await ctx.perform(Give(**ctx.origin, character=press.text(2), to=None))
        else:
            raise Outdated("unknown-control")

    @command_options.command(
        description="Retire a character, or bring one back; everybody hears of it"
    )
    @app_commands.describe(
        character="Who (default: yours)", back="Bring the character back into play"
    )
    @completions.autocomplete(character=retiring)
    async def retire(
        self,
        ctx: Context,
        character: command_options.Name | None = None,
        back: bool = False,
    ) -> None:
        await ctx.perform(Retire(**ctx.origin, character=character, back=back))


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Character(bot))

"""`/gm npc`: NPCs and their groups, and what the players know of them."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.ui.context import Context
from bot.ui.panels.board import npc_list
from cogs import command_options, completions
from cogs.command_options import Name
from cogs.completions import option_pairs, to_gms
from rules.table.actions import AddNpcs, ChangeNpc, RemoveNpc
from rules.table.people.npcs import COUNT_MAX
from rules.table.state import NpcStage

Notes = app_commands.Range[str, 1, 1000]
Address = app_commands.Range[str, 1, 500]
#: Text that removes notes, a portrait or an alias.
CLEAR_WORD = "none"


#: Ready NPCs of the rules.
ready_npcs = to_gms(lambda asked: option_pairs(asked.game.sheets.npcs(asked.game)))
#: Kinds of NPCs by their importance.
npc_kinds = to_gms(lambda asked: option_pairs(asked.game.sheets.npc_kinds))


class NpcCommands(commands.Cog):
    """add, edit, remove, reveal, alias, list."""

    npc = app_commands.Group(name="npc", description="NPCs")

    @command_options.command(npc, name="add", description="Add an NPC, or a numbered group")
    @app_commands.describe(
        name="Their name; without one, the name on the sheet",
        count="How many, for a numbered group",
        like="An NPC from the game's list, such as Orc",
        kind="How important, where the game has kinds",
        alias="What players call them until you reveal the name",
        stage="What players know (default: the alias if there is one, or nothing)",
        sheet="A sheet as a JSON file",
        notes="For GMs only",
        portrait="The https:// address of a picture",
    )
    @completions.autocomplete(like=ready_npcs, kind=npc_kinds)
    async def npc_add(
        self,
        ctx: Context,
        name: Name | None = None,
        count: app_commands.Range[int, 1, COUNT_MAX] = 1,
        alias: Name | None = None,
        stage: NpcStage | None = None,
        sheet: discord.Attachment | None = None,
        notes: Notes | None = None,
        portrait: Address | None = None,
        like: Notes | None = None,
        kind: Name | None = None,
    ) -> None:
        await ctx.perform(
            AddNpcs(
                **ctx.origin,
                name=name or "",
                count=count,
                like=like or "",
                kind=kind or "",
                alias=alias or "",
                stage=stage,
                notes=notes or "",
                portrait=portrait or "",
                data=await _read(ctx, sheet),
            )
        )

    @command_options.command(npc, name="edit", description="Change an NPC, or a whole group")
    @app_commands.describe(
        npc="The NPC or group",
        name="A new name",
        notes="New notes for GMs; none: no notes",
        portrait="The https:// address of a picture; none: no picture",
        sheet="A new sheet as a JSON file",
    )
    @completions.autocomplete(npc=completions.npcs)
    async def npc_edit(
        self,
        ctx: Context,
        npc: Name,
        name: Name | None = None,
        notes: Notes | None = None,
        portrait: Address | None = None,
        sheet: discord.Attachment | None = None,
    ) -> None:
        await ctx.perform(
            ChangeNpc(
                **ctx.origin,
                npc=npc,
                name=name,
                notes=_or_nothing(notes),
                portrait=_or_nothing(portrait),
                data=await _read(ctx, sheet),
            )
        )

    @command_options.command(
        npc, name="remove", description="Remove an NPC or a group; they can't have open checks"
    )
    @app_commands.describe(npc="The NPC or group")
    @completions.autocomplete(npc=completions.npcs)
    async def npc_remove(self, ctx: Context, npc: Name) -> None:
        await ctx.perform(RemoveNpc(**ctx.origin, npc=npc))

    @command_options.command(
        npc, name="reveal", description="Let players know an NPC by name, by alias, or not at all"
    )
    @app_commands.describe(npc="The NPC or group", stage="What players know (default: the name)")
    @completions.autocomplete(npc=completions.npcs)
    async def npc_reveal(self, ctx: Context, npc: Name, stage: NpcStage = "revealed") -> None:
        await ctx.perform(ChangeNpc(**ctx.origin, npc=npc, stage=stage))

    @command_options.command(
        npc, name="alias", description="What players call an NPC until you reveal the name"
    )
    @app_commands.describe(
        npc="The NPC or group",
        alias="What players read, such as: the figure in gray; none removes it",
    )
    @completions.autocomplete(npc=completions.npcs)
    async def npc_alias(self, ctx: Context, npc: Name, alias: Name) -> None:
        await ctx.perform(ChangeNpc(**ctx.origin, npc=npc, alias=_or_nothing(alias)))

    @command_options.command(
        npc, name="list", description="Your NPCs and their health; act as them"
    )
    async def npc_list(self, ctx: Context) -> None:
        await ctx.show(npc_list(ctx))


def _or_nothing(text: str | None) -> str | None:
    return "" if text is not None and text.strip().casefold() == CLEAR_WORD else text


async def _read(ctx: Context, sheet: discord.Attachment | None) -> dict[str, Any] | None:
    return None if sheet is None else await ctx.read_upload(sheet, "character")

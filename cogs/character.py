"""`/character`: bring characters in, look at them, choose who acts."""

from __future__ import annotations

import json

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.table import character_card, characters_card
from cogs import completion
from rules.core.errors import InvalidInput
from rules.registry import get_system
from rules.table.actions import ImportCharacter, UseCharacter
from rules.table.people import acting_as, find_character, readable

#: Largest file that is read, in bytes.
LARGEST = 256 * 1024


class Character(commands.GroupCog, group_name="character", group_description="Characters of this table"):
    """Characters: import, show, list, use."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()

    @app_commands.command(name="import", description="Bring a character in from a JSON file")
    @app_commands.describe(
        file="The character as a JSON file",
        replace="Replace your character of the same name",
        owner="GMs: whose character it is",
        npc="GMs: the character belongs to the table",
        grown="It has grown since it was made: the rules for new characters do not apply",
    )
    async def import_(
        self,
        interaction: discord.Interaction,
        file: discord.Attachment,
        replace: bool = False,
        owner: discord.User | discord.Member | None = None,
        npc: bool = False,
        grown: bool = False,
    ) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            data = read_json(file.size, await file.read() if file.size <= LARGEST else b"")
            who = None if owner is None else seat.participant(owner, "owner")
            await seat.perform(
                ImportCharacter(**seat.by, data=data, owner=who, npc=npc, replace=replace, grown=grown)
            )

    @app_commands.command(description="Look at a character sheet")
    @app_commands.describe(character="Whose sheet (default: the character who acts)")
    async def show(
        self, interaction: discord.Interaction, character: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            state = seat.table.state
            if character is None:
                found = acting_as(state, seat.actor, None)
            else:
                found = find_character(readable(state, seat.actor), character)
            lines = get_system(state.settings.system).describe_character(found)
            await seat.show(character_card(found, lines, seat.scene.names))

    @app_commands.command(name="list", description="Who is at this table")
    async def list_(self, interaction: discord.Interaction) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            state, names = seat.table.state, seat.scene.names
            await seat.show(*characters_card(state, names, who=seat.actor.id, gm=seat.gm))

    @app_commands.command(description="Choose which of your characters acts when you do not say")
    @app_commands.describe(character="One of your characters")
    async def use(self, interaction: discord.Interaction, character: app_commands.Range[str, 1, 100]) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            await seat.perform(UseCharacter(**seat.by, character=character))

    @show.autocomplete("character")
    async def _shown(self, interaction: discord.Interaction, typed: str) -> completion.Choices:
        return await completion.readable(self.bot.desk, interaction, typed)

    @use.autocomplete("character")
    async def _character(self, interaction: discord.Interaction, typed: str) -> completion.Choices:
        return await completion.characters(self.bot.desk, interaction, typed)


def read_json(size: int, content: bytes) -> dict[str, object]:
    """The object in a file. InvalidInput for a file that is too large, no text, no JSON, or no object."""
    if size > LARGEST:
        raise InvalidInput("file-too-large", field="file", value=size, allowed=f"up to {LARGEST // 1024} KiB")
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput("not-text", field="file", value=None, allowed="a JSON file in UTF-8") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            "not-json", field="file", value=None, allowed="JSON", line=error.lineno, column=error.colno
        ) from None
    except (RecursionError, ValueError):
        raise InvalidInput("odd-json", field="file", value=None, allowed="JSON") from None
    if not isinstance(data, dict):
        raise InvalidInput("not-an-object", field="file", value=None, allowed="one JSON object")
    return data


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Character(bot))

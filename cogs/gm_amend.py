"""`/gm amend`: change one earlier entry, and keep what came after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.delivery.table_scene import scene_of
from bot.presenters.language.limits import CHOICE_TEXT, CHOICES, clip
from bot.presenters.language.words import say_bare
from bot.presenters.log import entry_texts
from bot.services.history import entries_with_steps, recent_entries
from bot.ui.context import Context
from cogs import command_options
from rules.core.errors import RulesError
from rules.table.amendments.limits import is_amendable_kind
from rules.table.gms.gm_tools import REASON_MAX
from rules.table.journal.undo import is_undoable
from rules.table.permissions import is_gm

if TYPE_CHECKING:
    from bot.app import Storyguide

#: Words of a new answer, such as `difficulty: 9`.
Words = app_commands.Range[str, 1, 300]
Reason = app_commands.Range[str, 1, REASON_MAX]
#: Entries that are searched for those to suggest.
_REACH = 100


class AmendCommands(commands.Cog):
    """amend."""

    bot: Storyguide

    @command_options.command(
        description="Correct one earlier entry and keep the later ones; you see first what changes",
        # Players are told how to ask for a correction.
        guests=True,
    )
    @app_commands.describe(
        entry="The number after # on a message",
        change="The new values, such as difficulty: 9; leave it out for a form",
        reason="Why; all who are told of the correction read it",
    )
    async def amend(
        self,
        ctx: Context,
        entry: app_commands.Range[int, 1],
        change: Words | None = None,
        reason: Reason = "",
    ) -> None:
        await self.bot.amendments.begin(ctx, entry, change, reason)

    @amend.autocomplete("entry")
    async def _amended_entry(
        self, interaction: discord.Interaction, typed: int | str
    ) -> list[app_commands.Choice[int]]:
        here = await self.bot.interactions.table_here(interaction)
        if here is None or not is_gm(here[0].state, here[1]):
            return []
        table = here[0]
        rows = await recent_entries(self.bot.interactions.tables, table.id, _REACH)
        offered = [
            row
            for row, entry in reversed(rows)
            if is_undoable(entry) and is_amendable_kind(row.kind) and row.seq > table.redacted
        ]
        entries = entries_with_steps(offered)
        texts = entry_texts(entries, scene_of(table).names)
        wanted = str(typed).casefold()
        choices: list[app_commands.Choice[int]] = []
        for (row, _), text in zip(entries, texts, strict=True):
            if wanted in text.casefold():
                choices.append(app_commands.Choice(name=text, value=row.seq))
        return choices[:CHOICES]

    @amend.autocomplete("change")
    async def _new_words(
        self, interaction: discord.Interaction, typed: str
    ) -> list[app_commands.Choice[str]]:
        here = await self.bot.interactions.table_here(interaction)
        number = getattr(interaction.namespace, "entry", None)
        if here is None or not is_gm(here[0].state, here[1]) or not isinstance(number, int):
            return []
        try:
            offered = await self.bot.amendments.word_options(*here, number)
        except RulesError:
            return []
        head, comma, last = typed.rpartition(",")
        prefix, wanted = (f"{head.strip()}, " if comma else ""), last.strip().casefold()
        choices: list[app_commands.Choice[str]] = []
        for option in offered:
            words = prefix + option.value
            name = f"{words} ({say_bare(option.label)})"
            fits = wanted in option.value.casefold() or wanted in say_bare(option.label).casefold()
            if fits and len(words) <= CHOICE_TEXT:
                choices.append(app_commands.Choice(name=clip(name, CHOICE_TEXT), value=words))
        return choices[:CHOICES]

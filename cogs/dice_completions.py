"""Completions of dice: saved rolls, and named values of the acting character."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.app import Storyguide
from bot.presenters.language.limits import CHOICE_TEXT
from cogs.completions import Choices, CompletionContext, Pairs, anywhere, completer


@anywhere
def saved_rolls(asked: CompletionContext) -> Pairs:
    """Return the asker's saved rolls, by name."""
    return [(name, f"{name}: {text}") for name, text in asked.state.person(asked.actor.id).rolls]


@completer
def _named_values(asked: CompletionContext) -> Pairs:
    values = asked.game.sheets.values(asked.acting_character())
    return [(name, f"{{{name}}}: {value}") for name, value in values.items()]


async def named_values(interaction: discord.Interaction[Storyguide], typed: str) -> Choices:
    """Return the acting character's named values, after an open brace."""
    head, brace, last = typed.rpartition("{")
    if not brace or "}" in last:
        return []
    return [
        app_commands.Choice(name=choice.name, value=f"{head}{{{choice.value}}}")
        for choice in await _named_values(interaction, last)
        if len(head) + len(choice.value) + 2 <= CHOICE_TEXT
    ]


async def dice(interaction: discord.Interaction[Storyguide], typed: str) -> Choices:
    """Return the asker's saved rolls, or named values after an open brace."""
    return await named_values(interaction, typed) or await saved_rolls(interaction, typed)

"""What the options of commands complete to. Never anything hidden: only what the asker may see."""

from __future__ import annotations

from collections.abc import Iterable

import discord
from discord import app_commands

from bot.presenters.limits import SELECT_OPTIONS, clip
from bot.presenters.propose import choice_texts
from bot.ui.desk import Desk
from rules.core.errors import RulesError
from rules.registry import get_system
from rules.table import people
from rules.table.people import acting_as, playable
from rules.table.state import AnyCharacter
from rules.table.system import System

Choices = list[app_commands.Choice[str]]


def matching(pairs: Iterable[tuple[str, str]], typed: str) -> Choices:
    """At most 25 choices whose label holds what was typed, those that begin with it first."""
    wanted = typed.strip().casefold()
    fitting = [(value, label) for value, label in pairs if wanted in label.casefold()]
    fitting.sort(key=lambda pair: not pair[1].casefold().startswith(wanted))
    return [
        app_commands.Choice(name=clip(label, 100), value=value[:100])
        for value, label in fitting[:SELECT_OPTIONS]
    ]


async def _acting(desk: Desk, interaction: discord.Interaction) -> tuple[System, AnyCharacter] | None:
    looked = await desk.look(interaction)
    if looked is None:
        return None
    table, actor = looked
    try:
        character = acting_as(table.state, actor, getattr(interaction.namespace, "as", None))
    except RulesError:
        return None
    return get_system(table.state.settings.system), character


async def skills(desk: Desk, interaction: discord.Interaction, typed: str) -> Choices:
    """The abilities of whoever acts."""
    found = await _acting(desk, interaction)
    return [] if found is None else matching(choice_texts(found[0].skills(found[1])), typed)


async def attributes(desk: Desk, interaction: discord.Interaction, typed: str) -> Choices:
    """The attributes of whoever acts."""
    found = await _acting(desk, interaction)
    return [] if found is None else matching(choice_texts(found[0].attributes(found[1])), typed)


async def difficulties(desk: Desk, interaction: discord.Interaction, typed: str) -> Choices:
    """The levels of the table's system; a number is completed to itself."""
    looked = await desk.look(interaction)
    if looked is None:
        return []
    system = get_system(looked[0].state.settings.system)
    number = [(typed.strip(), typed.strip())] if typed.strip().isdigit() else []
    return matching(number + choice_texts(system.difficulties()), typed)


async def switches(desk: Desk, interaction: discord.Interaction, typed: str) -> Choices:
    """The words of `with`, after those already typed."""
    looked = await desk.look(interaction)
    if looked is None:
        return []
    system = get_system(looked[0].state.settings.system)
    head, comma, last = typed.rpartition(",")
    prefix = f"{head.strip()}, " if comma else ""
    words = choice_texts(system.switches(gm=False))
    found = matching(((value, f"{value} – {label}") for value, label in words), last)
    return [
        app_commands.Choice(name=clip(prefix + choice.name, 100), value=prefix + choice.value)
        for choice in found
        if len(prefix + choice.value) <= 100
    ]


async def characters(desk: Desk, interaction: discord.Interaction, typed: str) -> Choices:
    """The characters one may act as."""
    looked = await desk.look(interaction)
    if looked is None:
        return []
    table, actor = looked
    return matching(((each.id, each.name) for each in playable(table.state, actor)), typed)


async def readable(desk: Desk, interaction: discord.Interaction, typed: str) -> Choices:
    """The characters whose sheets one may read."""
    looked = await desk.look(interaction)
    if looked is None:
        return []
    table, actor = looked
    return matching(((each.id, each.name) for each in people.readable(table.state, actor)), typed)


def split_words(text: str | None) -> tuple[str, ...]:
    """The words of `with`, separated by commas."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())

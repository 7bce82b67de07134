"""Options that several commands have: what they take, and what Discord says of them."""

from __future__ import annotations

from typing import Final, Literal, TypeVar

from discord import app_commands

from bot.presenters.words import COMMANDS

T = TypeVar("T")

#: A name, a level, or whatever else is found by a few words.
Name = app_commands.Range[str, 1, 100]
#: What somebody does, in their own words.
Idea = app_commands.Range[str, 1, 1000]
#: Words separated by commas, a reason, dice.
Words = app_commands.Range[str, 1, 200]
Modifier = app_commands.Range[int, -20, 20]
Visibility = Literal["public", "private", "blind"]


def anywhere(command: T) -> T:
    """A command that works in direct messages too, and wherever somebody brings the bot along."""
    installed = app_commands.allowed_installs(guilds=True, users=True)(command)
    return app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)(installed)


_TOLD: Final = COMMANDS["options"]
SKILL: Final = _TOLD["skill"]
ATTRIBUTE: Final = _TOLD["attribute"]
DIFFICULTY: Final = _TOLD["difficulty"]
APPROACH: Final = _TOLD["approach"]
WITH: Final = _TOLD["with"]
MODIFIER: Final = _TOLD["modifier"]
AS: Final = _TOLD["as"]
VISIBILITY: Final = _TOLD["visibility"]

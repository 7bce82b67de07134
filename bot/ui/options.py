"""What came with a command, against what the command takes, and commands that are run with it as it is.

Discord checks options; a client that somebody has tampered with, or a command that was registered before it changed,
may send anything.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import discord
from discord import AppCommandOptionType as Takes
from discord import app_commands

from rules.core.errors import InvalidInput
from rules.core.record import record
from rules.table.texts import is_id


@dataclass(frozen=True, slots=True)
class Taken:
    """What an option takes: of which plain values, which alone where Discord lists them (with their names), from where
    to where a number or the length of a text; and whether it is completed.
    """

    of: Takes | None = None
    plain: tuple[type, ...] = ()
    listed: Mapping[str | float, str] = field(default_factory=dict[str | float, str])
    low: int | None = None
    high: int | None = None
    completed: bool = False

    def amiss(self, name: str, value: Any) -> InvalidInput | None:
        """Why it is none of those that a client would send."""
        if self.listed and value not in self.listed:
            return InvalidInput("wrong-type", field=name, value="…", allowed=tuple(self.listed.values()))
        size = len(value) if isinstance(value, str) else value
        if self.high is not None and size > self.high:
            if isinstance(value, str):
                return InvalidInput("too-long", field=name, value="…", length=size, highest=self.high)
        elif self.low is None or size >= self.low:
            return None
        elif isinstance(value, str):
            return InvalidInput("empty-text", field=name, value="")
        return InvalidInput("out-of-range", field=name, value=value, lowest=self.low, highest=self.high)


#: Does what a command says; given are the options that were said, by name.
Run = Callable[[discord.Interaction, dict[str, Any]], Coroutine[Any, Any, None]]


@record
class Direct:
    """What a command of which the library need not make anything does, with its options by the names in Discord."""

    run: Run
    names: Mapping[str, str]
    needed: frozenset[str]


@record
class Known:
    """What is known of a command: what its options take, and how it is run where that is all."""

    command: app_commands.Command[Any, ..., Any]
    options: Mapping[str, Taken]
    direct: Direct | None

    async def run(self, interaction: discord.Interaction, said: Mapping[str, Any]) -> bool:
        """Do what it does, with what came with it; whether it can be done so. Raises what the library does."""
        direct = self.direct
        if direct is None or not direct.needed <= said.keys():
            return False
        try:
            await direct.run(
                interaction, {told: said[name] for name, told in direct.names.items() if name in said}
            )
        except app_commands.AppCommandError:
            raise
        except Exception as error:
            raise app_commands.CommandInvokeError(self.command, error) from error
        return True


#: Commands by their whole names.
Commands = dict[tuple[str, ...], Known]
#: Where a command keeps its `Direct`.
DIRECT: Final = "direct"

#: Commands and groups hold their options one level down.
_NESTED: Final = (Takes.subcommand.value, Takes.subcommand_group.value)
#: The classes of plain values; everything else is named by an id.
_PLAIN: Final[Mapping[Takes, tuple[type, ...]]] = {
    Takes.string: (str,),
    Takes.integer: (int,),
    Takes.boolean: (bool,),
    Takes.number: (int, float),
}
#: Where Discord says what those ids stand for.
_RESOLVED: Final[Mapping[Takes, tuple[str, ...]]] = {
    Takes.user: ("users",),
    Takes.channel: ("channels",),
    Takes.role: ("roles",),
    Takes.mentionable: ("users", "roles"),
    Takes.attachment: ("attachments",),
}
#: Of an option that a command has not.
_NOTHING: Final = Taken()


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def is_text(value: str) -> bool:
    """Whether this can be written down: half of a sign cannot."""
    return value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


def known(
    interaction: discord.Interaction, commands: Commands
) -> tuple[Known | None, Sequence[Mapping[str, Any]]]:
    """What is known of the command that was used, None where it is none; and what came with it.

    It is kept in `commands`: finding it out takes the library as long as all the rest.
    """
    data: Mapping[str, Any] = interaction.data or {}
    options: Sequence[Mapping[str, Any]] = data.get("options", [])
    path: tuple[str, ...] = (data.get("name", ""),)
    while options and options[0].get("type") in _NESTED:
        path = (*path, options[0].get("name", ""))
        options = options[0].get("options", [])
    found = commands.get(path)
    if found is None:
        command = interaction.command
        if not isinstance(command, app_commands.Command):
            return None, options
        takes = {
            each.display_name: Taken(
                each.type,
                _PLAIN.get(each.type, ()),
                {choice.value: choice.name for choice in each.choices},
                _whole(each.min_value),
                _whole(each.max_value),
                each.autocomplete,
            )
            for each in command.parameters
        }
        plain = command.parent is None and not command.checks and all(each.plain for each in takes.values())
        found = commands[path] = Known(command, takes, command.extras.get(DIRECT) if plain else None)
    return found, options


def misfit(
    interaction: discord.Interaction, command: Known, options: Sequence[Mapping[str, Any]]
) -> InvalidInput | None:
    """What is wrong with an option that cannot be what it says: InvalidInput("wrong-type", "unprintable-text",
    "too-long", "empty-text", "out-of-range").
    """
    data: Mapping[str, Any] = interaction.data or {}
    taken = command.options
    asking = interaction.type is discord.InteractionType.autocomplete
    for option in options:
        name, value = option["name"], option.get("value")
        if isinstance(value, str) and not value.isascii() and not is_text(value):
            return InvalidInput("unprintable-text", field=name, value="…", fix="remove-control-characters")
        takes = taken.get(name, _NOTHING)
        plain = type(value) in takes.plain
        if plain and not asking:
            if (wrong := takes.amiss(name, value)) is not None:
                return wrong
            continue
        typing = asking and option.get("focused")
        if typing and takes.completed and isinstance(value, str):
            # What is being typed is sent as it stands, for a number too.
            continue
        fits = plain or (takes.of in _RESOLVED and _named(takes.of, value, data, asking=asking))
        if not fits or (typing and not takes.completed):
            return InvalidInput("wrong-type", field=name, value="…")
    return None


def _named(kind: Takes, value: object, data: Mapping[str, Any], *, asking: bool) -> bool:
    if not isinstance(value, str) or not is_id(value):
        return False
    found: Mapping[str, Any] = data.get("resolved", {})
    return asking or any(value in found.get(each, {}) for each in _RESOLVED[kind])

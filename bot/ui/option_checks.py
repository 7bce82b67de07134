"""Validation of a command's options against the command's declaration.

Discord checks options; a tampered client, or a command that was registered before it changed, may
send anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord
from discord import AppCommandOptionType as Takes
from discord import app_commands

from rules.core.errors import InvalidInput
from rules.core.record import Record, field
from rules.table.forms.typed_texts import is_id


class OptionSpec(Record):
    """Values that an option accepts."""

    #: Discord's type of the option; None for an unknown option.
    of: Takes | None = None
    #: Python classes of its plain values.
    plain: tuple[type, ...] = ()
    #: The only values, with their names, if Discord lists them.
    listed: Mapping[str | float, str] = field(default_factory=dict[str | float, str])
    #: Bounds of a number, or of a text's length.
    low: int | None = None
    high: int | None = None
    #: The option has completions.
    completed: bool = False

    def problem_with(self, name: str, value: Any) -> InvalidInput | None:
        """Return the error for a value that no client would send, or None."""
        if self.listed and value not in self.listed:
            return InvalidInput(
                "wrong-type", field=name, value="…", allowed=tuple(self.listed.values())
            )
        size = len(value) if isinstance(value, str) else value
        if self.high is not None and size > self.high:
            if isinstance(value, str):
                return InvalidInput(
                    "too-long", field=name, value="…", length=size, highest=self.high
                )
        elif self.low is None or size >= self.low:
            return None
        elif isinstance(value, str):
            return InvalidInput("empty-text", field=name, value="")
        return InvalidInput(
            "out-of-range", field=name, value=value, lowest=self.low, highest=self.high
        )


#: Options of each command, by the command's full name.
OptionSpecs = dict[tuple[str, ...], Mapping[str, OptionSpec]]

#: Types of options that hold further options.
_NESTED: Final = (Takes.subcommand.value, Takes.subcommand_group.value)
#: Python classes of plain values; any other value is an id.
_PLAIN: Final[Mapping[Takes, tuple[type, ...]]] = {
    Takes.string: (str,),
    Takes.integer: (int,),
    Takes.boolean: (bool,),
    Takes.number: (int, float),
}
#: Keys of the interaction's resolved objects, by type of id.
_RESOLVED: Final[Mapping[Takes, tuple[str, ...]]] = {
    Takes.user: ("users",),
    Takes.channel: ("channels",),
    Takes.role: ("roles",),
    Takes.mentionable: ("users", "roles"),
    Takes.attachment: ("attachments",),
}
#: Spec of an option that the command does not have.
_NOTHING: Final = OptionSpec()


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def is_text(value: str) -> bool:
    """Return whether a text can be encoded: it has no lone surrogate."""
    return value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


def option_problem(interaction: discord.Interaction, known: OptionSpecs) -> InvalidInput | None:
    """Return the error for the first option with an impossible value, or None.

    That is InvalidInput("wrong-type"), ("unprintable-text"), ("too-long"), ("empty-text") or
    ("out-of-range"). `known` caches each command's options, since computing them takes as long as
    all the rest.
    """
    data: Mapping[str, Any] = interaction.data or {}
    options: Sequence[Mapping[str, Any]] = data.get("options", [])
    path: tuple[str, ...] = (data.get("name", ""),)
    while options and options[0].get("type") in _NESTED:
        path = (*path, options[0].get("name", ""))
        options = options[0].get("options", [])
    taken = known.get(path)
    if taken is None:
        command = interaction.command
        if not isinstance(command, app_commands.Command):
            return None
        taken = known[path] = {
            parameter.display_name: OptionSpec(
                parameter.type,
                _PLAIN.get(parameter.type, ()),
                {choice.value: choice.name for choice in parameter.choices},
                _whole(parameter.min_value),
                _whole(parameter.max_value),
                parameter.autocomplete,
            )
            for parameter in command.parameters
        }
    asking = interaction.type is discord.InteractionType.autocomplete
    for option in options:
        name, value = option["name"], option.get("value")
        if isinstance(value, str) and not value.isascii() and not is_text(value):
            return InvalidInput(
                "unprintable-text", field=name, value="…", fix="remove-control-characters"
            )
        takes = taken.get(name, _NOTHING)
        plain = type(value) in takes.plain
        if plain and not asking:
            if (wrong := takes.problem_with(name, value)) is not None:
                return wrong
            continue
        typing = asking and option.get("focused")
        if typing and takes.completed and isinstance(value, str):
            # Discord sends an unfinished value as text, even for a number.
            continue
        fits = plain or (
            takes.of in _RESOLVED and _is_valid_reference(takes.of, value, data, asking=asking)
        )
        if not fits or (typing and not takes.completed):
            return InvalidInput("wrong-type", field=name, value="…")
    return None


def _is_valid_reference(
    kind: Takes, value: object, data: Mapping[str, Any], *, asking: bool
) -> bool:
    if not isinstance(value, str) or not is_id(value):
        return False
    resolved: Mapping[str, Any] = data.get("resolved", {})
    return asking or any(value in resolved.get(key, {}) for key in _RESOLVED[kind])

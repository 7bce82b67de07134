"""What came with a command, against what the command takes.

Discord checks options; a client that somebody has tampered with, or a command that was registered
before it changed, may send anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord
from discord import AppCommandOptionType as Takes
from discord import app_commands

from rules.core.errors import InvalidInput
from rules.core.record import Record, field
from rules.table.typed_texts import is_id


class OptionSpec(Record):
    """What an option takes: of which plain values, which alone where Discord lists them (with their
    names), from where to where a number or the length of a text; and whether it is completed.
    """

    of: Takes | None = None
    plain: tuple[type, ...] = ()
    listed: Mapping[str | float, str] = field(default_factory=dict[str | float, str])
    low: int | None = None
    high: int | None = None
    completed: bool = False

    def problem_with(self, name: str, value: Any) -> InvalidInput | None:
        """Why it is none of those that a client would send."""
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


#: What the options of each command take, by its whole name.
OptionSpecs = dict[tuple[str, ...], Mapping[str, OptionSpec]]

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
_NOTHING: Final = OptionSpec()


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def is_text(value: str) -> bool:
    """Whether this can be written down: half of a sign cannot."""
    return value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


def option_problem(interaction: discord.Interaction, known: OptionSpecs) -> InvalidInput | None:
    """What is wrong with an option that cannot be what it says: InvalidInput("wrong-type",
    "unprintable-text", "too-long", "empty-text", "out-of-range").

    In `known` is kept what was found out of a command, which takes the library as long as all the
    rest.
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
            each.display_name: OptionSpec(
                each.type,
                _PLAIN.get(each.type, ()),
                {choice.value: choice.name for choice in each.choices},
                _whole(each.min_value),
                _whole(each.max_value),
                each.autocomplete,
            )
            for each in command.parameters
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
            # What is being typed is sent as it stands, for a number too.
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
    found: Mapping[str, Any] = data.get("resolved", {})
    return asking or any(value in found.get(each, {}) for each in _RESOLVED[kind])

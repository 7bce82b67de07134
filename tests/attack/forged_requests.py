"""Commands as a client sends them that somebody has tampered with."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from discord import app_commands
from simcord.enums import InteractionType
from simcord.interactions import base_payload
from simcord.results import InteractionResult

from tests.discord.world import World

#: What a client says an option is, by the class of its value.
_SAID: Final[Mapping[type, int]] = {str: 3, int: 4, bool: 5, float: 10}


def send(
    world: World, who: Any, command: str, options: Mapping[str, Any], *, typing: str = ""
) -> InteractionResult:
    """A command with these options, whatever they are; `typing` is the option that is being
    completed.
    """
    given: list[dict[str, Any]] = [
        {"name": name, "type": _SAID.get(type(value), 3), "value": value}
        for name, value in options.items()
    ]
    for each in given:
        if each["name"] == typing:
            each["focused"] = True
    first, *rest = command.split(" ")
    kinds = (1,) if len(rest) == 1 else (1, 2)
    for piece, kind in zip(reversed(rest), kinds, strict=False):
        given = [{"name": piece, "type": kind, "options": given}]
    asks = (
        InteractionType.APPLICATION_COMMAND_AUTOCOMPLETE
        if typing
        else InteractionType.APPLICATION_COMMAND
    )
    data = {"id": "1", "name": first, "type": 1, "options": given, "resolved": {}}
    data["guild_id"] = str(world.guild.id)
    backend = world.env.backend
    record, payload = base_payload(
        backend,
        type=asks,
        channel_id=world.zone.id,
        guild_id=world.guild.id,
        user_id=who.id,
        data=data,
    )
    backend.emit("INTERACTION_CREATE", payload)
    return InteractionResult(world.env, record)


def commands(world: World) -> Iterator[app_commands.Command[Any, ..., Any]]:
    """Every command there is on this server."""
    for each in world.bot.tree.walk_commands():
        if isinstance(each, app_commands.Command):
            yield each
    for each in world.bot.tree.walk_commands(guild=world.bot.get_guild(world.guild.id)):
        if isinstance(each, app_commands.Command):
            yield each


class _Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.faults: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.faults.append(f"{record.getMessage()} {record.exc_info and record.exc_info[1]!r}")


@contextmanager
def no_faults() -> Iterator[list[str]]:
    """Fails where the log tells of a fault of the bot's own; what it told so far."""
    heard = _Heard()
    logging.getLogger().addHandler(heard)
    try:
        yield heard.faults
    finally:
        logging.getLogger().removeHandler(heard)
    assert heard.faults == []

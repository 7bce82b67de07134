"""Two plays that differ in a secret alone, and all that a player gets to see of each."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

import discord
import pytest
from discord import app_commands
from simcord.actors import MemberActor
from simcord.backend.errors import SetupError

from rules.core import rng
from tests.attack.doors import SHOWING_COMMANDS
from tests.attack.forged_requests import commands, send
from tests.discord.separate_world import separate_world
from tests.discord.world import World, controls

Play = Callable[[World], Awaitable[None]]
#: Looks at a table after a play; returns the files that were sent.
Looks = Callable[[World], Awaitable[list[str]]]

#: Values of required options by name, where the least possible value would find nothing.
VALUES: Final[Mapping[str, object]] = {
    "entry": 3,
    "since": "3 days",
    "text": "i",
    "dice": "2d6",
    "check": "c1",
    "format": "Markdown",
}
#: Routes of which every entry or row has a button.
_ROUTES_OF_ENTRIES: Final = ("show:{}", "origin:1:{}", "last:1:{}", "again:1:{}")
#: A command that may take the player's character away.
_LAST: Final = "table undo"
_DIGEST: Final = rng._digest


async def play_both(
    folder: Path, one: Play, other: Play, looks: Looks
) -> tuple[list[str], list[str]]:
    """Return everything that reaches Ben in two plays, each with the same looks after it."""
    return await _seen(folder / "one", one, looks), await _seen(folder / "other", other, looks)


async def _seen(folder: Path, play: Play, looks: Looks) -> list[str]:
    """Return every request that reaches Ben in a play of its own, in order, and his files."""
    async with separate_world(folder) as world:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rng, "_digest", _same_digest)
            await play(world)
            files = await looks(world)
            await world.env.settle()
            return [*map(_plain, _requests(world)), *map(_plain, files)]


def _same_digest(seed: bytes, message: bytes) -> bytes:
    """Return the same digest in each play: seeds and requests don't count."""
    if message.startswith(b"tag:"):
        return _DIGEST(seed, message)
    return hashlib.sha256(message.rpartition(b":")[2]).digest()


def _requests(world: World) -> list[str]:
    """Return the requests that show Ben something, without the GM's own guide."""
    found: list[str] = []
    for request in world.env.http_requests:
        body = request.json if isinstance(request.json, dict) else {}
        text = f"{request.method} {request.path} {json.dumps(body)}"
        is_deferral = body.get("type") in (5, 6)
        if request.method == "GET" or is_deferral or "First steps" in text:
            continue
        if world.reaches(world.ben, request):
            found.append(text)
    return found


def _plain(text: str) -> str:
    """Return a text without Discord's ids, random tokens and the numbers of parts of messages."""
    text = re.sub(r"[0-9a-f]{64}", "HEX", text)
    text = re.sub(r'"nonce": "[^"]*"', "NONCE", text)
    text = re.sub(r"(sg\d*:fmm?:\w+):[A-Za-z0-9_-]{8}(?=[:\"])", r"\1:TOKEN", text)
    text = re.sub(r'"id": \d{1,6}\b', '"id": 0', text)
    return re.sub(r"\b[kp][2-9a-hjkmnp-z]{8}\b|\d{15,}", "ID", text)


def difference(one: list[str], other: list[str]) -> str:
    """Return the texts in which two plays differ, around the first difference of each."""
    lines: list[str] = []
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        for left, right in zip(one[a:b] or [""], other[c:d] or [""], strict=False):
            pairs = enumerate(zip(left, right, strict=False))
            at = next((number for number, (x, y) in pairs if x != y), 0)
            cut = slice(max(0, at - 200), at + 200)
            lines += [f"- {left[:80]} … {left[cut]}", f"+ {right[:80]} … {right[cut]}"]
    return "\n".join(lines)


class Sweep:
    """All that one player can complete, look up and press at a table."""

    def __init__(self, world: World, who: MemberActor, **values: object) -> None:
        self.world = world
        self.who = who
        self.values = {**VALUES, **values}
        self.files: list[str] = []

    async def everything(self) -> list[str]:
        """Look through every door, and return the files that the player got."""
        await self._complete()
        for command in list(commands(self.world)):
            name = command.qualified_name
            if name in SHOWING_COMMANDS and not name.startswith("initiative ") and name != _LAST:
                await self._send(command)
        await self._press_messages()
        await self._press_entries()
        await self.who.slash(self.world.zone, _LAST)
        return self.files

    async def _complete(self) -> None:
        """Complete every option of every command, with nothing typed."""
        for command in list(commands(self.world)):
            for option in command.parameters:
                if option.autocomplete:
                    is_number = option.type.name in ("integer", "number")
                    given = {option.display_name: 1 if is_number else ""}
                    name = command.qualified_name
                    send(self.world, self.who, name, given, typing=option.display_name)
            await self.world.env.settle()

    async def _send(self, command: app_commands.Command[Any, ..., Any]) -> None:
        given: dict[str, object] = {}
        for option in command.parameters:
            if option.required:
                given[option.display_name] = self._value(option)
        name = command.qualified_name
        try:
            result = await self.who.slash(self.world.zone, name, **given)
        except SetupError as hidden:
            self.files.append(f"/{name}: {hidden}")
            return
        if result.response is None:
            return
        for file in result.response.attachments:
            content = (await file.read()).decode(errors="replace")
            self.files.append(f"/{name}: {content}")

    def _value(self, option: app_commands.Parameter) -> object:
        """Return a value for a required option."""
        if option.choices:
            return option.choices[0].value
        kind = option.type.name
        value = self.values.get(option.display_name)
        if value is not None and isinstance(value, int) == (kind in ("integer", "number")):
            return value
        things = {
            "user": self.world.ana,
            "channel": self.world.zone,
            "role": self.world.guild.default_role,
            "attachment": ("x.json", b"{}"),
            "boolean": True,
            "string": "1",
        }
        return things.get(kind, option.min_value or 1)

    async def _press_messages(self) -> None:
        """Choose in the menu of every message, and press a control of each kind."""
        menu = self.world.bot.tree.get_commands(type=discord.AppCommandType.message)
        tried: set[str] = set()
        for message in self.world.zone.history(viewer=self.who):
            for command in menu:
                await self.who.context_menu(self.world.zone, command.name, message)
            for control in controls(message):
                kind = re.sub(r"\d+", "N", control["custom_id"])
                if kind not in tried and not control["custom_id"].startswith("sg:cho"):
                    tried.add(kind)
                    self.world.emit(self.who, control["custom_id"], message)
                    await self.world.env.settle()

    async def _press_entries(self) -> None:
        """Forge the buttons of every entry, and ask for a correction of each."""
        for number in range(1, await self.world.revision() + 2):
            for route in _ROUTES_OF_ENTRIES:
                self.world.emit(self.who, f"sg:{route.format(number)}")
                await self.world.env.settle()
            self.world.emit_modal(self.who, f"sg:request-text:1:{number}", text="please")
            await self.world.env.settle()

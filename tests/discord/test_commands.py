"""The commands as Discord gets them: within its limits, in its syntax, and only where they
belong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from discord import AppCommandType, app_commands
from simcord.types import HttpLogEntry

from cogs.system_commands import system_groups
from rules.registry import PLAYABLE
from tests.discord.world import World, check_sent

#: Names, descriptions and choice values of one command with everything in it.
LARGEST = 8000
NAME = re.compile(r"[a-z0-9_-]{1,32}")
SUBCOMMAND, GROUP = 1, 2
SLASH, MESSAGE = 1, 3
#: What works in direct messages, and where somebody brings the bot along.
ANYWHERE = {"roll", "roll-save", "odds", "moves", "help", "notify", "privacy", "Verify this roll"}


def _nodes(node: dict[str, Any], depth: int = 0) -> Iterator[tuple[dict[str, Any], int]]:
    """A command, its subcommands and their options, with how deep each stands."""
    yield node, depth
    for option in node.get("options") or ():
        yield from _nodes(option, depth + 1)


def _size(command: dict[str, Any]) -> int:
    total = 0
    for node, _ in _nodes(command):
        total += len(node["name"]) + len(node["description"])
        for choice in node.get("choices") or ():
            total += len(choice["name"]) + len(str(choice["value"]))
    return total


def _payload(world: World) -> list[dict[str, Any]]:
    """What was really sent."""
    return [each for each in _synced(world) if each["type"] == SLASH]


def _synced(world: World) -> list[dict[str, Any]]:
    (request,) = [request for request in world.env.http_requests if request.method == "PUT"]
    assert isinstance(request.json, list)
    return request.json


async def test_every_command_fits(world: World) -> None:
    commands = _payload(world)
    assert {command["name"] for command in commands} >= {
        "setup",
        "check",
        "character",
        "gm",
        "table",
        "moves",
        "help",
    }
    assert len(commands) <= 100
    of_systems = [
        group.to_dict(world.bot.tree)
        for key, each in PLAYABLE.items()
        if each.commands
        for group in system_groups(key)
    ]
    for command in (*commands, *of_systems):
        assert _size(command) <= LARGEST, command["name"]
        for node, depth in _nodes(command):
            where = f"{command['name']}: {node['name']}"
            assert NAME.fullmatch(node["name"]), where
            assert 1 <= len(node["description"]) <= 100, where
            assert depth <= 3, where
            options = node.get("options") or []
            assert len(options) <= 25, where
            assert len({option["name"] for option in options}) == len(options), where
            kinds = {option["type"] in (SUBCOMMAND, GROUP) for option in options}
            assert len(kinds) <= 1, f"{where} mixes options and subcommands"
            required = [bool(option.get("required")) for option in options]
            assert required == sorted(required, reverse=True), (
                f"{where}: what is required comes first"
            )
            choices = node.get("choices") or []
            assert len(choices) <= 25, where
            assert not (choices and node.get("autocomplete")), where
            for choice in choices:
                assert 1 <= len(choice["name"]) <= 100, where
                assert 1 <= len(str(choice["value"])) <= 100, where


async def test_every_option_says_what_it_is(world: World) -> None:
    """discord.py puts a dash where nobody wrote a description."""
    for command in _payload(world):
        for node, _ in _nodes(command):
            assert node["description"].strip("…. "), node["name"]


async def test_only_what_needs_no_table_works_outside_servers(world: World) -> None:
    for command in _synced(world):
        anywhere = command["name"] in ANYWHERE
        assert command.get("contexts", [0]) == ([0, 1, 2] if anywhere else [0]), command["name"]
        assert command.get("integration_types", [0]) == ([0, 1] if anywhere else [0]), command[
            "name"
        ]


async def test_what_the_menu_of_a_message_offers(world: World) -> None:
    offered = {each["name"] for each in _synced(world) if each["type"] == MESSAGE}
    assert offered == {
        *("Verify this roll", "Check for this post"),
        *("Post as my character", "Who said this", "Amend"),
    }


async def test_only_setup_is_kept_from_anybody(world: World) -> None:
    """An appointed GM need not hold any permission, so `/gm` has to be visible to all."""
    kept = {
        command["name"]
        for command in _payload(world)
        if command.get("default_member_permissions") not in (None, "0")
    }
    assert kept == {"setup"}


async def test_everybody_sees_the_commands(world: World) -> None:
    mine = world.ana.available_commands(world.zone)
    assert "gm undo" in mine
    assert "check" in mine
    assert "setup" not in mine
    assert "setup" in world.gina.available_commands(world.zone)


def _sent(path: str, body: dict[str, Any]) -> Any:
    return SimpleNamespace(http_requests=[HttpLogEntry("POST", path, {}, body, None)])


_NOBODY: dict[str, Any] = {"parse": []}


@pytest.mark.parametrize(
    "message",
    [
        {"content": "x"},
        {"content": "x", "allowed_mentions": {"parse": ["users"]}},
        {"content": "", "allowed_mentions": _NOBODY},
        {"content": "é" * 2001, "allowed_mentions": _NOBODY},
        {"embeds": [{"description": "x" * 4097}], "allowed_mentions": _NOBODY},
        {"embeds": [{"title": "x" * 257}], "allowed_mentions": _NOBODY},
        {"embeds": [{"fields": [{"name": " ", "value": "x"}]}], "allowed_mentions": _NOBODY},
        {
            "embeds": [{"description": "x" * 4000}, {"description": "x" * 2001}],
            "allowed_mentions": _NOBODY,
        },
        *(
            {"content": "x", "allowed_mentions": _NOBODY, "components": [{"components": row}]}
            for row in (
                [],
                [{"type": 2, "label": "", "custom_id": "sg:a"}],
                [{"type": 2, "label": "x", "custom_id": "sg:ana:Marek"}],
                [{"type": 2, "label": "x", "custom_id": "sg:level:9137"}],
                [{"type": 2, "label": "x", "custom_id": "sg:" + "a" * 98}],
                [{"type": 2, "label": "x", "custom_id": "other"}],
                [{"type": 2, "label": "x", "custom_id": "sg:a"}] * 2,
                [{"type": 3, "custom_id": "sg:a", "options": [], "min_values": 0, "max_values": 0}],
            )
        ),
    ],
)
def test_what_breaks_a_limit_is_found(message: dict[str, Any]) -> None:
    for path, body in (
        ("/channels/1/messages", message),
        ("/webhooks/1/token", message),
        ("/interactions/1/token/callback", {"type": 4, "data": message}),
        ("/interactions/1/token/callback", {"type": 7, "data": message}),
    ):
        with pytest.raises(AssertionError):
            check_sent(_sent(path, body))


def test_dialogs_and_suggestions_are_looked_at_too() -> None:
    item = {"custom_id": "note", "max_length": 100}
    modal = {
        "title": "Note",
        "custom_id": "sg:apm:x",
        "components": [{"label": "Note", "component": item}],
    }
    check_sent(_sent("/interactions/1/token/callback", {"type": 9, "data": modal}))
    for broken in (
        modal | {"title": "x" * 46},
        modal | {"custom_id": "marek"},
        modal | {"components": []},
        modal | {"components": [{"label": "x" * 46, "component": item}]},
        modal | {"components": [{"label": "Note", "component": item | {"value": "x" * 101}}]},
    ):
        with pytest.raises(AssertionError):
            check_sent(_sent("/interactions/1/token/callback", {"type": 9, "data": broken}))
    for choices in ([{"name": "x" * 101, "value": "x"}], [{"name": "x", "value": "y"}] * 26):
        with pytest.raises(AssertionError):
            check_sent(
                _sent("/interactions/1/token/callback", {"type": 8, "data": {"choices": choices}})
            )


def test_the_sum_counts_everything() -> None:
    command = {
        "name": "ab",
        "description": "cd",
        "options": [
            {
                "name": "e",
                "description": "f",
                "options": [
                    {"name": "g", "description": "h", "choices": [{"name": "i", "value": "jk"}]}
                ],
            }
        ],
    }
    assert _size(command) == 11


# --- what the documents name ----------------------------------------------------------------------

_ROOT = Path(__file__).resolve().parents[2]
_DOCUMENTS = (
    "README.md",
    "docs/discord.md",
    "docs/tour.md",
    "docs/masterbook.md",
    "docs/characters.md",
    "docs/barmore.md",
    "docs/data.md",
    "docs/decks.md",
    "docs/ego.md",
    "docs/fair-dice.md",
)
#: `/table fair show`, with the options behind it; not an address, a path or `and/or`.
_NAMED = re.compile(r"(?<=[`(\s])/([a-z][a-z-]*(?: [a-z][a-z-]*){0,2})\b(?!/)")
_LITERAL = re.compile(r"\"([a-z][a-z-]*(?: [a-z-]+){0,2})\"")


def _all_commands(world: World) -> set[str]:
    """The whole names of all commands, those of systems among them."""
    groups = [*world.bot.tree.walk_commands(type=AppCommandType.chat_input)]
    for system in PLAYABLE.values():
        for group in system_groups(system.key) if system.commands else ():
            groups += group.walk_commands()
    return {each.qualified_name for each in groups if isinstance(each, app_commands.Command)}


def _named_in(text: str, commands: set[str]) -> tuple[set[str], set[str]]:
    """The commands that a text names, and what it calls so that is neither one nor a group
    of them.
    """
    found: set[str] = set()
    unknown: set[str] = set()
    for words in (match[1].split() for match in _NAMED.finditer(text)):
        starts = [" ".join(words[:end]) for end in range(len(words), 0, -1)]
        known = next((start for start in starts if start in commands), None)
        if known is not None:
            found.add(known)
        elif not any(each.startswith(f"{words[0]} ") for each in commands):
            unknown.add(words[0])
    return found, unknown


async def test_every_command_of_the_documents_exists_and_is_tried(world: World) -> None:
    commands = _all_commands(world)
    sources = (path.read_text("utf-8") for path in (_ROOT / "tests" / "discord").rglob("*.py"))
    tried = {match for text in sources for match in _LITERAL.findall(text)}
    for name in _DOCUMENTS:
        found, unknown = _named_in((_ROOT / name).read_text("utf-8"), commands)
        assert found, name
        assert not unknown, name
        assert found <= tried, (name, found - tried)
    assert "contest" in _named_in((_ROOT / "docs/tour.md").read_text("utf-8"), commands)[0]


async def test_every_command_is_tried(world: World) -> None:
    sources = (path.read_text("utf-8") for path in (_ROOT / "tests" / "discord").rglob("*.py"))
    tried = {match for text in sources for match in _LITERAL.findall(text)}
    assert _all_commands(world) <= tried

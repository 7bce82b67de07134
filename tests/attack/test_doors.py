"""Every door is listed, so that whoever adds one thinks of who may be shown what."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import discord

import bot
import cogs
from bot.services import history
from rules.registry import PLAYABLE
from tests.attack import doors
from tests.attack.forged_requests import commands
from tests.discord.world import World

ROOT: Final = Path(bot.__file__).parent.parent
#: Names by which the journal and the outbox are read.
_READERS: Final = frozenset(
    {
        *("read_events", "read_action", "private_event_indexes", "is_visible_to"),
        *(
            "entry",
            "entry_at",
            "entries",
            "entries_at",
            "page",
            "last_entries",
            "find_request",
            "outbox_row",
        ),
        *("recent_entries", "entries_with_steps", "entry_and_events", "entry_and_row_events"),
    }
)
#: Names by which checks and orders of action are looked at without asking who looks.
_LOOKERS: Final = frozenset(
    {
        "checks",
        "open_checks",
        "check_named",
        "encounters",
        "encounter_in",
        "board_view",
        "check_view",
        "EVERYWHERE",
    }
)


#: What reads files by itself, shows nothing to anybody on Discord, or is where all of it is kept.
_UNSEEN: Final = ("bot.storage", "bot.ops", "bot.local_table")


def functions() -> Iterator[tuple[str, ast.AST]]:
    """Every function and method of the bot by its full name, and what stands outside of them by its
    module's.
    """
    for package in (bot, cogs):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            if module.startswith(_UNSEEN):
                continue
            yield from _functions(module, ast.parse(path.read_text()).body)


def _functions(name: str, body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    for each in body:
        if isinstance(each, ast.ClassDef):
            yield from _functions(f"{name}.{each.name}", each.body)
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{name}.{each.name}", each
        else:
            yield name, each


def _reads(node: ast.AST) -> bool:
    """Whether this calls something that reads the journal: a function, or a method of the store."""
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Name):
        return called.id in _READERS
    if not isinstance(called, ast.Attribute) or called.attr not in _READERS:
        return False
    owner = called.value
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return name in ("codec", "store", "_store", "history")


def _looks(node: ast.AST) -> bool:
    """Whether this looks at checks or orders of action as they are."""
    if isinstance(node, ast.Attribute):
        return node.attr in _LOOKERS
    return isinstance(node, ast.Name) and node.id in _LOOKERS


def where(does: Callable[[ast.AST], bool]) -> set[str]:
    """The functions in which something does that."""
    return {name for name, body in functions() if any(map(does, ast.walk(body)))}


def test_reads_of_the_journal_are_listed() -> None:
    assert where(_reads) == frozenset().union(*doors.READS.values())


def test_looks_at_checks_are_listed() -> None:
    assert where(_looks) == frozenset().union(*doors.LOOKS.values())


def test_what_is_told_of_the_journal_goes_by_a_reader() -> None:
    """Without one, a function of the history is for GMs, or for messages where they stand."""
    without = {
        name
        for name, each in vars(history).items()
        if inspect.isfunction(each)
        and each.__module__ == history.__name__
        and not name.startswith("_")
        and "reader" not in inspect.signature(each).parameters
    }
    assert without == {
        "journal_ids",
        "messages_of",
        "displayed_row",
        "recent_entries",
        "entries_with_steps",
        "entry_to_confirm",
        "check_message_links",
        "entry_message_links",
        "entry_and_events",
        "entry_and_row_events",
        "row_of_message",
    }


async def test_commands_and_controls_are_listed(world: World) -> None:
    await world.setup()
    for key in PLAYABLE:
        await world.bot.register_system_commands(world.guild.id, key)
    there = {each.qualified_name: each for each in commands(world)}
    assert {*there} == {*doors.SHOWING_COMMANDS, *doors.OTHER_COMMANDS}
    assert {*world.bot.router._routes} == {*doors.SHOWING_ROUTES} | doors.OTHER_ROUTES
    assert {*world.bot.forms._owners} == {*doors.SHOWING_FORMS} | doors.OTHER_FORMS
    menu = world.bot.tree.get_commands(type=discord.AppCommandType.message)
    assert {each.name for each in menu} == {*doors.MESSAGE_COMMANDS}
    completers = {
        _name(each.autocomplete)
        for command in there.values()
        for each in command._params.values()
        if each.autocomplete is not None and callable(each.autocomplete)
    }
    assert completers - {"cogs.completions.completer.<locals>.find"} == {*doors.COMPLETIONS}


def _name(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}"

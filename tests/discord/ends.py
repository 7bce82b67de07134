"""Ends of figures in tables: how each is set up, what is played, and what the first line says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple

import pytest

from tests.discord.world import World, head, texts

#: Sets a table up, with the figures of a row.
SetUp = Callable[[World], Awaitable[None]]
#: Plays an end by slash commands and presses; returns its message, or None for the last one.
Play = Callable[[World], Awaitable[Any]]


class End(NamedTuple):
    """One way in which a figure can end."""

    #: Name of the row in a test's report, such as `PC dies by a burst`.
    name: str
    set_up: SetUp
    play: Play
    #: What the first line says, in this order: the person and the worst thing now true.
    says: tuple[str, ...]
    #: What no line of the public message says.
    hides: tuple[str, ...] = ()


def first_line(message: Any) -> str:
    """Return the first line of a message without its Markdown."""
    return head(message).replace("**", "")


async def play_end(world: World, end: End) -> None:
    """Play a row and check the first line of its message."""
    await end.set_up(world)
    message = await end.play(world) or world.last()
    line, at = first_line(message), 0
    for part in end.says:
        found = line.find(part, at)
        assert found >= 0, (end.name, part, line, texts(message))
        at = found + len(part)
    for secret in end.hides:
        assert secret not in texts(message), (end.name, secret, texts(message))


def rows(ends: Iterable[End]) -> pytest.MarkDecorator:
    """Return the parametrization of a test by rows, as its argument `end`."""
    ends = tuple(ends)
    names = [end.name for end in ends]
    assert len({*names}) == len(names), "each row has its own name"
    return pytest.mark.parametrize("end", ends, ids=names)

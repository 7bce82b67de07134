"""Barmore's dice pool in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.language.systems.base import SystemWords
from bot.presenters.language.text import TextParams


def _indent(said: TextParams) -> str:
    """Before a line of a tree, so that it can be read on a phone: below what it belongs to."""
    depth = said.number("depth")
    return "\u2003" * depth + ("└ " if depth else "")


WORDS: Final = SystemWords(
    key="barmore",
    brief_odds=frozenset({"bar-level", "bar-odds-botch"}),
    functions={"bar-indent": _indent},
    parts={"task": "complex action"},
    timeline_hint="`/barmore act` begins something, `/barmore switch` breaks off what is "
    "under way.",
)

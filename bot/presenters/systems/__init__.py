"""The words of each rule system. A new system adds its module to this list."""

from __future__ import annotations

from typing import Final

from bot.presenters.systems import barmore, ebb
from bot.presenters.systems.base import SystemWords
from rules.table.events import CheckView

SYSTEM_WORDS: Final[dict[str, SystemWords]] = {words.key: words for words in (ebb.WORDS, barmore.WORDS)}
_BY_PREFIX: Final = {words.prefix: words for words in SYSTEM_WORDS.values()}


def words_of(view: CheckView) -> SystemWords | None:
    """The words of the system that a check belongs to: its codes begin with its prefix."""
    for line in (*view.traits, view.verdict, *view.notes):
        words = None if line is None else _BY_PREFIX.get(line.code.partition("-")[0])
        if words is not None:
            return words
    return None

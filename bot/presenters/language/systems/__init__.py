"""The words of each rule system.

A system that has words besides the texts of its catalog adds its module to this list.
"""

from __future__ import annotations

from typing import Final

from bot.presenters.language.systems import barmore, ebb, ego, masterbook
from bot.presenters.language.systems.base import SystemWords

SYSTEM_WORDS: Final[dict[str, SystemWords]] = {
    words.key: words for words in (ebb.WORDS, barmore.WORDS, ego.WORDS, masterbook.WORDS)
}


def system_words(key: str) -> SystemWords:
    """Return the words of the system with that key; no words for one that has texts alone."""
    return SYSTEM_WORDS.get(key) or SystemWords(key)

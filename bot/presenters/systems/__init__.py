"""The words of each rule system. A new system adds its module to this list."""

from __future__ import annotations

from typing import Final

from bot.presenters.systems import barmore, ebb, ego, masterbook
from bot.presenters.systems.base import SystemWords

SYSTEM_WORDS: Final[dict[str, SystemWords]] = {
    words.key: words for words in (ebb.WORDS, barmore.WORDS, ego.WORDS, masterbook.WORDS)
}

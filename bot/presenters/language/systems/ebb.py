"""EBB in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.language.systems.base import SystemWords

WORDS: Final = SystemWords(
    key="ebb",
    die_names={
        "first": "first property",
        "first-rare": "first property, rare",
        "second": "second property",
        "second-rare": "second property, rare",
    },
    brief_odds=frozenset({"ebb-odds-extra"}),
)

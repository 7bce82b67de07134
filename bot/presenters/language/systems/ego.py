"""EGO in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.language.systems.base import SystemWords

WORDS: Final = SystemWords(
    key="ego", brief_odds=frozenset({"ego-odds-end"}), parts={"vehicle": "vehicle"}
)

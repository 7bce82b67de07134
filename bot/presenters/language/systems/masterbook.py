"""MasterBook in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.language.systems.base import SystemWords

WORDS: Final = SystemWords(
    key="masterbook",
    parts={
        "deal": "",  # that goes with the deck in use
        "deck-file": "card deck from a file",
        "deck-next": "card deck for the next adventure",
        "task": "task",
    },
)

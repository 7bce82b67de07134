"""MasterBook in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.language.systems.base import SystemWords

WORDS: Final = SystemWords(
    key="masterbook",
    parts={
        "adventure": "adventure under way",
        "background": "background record",
        "background-matters": "list of background reminders",
        "deal": "",  # that goes with the deck in use
        "deck-file": "card deck from a file",
        "deck-next": "card deck for the next adventure",
        "effects": "record of special effects that run",
        "effect-offers": "effect offered to the campaign",
        "effect-strikes": "",  # an open check says that it is there
        "task": "task",
    },
)

"""Everything that `/mb background` adds to the system."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook.background import (
    changes,
    contacts,
    flaws,
    heels,
    prices,
    quirks,
    recognition,
    reference,
    reminders,
)

COMMANDS: Final = (
    *reference.COMMANDS,
    *recognition.COMMANDS,
    *contacts.COMMANDS,
    *quirks.COMMANDS,
    *heels.COMMANDS,
    *flaws.COMMANDS,
    *prices.COMMANDS,
    *reminders.COMMANDS,
    *changes.COMMANDS,
)
DEEDS: Final = (
    *recognition.DEEDS,
    *contacts.DEEDS,
    *quirks.DEEDS,
    *heels.DEEDS,
    *flaws.DEEDS,
    *prices.DEEDS,
    *reminders.DEEDS,
    *changes.DEEDS,
)
PROCEDURES: Final = (*quirks.PROCEDURES, *heels.PROCEDURES)

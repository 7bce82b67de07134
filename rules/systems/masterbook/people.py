"""Ready characters, and people to make NPCs like, once read from `data/people.json` (MB-CHAR-20)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from rules.core.names import name_key
from rules.core.rows import data, read
from rules.table.events import Line
from rules.table.forms import Option
from rules.table.system import Game

_ALL: Final = read(Mapping[str, tuple[dict[str, Any], ...]], data("rules.systems.masterbook", "people")())


def ready(game: Game) -> tuple[dict[str, object], ...]:
    """Characters to choose from, as a file has them."""
    return copy.deepcopy(_ALL["ready"])


def offered(game: Game) -> tuple[Option, ...]:
    """Whom an NPC may be made like."""
    return tuple([Option(each["name"], Line("as-written", {"text": each["name"]})) for each in _ALL["npcs"]])


def like(game: Game, text: str) -> dict[str, Any] | None:
    """A sheet as a file has it, of who is named so; None where it is nobody of these."""
    found = [each for each in _ALL["npcs"] if name_key(each["name"]) == name_key(text)]
    return copy.deepcopy(found[0]) if found else None

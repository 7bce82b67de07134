"""The one list of rule systems."""

from __future__ import annotations

from typing import Final

from rules.core.errors import InvalidInput
from rules.core.rng import NO_DICE
from rules.systems import barmore, ebb
from rules.table.actions import Actor
from rules.table.state import SYSTEM, TableState
from rules.table.system import FREE, Game, System

SYSTEMS: Final[dict[str, System]] = {system.key: system for system in (ebb.SYSTEM, barmore.SYSTEM, FREE)}
#: Those that a table can be opened for.
PLAYABLE: Final = {key: system for key, system in SYSTEMS.items() if system.playable}


def get_system(key: str) -> System:
    """The system of that key; InvalidInput("unknown-system") when there is none."""
    system = SYSTEMS.get(key)
    if system is None:
        raise InvalidInput("unknown-system", field="system", value=key, allowed=tuple(PLAYABLE))
    return system


def look(state: TableState) -> Game:
    """A table to look at: nothing happens, so there are no dice, no time and nobody who acts."""
    return Game(state, get_system(state.settings.system), NO_DICE, 0, Actor(SYSTEM))

"""The one list of rule systems."""

from __future__ import annotations

from typing import Final

from rules.core.errors import InvalidInput
from rules.systems import barmore, ebb, free
from rules.table.state import TableState
from rules.table.system import System

SYSTEMS: Final[dict[str, System]] = {
    system.key: system for system in (ebb.SYSTEM, barmore.SYSTEM, free.SYSTEM)
}
#: Those that a table can be opened for.
PLAYABLE: Final = {key: system for key, system in SYSTEMS.items() if system.playable}
#: What places without a table play by.
FREE: Final = free.SYSTEM.key


def get_system(key: str) -> System:
    """The system of that key; InvalidInput("unknown-system") when there is none."""
    system = SYSTEMS.get(key)
    if system is None:
        raise InvalidInput("unknown-system", field="system", value=key, allowed=tuple(PLAYABLE))
    return system


def system_of(state: TableState) -> System:
    """The system that a table plays, as its campaign has it and at the story's time."""
    return get_system(state.settings.system).at(state.campaign, state.clock.time)

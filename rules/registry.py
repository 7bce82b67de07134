"""The one list of rule systems."""

from __future__ import annotations

from typing import Final

from rules.core.errors import InvalidInput
from rules.systems import barmore, ebb, ego, masterbook
from rules.table.actions import Action, Actor, CreateTable
from rules.table.read_only_game import NO_DICE
from rules.table.readable_places import NOWHERE, ReadablePlaces
from rules.table.state import SYSTEM, TableState
from rules.table.system import FREE_SYSTEM, Game, System

SYSTEMS: Final[dict[str, System]] = {
    system.key: system
    for system in (ebb.SYSTEM, barmore.SYSTEM, ego.SYSTEM, masterbook.SYSTEM, FREE_SYSTEM)
}
#: Those that a table can be opened for.
PLAYABLE: Final = {key: system for key, system in SYSTEMS.items() if system.playable}


def get_system(key: str) -> System:
    """The system of that key; InvalidInput("unknown-system") when there is none."""
    system = SYSTEMS.get(key)
    if system is None:
        raise InvalidInput("unknown-system", field="system", value=key, allowed=tuple(PLAYABLE))
    return system


def system_for(state: TableState | None, action: Action) -> System:
    """What an action is carried out by: the table's rules, or those it is opened for."""
    if state is not None:
        return get_system(state.settings.system)
    return get_system(action.system) if isinstance(action, CreateTable) else FREE_SYSTEM


#: Who acts where nobody does.
_NOBODY: Final = Actor(SYSTEM)


def read_only_game(
    state: TableState,
    actor: Actor = _NOBODY,
    at: int = 0,
    readable: ReadablePlaces = NOWHERE,
) -> Game:
    """Return a game to look at, without dice; by default at no time and for no actor.

    Without `readable`, the actor is shown only what concerns the actor.
    """
    return Game(state, get_system(state.settings.system), NO_DICE, at, actor, readable)

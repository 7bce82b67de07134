"""List of all rule systems."""

from __future__ import annotations

from typing import Final

from rules.core.dice.no_dice import NO_DICE
from rules.core.errors import InvalidInput
from rules.systems import barmore, ebb, ego, masterbook
from rules.table.actions import Action, Actor, CreateTable
from rules.table.readable_places import NOWHERE, ReadablePlaces
from rules.table.state import SYSTEM, TableState
from rules.table.system import FREE_SYSTEM, Game, System

SYSTEMS: Final[dict[str, System]] = {
    system.key: system
    for system in (ebb.SYSTEM, barmore.SYSTEM, ego.SYSTEM, masterbook.SYSTEM, FREE_SYSTEM)
}
#: Systems that players can open a table for.
PLAYABLE: Final = {key: system for key, system in SYSTEMS.items() if system.playable}


def get_system(key: str) -> System:
    """Return the system with a key. Raises InvalidInput("unknown-system")."""
    system = SYSTEMS.get(key)
    if system is None:
        raise InvalidInput("unknown-system", field="system", value=key, allowed=tuple(PLAYABLE))
    return system


def system_for(state: TableState | None, action: Action) -> System:
    """Return the system that carries out an action: the table's, or that of a new table."""
    if state is not None:
        return get_system(state.settings.system)
    if isinstance(action, CreateTable):
        return get_system(action.system)
    return FREE_SYSTEM


#: Actor of a game without one.
_NO_ACTOR: Final = Actor(SYSTEM)


def read_only_game(
    state: TableState,
    actor: Actor = _NO_ACTOR,
    at: int = 0,
    readable: ReadablePlaces = NOWHERE,
) -> Game:
    """Return a game to look at, without dice; by default at no time and for no actor.

    Without *readable*, the actor is shown only what concerns the actor.
    """
    return Game(state, get_system(state.settings.system), NO_DICE, at, actor, readable)

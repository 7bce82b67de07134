"""Standing orders and absences, and the stand-ins of players who are away."""

from __future__ import annotations

from typing import Final

from rules.table.check import ORDERS_PREFIX, Orders
from rules.table.state import TableState

NO_ORDERS: Final = Orders()


def orders_of(state: TableState, who: str) -> Orders:
    """Return the orders for a character, or of a participant; empty ones if there are none."""
    return state.own.get(ORDERS_PREFIX + who, NO_ORDERS)


def delegates(state: TableState, who: str, at: int) -> tuple[str, ...]:
    """Return the participants who may answer for a character besides its owner at a time."""
    present: list[str] = []
    for delegation in orders_of(state, who).delegated:
        if delegation.until is None or at < delegation.until:
            present.append(delegation.to)
    return tuple(present)


def is_away(state: TableState, person: str, at: int) -> bool:
    """Return whether a participant is away and not back by *at*, in seconds since 1970.

    An absence that begins after *at* counts too.
    """
    away = orders_of(state, person).away
    return away is not None and (away.until is None or at < away.until)


def stand_ins(state: TableState, who: str, at: int) -> tuple[str, ...]:
    """Return the participants who may answer for a character besides its owner, and aren't away."""
    return tuple(
        delegate for delegate in delegates(state, who, at) if not is_away(state, delegate, at)
    )


def is_absent(state: TableState, who: str, at: int) -> bool:
    """Return whether only the GMs can answer for a player's character.

    That is so while its owner and all stand-ins are away.
    """
    character = state.characters.get(who)
    if character is None or character.owner is None or not is_away(state, character.owner, at):
        return False
    return not stand_ins(state, who, at)

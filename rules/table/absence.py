"""What a player has arranged, and who acts for a character whose player is away."""

from __future__ import annotations

from typing import Final

from rules.table.check import ORDERS_PREFIX, Orders
from rules.table.state import TableState

NO_ORDERS: Final = Orders()


def orders_of(state: TableState, who: str) -> Orders:
    """What was arranged for a character, or by a participant."""
    return state.own.get(ORDERS_PREFIX + who, NO_ORDERS)


def delegates(state: TableState, who: str, at: int) -> tuple[str, ...]:
    """The participants who may answer for a character besides its owner."""
    found = orders_of(state, who).delegated
    return (
        tuple([each.to for each in found if each.until is None or at < each.until]) if found else ()
    )


def is_away(state: TableState, person: str, at: int) -> bool:
    """Return whether somebody is away then, or has gone away since and is not back."""
    away = orders_of(state, person).away
    return away is not None and (away.until is None or at < away.until)


def stand_ins(state: TableState, who: str, at: int) -> tuple[str, ...]:
    """Return who may answer for a character besides its owner, and isn't away."""
    return tuple(each for each in delegates(state, who, at) if not is_away(state, each, at))


def is_absent(state: TableState, who: str, at: int) -> bool:
    """Return whether a player's character has nobody to answer for it but the GMs."""
    character = state.characters.get(who)
    if character is None or character.owner is None or not is_away(state, character.owner, at):
        return False
    return not stand_ins(state, who, at)

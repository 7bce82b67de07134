"""Standing orders and absences, and the stand-ins of players who are away."""

from __future__ import annotations

from typing import Final

from rules.table.check import ORDERS_PREFIX, Away, Orders
from rules.table.gm_office import present_terms
from rules.table.state import AnyCharacter, TableState

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


def missed_deadlines(state: TableState, person: str) -> int:
    """Return how many deadlines in a row a participant has missed."""
    return state.counters.missed.get(person, 0)


def with_missed_deadlines(state: TableState, person: str, count: int) -> TableState:
    """Return the table with the number of deadlines in a row that a participant has missed."""
    missed = {**state.counters.missed, person: count}
    if not count:
        del missed[person]
    return state.replace(counters=state.counters.replace(missed=missed))


def with_presence(state: TableState, person: str) -> TableState:
    """Return the table after an act of a participant: no deadline in a row is missed any more.

    The same table if none was. That also ends an absence that others have noted.
    """
    if person not in state.counters.missed:
        return state
    return with_missed_deadlines(state, person, 0)


def with_quiet_presence(state: TableState, person: str) -> TableState:
    """Return the table after an act that others don't know of, by a participant noted as away.

    A count of 0 stays, so that the end of the absence doesn't tell others of the act.
    """
    missed = {**state.counters.missed, person: 0}
    return state.replace(counters=state.counters.replace(missed=missed))


def is_back_quietly(state: TableState, person: str) -> bool:
    """Return whether a participant has come back by an act that others don't know of."""
    return has_come_back(state, person) and person in state.counters.missed


def has_come_back(state: TableState, person: str) -> bool:
    """Return whether a participant has acted since others noted an absence."""
    away = orders_of(state, person).away
    noted = away is not None and bool(away.noted_by)
    return noted and not missed_deadlines(state, person)


def absence_of(state: TableState, person: str) -> Away | None:
    """Return the absence of a participant, without asking if its time is over; None without one."""
    return None if has_come_back(state, person) else orders_of(state, person).away


def is_away(state: TableState, person: str, at: int) -> bool:
    """Return whether a participant is away and not back by *at*, in seconds since 1970.

    An absence that begins after *at* counts too.
    """
    away = absence_of(state, person)
    return away is not None and (away.until is None or at < away.until)


def stand_ins(state: TableState, who: str, at: int) -> tuple[str, ...]:
    """Return the participants who may answer for a character besides its owner, and aren't away."""
    return tuple(
        delegate for delegate in delegates(state, who, at) if not is_away(state, delegate, at)
    )


def players_of(state: TableState, who: str, at: int) -> tuple[str, ...]:
    """Return the participants who play a character: its owner, and all who may answer for it."""
    character = state.characters.get(who)
    if character is None or character.owner is None:
        return ()
    return tuple(dict.fromkeys((character.owner, *delegates(state, who, at))))


def is_absent(state: TableState, who: str, at: int) -> bool:
    """Return whether only the GMs can answer for a player's character.

    That is so while its owner and all stand-ins are away.
    """
    character = state.characters.get(who)
    if character is None or character.owner is None or not is_away(state, character.owner, at):
        return False
    return not stand_ins(state, who, at)


def has_present_gm(state: TableState, at: int, *, besides: str) -> bool:
    """Return whether a GM or deputy other than a participant is there, as far as the table knows.

    Holders of GM roles aren't known, so a role alone counts as nobody.
    """
    people = (*state.settings.gms, *(term.who for term in present_terms(state)))
    return any(who != besides and not is_away(state, who, at) for who in people)


def characters_of(state: TableState, person: str) -> tuple[AnyCharacter, ...]:
    """Return the characters in play that a participant owns."""
    owned = (other for other in state.characters.values() if other.owner == person)
    return tuple(character for character in owned if character.in_play)

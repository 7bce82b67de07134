"""Office of the GMs: their deputies, and a claim to the table of GMs who are silent."""

from __future__ import annotations

from typing import Final

from rules.core.record import Record
from rules.table.state import TableState

#: Beginning of the key of the part, and the whole key.
OFFICE_KIND: Final = "office"
OFFICE_KEY: Final = f"{OFFICE_KIND}:gms"
#: Beginnings of the ids of the clock's waits: for the end of a deputy's term, for the GMs to act,
#: and for the end of a claim. The place of each follows.
TERM_END: Final = "deputy:"
SILENCE: Final = "silent:"
CLAIM: Final = "claim:"
#: Most terms that are kept. The oldest that have ended go first.
TERMS_MAX: Final = 40


class DeputyTerm(Record):
    """A participant's time as deputy of the GMs."""

    who: str
    #: Beginning, in seconds since 1970.
    since: int
    #: End that was agreed, in seconds since 1970; None: until a GM takes it back.
    until: int | None = None
    #: Time at which the term ended; None while it lasts.
    ended: int | None = None
    #: Channel in which the GM agreed on the term. Its end is told there.
    place: str = ""


class TakeoverClaim(Record):
    """A server manager's claim to a table whose GMs are silent."""

    by: str
    #: Beginning of the time in which a GM can stop it, in seconds since 1970.
    since: int
    #: Channel in which the claim was made.
    place: str = ""


class GmOffice(Record):
    """Deputies of the GMs, and a claim to the table: the part `office:gms`."""

    #: Terms of present and former deputies, oldest first.
    terms: tuple[DeputyTerm, ...] = ()
    claim: TakeoverClaim | None = None


NO_OFFICE: Final = GmOffice()


def office_of(state: TableState) -> GmOffice:
    """Return the office of the table's GMs; an empty one if it has nothing."""
    return state.own.get(OFFICE_KEY, NO_OFFICE)


def with_office(state: TableState, office: GmOffice) -> TableState:
    """Return the table with this office."""
    return state.with_own(OFFICE_KEY, None if office == NO_OFFICE else office)


def present_terms(state: TableState) -> tuple[DeputyTerm, ...]:
    """Return the terms of the deputies whom the GMs have now."""
    return tuple(term for term in office_of(state).terms if term.ended is None)


def deputies(state: TableState) -> tuple[str, ...]:
    """Return the participants who are deputies of the GMs now."""
    return tuple(term.who for term in present_terms(state))


def is_deputy(state: TableState, who: str) -> bool:
    """Return whether a participant is a deputy of the GMs now."""
    office = state.own.get(OFFICE_KEY)
    if office is None:
        return False
    return any(term.who == who and term.ended is None for term in office.terms)


def was_deputy(state: TableState, who: str, at: int) -> bool:
    """Return whether a participant was a deputy at a time, so that GMs' events were theirs, too."""
    for term in office_of(state).terms:
        if term.who == who and term.since <= at and (term.ended is None or at < term.ended):
            return True
    return False


def without_person_in_office(office: GmOffice, who: str) -> GmOffice:
    """Return the office without anything about a participant."""
    claim = office.claim
    return GmOffice(
        tuple(term for term in office.terms if term.who != who),
        None if claim is not None and claim.by == who else claim,
    )

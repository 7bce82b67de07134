"""Deputies of the GMs: naming one, and the end of a term."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.table import actions
from rules.table.events import Notice
from rules.table.gm_office import (
    TERM_END,
    TERMS_MAX,
    DeputyTerm,
    GmOffice,
    office_of,
    present_terms,
    with_office,
)
from rules.table.outcome import Outcome
from rules.table.state import SYSTEM, TableState
from rules.table.system import Game

#: Most deputies at a time.
DEPUTIES_MAX: Final = 5


def name_deputy(state: TableState, action: actions.NameDeputy, game: Game) -> Outcome:
    """Make a participant a deputy of the GMs, or with `back` no longer. All participants are told.

    A deputy who is named again gets a new end of the term.

    Raises InvalidInput("bad-until", "nothing-arranged"),
    Impossible("already-gm", "not-a-deputy", "too-many-deputies").
    """
    who, at = action.to, action.at
    if who in state.settings.gms:
        raise Impossible("already-gm", who=who)
    if action.until is not None and action.until <= at:
        raise InvalidInput("bad-until", field="until", value=None)
    term = next((term for term in present_terms(state) if term.who == who), None)
    if action.back:
        if term is None:
            raise Impossible("not-a-deputy", who=who)
        return _with_term_ended(state, term, at, action.who.id)
    office = office_of(state)
    if term is None:
        if len(present_terms(state)) >= DEPUTIES_MAX:
            raise Impossible("too-many-deputies", most=DEPUTIES_MAX)
        named = DeputyTerm(who, at, action.until, place=action.place)
        terms = (*office.terms, named)
    else:
        if term.until == action.until:
            raise InvalidInput("nothing-arranged", field="to", value=None)
        changed = term.replace(until=action.until, place=action.place)
        terms = _with_other_term(office, term, changed)
    state = with_office(state, office.replace(terms=_newest_terms(terms)))
    event = Notice(
        "deputy",
        {"how": "named", "who": who, "until": action.until},
        ping=(who,),
        by=action.who.id,
    )
    return Outcome(state, (event,))


def _with_term_ended(state: TableState, term: DeputyTerm, at: int, by: str) -> Outcome:
    """Return the table after a term; *by* is the GM who ended it, or the clock."""
    office = office_of(state)
    terms = _with_other_term(office, term, term.replace(ended=at))
    how = "over" if by == SYSTEM else "removed"
    event = Notice("deputy", {"how": how, "who": term.who, "until": None}, by=by)
    return Outcome(with_office(state, office.replace(terms=terms)), (event,))


def _with_other_term(
    office: GmOffice, term: DeputyTerm, other: DeputyTerm
) -> tuple[DeputyTerm, ...]:
    return tuple(other if each == term else each for each in office.terms)


def _newest_terms(terms: tuple[DeputyTerm, ...]) -> tuple[DeputyTerm, ...]:
    """Return the terms without the oldest that have ended, if there are too many."""
    more = len(terms) - TERMS_MAX
    kept: list[DeputyTerm] = []
    for term in terms:
        if more > 0 and term.ended is not None:
            more -= 1
        else:
            kept.append(term)
    return tuple(kept)


def term_waits(state: TableState) -> dict[str, int]:
    """Return when terms of deputies end, by the id of the wait."""
    waits: dict[str, int] = {}
    for term in present_terms(state):
        if term.until is not None:
            waits[_wait_of(term, term.until)] = term.until
    return waits


def _wait_of(term: DeputyTerm, until: int) -> str:
    return f"{TERM_END}{term.place}:{term.who}:{term.since}.{until}"


def end_term(state: TableState, action: actions.Due, game: Game) -> Outcome:
    """End a deputy's term whose time is over. Raises Outdated("wait-over", "not-yet-due")."""
    for term in present_terms(state):
        if term.until is None or _wait_of(term, term.until) != action.wait:
            continue
        if term.until > action.at:
            raise Outdated("not-yet-due", wait=action.wait)
        return _with_term_ended(state, term, action.at, SYSTEM)
    raise Outdated("wait-over", wait=action.wait)

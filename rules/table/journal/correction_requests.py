"""Corrections that players ask the GMs for: each is about one entry, until a GM answers it.

The correction itself is an amendment (`rules/table/amendments/`). Requests are kept with the
counters, since they are no part of the game: an undo leaves them alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.table import actions
from rules.table.blocks import GMS, Audience
from rules.table.events import Notice
from rules.table.forms.typed_texts import trimmed_text
from rules.table.outcome import Outcome
from rules.table.state import CorrectionRequest, TableState
from rules.table.system import Game

#: Longest text of a request, in characters.
TEXT_MAX: Final = 500
#: Seconds between two requests of one participant.
INTERVAL: Final = 10 * 60
#: Most requests that wait at one table.
REQUESTS_MAX: Final = 25


def open_corrections(state: TableState) -> tuple[CorrectionRequest, ...]:
    """Return the requests that wait for the GMs, the oldest first."""
    return tuple(request for request in state.counters.corrections if request.waits)


def ask_for_correction(state: TableState, action: actions.AskForCorrection, game: Game) -> Outcome:
    """Ask the GMs to correct an entry. A participant has one request at a time.

    Raises:
        InvalidInput("missing-text"): the text is empty; and as `trimmed_text`.
        Impossible("correction-waits"): a request of this participant waits already.
        Impossible("correction-too-soon"): the last request was less than `INTERVAL` ago.
        Impossible("too-many-corrections"): as many wait as can.
    """
    text = trimmed_text("text", action.text, TEXT_MAX)
    if not text:
        raise InvalidInput("missing-text", field="text", value=None)
    who = action.who.id
    for request in state.counters.corrections:
        if request.by != who:
            continue
        if request.waits:
            raise Impossible("correction-waits", entry=request.entry)
        left = request.at + INTERVAL - action.at
        if left > 0:
            raise Impossible("correction-too-soon", seconds=left)
    if len(open_corrections(state)) >= REQUESTS_MAX:
        raise Impossible("too-many-corrections", most=REQUESTS_MAX)
    others = [request for request in state.counters.corrections if request.by != who]
    new = CorrectionRequest(action.entry, who, text, action.at, action.place)
    params = {"entry": action.entry, "to": who, "text": text}
    mine = Audience(people=(who,))
    sent = Notice("correction-sent", params, audience=mine, by=who)
    asked = Notice("correction-asked", params, audience=GMS, by=who, ping_gms=True)
    return Outcome(_with_requests(state, (*others, new)), (sent, asked))


def dismiss_correction(state: TableState, action: actions.DismissCorrection, game: Game) -> Outcome:
    """Leave an entry as it is, and tell the player who asked for a correction.

    Raises Outdated("correction-answered").
    """
    for request in open_corrections(state):
        if (request.by, request.entry) == (action.to, action.entry):
            break
    else:
        raise Outdated("correction-answered")
    event = Notice(
        "correction-dismissed",
        {"entry": request.entry, "to": request.by},
        audience=Audience(people=(request.by,)),
        ping=(request.by,),
        by=action.who.id,
        place=request.place,
    )
    return Outcome(without_corrections_of(state, (request.entry,), request.by), (event,))


def without_corrections_of(
    state: TableState, entries: Collection[int], by: str | None = None
) -> TableState:
    """Return the table in which no request about these entries waits any more.

    Only those of one participant are over if *by* is given.
    """
    requests: list[CorrectionRequest] = []
    for request in state.counters.corrections:
        is_meant = request.entry in entries and by in (None, request.by)
        requests.append(request.replace(waits=False, text="") if is_meant else request)
    return _with_requests(state, tuple(requests))


def without_requests_of_person(state: TableState, who: str) -> TableState:
    """Return the table without what a participant asked for."""
    left = [request for request in state.counters.corrections if request.by != who]
    return _with_requests(state, tuple(left))


def _with_requests(state: TableState, requests: tuple[CorrectionRequest, ...]) -> TableState:
    if requests == state.counters.corrections:
        return state
    return state.replace(counters=state.counters.replace(corrections=requests))

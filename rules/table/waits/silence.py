"""Silence of the GMs: what happens while they are waited for, and none of them acts.

First come the reminders of each wait. After the time of the setting `silence`, all participants are
told once, and the table's clock stands still until a GM acts. Later a manager of the server may
claim the table. Only waits that all participants know of count, so that the silence tells nothing
about a secret check.
"""

from __future__ import annotations

from rules.core.errors import Outdated
from rules.table.actions import Due
from rules.table.blocks import EVERYONE
from rules.table.clock.pauses import SILENT, begin_pause
from rules.table.events import Event, Notice
from rules.table.gm_office import CLAIM, SILENCE, GmOffice, TakeoverClaim, office_of, with_office
from rules.table.gms.gm_acts import (
    CLAIM_TIME,
    gone_at,
    is_silent,
    silent_since,
    told_where_play_stands,
    without_silence,
)
from rules.table.outcome import Outcome
from rules.table.state import DAY, TableState
from rules.table.system import Game
from rules.table.waits.agenda import Wait, agenda

#: Stages of the silence that the clock begins; the first are the reminders of each wait.
_TOLD, _GONE = 2, 3


def public_gm_wait(game: Game) -> Wait | None:
    """Return the oldest wait for the GMs that all participants know of, and that never ends.

    The answer depends on the state alone, and not on the time.
    """
    for wait in agenda(game.replace(at=0), EVERYONE):
        if wait.gms and wait.due is None and wait.since:
            return wait
    return None


def silence_waits(game: Game) -> dict[str, int]:
    """Return when the clock acts on the silence of the GMs, or on a claim, by the id of the wait.

    A table that plays live has no such silence: its GMs are there when it plays.
    """
    state = game.state
    waits: dict[str, int] = {}
    claim = office_of(state).claim
    if claim is not None:
        waits[_claim_wait(claim)] = claim.since + CLAIM_TIME
    settings = state.settings
    pause, gone = settings.pause, gone_at(state)
    if pause is not None and gone is not None:
        waits[f"{SILENCE}{pause.place}:{_GONE}:{pause.since}"] = gone
    if pause is not None or not settings.silence or settings.live or not settings.gms:
        return waits
    wait = public_gm_wait(game)
    if wait is not None:
        since = max(wait.since, state.counters.gm_acted_at)
        waits[f"{SILENCE}{wait.place}:{_TOLD}:{since}"] = since + settings.silence
    return waits


def _claim_wait(claim: TakeoverClaim) -> str:
    return f"{CLAIM}{claim.place}:{claim.since}"


def handle_silence_wait(state: TableState, action: Due, game: Game) -> Outcome:
    """Act on a wait of the GMs' silence, or of a claim, that has run out.

    Raises Outdated("wait-over", "not-yet-due").
    """
    due = silence_waits(game).get(action.wait)
    if due is None:
        raise Outdated("wait-over", wait=action.wait)
    if due > action.at:
        raise Outdated("not-yet-due", wait=action.wait)
    if action.wait.startswith(CLAIM):
        return _drop_claim(game) if action.barred else _hand_over(game)
    if is_silent(state):
        return _tell_gone(game, action)
    return _stand_still(game, action)


def _stand_still(game: Game, action: Due) -> Outcome:
    """Tell all participants that no GM acts, and stop the table's clock."""
    after, events = begin_pause(game, action.place, note=SILENT)
    # The line about the silence says that the clock stands still, too.
    shown = tuple(event for event in events if not isinstance(event, Notice))
    line = Notice("gm-silent", {"days": game.state.settings.silence // DAY})
    lines = told_where_play_stands(after.state, action.place, (line,))
    return Outcome(after.state, (*lines, *shown))


def _tell_gone(game: Game, action: Due) -> Outcome:
    """Tell all participants that a manager of the server may claim the table."""
    state = game.state
    params = {
        "days": (game.at - silent_since(state)) // DAY,
        "gms": state.settings.gms,
        "gm_roles": state.settings.gm_roles,
        "left": CLAIM_TIME // DAY,
    }
    line = Notice("gm-gone", params)
    return Outcome(state, told_where_play_stands(state, action.place, (line,)))


def _drop_claim(game: Game) -> Outcome:
    """End a claim of a manager who may no longer manage the server. Another one may claim."""
    office = office_of(game.state)
    assert office.claim is not None
    dropped = Notice("claim-dropped", {"who": office.claim.by})
    return Outcome(with_office(game.state, office.replace(claim=None)), (dropped,))


def _hand_over(game: Game) -> Outcome:
    """Make the manager whose claim no GM has stopped the GM of the table."""
    state = game.state
    office, settings = office_of(state), state.settings
    assert office.claim is not None
    by = office.claim.by
    # The deputies were those of the former GMs.
    terms = tuple(term.replace(ended=term.ended or game.at) for term in office.terms)
    state = with_office(state, GmOffice(terms))
    state = state.replace(settings=settings.replace(gms=(by,), gm_roles=()))
    params = {"who": by, "gms": settings.gms, "gm_roles": settings.gm_roles}
    events: tuple[Event, ...] = (Notice("table-handed-over", params, by=by),)
    if is_silent(state):
        state, shown = without_silence(game.with_state(state))
        events += shown
    return Outcome(state, events)

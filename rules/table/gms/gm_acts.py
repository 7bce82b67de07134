"""Acts of GMs: the time of the last one, and the silence and the claim that each act ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.table.actions import Action
from rules.table.clock.pauses import SILENT, end_pause
from rules.table.events import Event, Notice
from rules.table.gm_office import is_deputy, office_of, with_office
from rules.table.outcome import Outcome
from rules.table.permissions import leads_table
from rules.table.roll_calls.roll_call import roll_call_news
from rules.table.state import DAY, HOUR, SYSTEM, TableState
from rules.table.system import Game
from rules.table.whispers import whisper_at

#: Silence after which a manager of the server may claim the table, in seconds.
GONE: Final = 21 * DAY
#: Least time between the public line about the silence and the claim, in seconds.
GONE_AFTER_LINE: Final = 7 * DAY
#: Least time between two acts of GMs that are noted, in seconds. The counters would else change
#: with each act.
ACT_PRECISION: Final = HOUR
#: Time in which an act of a GM stops a claim, in seconds.
CLAIM_TIME: Final = 7 * DAY


def is_silent(state: TableState) -> bool:
    """Return whether the table's clock stands still because no GM acts."""
    pause = state.settings.pause
    return pause is not None and pause.note == SILENT


def silent_since(state: TableState) -> int:
    """Return since when no GM has acted at a silent table, in seconds since 1970."""
    pause = state.settings.pause
    return 0 if pause is None else pause.since - state.settings.silence


def gone_at(state: TableState) -> int | None:
    """Return when the GMs of a silent table count as gone; None for any other table."""
    pause = state.settings.pause
    if pause is None or pause.note != SILENT:
        return None
    return max(silent_since(state) + GONE, pause.since + GONE_AFTER_LINE)


def told_where_play_stands(
    state: TableState, place: str, events: Iterable[Event]
) -> tuple[Event, ...]:
    """Return events whose notices are told in a place, and in each other place that they stop.

    Those have an open check that everybody there knows of, or an order of action. Participants who
    can't read the first place would otherwise not know why their deadlines stand still. What is
    played in a whisper scene gives no place.
    """
    places = {check.place for check in state.open_checks if check.is_public and not check.scene}
    places |= {where for where in state.encounters if whisper_at(state, where) is None}
    others = sorted(places - {place, state.settings.gm_place})
    told: tuple[Event, ...] = ()
    for where in (place, *others):
        told += told_in(where, events)
    return told


def told_in(place: str, events: Iterable[Event]) -> tuple[Event, ...]:
    """Return events whose notices are told in a place, wherever the GM acts."""
    return tuple(
        event.replace(place=place) if isinstance(event, Notice) else event for event in events
    )


def with_gm_act(game: Game, outcome: Outcome, action: Action) -> Outcome:
    """Return the outcome of an action after it has counted as an act of a GM, if it was one.

    *game* is the table before the action. The acts of deputies count, too. An act ends the silence
    of the GMs, and stops a claim to the table.
    """
    who, before = action.who, game.state
    if who.id == SYSTEM or not (leads_table(before, who) or is_deputy(before, who.id)):
        return outcome
    state = outcome.state
    if action.at >= state.counters.gm_acted_at + ACT_PRECISION:
        state = state.replace(counters=state.counters.replace(gm_acted_at=action.at))
    events: tuple[Event, ...] = ()
    office = office_of(state)
    if office.claim is not None:
        state = with_office(state, office.replace(claim=None))
        stopped = Notice("claim-stopped", {"who": office.claim.by}, by=who.id)
        events += told_in(office.claim.place, (stopped,))
    pause = state.settings.pause
    if pause is not None and is_silent(state):
        later = game.with_state(state).replace(at=action.at, actor=who)
        state, shown = without_silence(later)
        back = Notice("gm-back", {"seconds": action.at - pause.since}, by=who.id)
        events += (*told_where_play_stands(state, pause.place, (back,)), *shown)
    return Outcome(state, (*outcome.events, *events))


def without_silence(game: Game) -> tuple[TableState, tuple[Event, ...]]:
    """Return a silent table whose clock runs again, and what has new times: checks and calls."""
    after, events = end_pause(game)
    shown = tuple(event for event in events if not isinstance(event, Notice))
    return after.state, (*shown, *roll_call_news(after, shown))

"""The story's own time and its sessions."""

from __future__ import annotations

from rules.core.errors import Impossible, InvalidInput
from rules.table.actions import AdvanceTime, Session
from rules.table.duration import LATEST
from rules.table.events import SessionChanged, TimePassed
from rules.table.marks import by_audience, passed
from rules.table.outcome import Outcome
from rules.table.state import TableState
from rules.table.system import Game


def change_session(state: TableState, action: Session, game: Game) -> Outcome:
    """Begin a session, or end it with what that restores, such as EBB-HEAL.

    Everybody hears what players' characters get back, the GMs what their NPCs do.
    Impossible("session-is-on") or ("no-session") where there is nothing to begin or to end.
    """
    clock = state.clock
    if action.start:
        if clock.playing:
            raise Impossible("session-is-on", session=clock.session)
        begun = clock.but(session=clock.session + 1, playing=True)
        return Outcome(state.but(clock=begun), (SessionChanged(started=True, number=begun.session),))
    if not clock.playing:
        raise Impossible("no-session", session=clock.session)
    number = clock.session
    told = passed(game, "session", state.characters, at=number)
    events = [
        SessionChanged(audience=audience, started=False, number=number, lines=lines)
        for audience, lines in by_audience(told)
    ]
    return Outcome(told.game.state.but(clock=clock.but(playing=False)), (*events, *told.events))


def advance_time(state: TableState, action: AdvanceTime, game: Game) -> Outcome:
    """Let time pass, set it back, or set it to a moment; it never lies before the story's beginning.

    What heals meanwhile is healed, such as BAR-HEAL: everybody hears of players' characters, the GMs of their own.
    InvalidInput("one-time") unless exactly one is given, ("no-time-passes"), ("time-out-of-bounds").
    """
    now = state.clock.time
    if (action.moment is None) == (not action.minutes):
        raise InvalidInput("one-time", field="advance", value=None)
    time = now + action.minutes if action.moment is None else action.moment
    if time == now:
        raise InvalidInput("no-time-passes", field="set", value=None)
    if not 0 <= time <= LATEST:
        field = "set" if action.moment is not None else "advance"
        raise InvalidInput("time-out-of-bounds", field=field, value=None)
    later = game.with_(state.but(clock=state.clock.but(time=time)))
    told = passed(later, "time", state.characters, at=time, minutes=time - now)
    events = [
        TimePassed(audience=audience, time=time, minutes=time - now, lines=lines)
        for audience, lines in by_audience(told)
        if audience.everyone or lines
    ]
    return Outcome(told.game.state, (*events, *told.events))

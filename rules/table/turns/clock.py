"""The story's own time and its sessions."""

from __future__ import annotations

from collections.abc import Mapping

from rules.core.errors import Impossible, InvalidInput
from rules.table.actions import AdvanceTime, Session
from rules.table.blocks import Text, Value
from rules.table.duration import LATEST
from rules.table.events import Notice
from rules.table.initiative import encounter_in, is_busy, is_hidden, known_round, slot_name
from rules.table.marks import TickResult, apply_tick, lines_by_audience
from rules.table.outcome import Outcome
from rules.table.resources import award_options
from rules.table.state import TableState
from rules.table.system import Game


def change_session(state: TableState, action: Session, game: Game) -> Outcome:
    """Begin or end a session, and restore points at that moment, such as EBB-HEAL.

    Everybody hears what players' characters get back, the GMs what their NPCs do.
    Impossible("session-is-on") or ("no-session") where there is nothing to begin or to end.
    """
    clock = state.clock
    if action.start:
        if clock.playing:
            raise Impossible("session-is-on", session=clock.session)
        begun = clock.replace(session=clock.session + 1, playing=True)
        told = apply_tick(game, "session-start", state.characters, at=begun.session)
        about = {"number": begun.session, "now": begun.time}
        events = _drop_empty(_notices("session-begins", about, told))
        return Outcome(told.game.state.replace(clock=begun), (*events, *told.events))
    if not clock.playing:
        raise Impossible("no-session", session=clock.session)
    told = apply_tick(game, "session", state.characters, at=clock.session)
    labels = tuple(choice.label for choice in award_options(game.system.resources))
    events = _notices("session-ends", {"number": clock.session, "awards": labels}, told)
    return Outcome(
        told.game.state.replace(clock=clock.replace(playing=False)), (*events, *told.events)
    )


def advance_time(state: TableState, action: AdvanceTime, game: Game) -> Outcome:
    """Let time pass, set it back, or set it to a moment; it never lies before the story's
    beginning.

    What heals meanwhile is healed, such as BAR-HEAL: everybody hears of players' characters, the
    GMs of their own. InvalidInput("one-time") unless exactly one is given, ("no-time-passes"),
    ("time-out-of-bounds").
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
    later = game.with_state(state.replace(clock=state.clock.replace(time=time)))
    told = apply_tick(later, "time", state.characters, at=time, minutes=time - now)
    events = _notices("time-passed", {"time": time, "minutes": time - now}, told)
    # Minutes of the story don't move the phases.
    still = _busy_lines(state)
    events = [
        event.replace(lines=(*event.lines, *still)) if event.audience.everyone else event
        for event in events
    ]
    return Outcome(told.game.state, (*_drop_empty(events), *told.events))


def _drop_empty(notices: list[Notice]) -> list[Notice]:
    """Drop notices for GMs alone that have no lines."""
    return [notice for notice in notices if notice.audience.everyone or notice.lines]


def _busy_lines(state: TableState) -> tuple[Text, ...]:
    """Return a line with the characters who are busy in phases, if players know any.

    Characters who have left the table since have dropped out of it.
    """
    busy: list[Text] = []
    for place in state.encounters:
        encounter = encounter_in(state, place)
        if encounter is None:
            continue
        now = known_round(state, encounter)
        for slot in encounter.order if encounter.timeline and encounter.round else ():
            if is_busy(slot, now) and not is_hidden(state, slot):
                about = {"name": slot_name(state, slot), "ends": slot.ends or 0}
                busy.append(Text("phases-busy", about))
    return (Text("phases-stand", {"busy": tuple(busy)}),) if busy else ()


def _notices(what: str, params: Mapping[str, Value], told: TickResult) -> list[Notice]:
    """Return the notices to all participants, and to the GMs about their NPCs."""
    return [
        Notice(what if audience.everyone else f"{what}-gms", params, audience=audience, lines=lines)
        for audience, lines in lines_by_audience(told)
    ]

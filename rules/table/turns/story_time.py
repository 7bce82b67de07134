"""The story's own time and its sessions."""

from __future__ import annotations

from collections.abc import Mapping

from rules.core.errors import Impossible, InvalidInput
from rules.table.actions import AdvanceTime, Session
from rules.table.blocks import Text, Value
from rules.table.events import Notice
from rules.table.initiative import encounter_in, is_busy, is_hidden, known_round, slot_name
from rules.table.marks import TickResult, apply_tick, lines_by_audience
from rules.table.outcome import Outcome
from rules.table.resources import award_options
from rules.table.state import TableState
from rules.table.system import Game
from rules.table.times.duration import LATEST


def change_session(state: TableState, action: Session, game: Game) -> Outcome:
    """Begin or end a session, and restore points at that moment, such as EBB-HEAL.

    All participants read what players' characters regain, and the GMs what their NPCs do.

    Raises Impossible("session-is-on", "no-session").
    """
    return _begin_session(state, game) if action.start else _end_session(state, game)


def _begin_session(state: TableState, game: Game) -> Outcome:
    if state.clock.playing:
        raise Impossible("session-is-on", session=state.clock.session)
    clock = state.clock.replace(session=state.clock.session + 1, playing=True)
    result = apply_tick(game, "session-start", state.characters, at=clock.session)
    params = {"number": clock.session, "now": clock.time}
    events = _drop_empty(_notices("session-begins", params, result))
    return Outcome(result.game.state.replace(clock=clock), (*events, *result.events))


def _end_session(state: TableState, game: Game) -> Outcome:
    clock = state.clock
    if not clock.playing:
        raise Impossible("no-session", session=clock.session)
    result = apply_tick(game, "session", state.characters, at=clock.session)
    labels = tuple(choice.label for choice in award_options(game.system.resources))
    events = _notices("session-ends", {"number": clock.session, "awards": labels}, result)
    after = result.game.state.replace(clock=clock.replace(playing=False))
    return Outcome(after, (*events, *result.events))


def advance_time(state: TableState, action: AdvanceTime, game: Game) -> Outcome:
    """Move the story's time on, back, or to a moment; it is never before the story's beginning.

    Characters heal meanwhile, such as by BAR-HEAL. All participants read what players' characters
    regain, and the GMs what their NPCs do.

    Raises InvalidInput("one-time") unless either minutes or a moment is given, ("no-time-passes"),
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
    result = apply_tick(later, "time", state.characters, at=time, minutes=time - now)
    # Minutes of the story don't move the phases.
    busy = _busy_lines(state)
    events: list[Notice] = []
    for event in _notices("time-passed", {"time": time, "minutes": time - now}, result):
        lines = (*event.lines, *busy) if event.audience.everyone else event.lines
        events.append(event.replace(lines=lines))
    return Outcome(result.game.state, (*_drop_empty(events), *result.events))


def _drop_empty(notices: list[Notice]) -> list[Notice]:
    """Drop notices for GMs alone that have no lines."""
    return [notice for notice in notices if notice.audience.everyone or notice.lines]


def _busy_lines(state: TableState) -> tuple[Text, ...]:
    """Return a line with the characters who are busy in phases, if players know any.

    Characters who have left the table are not among them.
    """
    busy: list[Text] = []
    for place in state.encounters:
        encounter = encounter_in(state, place)
        if encounter is None or not encounter.timeline or not encounter.round:
            continue
        phase = known_round(state, encounter)
        for slot in encounter.order:
            if is_busy(slot, phase) and not is_hidden(state, slot):
                params = {"name": slot_name(state, slot), "ends": slot.ends or 0}
                busy.append(Text("phases-busy", params))
    return (Text("phases-stand", {"busy": tuple(busy)}),) if busy else ()


def _notices(what: str, params: Mapping[str, Value], result: TickResult) -> list[Notice]:
    """Return the notices to all participants, and to the GMs about their NPCs."""
    notices: list[Notice] = []
    for audience, lines in lines_by_audience(result):
        code = what if audience.everyone else f"{what}-gms"
        notices.append(Notice(code, params, audience=audience, lines=lines))
    return notices

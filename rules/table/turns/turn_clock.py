"""Deadlines of turns: reminders, and the clock's default for a turn that isn't taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

from rules.core.errors import Outdated, RulesError
from rules.core.record import Record
from rules.table.actions import Due
from rules.table.checks.deaths import players_killed
from rules.table.clock.pauses import clock_time, with_time_running
from rules.table.events import GMS, BlockMember, BoardChanged, Event
from rules.table.initiative import (
    absent_owner,
    block_of,
    encounter_in,
    has_lapsed_round,
    is_players,
    next_turn_start,
    require_encounter,
    slot_name,
    slot_on_turn,
)
from rules.table.outcome import Outcome
from rules.table.state import HOUR, AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.times.reminders import (
    SHORTEST_NOTICE,
    reminder_times,
    stalled_at,
    time_after_change,
)
from rules.table.times.rest import Rest, end_time, running_time
from rules.table.turns import turn_actions
from rules.table.turns.finished_turns import stall_before_death
from rules.table.turns.missed_turns import with_missed
from rules.table.turns.spent_turns import idle_reasons
from rules.table.turns.turn_block import (
    is_member,
    is_turn_ending,
    load_turn_end,
    share_slot,
    slots_to_act,
    take_turn,
)
from rules.table.turns.turn_calls import board_event, call_events
from rules.table.turns.turn_holders import has_acted, held_lines, round_holders

#: Beginning of the ids of turn waits, and the suffixes of reminders, of paused turns and of turns
#: with more time.
_WAIT, _REMINDER, _ANEW, _MORE = "turn:", ".remind", ".anew", ".more"
#: Longest turn of a character whose owner is away without a stand-in, in seconds.
TURN_WITHOUT_STAND_IN = HOUR


class TurnWait(Record):
    """A time at which the clock reminds of the turn in a place, or ends it."""

    id: str
    place: str
    #: Time, in seconds since 1970.
    due: int
    #: The clock ends the turn then. If False, it reminds.
    ends_turn: bool


class _Span(Record):
    """Time limit of the turn in a place."""

    #: Start, in seconds since 1970, put off by the length of pauses.
    since: int
    #: Length, in seconds.
    length: int
    #: The clock ends the turn: a player's, or any turn that waits to end. An NPC's never lapses.
    ends: bool
    #: Rest of the table.
    rest: Rest

    @property
    def due(self) -> int:
        """Time at which the span is over."""
        return end_time(self.rest, self.since, self.length)


def turn_waits(state: TableState) -> dict[str, int]:
    """Return the times at which the clock acts on the turns of all places, by wait id."""
    due: dict[str, int] = {}
    for place in state.encounters:
        due |= {wait.id: wait.due for wait in waits_of_turn(state, place)}
    return due


def waits_of_turn(state: TableState, place: str) -> tuple[TurnWait, ...]:
    """Return the waits of the turn in a place, the earliest first.

    There are none while no character is on turn, while a check of the turn waits for others, while
    the turn's end would kill, once a whole round has lapsed, and while the table's clock is paused.
    A turn that its player has ended, and that an open check holds, has a deadline, but no
    reminders. The last reminder of a turn without a deadline tells the GMs that it has stalled, so
    it always comes.
    """
    if state.settings.pause is not None:
        return ()
    encounter = encounter_in(state, place)
    span = None if encounter is None else present_span(state, encounter)
    if encounter is None or span is None:
        return ()
    name = f"{_WAIT}{place}:{encounter.since}"
    if encounter.more:
        # Reminders of the longer time are others than those that may have been sent.
        name = f"{name}{_MORE}{encounter.more}"
    times: Sequence[int] = ()
    if slots_to_act(state, encounter):
        times = reminder_times(
            span.since, span.length, default=span.ends, harms=False, rest=span.rest
        )
    waits = [
        TurnWait(f"{name}{_REMINDER}{number}", place, time, ends_turn=False)
        for number, time in enumerate(times, 1)
        if not _is_overtaken(state, encounter, time) or (number == len(times) and not span.ends)
    ]
    if span.ends:
        due = _deadline(state, encounter, span)
        waits = [wait for wait in waits if wait.due < due]
        # A deadline that moved after a pause needs an id of its own: the old one may have run out.
        again = f"{_ANEW}{encounter.paused}" if encounter.paused else ""
        waits.append(TurnWait(f"{name}{again}", place, due, ends_turn=True))
    return tuple(waits)


def _is_overtaken(state: TableState, encounter: AnyEncounter, time: int) -> bool:
    """Return whether a change of the table's times came after the time of a turn's reminder.

    By shorter times it would have come earlier, and it isn't made up for.
    """
    return encounter.since < state.settings.turn_time_since >= time


def present_span(state: TableState, encounter: AnyEncounter) -> _Span | None:
    """Return the time limit of a turn by the table's settings; None while it has none."""
    settings = state.settings
    return _turn_span(state, encounter, settings.turn_time, settings.rest)


def deadline_of_turn(state: TableState, encounter: AnyEncounter) -> int | None:
    """Return the time at which the clock ends the present turn; None if it doesn't.

    The encounter may be another than the table's.
    """
    waits = waits_of_turn(state.with_encounter(encounter), encounter.place)
    return next((wait.due for wait in waits if wait.ends_turn), None)


def _turn_span(state: TableState, encounter: AnyEncounter, length: int, rest: Rest) -> _Span | None:
    """Return the time limit of a turn that lasts *length*; None while it has none, or is paused.

    Of a block it is the latest of its slots' limits.
    """
    block = block_of(state, encounter)
    if not block or not length or has_lapsed_round(state, encounter):
        return None
    if encounter.paused_at is not None or encounter.would_kill:
        return None
    spans = [_slot_span(state, encounter, slot, length, rest) for slot in block]
    return max(spans, key=lambda span: end_time(rest, span.since, span.length))


def _slot_span(
    state: TableState, encounter: AnyEncounter, slot: Slot, length: int, rest: Rest
) -> _Span:
    """Return the time limit of the turn of a slot of the present block."""
    began, more = encounter.since + encounter.paused, encounter.more
    if not is_players(state, slot):
        return _Span(began, length + more, ends=encounter.ended, rest=rest)
    away = absent_owner(state, encounter, slot)
    short = min(length, TURN_WITHOUT_STAND_IN) + more
    length += more
    if away is None or away.stand_ins:
        return _Span(began, length, ends=True, rest=rest)
    since = max(began, away.since)
    if away.until is not None and away.until <= end_time(rest, since, short):
        return _Span(began, length, ends=True, rest=rest)
    left = length - running_time(rest, began, since)
    return _Span(since, max(min(left, short), 1), ends=True, rest=rest)


def _deadline(state: TableState, encounter: AnyEncounter, span: _Span) -> int:
    """Return the time at which the clock ends a turn.

    After a change of the table's turn time or rest, a turn that began before has some notice.
    """
    due, settings = span.due, state.settings
    changed = settings.turn_time_since
    if encounter.since >= changed:
        return due
    earlier = _turn_span(state, encounter, settings.turn_time_before, settings.rest_before)
    # A turn that had no end gets its notice.
    before = changed + SHORTEST_NOTICE
    if earlier is not None:
        before = earlier.due
    return time_after_change(before, due, changed)


def call_stand_ins(before: Game, outcome: Outcome) -> Outcome:
    """Return the outcome with calls to stand-ins for turns that have just become theirs."""
    game, events = before.with_state(outcome.state), outcome.events
    for place, encounter in outcome.state.encounters.items():
        was = before.state.encounters.get(place)
        if was is None or was.since != encounter.since:
            continue
        block = block_of(before.state, was)
        new: list[Slot] = []
        for slot in slots_to_act(outcome.state, encounter):
            away = absent_owner(outcome.state, encounter, slot)
            if away is None or not is_member(slot, block):
                continue
            earlier = absent_owner(before.state, was, slot)
            known = () if earlier is None else earlier.stand_ins
            if not set(away.stand_ins) <= set(known):
                new.append(slot)
        if new:
            events = (*events, *call_events(game, encounter, called=new))
    return outcome if events is outcome.events else outcome.replace(events=events)


def pause_turns(before: TableState, outcome: Outcome, at: int) -> Outcome:
    """Return the outcome in which the clock is paused for turns whose checks wait only for others.

    The time of a turn goes on where it stood once its checks wait for no other participant. While
    the whole table is paused, the turn stays paused, and a pause counts from the table's.
    """
    state = outcome.state
    table = state.settings.pause
    for place, encounter in outcome.state.encounters.items():
        was = before.encounters.get(place)
        on_turn = slot_on_turn(encounter)
        now = encounter
        if on_turn is not None and on_turn.ending:
            now = load_turn_end(encounter)
        block = () if was is None else block_of(before, was)
        same_turn = share_slot(block, block_of(state, now))
        if was is None or was.since != now.since or not same_turn:
            now = now.replace(paused_at=None, paused=0, more=0, extended=False)
        elif was.would_kill and not now.would_kill:
            left = at + SHORTEST_NOTICE - now.since - state.settings.turn_time
            now = now.replace(paused=max(now.paused, left))
        waits = _waits_for_others(state, now)
        if waits and now.paused_at is None:
            since = at if table is None else max(table.since, now.since)
            now = now.replace(paused_at=since)
        elif not waits and now.paused_at is not None and table is None:
            now = with_time_running(state, now, now.paused_at, at).replace(paused_at=None)
        if now != encounter:
            state = state.with_encounter(now)
    return outcome if state is outcome.state else outcome.replace(state=state)


def _waits_for_others(state: TableState, encounter: AnyEncounter) -> bool:
    """Return whether all of the present turn who haven't ended it wait for others only."""
    slots = slots_to_act(state, encounter)
    return bool(slots) and all(_has_to_wait(state, encounter, slot) for slot in slots)


def _has_to_wait(state: TableState, encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether checks of a character wait for others, and none for itself.

    An NPC's never count.
    """
    if slot.character is None or not is_players(state, slot):
        return False
    waits = False
    turn = (slot.character, encounter.place, encounter.round)
    for check in state.open_checks:
        if (check.actor, check.place, check.round) != turn:
            continue
        for prompt in check.asked:
            if slot.character in prompt.waiting_for:
                return False
            waits = waits or bool(prompt.waiting_for)
    return waits


def is_stalled(state: TableState, place: str, at: int) -> bool:
    """Return whether the turn in a place has stalled, so that the clock does nothing more."""
    encounter = encounter_in(state, place)
    slot = slot_on_turn(encounter)
    if encounter is None or slot is None or not state.settings.turn_time:
        return False
    if has_lapsed_round(state, encounter) or encounter.would_kill:
        return True
    span = present_span(state, encounter)
    if span is None:
        return False
    at = clock_time(state.settings, at)
    if not slots_to_act(state, encounter):
        return at >= _deadline(state, encounter, span)
    return not span.ends and at >= stalled_at(span.since, span.length, span.rest)


def turn_wait_place(wait: str) -> str | None:
    """Return the place of the turn whose wait has an id; None for another wait."""
    if not wait.startswith(_WAIT):
        return None
    return wait.removeprefix(_WAIT).rpartition(":")[0]


def handle_turn_wait(state: TableState, action: Due, game: Game, place: str) -> Outcome:
    """Act on the wait of the turn in a place that has run out: remind, or end the turn.

    Raises:
        Outdated("wait-over"): there is no such wait any more, or a later one has come due.
        Outdated("not-yet-due"): the wait hasn't run out.
    """
    waits = waits_of_turn(state, place)
    wait = next((other for other in waits if other.id == action.wait), None)
    if wait is None:
        raise Outdated("wait-over", wait=action.wait)
    if wait.due > action.at:
        raise Outdated("not-yet-due", wait=action.wait)
    encounter = require_encounter(state, place)
    if wait.ends_turn:
        return _lapse(game, encounter)
    if any(later.due <= action.at for later in waits[waits.index(wait) + 1 :]):
        # After a downtime several waits are due at once: only the last of them counts.
        raise Outdated("wait-over", wait=action.wait)
    due = next((later.due for later in waits if later.ends_turn), None)
    reminders = call_events(game, encounter, "reminded")
    events: tuple[Event, ...] = tuple(reminder.replace(due=due) for reminder in reminders)
    if is_stalled(state, place, action.at):
        events = (*events, _stalled_event(game, encounter))
    return Outcome(state, events)


def _stalled_event(game: Game, encounter: AnyEncounter) -> BoardChanged:
    """Return the event that tells the GMs that a turn, or the whole round, has stalled."""
    slot, state = slot_on_turn(encounter), game.state
    name = None
    if slot is not None and not has_lapsed_round(state, encounter):
        name = slot.name if slot.character is None else game.character(slot.character).name
    fields: dict[str, Any] = {"audience": GMS, "name": name, "round": encounter.round}
    if name is not None and encounter.ended:
        fields["lines"] = held_lines(game, round_holders(game, encounter), GMS)
    return board_event(encounter, game.actor, "stalled", ping_gms=True, **fields)


def _lapse(game: Game, encounter: AnyEncounter) -> Outcome:
    """Delay or end the turn whose time is up, or all turns of a block.

    A turn of a block goes on if its checks wait only for others; then its time begins anew.
    """
    place, events = encounter.place, tuple[Event, ...]()
    before, block = game, block_of(game.state, encounter)
    missed: list[str] = []
    lapses: list[BoardChanged] = []
    used: list[Slot] = []
    for slot in block:
        now = require_encounter(game.state, place)
        waiting = not is_turn_ending(now, slot) and _has_to_wait(game.state, now, slot)
        if now.would_kill or not is_member(slot, block_of(game.state, now)):
            continue
        # A character that can do nothing is passed over once no other of its block is left.
        idle = len(block) > 1 and idle_reasons(game, slot) is not None
        if not waiting and not idle:
            if _is_used(game, take_turn(now, slot), slot):
                used.append(slot)
            elif slot.character is not None:
                missed.append(slot.character)
            outcome = _lapse_turn(game, now, slot)
            game, events = game.with_state(outcome.state), (*events, *outcome.events)
            lapses += filter(_is_lapse, outcome.events)
    if len(lapses) > 1:
        events = _told_together(game, events, lapses)
    left = require_encounter(game.state, place)
    goes_on = share_slot(block, block_of(game.state, left)) and left.since == encounter.since
    if goes_on and slots_to_act(game.state, left) and not left.would_kill:
        left = left.replace(since=next_turn_start(left, game.at))
        game = game.with_state(game.state.with_encounter(left))
        events = (*events, *call_events(game, left))
    events = (*_timed_out(game, left, used, events), *events)
    return with_missed(before, Outcome(game.state, events), missed, place)


def _timed_out(
    game: Game, left: AnyEncounter, used: Sequence[Slot], events: Iterable[Event]
) -> tuple[BoardChanged, ...]:
    """Return an event for each used turn that is over, if nothing else tells the players of it.

    A call of the next player tells of it, and so do the turns of the block that weren't used.
    *left* is the encounter after the turns.
    """
    if left.would_kill or left.ended:
        return ()
    for event in events:
        if isinstance(event, BoardChanged) and event.audience.everyone:
            calls_player = event.calls and event.player
            if calls_player or _is_lapse(event):
                return ()
    return tuple(
        [
            board_event(
                left,
                game.actor,
                "timed-out",
                name=slot_name(game.state, slot) or None,
                characters=() if slot.character is None else (slot.character,),
            )
            for slot in used
        ]
    )


def _is_lapse(event: Event) -> TypeGuard[BoardChanged]:
    """Return whether an event tells all participants that a character's time has run out."""
    return isinstance(event, BoardChanged) and event.step in ("delayed", "lapsed")


def _told_together(
    game: Game, events: Sequence[Event], lapses: Sequence[BoardChanged]
) -> tuple[Event, ...]:
    """Return the events with a single one for all characters of a block whose time has run out.

    It takes the place of the first.
    """
    members: list[BlockMember] = []
    for lapse in lapses:
        for who in lapse.characters:
            delayed = lapse.step == "delayed"
            members.append(
                BlockMember(who, game.character(who).name, done=not delayed, waits=delayed)
            )
    kept = next((lapse for lapse in lapses if lapse.step == "delayed"), lapses[0])
    characters = tuple(member.who for member in members)
    together = kept.replace(block=tuple(members), characters=characters)
    rest = [together if event is lapses[0] else event for event in events]
    return tuple(event for event in rest if event not in lapses)


def _is_used(game: Game, encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether the player of the character on turn has acted in it, or has ended it."""
    return encounter.ended or has_acted(game, encounter, slot)


def _lapse_turn(game: Game, encounter: AnyEncounter, slot: Slot) -> Outcome:
    """Delay a turn whose time is up, or end it.

    The clock ends a turn that was used, that its player has ended or that can't be delayed, and any
    turn on a timeline. The character's open checks no longer hold the turn. If checks hold the
    round, the GMs are told. If the end would kill a player's character, the GMs decide.
    """
    encounter = take_turn(encounter, slot)
    used = _is_used(game, encounter, slot)
    lapses = 0 if used else encounter.lapses + 1
    counted = encounter.replace(lapses=lapses)
    before, game = game, game.with_state(game.state.with_encounter(counted))
    outcome = None
    if not used and not counted.timeline:
        outcome = _delay_turn(game, counted, slot)
    if outcome is None:
        outcome = _end_turn_by_clock(game, counted, slot, used=used)
    killed = players_killed(before, game.with_state(outcome.state))
    if killed:
        stalled_game, events = stall_before_death(before, encounter, killed)
        return Outcome(stalled_game.state, events)
    after = encounter_in(outcome.state, encounter.place)
    if after is not None and (after.ended or _lapses_round(before, encounter, outcome, after)):
        event = _stalled_event(game.with_state(outcome.state), after)
        outcome = outcome.replace(events=(*outcome.events, event))
    return outcome


def _lapses_round(
    before: Game, encounter: AnyEncounter, outcome: Outcome, after: AnyEncounter
) -> bool:
    """Return whether the end of a turn was the last in a round in which nobody has acted."""
    lapsed_before = has_lapsed_round(before.state, encounter)
    return has_lapsed_round(outcome.state, after) and not lapsed_before


def _delay_turn(game: Game, encounter: AnyEncounter, slot: Slot) -> Outcome | None:
    """Delay the turn of a character; return None if the rules don't allow it."""
    try:
        return turn_actions.delay_slot(game, encounter, slot, lapsed=True)
    except RulesError:
        return None


def _end_turn_by_clock(game: Game, encounter: AnyEncounter, slot: Slot, *, used: bool) -> Outcome:
    """End the turn of a character, with a public event if its player did nothing with it."""
    outcome = turn_actions.end_turn(game, encounter, slot, overdue=True)
    if used or encounter.timeline or outcome.state.encounters[encounter.place].ended:
        return outcome
    event = board_event(
        encounter,
        game.actor,
        "lapsed",
        name=slot_name(game.state, slot) or None,
        characters=() if slot.character is None else (slot.character,),
    )
    return outcome.replace(events=(event, *outcome.events))

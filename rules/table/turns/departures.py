"""Turns that begin because a character leaves the game."""

from __future__ import annotations

from rules.table.actions import Action
from rules.table.events import Event
from rules.table.initiative import (
    block_of,
    encounter_in,
    next_turn_start,
    require_encounter,
    same_slot,
    slot_on_turn,
)
from rules.table.state import AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.turn_block import is_member, keep_block
from rules.table.turns.turn_calls import call_events
from rules.table.turns.turn_changes import apply_move


def calls_after_departure(
    game: Game, state: TableState, action: Action
) -> tuple[TableState, tuple[Event, ...]]:
    """Return the table, and the calls to turns that began because a character left the game.

    *game* is the table before the departure, *state* the table after it.
    """
    calls: list[Event] = []
    for place in state.encounters:
        before, encounter = encounter_in(game.state, place), encounter_in(state, place)
        was = slot_on_turn(before)
        if before is None or encounter is None or was is None:
            continue
        kept = state.encounters[place]
        after = keep_block(game.state, before, encounter)
        if after is not encounter:
            kept, encounter = _with_absent_slots(kept, after), after
            state = state.with_encounter(kept)
        now = slot_on_turn(encounter)
        block = block_of(game.state, before)
        if encounter.round != before.round:
            later, events = apply_move(game.with_state(state), before, lambda now: now, anyhow=True)
            present = require_encounter(later.state, place)
            state = later.state.with_encounter(_with_absent_slots(kept, present))
            calls += events
        elif now is not None and not same_slot(was, now) and is_member(now, block):
            # Others of the block go on with its turn.
            state = state.with_encounter(kept.replace(ended=now.ending))
        elif now is not None and not same_slot(was, now):
            begun = next_turn_start(before, action.at)
            state = state.with_encounter(kept.replace(since=begun, ended=False))
            begun_now = encounter.replace(since=begun, ended=False)
            calls += call_events(game.with_state(state), begun_now)
    return state, tuple(calls)


def _with_absent_slots(kept: AnyEncounter, now: AnyEncounter) -> AnyEncounter:
    """Return the present encounter, in which characters out of play keep their places."""
    if not now.order:
        return now
    present = {(slot.character, slot.name): slot for slot in now.order}
    order: list[Slot] = []
    order_of_present: list[Slot] = []
    for slot in kept.order:
        current = present.get((slot.character, slot.name))
        order.append(slot if current is None else current)
        if current is not None:
            order_of_present.append(current)
    if order_of_present != list(now.order):
        return now
    return now.replace(order=tuple(order), turn=order.index(now.order[now.turn]))

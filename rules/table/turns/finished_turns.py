"""Ends of turns that are over by themselves, and stalls before a death."""

from __future__ import annotations

from rules.table.blocks import Text
from rules.table.checks.deaths import players_killed
from rules.table.checks.round_checks import open_round_checks
from rules.table.events import GMS, Audience, Event
from rules.table.initiative import (
    block_of,
    encounter_in,
    require_encounter,
    same_slot,
    slot_name,
    slot_on_turn,
)
from rules.table.outcome import Outcome
from rules.table.state import SYSTEM, AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.spent_turns import (
    idle_reasons,
    is_passed_over,
    is_turn_spent,
    passes_by_itself,
)
from rules.table.turns.turn_block import is_turn_ending, take_turn
from rules.table.turns.turn_calls import board_event
from rules.table.turns.turn_changes import (
    apply_move,
    ends_round,
    is_same_slot,
    move_holders,
    next_after,
)
from rules.table.turns.turn_holders import turn_holders


def end_finished_turns(before: Game, outcome: Outcome) -> Outcome:
    """Return the outcome in which turns that are over by themselves have ended.

    A turn is over if its character can do nothing any more or has nothing left to act with. It is
    over too if its end waited for checks that are over now.
    """
    game = before.with_state(_without_averted_deaths(before.state, outcome.state))
    events = outcome.events
    for place in outcome.state.encounters:
        encounter = require_encounter(game.state, place)
        for member in block_of(game.state, encounter):
            game, more = _end_finished_turn(before, game, place, member)
            events = (*events, *more)
    return outcome.replace(state=game.state, events=events)


def _end_finished_turn(
    before: Game, game: Game, place: str, member: Slot
) -> tuple[Game, tuple[Event, ...]]:
    """End the turn of a slot of the present block if it is over by itself."""
    encounter = require_encounter(game.state, place)
    slot = next((slot for slot in block_of(game.state, encounter) if same_slot(slot, member)), None)
    if slot is None or encounter.would_kill:
        return game, ()
    was, events, more = game, (), ()
    is_on_turn = is_same_slot(slot, slot_on_turn(encounter))
    if is_turn_ending(encounter, slot):
        game, more = _end_turn(game, encounter, slot)
    elif idle_reasons(game, slot) is not None:
        if is_on_turn:
            game, more = _end_idle_turn(game, encounter, slot)
    elif passes_by_itself(game, slot):
        events = _spent_events(before, game, encounter, slot)
        game, more = _end_turn(game, encounter, slot)
    killed = players_killed(was, game)
    if killed and game.actor.id == SYSTEM:
        game, more = stall_before_death(was, encounter, killed)
    return game, (*events, *more)


def stall_before_death(
    game: Game, encounter: AnyEncounter, killed: tuple[str, ...]
) -> tuple[Game, tuple[Event, ...]]:
    """Return the table in which the clock leaves a turn to the GMs, and the event that calls them.

    *killed* are the players' characters that the turn's end would kill.
    """
    stalled = encounter.replace(would_kill=killed)
    event = board_event(
        stalled,
        game.actor,
        "stalled",
        audience=GMS,
        round=encounter.round,
        ping_gms=True,
        would_kill=tuple([game.character(who).name for who in killed]),
    )
    return game.with_state(game.state.with_encounter(stalled)), (event,)


def _without_averted_deaths(before: TableState, state: TableState) -> TableState:
    """Return the table without `would_kill` for turns that the clock may try to end again.

    It may once another turn has begun, or once a character in `would_kill` has changed.
    """
    for place, encounter in state.encounters.items():
        was = before.encounters.get(place)
        if was is None or not was.would_kill or was.would_kill != encounter.would_kill:
            continue
        same_turn = was.since == encounter.since
        same_turn = same_turn and is_same_slot(slot_on_turn(was), slot_on_turn(encounter))
        changed = [
            who
            for who in was.would_kill
            if before.characters.get(who) is not state.characters.get(who)
        ]
        if not same_turn or changed:
            state = state.with_encounter(encounter.replace(would_kill=()))
    return state


def _end_idle_turn(
    game: Game, encounter: AnyEncounter, slot: Slot
) -> tuple[Game, tuple[Event, ...]]:
    """End the turn of a character that can do nothing.

    The turn waits for open checks of the round, and for delayed characters with something left to
    act with. If no character can do anything, the turn stays until a player or GM ends it.
    """
    if open_round_checks(game, encounter.place, encounter.round):
        return game, ()
    if all(idle_reasons(game, other) is not None for other in encounter.order):
        return game, ()
    if _is_delayed_turn_left(game, encounter):
        return game, ()
    return apply_move(game, encounter, lambda now: now, done=slot)


def _end_turn(game: Game, encounter: AnyEncounter, slot: Slot) -> tuple[Game, tuple[Event, ...]]:
    """End a turn that its player has ended, or whose character has nothing left to act with.

    The turn goes on while a check holds it. A turn that its player hasn't ended doesn't end the
    round as long as a character may still act in the round.
    """

    def move(now: AnyEncounter) -> AnyEncounter:
        return next_after(now, slot)

    kept, encounter = game, take_turn(encounter, slot)
    game = game.with_state(game.state.with_encounter(encounter))
    if move_holders(game, encounter, move, slot):
        return kept, ()
    if not encounter.ended and _may_still_act(game, encounter, slot):
        if ends_round(game, encounter, move, slot):
            return kept, ()
    return apply_move(game, encounter, move, done=slot)


def _may_still_act(game: Game, encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether a character may still act before the round ends.

    That is a delayed character with something left to act with, or the one in the slot if it may do
    something after its turn.
    """
    return _is_delayed_turn_left(game, encounter) or _left_to_do(game, slot) is not None


def _is_delayed_turn_left(game: Game, encounter: AnyEncounter) -> bool:
    """Return whether a delayed character can act, and has something left to act with."""
    for slot in encounter.order:
        if slot.delayed and idle_reasons(game, slot) is None and not is_passed_over(game, slot):
            return True
    return False


def _left_to_do(game: Game, slot: Slot) -> Text | None:
    """Return what a character may do in the round after its turn; None for nothing."""
    turns = game.system.turns
    if turns is None or slot.character is None:
        return None
    return turns.lingers(game, game.character(slot.character))


def _spent_events(
    before: Game, game: Game, encounter: AnyEncounter, slot: Slot
) -> tuple[Event, ...]:
    """Return the event that tells a player what is left to do once the turn is spent.

    Only the owner reads it, and only if their own action spent the turn.
    """
    left = _left_to_do(game, slot)
    if slot.character is None or left is None:
        return ()
    owner = game.character(slot.character).owner
    was = encounter_in(before.state, encounter.place)
    now_done = not turn_holders(game, encounter, slot)
    if owner is None or owner != game.actor.id or was is None or not now_done:
        return ()
    if slot.character in before.state.characters and is_turn_spent(before, slot):
        if not turn_holders(before, was, slot):
            return ()
    event = board_event(
        encounter,
        game.actor,
        "spent",
        name=slot_name(game.state, slot, game.actor),
        audience=Audience(people=(owner,)),
        quiet=True,
        lines=(left,),
    )
    return (event,)

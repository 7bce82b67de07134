"""Actions on turns: set the order, end a turn, delay it, and act now."""

from __future__ import annotations

from functools import partial
from typing import Any

from rules.core.errors import Impossible, InvalidInput
from rules.table import actions
from rules.table.checks.round_checks import require_round_over
from rules.table.events import EVERYONE, BlockMember, BoardChanged, Event
from rules.table.initiative import (
    block_of,
    current_phase_for,
    encounter_in,
    is_hidden,
    is_players,
    require_encounter,
    settle_turn,
    slot_name,
    slot_on_turn,
    slot_seat,
    with_slot_changes,
)
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.state import AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.slots import (
    actor_board_event,
    announced_outcome,
    find_slot,
    may_handle,
    meant_slot,
    move_outcome,
    nobody_acts_error,
    require_turn,
    shown_slot_on_turn,
)
from rules.table.turns.turn_block import (
    is_turn_ending,
    slots_to_act,
    take_turn,
    with_seat,
    with_slot_joined,
)
from rules.table.turns.turn_calls import block_members, board_event
from rules.table.turns.turn_changes import is_same_slot, next_after


def order(state: TableState, action: actions.OrderEncounter, game: Game) -> Outcome:
    """Set the order for a GM; the turn stays with its slot (EBB-ROUND).

    Raises NotFound("not-in-order"), InvalidInput("ambiguous-in-order", "named-twice", "empty").
    """
    encounter = require_encounter(state, action.place)
    if not action.order:
        raise InvalidInput("empty", field="names", value="", wanted="order")
    named: list[Slot] = []
    for text in action.order:
        slot = find_slot(state, action.who, text, encounter.order, "names")
        if slot in named:
            name = slot_name(state, slot, action.who)
            raise InvalidInput("named-twice", field="names", value=name)
        named.append(slot)
    after = (*named, *(slot for slot in encounter.order if slot not in named))
    changed = _with_order(state, encounter, after)
    if changed.timeline:
        # The GM's order decides between characters who are done in the same phase.
        changed = settle_turn(changed)
    return announced_outcome(game, encounter, lambda _: changed, "ordered")


def _with_order(
    state: TableState, encounter: AnyEncounter, order: tuple[Slot, ...]
) -> AnyEncounter:
    """Return the encounter in another order. All who are left of the present block still act."""
    block = block_of(state, encounter)
    if not block:
        return encounter.replace(order=order, turn=0)
    first = min(block, key=order.index)
    changed = take_turn(encounter, first)
    slots = {slot_seat(slot): slot for slot in changed.order}
    reordered = tuple(slots[slot_seat(slot)] for slot in order)
    return changed.replace(order=reordered, turn=order.index(first), seats=())


def next_turn(state: TableState, action: actions.NextTurn, game: Game) -> Outcome:
    """Move on to the next turn or round, for the acting player or a GM (EBB-ROUND).

    A GM begins the first round by it. Raises Outdated("turn-moved-on"),
    NotPermitted("not-your-turn"), Impossible("nobody-in-order", "nobody-does-anything"), and as
    `meant_slot`.
    """
    encounter = require_encounter(state, action.place)
    slot = shown_slot_on_turn(state, encounter, action.who, action.round, action.turn)
    if encounter.opening:
        require_round_over(game, action.place, encounter.round)
    if slot is None:
        require_gm(state, action.who)
    else:
        slot = meant_slot(game, encounter, slot, action.as_)
        require_turn(state, action.who, slot, slots_to_act(state, encounter))
    if not encounter.order:
        raise Impossible("nobody-in-order")
    if slot is None:
        if encounter.timeline and encounter.round:
            raise Impossible("nobody-does-anything")
        return move_outcome(game, encounter, _begin)
    return end_turn(game, encounter, slot)


def end_turn(game: Game, encounter: AnyEncounter, slot: Slot, *, overdue: bool = False) -> Outcome:
    """End a turn, or note that it ends once the open checks that hold it are over.

    With *overdue*, the turn waits only for checks that hold the end of the round. If others of
    its block are left, all participants are told who they are.
    """
    encounter = take_turn(encounter, slot)
    game = game.with_state(game.state.with_encounter(encounter))
    name, move = slot_name(game.state, slot), partial(next_after, done=slot)
    outcome = move_outcome(game, encounter, move, done=slot, keep=True, overdue=overdue)
    if outcome.state.encounters[encounter.place].ended:
        return outcome
    events: list[Event] = []
    if encounter.timeline:
        events += _quiet_delay_events(game, move(encounter), slot)
    elif not overdue:
        events += _done_events(game, encounter, slot, outcome.state)
    for event in outcome.events:
        # Events of the board say whose turn has ended.
        events.append(event.replace(done=name) if isinstance(event, BoardChanged) else event)
    return outcome.replace(events=tuple(events))


def _done_events(
    game: Game, encounter: AnyEncounter, slot: Slot, after: TableState
) -> tuple[Event, ...]:
    """Return the event of a turn's end in a block that goes on; none if another turn begins."""
    now = encounter_in(after, encounter.place)
    if now is None or now.since != encounter.since:
        return ()
    left: list[BlockMember] = []
    for member in block_of(after, now):
        if member.character is not None:
            name = slot_name(after, member)
            left.append(BlockMember(member.character, name, done=is_turn_ending(now, member)))
    characters = () if slot.character is None else (slot.character,)
    event = board_event(
        encounter,
        game.actor,
        "done",
        name=slot_name(game.state, slot) or None,
        characters=characters,
        block=tuple(left),
    )
    return (event,)


def _quiet_delay_events(game: Game, after: AnyEncounter, slot: Slot) -> tuple[Event, ...]:
    """Return the event of a turn's end on a timeline if no next turn is called in public.

    All participants may know that nothing happens for now. If they don't know the character, only
    the acting participant is told.
    """
    state, on_turn = game.state, slot_on_turn(after)
    if on_turn is not None and not is_hidden(state, on_turn):
        return ()
    name = slot_name(state, slot)
    if not name:
        return (actor_board_event(game, "delayed", after, slot_name(state, slot, game.actor)),)
    characters = () if slot.character is None else (slot.character,)
    public = {"audience": EVERYONE, "characters": characters}
    return (actor_board_event(game, "delayed", after, name, **public),)


def _begin(encounter: AnyEncounter) -> AnyEncounter:
    """Begin the first round, or the turns of a round that has been opening."""
    if encounter.opening:
        return settle_turn(encounter.replace(opening=False))
    if encounter.round:
        return encounter
    return settle_turn(encounter.replace(round=1, turn=0))


def delay(state: TableState, action: actions.DelayTurn, game: Game) -> Outcome:
    """Delay the turn of the character on turn, or with `back` let a delayed character act now.

    Raises Impossible("round-not-begun", "round-opening", "nobody-else-acts", "nobody-waits",
    "waits-to-the-end", "not-on-turn"), InvalidInput("which-waits"), and as `next_turn`.
    """
    encounter = require_encounter(state, action.place)
    slot = shown_slot_on_turn(state, encounter, action.who, action.round, action.turn)
    if action.back and encounter.round:
        return _act_now(game, action, encounter)
    if slot is None:
        raise nobody_acts_error(encounter)
    slot = meant_slot(game, encounter, slot, action.as_)
    require_turn(state, action.who, slot, slots_to_act(state, encounter))
    return delay_slot(game, encounter, slot)


def delay_slot(game: Game, encounter: AnyEncounter, slot: Slot, *, lapsed: bool = False) -> Outcome:
    """Delay the turn of a slot. If the clock does it (*lapsed*), all participants are told.

    Raises Impossible("nobody-else-acts"), and what the system's own rules refuse.
    """
    if not encounter.timeline and all(other.delayed for other in encounter.order if other != slot):
        raise Impossible("nobody-else-acts")
    turns = game.system.turns
    fields: dict[str, Any] = {}
    if turns is not None and turns.waits_last is not None:
        fields["lines"] = (turns.waits_last,)
    if lapsed:
        characters = () if slot.character is None else (slot.character,)
        fields |= {"audience": EVERYONE, "characters": characters}
    if turns is not None and turns.waits is not None:
        game = turns.waits(game, encounter)
    present = require_encounter(game.state, encounter.place)

    def move(now: AnyEncounter) -> AnyEncounter:
        return with_slot_changes(now, slot, delayed=True, lapsed=lapsed, doing="", ending=False)

    name = slot_name(game.state, slot, None if lapsed else game.actor)
    return announced_outcome(game, present, move, "delayed", name, **fields)


def _act_now(game: Game, action: actions.DelayTurn, encounter: AnyEncounter) -> Outcome:
    """Let the delayed character of an action act now. Raises as `delay`."""
    state, turns = game.state, game.system.turns
    slot = _delayed_slot(state, action, encounter)
    name = slot_name(state, slot, action.who)
    if turns is not None and turns.waits_last is not None:
        raise Impossible("waits-to-the-end", name=name or None)
    if encounter.timeline:
        after = with_slot_changes(
            encounter, slot, delayed=False, ends=current_phase_for(state, encounter, slot)
        )
    elif _joins_block(state, encounter, slot):
        after = with_slot_joined(encounter, slot.replace(delayed=False, lapsed=False))
    else:
        others = tuple(other for other in encounter.order if other != slot)
        # A turn that has been ended goes first, though an open check holds it still.
        turn = others.index(encounter.order[encounter.turn]) + encounter.ended
        back = slot.replace(delayed=False, lapsed=False)
        after = encounter.replace(order=(*others[:turn], back, *others[turn:]), turn=turn)
        after = with_seat(after, back, encounter.order[encounter.turn], after=False)
    joined = block_members(game, after) if _joins_block(state, encounter, slot) else ()
    event = actor_board_event(game, "returned", after, name, block=joined)
    on_turn = slot_on_turn(encounter)
    interrupts = not is_same_slot(on_turn, slot_on_turn(after))
    done = on_turn if encounter.ended and interrupts else None
    return move_outcome(game, encounter, lambda _: after, event, done=done)


def _joins_block(state: TableState, encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether a delayed slot that acts now joins the present block."""
    on_turn = slot_on_turn(encounter)
    if not state.settings.block_turns or on_turn is None:
        return False
    return is_players(state, slot) and is_players(state, on_turn)


def _delayed_slot(state: TableState, action: actions.DelayTurn, encounter: AnyEncounter) -> Slot:
    """Return the delayed slot that an action names, or the only one that its actor may handle.

    Raises Impossible("nobody-waits"), InvalidInput("which-waits"), and as `find_slot`.
    """
    delayed = [slot for slot in encounter.order if slot.delayed]
    if action.as_ is not None:
        slot = find_slot(state, action.who, action.as_, encounter.order, "as")
        require_turn(state, action.who, slot)
        delayed = [slot] if slot.delayed else []
    own = [slot for slot in delayed if may_handle(state, action.who, slot)]
    if not own:
        raise Impossible("nobody-waits")
    if len(own) > 1:
        names = tuple(slot_name(state, slot, action.who) for slot in own)
        raise InvalidInput("which-waits", field="as", value=None, allowed=names)
    return own[0]

"""Block turns: players' characters who follow one another act in any order.

`block_of` says who is in the present block. One of its slots is on turn, and strict turns go on
from there. A slot takes the turn when it ends it; a check or attack changes no order, because a
private one must not show. The order of the round comes back when the next round begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from rules.table.initiative import block_of, is_hidden, same_slot, slot_on_turn, slot_seat
from rules.table.state import AnyEncounter, Slot, TableState


def share_slot(earlier: Sequence[Slot], later: Sequence[Slot]) -> bool:
    """Return whether two blocks have a slot in common, so that they are the same turn.

    Two times without a turn are the same too.
    """
    if not earlier or not later:
        return not earlier and not later
    return any(is_member(slot, later) for slot in earlier)


def is_member(slot: Slot, block: Sequence[Slot]) -> bool:
    """Return whether a block has the slot of the same character or thing."""
    return any(same_slot(slot, other) for other in block)


def take_turn(encounter: AnyEncounter, slot: Slot) -> AnyEncounter:
    """Return the encounter in which another slot of the present block is on turn."""
    on_turn = slot_on_turn(encounter)
    if on_turn is None or same_slot(on_turn, slot):
        return encounter
    kept = on_turn.replace(ending=encounter.ended)
    order = (*encounter.order[: encounter.turn], kept, *encounter.order[encounter.turn + 1 :])
    return load_turn_end(_moved_to_turn(encounter.replace(order=order), slot))


def load_turn_end(encounter: AnyEncounter) -> AnyEncounter:
    """Return the encounter in which the slot on turn is to end if its turn was to end before."""
    on_turn = slot_on_turn(encounter)
    if on_turn is None:
        return encounter
    turn = encounter.turn
    own = on_turn.replace(ending=False)
    order = (*encounter.order[:turn], own, *encounter.order[turn + 1 :])
    return encounter.replace(order=order, ended=on_turn.ending)


def without_turn_ends(encounter: AnyEncounter) -> AnyEncounter:
    """Return the encounter in which no turn is to end."""
    order = encounter.order
    if any(slot.ending for slot in order):
        order = tuple(slot.replace(ending=False) for slot in order)
    return encounter.replace(order=order, ended=False)


def is_turn_ending(encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether the turn of a slot of the present block ends once its checks are over."""
    on_turn = slot_on_turn(encounter)
    if on_turn is not None and same_slot(on_turn, slot):
        return encounter.ended
    return slot.ending


def slots_to_act(state: TableState, encounter: AnyEncounter) -> tuple[Slot, ...]:
    """Return the slots of the present block whose players haven't ended their turns."""
    block = block_of(state, encounter)
    return tuple(slot for slot in block if not is_turn_ending(encounter, slot))


def keep_block(state: TableState, before: AnyEncounter, after: AnyEncounter) -> AnyEncounter:
    """Return the encounter after a move, in which no hidden character interrupts a block.

    A hidden character among a block's slots acts once the block is over.
    """
    on_turn, block = slot_on_turn(after), block_of(state, before)
    if on_turn is None or after.round != before.round or len(block) < 2:
        return after
    if not is_hidden(state, on_turn) or _came_back(before, on_turn):
        return after
    for slot in after.order[after.turn + 1 :]:
        if not slot.delayed and is_member(slot, block):
            return _moved_to_turn(after, slot)
    return after


def _came_back(before: AnyEncounter, slot: Slot) -> bool:
    """Return whether a slot wasn't in the order before, or was delayed there."""
    was = next((other for other in before.order if same_slot(other, slot)), None)
    return was is None or was.delayed


def _moved_to_turn(encounter: AnyEncounter, slot: Slot) -> AnyEncounter:
    """Return the encounter with a later slot moved to the turn; the order so far is kept."""
    seats = encounter.seats or tuple(slot_seat(other) for other in encounter.order)
    others = [other for other in encounter.order if not same_slot(other, slot)]
    moved = next(other for other in encounter.order if same_slot(other, slot))
    turn = encounter.turn
    order = (*others[:turn], moved, *others[turn:])
    return encounter.replace(order=order, seats=seats)


def with_slot_joined(encounter: AnyEncounter, slot: Slot) -> AnyEncounter:
    """Return the encounter in which a delayed slot comes back into the present block, last in line.

    It keeps that place in later rounds.
    """
    on_turn = slot_on_turn(encounter)
    if on_turn is None:
        return encounter
    others = [other for other in encounter.order if not same_slot(other, slot)]
    turn = next(index for index, other in enumerate(others) if same_slot(other, on_turn))
    order = (*others[: turn + 1], slot, *others[turn + 1 :])
    return with_seat(encounter.replace(order=order, turn=turn), slot, on_turn, after=True)


def with_seat(encounter: AnyEncounter, slot: Slot, beside: Slot, *, after: bool) -> AnyEncounter:
    """Return the encounter in which a slot keeps its place beside another one in later rounds."""
    own = slot_seat(slot)
    seats = [seat for seat in encounter.seats if seat != own]
    if slot_seat(beside) in seats:
        seats.insert(seats.index(slot_seat(beside)) + after, own)
    return encounter.replace(seats=tuple(seats))

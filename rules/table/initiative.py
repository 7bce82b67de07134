"""Initiative in one place: the order of its slots, and the slot on turn.

On a timeline (BAR-PHASE), the character who is done first with an action is on turn. Of several,
the one with the higher score is, then the one that the GM has put first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from rules.core.errors import Impossible
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.table.absence import delegates, is_away, orders_of, stand_ins
from rules.table.actions import Actor
from rules.table.check import OutOfTurn
from rules.table.permissions import is_gm, known_name, owns, public_name
from rules.table.state import AnyCharacter, AnyEncounter, Slot, TableState

#: Most numbers in a score.
SCORE_NUMBERS: Final = 8


def encounter_in(state: TableState, place: str) -> AnyEncounter | None:
    """Return the encounter of a place, without characters who have left the table or retired."""
    encounter = state.encounters.get(place)
    if encounter is None:
        return None
    absent: list[str] = []
    for slot in encounter.order:
        if slot.character is not None:
            character = state.characters.get(slot.character)
            if character is None or character.retired:
                absent.append(slot.character)
    if absent:
        encounter = without_characters(encounter, absent)
    if encounter.round and encounter.order and encounter.order[encounter.turn].delayed:
        return settle_turn(encounter)
    return encounter


def encounter_of(state: TableState, who: str) -> AnyEncounter | None:
    """Return the encounter with counted rounds that a character is in; None without one."""
    for place in state.encounters:
        encounter = encounter_in(state, place)
        if encounter is None or not encounter.round:
            continue
        if any(slot.character == who for slot in encounter.order):
            return encounter
    return None


def new_place(state: TableState, place: str) -> str:
    """Return where the initiative of a place has gone; empty if it hasn't."""
    if place in state.encounters:
        return ""
    for encounter in state.encounters.values():
        if encounter.moved_from == place:
            return encounter.place
    return ""


def slot_on_turn(encounter: AnyEncounter | None) -> Slot | None:
    """Return the slot on turn.

    None before the first round, in an empty encounter, while a round is opening, and on a timeline
    where no character does anything.
    """
    if encounter is None or not encounter.round or not encounter.order or encounter.opening:
        return None
    slot = encounter.order[encounter.turn]
    return None if encounter.timeline and slot.delayed else slot


def is_players(state: TableState, slot: Slot) -> bool:
    """Return whether a slot is a player's character's."""
    character = state.characters.get(slot.character or "")
    return character is not None and character.owner is not None


def has_lapsed_round(state: TableState, encounter: AnyEncounter) -> bool:
    """Return whether the clock has ended as many turns in a row as there are players' characters.

    Then the GMs have been told, and the clock ends no more turns.
    """
    slots_of_players = sum(is_players(state, slot) for slot in encounter.order)
    return bool(slots_of_players) and encounter.lapses >= slots_of_players


class AbsentOwner(Record):
    """Absence of the owner of the character on turn, and the stand-ins."""

    owner: str
    #: Time at which the absence began to count for this turn, in seconds since 1970.
    since: int
    #: Time at which the owner is back, in seconds since 1970; None: unknown.
    until: int | None
    #: Present participants that the owner has asked to stand in. Without any, the GMs act.
    stand_ins: tuple[str, ...]


def block_of(state: TableState, encounter: AnyEncounter | None) -> tuple[Slot, ...]:
    """Return the slots of the present turn: a block of players' characters, or one slot.

    A block has the slot on turn and those after it whose turns may come in any order. It ends
    before the first NPC or thing that players know. A hidden character doesn't end it, or the
    block would give that character away. Delayed slots are left out.
    """
    on_turn = slot_on_turn(encounter)
    if encounter is None or on_turn is None:
        return ()
    if encounter.timeline or not state.settings.block_turns or not is_players(state, on_turn):
        return (on_turn,)
    block = [on_turn]
    for slot in encounter.order[encounter.turn + 1 :]:
        if slot.delayed or is_hidden(state, slot):
            continue
        if not is_players(state, slot):
            break
        block.append(slot)
    block.sort(key=seat_key(encounter))
    return tuple(block)


def seat_key(encounter: AnyEncounter) -> Callable[[Slot], int]:
    """Return a sort key of slots: their order before turns of a block changed it in this round.

    A slot that has joined since stays behind the one before it.
    """
    seats = encounter.seats or tuple(slot_seat(slot) for slot in encounter.order)
    keys: dict[tuple[str, str], int] = {}
    last = -1
    for slot in encounter.order:
        if slot_seat(slot) in seats:
            last = seats.index(slot_seat(slot))
        keys[slot_seat(slot)] = last
    return lambda slot: keys[slot_seat(slot)]


def slot_seat(slot: Slot) -> tuple[str, str]:
    """Return what tells a slot from all others of its encounter, as `Encounter.seats` keeps it."""
    return slot.character or "", slot.name


def absent_owner(
    state: TableState, encounter: AnyEncounter, slot: Slot | None = None
) -> AbsentOwner | None:
    """Return the owner of a character who is away; None for an owner who is there.

    The character is the one on turn, or the one in another *slot* of its block. An absence counts
    that lasts when the turn begins, or begins during the turn.
    """
    slot = slot_on_turn(encounter) if slot is None else slot
    character = None if slot is None else state.characters.get(slot.character or "")
    if character is None or character.owner is None:
        return None
    away = orders_of(state, character.owner).away
    if away is None or not is_away(state, character.owner, encounter.since):
        return None
    present = stand_ins(state, character.id, encounter.since)
    since = max(encounter.since, away.since)
    if not present:
        for delegate in delegates(state, character.id, encounter.since):
            absence = orders_of(state, delegate).away
            if absence is not None:
                since = max(since, absence.since)
    return AbsentOwner(character.owner, since, away.until, present)


def may_act_as(state: TableState, actor: Actor, character: AnyCharacter) -> bool:
    """Return whether the actor may act as a character: an own one, or one whose owner is away.

    For the latter the stand-ins may in the character's turn; without stand-ins, the GMs.
    """
    if owns(state, actor, character):
        return True
    for place in state.encounters:
        encounter = encounter_in(state, place)
        block = block_of(state, encounter)
        slot = next((slot for slot in block if slot.character == character.id), None)
        if encounter is None or slot is None:
            continue
        away = absent_owner(state, encounter, slot)
        if away is None:
            continue
        if actor.id in away.stand_ins or (not away.stand_ins and is_gm(state, actor)):
            return True
    return False


def require_encounter(state: TableState, place: str) -> AnyEncounter:
    """Return the encounter of a place. Raises Impossible("no-encounter")."""
    encounter = encounter_in(state, place)
    if encounter is None:
        raise Impossible("no-encounter")
    return encounter


def slot_name(state: TableState, slot: Slot, viewer: Actor | None = None) -> str:
    """Return the name of a slot in public, or as *viewer* knows it; empty if it is unknown."""
    if slot.character is None:
        return slot.name
    character = state.characters[slot.character]
    return public_name(character) if viewer is None else known_name(state, viewer, character)


def same_slot(slot: Slot, other: Slot) -> bool:
    """Return whether both are the slot of the same character or thing, whatever has changed."""
    return (slot.character, slot.name) == (other.character, other.name)


def initiative_key(state: TableState, slot: Slot) -> tuple[bool, tuple[int, ...], str]:
    """Return the sort key of a slot: by score, higher first, then by name; no score comes last."""
    if slot.score is None:
        return True, (), ""
    name = slot.name if slot.character is None else state.characters[slot.character].name
    return False, score_key(slot.score), name_key(name)


def score_key(score: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sort key by which higher scores come first.

    Numbers are compared from the left, and missing ones count as 0.
    """
    return tuple([-number for number in score]) + (0,) * (SCORE_NUMBERS - len(score))


def turn_number(encounter: AnyEncounter) -> int:
    """Return the number that tells the present turn from all others: the time when it began.

    0 while no slot is on turn. The number doesn't reveal whose turn it is.
    """
    return 0 if slot_on_turn(encounter) is None else encounter.since


def next_turn_start(encounter: AnyEncounter, at: int) -> int:
    """Return the start of a turn that begins now: always later than that of the turn before."""
    return max(at, encounter.since + 1)


def is_hidden(state: TableState, slot: Slot) -> bool:
    """Return whether players don't know the character of a slot."""
    return not slot_name(state, slot)


def known_round(state: TableState, encounter: AnyEncounter) -> int:
    """Return the round; on a timeline, the phase that players may know.

    That is the phase that the characters known to players would have reached without the others.
    """
    if not encounter.timeline or not encounter.round:
        return encounter.round
    busy = [slot for slot in encounter.order if not slot.delayed]
    ends = [slot.ends or 1 for slot in busy if not is_hidden(state, slot)]
    return max(encounter.told, min(ends, default=1))


def last_known_phase(state: TableState, encounter: AnyEncounter) -> int:
    """Return the last phase in which a character known to players was on turn."""
    slot = slot_on_turn(encounter)
    if slot is None or is_hidden(state, slot):
        return encounter.told
    return max(encounter.told, slot.ends or 1)


def current_phase_for(state: TableState, encounter: AnyEncounter, slot: Slot) -> int:
    """Return the phase in which a slot on a timeline begins an action now.

    For a character known to players it is the phase known to players.
    """
    phase = encounter.round if is_hidden(state, slot) else known_round(state, encounter)
    return max(phase, 1)


def next_name(
    state: TableState, encounter: AnyEncounter, *, rolls: bool, past: Collection[Slot] = ()
) -> str:
    """Return the public name of the next slot after the one on turn; empty if there is none.

    Slots that players don't know, delayed ones, and those in *past* are skipped. Where each round
    *rolls* for initiative, only the present round counts.
    """
    order, turn = encounter.order, encounter.turn
    later = order[turn + 1 :]
    if not encounter.timeline and not rolls:
        later += tuple(sorted(order[:turn], key=seat_key(encounter)))
    for slot in later:
        if slot.delayed or slot in past:
            continue
        name = slot_name(state, slot)
        if name:
            return name
    return ""


def is_busy(slot: Slot, phase: int) -> bool:
    """Return whether a character on a timeline is busy beyond a phase."""
    return not slot.delayed and (slot.ends or 0) > phase


def out_of_turn(state: TableState, place: str, who: str) -> OutOfTurn | None:
    """Return the turn that keeps a character from acting now, or the phase until which it is busy.

    None on the character's own turn, and for a character who takes no part. None too before the
    first turn, and during the turn of a character that players don't know.
    """
    encounter = encounter_in(state, place)
    if encounter is None:
        return None
    own = next((slot for slot in encounter.order if slot.character == who), None)
    on_turn = slot_on_turn(encounter)
    if own is None or on_turn is None:
        return None
    if encounter.timeline:
        busy = is_busy(own, current_phase_for(state, encounter, own))
        return OutOfTurn(who, ends=own.ends or 0) if busy else None
    # A character may have several slots, such as a further turn in the round.
    in_block = any(slot.character == who for slot in block_of(state, encounter))
    if in_block or not slot_name(state, on_turn):
        return None
    if on_turn.character is None:
        return OutOfTurn(name=on_turn.name)
    return OutOfTurn(on_turn.character)


def settle_turn(encounter: AnyEncounter) -> AnyEncounter:
    """Return the encounter where the first slot from `turn` on that isn't delayed is on turn.

    After the last slot a new round begins, which calls slots again that the clock delayed. If all
    are delayed, the first in line acts.
    """
    if encounter.timeline:
        return _sort_timeline(encounter)
    order, count = encounter.order, len(encounter.order)
    if not count or not encounter.round:
        return encounter.replace(turn=0)
    for number in range(encounter.turn, encounter.turn + count):
        rounds, turn = divmod(number, count)
        if not order[turn].delayed or (rounds and order[turn].lapsed):
            later = encounter.replace(turn=turn, round=encounter.round + rounds)
            return _begin_round(later) if rounds else later
    rounds, turn = divmod(encounter.turn, count)
    called = (*order[:turn], order[turn].replace(delayed=False), *order[turn + 1 :])
    return encounter.replace(order=called, turn=turn, round=encounter.round + rounds)


def _begin_round(encounter: AnyEncounter) -> AnyEncounter:
    """Return the encounter at the start of a round, in the order before turns of blocks."""
    begun = without_lapses(encounter)
    if not begun.seats:
        return begun
    order = tuple(sorted(begun.order, key=seat_key(begun)))
    first = next(number for number, slot in enumerate(order) if not slot.delayed)
    return begun.replace(order=order, turn=first, seats=())


def without_lapses(encounter: AnyEncounter) -> AnyEncounter:
    """Return the encounter in which no slot waits because of the clock."""
    if not any(slot.lapsed for slot in encounter.order):
        return encounter
    order: list[Slot] = []
    for slot in encounter.order:
        order.append(slot.replace(delayed=False, lapsed=False) if slot.lapsed else slot)
    return encounter.replace(order=tuple(order))


def _sort_timeline(encounter: AnyEncounter) -> AnyEncounter:
    """Sort the slots by the phase in which they are done.

    The encounter moves on to the phase of the first one, and never back.
    """
    order = sorted(
        encounter.order,
        key=lambda slot: (slot.delayed, slot.ends or 0, score_key(slot.score or ())),
    )
    phase = encounter.round
    if phase and order and not order[0].delayed:
        phase = max(phase, order[0].ends or 0)
    return encounter.replace(order=tuple(order), turn=0, round=phase)


def with_slot_changes(encounter: AnyEncounter, slot: Slot, **changes: Any) -> AnyEncounter:
    """Return the encounter with a slot changed, and the turn settled."""
    order: list[Slot] = []
    for other in encounter.order:
        order.append(other.replace(**changes) if same_slot(other, slot) else other)
    return settle_turn(encounter.replace(order=tuple(order)))


def without_slots(encounter: AnyEncounter, indexes: Collection[int]) -> AnyEncounter:
    """Return the encounter without these slots.

    If the slot on turn is one of them, the next one is on turn.
    """
    kept = [index for index in range(len(encounter.order)) if index not in indexes]
    order = tuple(encounter.order[index] for index in kept)
    smaller = encounter.replace(order=order, turn=sum(index < encounter.turn for index in kept))
    return settle_turn(smaller) if encounter.turn in indexes else smaller


def without_characters(encounter: AnyEncounter, characters: Collection[str]) -> AnyEncounter:
    """Return the encounter without these characters; the same object if none of them is in it."""
    indexes = [index for index, slot in enumerate(encounter.order) if slot.character in characters]
    return without_slots(encounter, indexes) if indexes else encounter


def with_slot(encounter: AnyEncounter, slot: Slot, index: int) -> AnyEncounter:
    """Return the encounter with one more slot at *index*; the slot on turn stays the same."""
    order = (*encounter.order[:index], slot, *encounter.order[index:])
    if encounter.timeline:
        return settle_turn(encounter.replace(order=order))
    later = bool(encounter.round and encounter.order) and index <= encounter.turn
    return encounter.replace(order=order, turn=encounter.turn + later)

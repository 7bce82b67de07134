"""The order of action in one place: who stands where in it, and whose turn it is.

On a timeline (BAR-PHASE) that is whoever is done first with what they do; of several the one with
the higher score, then the one whom the GM has put first.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from rules.core.errors import Impossible
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.table.absence import delegates, is_away, orders_of, stand_ins
from rules.table.actions import Actor
from rules.table.check import OutOfTurn
from rules.table.permissions import is_gm, known_name, owns, public_name
from rules.table.state import AnyCharacter, AnyEncounter, Slot, TableState

#: Of how many numbers a score is made at most.
SCORE_NUMBERS: Final = 8


def encounter_in(state: TableState, place: str) -> AnyEncounter | None:
    """The encounter of a place as it stands: whoever is gone or retired has dropped out of it."""
    encounter = state.encounters.get(place)
    if encounter is None:
        return None
    gone: list[str] = []
    for slot in encounter.order:
        if slot.character is not None:
            character = state.characters.get(slot.character)
            if character is None or character.retired:
                gone.append(slot.character)
    if gone:
        encounter = without_characters(encounter, gone)
    waits = bool(encounter.round and encounter.order) and encounter.order[encounter.turn].delayed
    return settle_turn(encounter) if waits else encounter


def encounter_of(state: TableState, who: str) -> AnyEncounter | None:
    """Return the order of action in whose counted rounds a character is; None without one."""
    for place in state.encounters:
        found = encounter_in(state, place)
        if found is not None and found.round and any(slot.character == who for slot in found.order):
            return found
    return None


def slot_on_turn(encounter: AnyEncounter | None) -> Slot | None:
    """Whose turn it is; None while they gather, where nobody is or does anything, and while a round
    is opening.
    """
    if encounter is None or not encounter.round or not encounter.order or encounter.opening:
        return None
    slot = encounter.order[encounter.turn]
    return None if encounter.timeline and slot.delayed else slot


def is_players(state: TableState, slot: Slot) -> bool:
    """Return whether a slot is a player's character's."""
    character = state.characters.get(slot.character or "")
    return character is not None and character.owner is not None


class AbsentOwner(Record):
    """Absence of the owner of the character on turn, and the stand-ins."""

    owner: str
    #: When the absence began to count for this turn, in seconds since 1970.
    since: int
    #: When the owner is back; None: nobody knows.
    until: int | None
    #: Participants whom the owner has asked to stand in, and who are there. Without any the GMs
    #: act.
    stand_ins: tuple[str, ...]


def absent_owner(state: TableState, encounter: AnyEncounter) -> AbsentOwner | None:
    """Return the owner of the character on turn who is away; None for an owner who is there.

    An absence counts that lasts when the turn begins, or begins during the turn.
    """
    slot = slot_on_turn(encounter)
    character = None if slot is None else state.characters.get(slot.character or "")
    if character is None or character.owner is None:
        return None
    away = orders_of(state, character.owner).away
    if away is None or not is_away(state, character.owner, encounter.since):
        return None
    people = stand_ins(state, character.id, encounter.since)
    since = max(encounter.since, away.since)
    if not people:
        asked = delegates(state, character.id, encounter.since)
        gone = [orders_of(state, delegate).away for delegate in asked]
        since = max([since, *[absence.since for absence in gone if absence is not None]])
    return AbsentOwner(character.owner, since, away.until, people)


def may_act_as(state: TableState, actor: Actor, character: AnyCharacter) -> bool:
    """Return whether the actor may act as a character: an own one, or one whose owner is away.

    For the latter the stand-ins may in the character's turn; without stand-ins, the GMs.
    """
    if owns(state, actor, character):
        return True
    for place in state.encounters:
        encounter = encounter_in(state, place)
        slot = slot_on_turn(encounter)
        if encounter is None or slot is None or slot.character != character.id:
            continue
        away = absent_owner(state, encounter)
        if away is None:
            continue
        if actor.id in away.stand_ins or (not away.stand_ins and is_gm(state, actor)):
            return True
    return False


def require_encounter(state: TableState, place: str) -> AnyEncounter:
    """The order of action of a place. Impossible("no-encounter") where none is kept."""
    encounter = encounter_in(state, place)
    if encounter is None:
        raise Impossible("no-encounter")
    return encounter


def slot_name(state: TableState, slot: Slot, viewer: Actor | None = None) -> str:
    """What somebody in the order is called in public, or by `viewer`."""
    if slot.character is None:
        return slot.name
    character = state.characters[slot.character]
    return public_name(character) if viewer is None else known_name(state, viewer, character)


def same_slot(slot: Slot, other: Slot) -> bool:
    """Whether both are the place of the same one, whatever has changed about it."""
    return (slot.character, slot.name) == (other.character, other.name)


def initiative_key(state: TableState, slot: Slot) -> tuple[bool, tuple[int, ...], str]:
    """What the order goes by: the score, higher first, then the name; without a score comes
    last.
    """
    if slot.score is None:
        return True, (), ""
    name = slot.name if slot.character is None else state.characters[slot.character].name
    return False, score_key(slot.score), name_key(name)


def score_key(score: tuple[int, ...]) -> tuple[int, ...]:
    """What to sort by so that higher scores come first: numbers compared from the left, missing
    ones as 0.
    """
    return tuple([-number for number in score]) + (0,) * (SCORE_NUMBERS - len(score))


def turn_number(encounter: AnyEncounter) -> int:
    """What tells the present turn from all others: when it began, 0 where it is nobody's. It says
    nothing of whose.
    """
    return 0 if slot_on_turn(encounter) is None else encounter.since


def next_turn_start(encounter: AnyEncounter, at: int) -> int:
    """When a turn begins that does now: later than every one before, also where those took
    no time.
    """
    return max(at, encounter.since + 1)


def is_hidden(state: TableState, slot: Slot) -> bool:
    """Whether players know nothing of whoever stands there."""
    return not slot_name(state, slot)


def known_round(state: TableState, encounter: AnyEncounter) -> int:
    """The round; on a timeline the phase that those whom players know would have reached without
    anybody else.
    """
    if not encounter.timeline or not encounter.round:
        return encounter.round
    ends = [
        entry.ends or 1
        for entry in encounter.order
        if not entry.delayed and not is_hidden(state, entry)
    ]
    return max(encounter.told, min(ends, default=1))


def last_known_phase(state: TableState, encounter: AnyEncounter) -> int:
    """The phase in which it has last been the turn of somebody whom players know."""
    slot = slot_on_turn(encounter)
    return (
        encounter.told
        if slot is None or is_hidden(state, slot)
        else max(encounter.told, slot.ends or 1)
    )


def current_phase_for(state: TableState, encounter: AnyEncounter, slot: Slot) -> int:
    """The phase in which somebody on a timeline begins something now; who is known goes by what is
    known.
    """
    return max(encounter.round if is_hidden(state, slot) else known_round(state, encounter), 1)


def next_name(
    state: TableState, encounter: AnyEncounter, *, rolls: bool, past: Collection[Slot] = ()
) -> str:
    """Who comes after whoever acts, as far as everybody knows; empty where that is open. Turns go
    `past` these.

    It is with the end of a round where every round `rolls` for its order.
    """
    order, turn = encounter.order, encounter.turn
    later = order[turn + 1 :] if encounter.timeline or rolls else order[turn + 1 :] + order[:turn]
    names = [slot_name(state, slot) for slot in later if not slot.delayed and slot not in past]
    return next(filter(None, names), "")


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
    own = next((entry for entry in encounter.order if entry.character == who), None)
    now = slot_on_turn(encounter)
    if own is None or now is None:
        return None
    if encounter.timeline:
        busy = is_busy(own, current_phase_for(state, encounter, own))
        return OutOfTurn(who, ends=own.ends or 0) if busy else None
    if now.character == who or not slot_name(state, now):
        return None
    return OutOfTurn(name=now.name) if now.character is None else OutOfTurn(now.character)


def settle_turn(encounter: AnyEncounter) -> AnyEncounter:
    """Return the order with the turn at the first slot from `turn` on that isn't delayed.

    After the last slot a new round begins, which calls those again whom the clock delayed. If all
    are delayed, the first in line acts.
    """
    if encounter.timeline:
        return _by_time(encounter)
    order, count = encounter.order, len(encounter.order)
    if not count or not encounter.round:
        return encounter.replace(turn=0)
    for number in range(encounter.turn, encounter.turn + count):
        rounds, turn = divmod(number, count)
        if not order[turn].delayed or (rounds and order[turn].lapsed):
            later = encounter.replace(turn=turn, round=encounter.round + rounds)
            return without_lapses(later) if rounds else later
    later, turn = divmod(encounter.turn, count)
    called = (*order[:turn], order[turn].replace(delayed=False), *order[turn + 1 :])
    return encounter.replace(order=called, turn=turn, round=encounter.round + later)


def without_lapses(encounter: AnyEncounter) -> AnyEncounter:
    """Return the order in which nobody waits because of the clock."""
    if not any(slot.lapsed for slot in encounter.order):
        return encounter
    order = [
        slot.replace(delayed=False, lapsed=False) if slot.lapsed else slot
        for slot in encounter.order
    ]
    return encounter.replace(order=tuple(order))


def _by_time(encounter: AnyEncounter) -> AnyEncounter:
    """Sorted by when everybody is done; the time moves on to the first of them, and never back."""
    order = sorted(
        encounter.order,
        key=lambda slot: (slot.delayed, slot.ends or 0, score_key(slot.score or ())),
    )
    now = encounter.round
    if now and order and not order[0].delayed:
        now = max(now, order[0].ends or 0)
    return encounter.replace(order=tuple(order), turn=0, round=now)


def with_slot_changes(encounter: AnyEncounter, slot: Slot, **changes: Any) -> AnyEncounter:
    """The order with somebody's place changed; the turn goes on where it waits now."""
    order = [
        entry.replace(**changes) if same_slot(entry, slot) else entry for entry in encounter.order
    ]
    return settle_turn(encounter.replace(order=tuple(order)))


def without_slots(encounter: AnyEncounter, indexes: Collection[int]) -> AnyEncounter:
    """The order without these places in it; if it was the turn of one of them, it is the next
    one's.
    """
    kept = [index for index in range(len(encounter.order)) if index not in indexes]
    order = tuple(encounter.order[index] for index in kept)
    smaller = encounter.replace(order=order, turn=sum(index < encounter.turn for index in kept))
    return settle_turn(smaller) if encounter.turn in indexes else smaller


def without_characters(encounter: AnyEncounter, characters: Collection[str]) -> AnyEncounter:
    """The order without these characters; the same object if none of them is in it."""
    found = [index for index, slot in enumerate(encounter.order) if slot.character in characters]
    return without_slots(encounter, found) if found else encounter


def with_slot(encounter: AnyEncounter, slot: Slot, index: int) -> AnyEncounter:
    """The order with one more in it; whose turn it is stays the same."""
    order = (*encounter.order[:index], slot, *encounter.order[index:])
    if encounter.timeline:
        return settle_turn(encounter.replace(order=order))
    later = bool(encounter.round and encounter.order) and index <= encounter.turn
    return encounter.replace(order=order, turn=encounter.turn + later)

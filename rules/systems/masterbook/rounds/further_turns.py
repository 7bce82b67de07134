"""Further turns in a round, by flurry and by haste (MB-CARD-I06, MB-CARD-E08)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rules.core.errors import Impossible
from rules.systems.masterbook.checks import action_economy, card_in_effect
from rules.systems.masterbook.checks.action_economy import (
    ACTED,
    DECLARED,
    FURTHER,
)
from rules.systems.masterbook.deck.card_lines import CardReading
from rules.table.events import Event
from rules.table.initiative import (
    encounter_in,
    next_turn_start,
    require_encounter,
    slot_on_turn,
)
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.state import AnyEncounter, Mark, Slot
from rules.table.system import Game
from rules.table.turns.turn_changes import (
    call_events,
)

#: Begins the name of a slot for a second turn, by flurry or by haste.
FLURRY, _HASTE = "flurry", "haste"
#: Mark with what a character had done before a turn by haste. Its `what` has the ranks declared.
_BEFORE: Final = "before-haste"


def apply_further_turns(game: Game, place: str) -> Game:
    """Return the game after a character's turn (MB-CARD-I06).

    A turn by haste is removed. A side under flurry acts once more before the other side does.
    """
    encounter = require_encounter(game.state, place)
    current = encounter.order[encounter.turn]
    if current.name.startswith(_HASTE) and current.character is not None:
        return _end_haste_turn(game, encounter, current.character)
    again = second_turns(game, encounter, encounter.order)
    if not again:
        return game
    so_far, later = encounter.order[: encounter.turn + 1], encounter.order[encounter.turn + 1 :]
    before = [slot for slot in so_far if slot not in again]
    second = [slot.replace(name=FLURRY) for slot in again]
    order = (*before, *second, *later)
    return with_second_turns(game, again, encounter.replace(order=order, turn=len(before)))


def second_turns(game: Game, encounter: AnyEncounter, acted: Sequence[Slot]) -> tuple[Slot, ...]:
    """Return the slots in *acted* that have their second turn by flurry now.

    There are none until the whole side has had its first turn.
    """
    current = encounter.order[encounter.turn]
    reading = card_in_effect.card_here(game, encounter.place)
    side = card_in_effect.side_of(game, current)
    if reading is None or current.name or reading.effect_on(side) != FLURRY:
        return ()
    own_side: list[Slot] = []
    for slot in encounter.order:
        is_first_turn = not (slot.name or slot.delayed)
        if is_first_turn and card_in_effect.side_of(game, slot) == side:
            own_side.append(slot)
    if any(slot in own_side for slot in encounter.order[encounter.turn + 1 :]):
        return ()
    again: list[Slot] = []
    for slot in own_side:
        if slot in acted and slot.character and not game.sheet(slot.character).harm.out:
            again.append(slot)
    return tuple(again)


def with_second_turns(game: Game, again: Sequence[Slot], encounter: AnyEncounter) -> Game:
    """Return the game with a new order, in which these characters can act once more."""
    for slot in again:
        game = action_economy.begin_further_action(game, slot.character or "")
    return without_mark(game.with_state(game.state.with_encounter(encounter)), again, FURTHER)


def with_further_turns(game: Game, order: Iterable[Slot], reading: CardReading | None) -> Game:
    """Return the game with the characters marked who have two turns by flurry in this round."""
    state = game.state
    for slot in order:
        side = card_in_effect.side_of(game, slot)
        if slot.character and reading is not None and reading.effect_on(side) == FLURRY:
            state = with_marks(state, slot.character, Mark(FURTHER, until="round"))
    return game.with_state(state)


def _end_haste_turn(game: Game, encounter: AnyEncounter, who: str) -> Game:
    """Return the game after a turn by haste, with the character's other actions as they were."""
    state, at = game.state, encounter.turn
    for mark in marks_of(state, who, _BEFORE):
        state = action_economy.begin_further_action(game, who).state
        if mark.value:
            state = with_marks(state, who, Mark(ACTED, value=mark.value, until="round"))
        if mark.what:
            declared = Mark(DECLARED, mark.what, len(mark.what.split()), "round")
            state = with_marks(state, who, declared)
    state = without_marks(state, who, _BEFORE)
    if at + 1 < len(encounter.order):
        encounter = encounter.replace(order=(*encounter.order[:at], *encounter.order[at + 1 :]))
    return game.with_state(state.with_encounter(encounter))


def hasten(game: Game, who: str) -> tuple[Game, tuple[Event, ...]]:
    """Return the game with an extra turn at once for a character, and the events (MB-CARD-E08).

    The interrupted turn goes on afterwards.
    Raises Impossible("mb-no-rounds-here") if the character is in no rounds.
    """
    encounter, own_slots = _encounter_with(game, who)
    declared = marks_of(game.state, who, DECLARED)
    ranks = declared[0].what if declared else ""
    before = Mark(_BEFORE, ranks, mark_total(game.state, who, ACTED), "round")
    state = with_marks(action_economy.begin_further_action(game, who).state, who, before)
    number = len([slot for slot in own_slots if slot.name.startswith(_HASTE)])
    extra = own_slots[0].replace(name=f"{_HASTE}{number or ''}", delayed=False)
    order = (*encounter.order[: encounter.turn], extra, *encounter.order[encounter.turn :])
    started_at = next_turn_start(encounter, game.at)
    encounter = encounter.replace(order=order, since=started_at, ended=False)
    game = game.with_state(state.with_encounter(encounter))
    return game, call_events(game, encounter)


def _encounter_with(game: Game, who: str) -> tuple[AnyEncounter, list[Slot]]:
    """Return the encounter in which a character has slots and turns are taken, and the slots.

    Raises Impossible("mb-no-rounds-here").
    """
    for place in game.state.encounters:
        encounter = encounter_in(game.state, place)
        if encounter is None:
            continue
        own_slots = [slot for slot in encounter.order if slot.character == who]
        if own_slots and slot_on_turn(encounter) is not None:
            return encounter, own_slots
    raise Impossible("mb-no-rounds-here", name=game.character(who).name)


def without_mark(game: Game, slots: Iterable[Slot], key: str) -> Game:
    """Return the game without a mark of the characters in these slots."""
    state = game.state
    for slot in slots:
        state = without_marks(state, slot.character or "", key)
    return game.with_state(state)

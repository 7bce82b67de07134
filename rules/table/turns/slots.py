"""Slots of an encounter: finding them, who may handle them, and the outcome of a move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated
from rules.core.name_matching import find_one
from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.events import Audience, BoardChanged, BoardStep, Event
from rules.table.forms.fields import FormContext, Option
from rules.table.initiative import (
    block_of,
    encounter_in,
    is_hidden,
    known_round,
    may_act_as,
    require_encounter,
    slot_name,
    slot_on_turn,
    turn_number,
)
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.state import AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.turn_block import slots_to_act
from rules.table.turns.turn_calls import board_event
from rules.table.turns.turn_changes import Move, apply_move
from rules.table.turns.turn_holders import has_acted


def may_handle(state: TableState, actor: Actor, slot: Slot) -> bool:
    """Return whether the actor may act or wait for a slot.

    GMs may for every slot, players for their own characters, and stand-ins for those of an absent
    owner.
    """
    if is_gm(state, actor):
        return True
    return slot.character is not None and may_act_as(state, actor, state.characters[slot.character])


def slot_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the slots that a participant may handle, by the names that the participant knows."""
    state, actor = asking.game.state, asking.game.actor
    names: list[str] = []
    for place in state.encounters:
        encounter = encounter_in(state, place)
        slots = () if encounter is None else encounter.order
        names += [slot_name(state, slot, actor) for slot in slots if may_handle(state, actor, slot)]
    return tuple(Option(name, Text("named", {"name": name})) for name in names if name)


def find_slot(
    state: TableState, actor: Actor, text: str, slots: Sequence[Slot], field: str
) -> Slot:
    """Return a slot by a name that the actor knows, its beginning, or a character's id.

    Raises InvalidInput("ambiguous-in-order"), NotFound("not-in-order").
    """
    return find_one(
        slots,
        text,
        lambda slot: slot_name(state, slot, actor),
        lambda slot: slot.character,
        field=field,
        unknown="not-in-order",
        ambiguous="ambiguous-in-order",
    )


def shown_slot_on_turn(
    state: TableState, encounter: AnyEncounter, actor: Actor, round: int | None, turn: int | None
) -> Slot | None:
    """Return the slot on turn; on a timeline players know only of characters they know.

    Raises Outdated("turn-moved-on") if another turn was shown.
    """
    slot = slot_on_turn(encounter)
    gm = is_gm(state, actor)
    hidden = slot is not None and is_hidden(state, slot) and not gm
    known = known_round(state, encounter)
    rounds = (None, known, encounter.round if gm else known)
    if round not in rounds or turn not in (None, 0 if hidden else turn_number(encounter)):
        name = None if slot is None else slot_name(state, slot) or None
        raise Outdated("turn-moved-on", name=name, round=known, timeline=encounter.timeline)
    return None if hidden and encounter.timeline else slot


def meant_slot(game: Game, encounter: AnyEncounter, slot: Slot, as_: str | None) -> Slot:
    """Return the slot of the present block that the actor means to end or delay.

    It is the one named by *as_*, else the actor's own; for a GM without one, any. Of several it
    is the only one that has acted. *slot* is the slot on turn, which comes back if none is meant.

    Raises Impossible("not-on-turn"), InvalidInput("which-turn"), and as `find_slot`.
    """
    state, actor = game.state, game.actor
    block = block_of(state, encounter)
    if as_ is not None:
        named = find_slot(state, actor, as_, encounter.order, "as")
        if named not in block:
            raise Impossible("not-on-turn", name=slot_name(state, named, actor) or None)
        return named
    if len(block) < 2:
        return slot
    own = own_slots(state, actor, block)
    if not own and is_gm(state, actor):
        own = block
    acted = [member for member in own if has_acted(game, encounter, member)]
    if len(acted) == 1:
        return acted[0]
    if len(own) > 1:
        names = tuple(slot_name(state, member, actor) for member in own)
        raise InvalidInput("which-turn", field="as", value=None, allowed=names)
    return own[0] if own else slot


def own_slots(state: TableState, actor: Actor, block: Sequence[Slot]) -> tuple[Slot, ...]:
    """Return the slots of a block whose characters the actor may act as."""
    own: list[Slot] = []
    for slot in block:
        character = state.characters.get(slot.character or "")
        if character is not None and may_act_as(state, actor, character):
            own.append(slot)
    return tuple(own)


def own_slot_on_turn(state: TableState, actor: Actor, place: str, round: int, turn: int) -> Slot:
    """Return the slot on turn as shown: of the actor, or of an NPC or a thing for a GM.

    Of a block it is the actor's own: of several the main character's, or else the first.

    Raises Impossible("no-encounter", "round-not-begun", "round-opening", "nobody-does-anything"),
    Outdated("turn-moved-on"), NotPermitted("not-your-turn").
    """
    encounter = require_encounter(state, place)
    slot = shown_slot_on_turn(state, encounter, actor, round, turn)
    if slot is None:
        raise nobody_acts_error(encounter)
    own, left = own_slots(state, actor, block_of(state, encounter)), slots_to_act(state, encounter)
    active = state.person(actor.id).active
    slot = next((other for other in own if other.character == active), own[0] if own else slot)
    require_turn(state, actor, slot, left)
    if slot.character is not None and not may_act_as(
        state, actor, state.characters[slot.character]
    ):
        raise not_your_turn_error(state, slot, left)
    return slot


def nobody_acts_error(encounter: AnyEncounter) -> Impossible:
    """Return the error for a time when no slot is on turn.

    It is Impossible("round-not-begun", "round-opening", "nobody-does-anything").
    """
    if encounter.opening:
        return Impossible("round-opening")
    return Impossible("nobody-does-anything" if encounter.round else "round-not-begun")


def require_turn(state: TableState, actor: Actor, slot: Slot, left: Sequence[Slot] = ()) -> None:
    """Require that the actor may act in a slot, which is one of the *left* ones of a block.

    Raises NotPermitted("not-your-turn").
    """
    if not may_handle(state, actor, slot):
        raise not_your_turn_error(state, slot, left)


def not_your_turn_error(state: TableState, slot: Slot, left: Sequence[Slot]) -> NotPermitted:
    """Return the error for a slot of others; it names all who are left in a block."""
    names = tuple(slot_name(state, other) for other in left) if len(left) > 1 else ()
    return NotPermitted("not-your-turn", name=slot_name(state, slot) or None, left=names)


def actor_board_event(
    game: Game, step: BoardStep, encounter: AnyEncounter, name: str = "", **more: Any
) -> BoardChanged:
    """Return the event for the acting participant; all others see the board.

    *more* are further fields, or another audience.
    """
    fields = {"audience": Audience(people=(game.actor.id,)), **more}
    return board_event(encounter, game.actor, step, name=name or None, **fields)


def move_outcome(
    game: Game,
    encounter: AnyEncounter,
    move: Move,
    *events: Event,
    done: Slot | None = None,
    keep: bool = False,
    overdue: bool = False,
) -> Outcome:
    """Return the outcome of a move after *events*, with the call to the turn that begins.

    See `apply_move` for the options and errors.
    """
    game, more = apply_move(game, encounter, move, done=done, keep=keep, overdue=overdue)
    return Outcome(game.state, (*events, *more))


def announced_outcome(
    game: Game, encounter: AnyEncounter, move: Move, step: BoardStep, name: str = "", **more: Any
) -> Outcome:
    """Return the outcome of a move, with an event for the acting participant."""
    event = actor_board_event(game, step, move(encounter), name, **more)
    return move_outcome(game, encounter, move, event)

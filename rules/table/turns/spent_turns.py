"""Turns of characters who can do nothing, or have nothing left to act with."""

from __future__ import annotations

from rules.table.blocks import Text
from rules.table.initiative import same_slot
from rules.table.state import Slot
from rules.table.system import Game


def idle_reasons(game: Game, slot: Slot | None) -> tuple[Text, ...] | None:
    """Return why the character in a slot can do nothing in its turn; None if it can act."""
    turns = game.system.turns
    if turns is None or turns.idle is None or slot is None or slot.character is None:
        return None
    return turns.idle(game, game.character(slot.character))


def is_turn_spent(game: Game, slot: Slot | None) -> bool:
    """Return whether a player's character has nothing left to act with in this round.

    An NPC never counts: what it has left is the GMs' alone.
    """
    turns = game.system.turns
    if turns is None or slot is None or slot.character is None:
        return False
    character = game.character(slot.character)
    return character.owner is not None and turns.spent(game, character)


def passes_by_itself(game: Game, slot: Slot | None) -> bool:
    """Return whether a turn passes by itself because its character has nothing left to act with.

    A table that waits for all players leaves the end of each turn to its player.
    """
    return not game.state.settings.wait_for_everybody and is_turn_spent(game, slot)


def is_passed_over(game: Game, slot: Slot) -> bool:
    """Return whether a turn never begins because its character has nothing left to act with.

    That goes for NPCs too. An NPC's turn that has begun is the GMs' to end, because only they know
    what the NPC has left.
    """
    turns = game.system.turns
    if turns is None or slot.character is None or game.state.settings.wait_for_everybody:
        return False
    return turns.spent(game, game.character(slot.character))


def reasons_to_pass(game: Game, slot: Slot, was: Slot | None) -> tuple[Text, ...] | None:
    """Return the words for a turn that passes by itself; None for a turn that doesn't.

    A turn that has begun with something to act with doesn't pass. *was* is the slot on turn so far.
    """
    why = idle_reasons(game, slot)
    if why is not None or not is_passed_over(game, slot) or slot.character is None:
        return why
    if was is not None and same_slot(slot, was):
        return None
    return (Text("turn-spent", {"name": game.character(slot.character).name}),)

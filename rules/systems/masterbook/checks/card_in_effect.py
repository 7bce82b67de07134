"""The initiative card in effect at a character's place, and the character's side (MB-CARD-I02)."""

from __future__ import annotations

from rules.systems.masterbook.deck.card_definitions import Side
from rules.systems.masterbook.deck.card_lines import CardReading, current_reading
from rules.systems.masterbook.deck.deck_state import Cards
from rules.systems.masterbook.deck.table_deck import current_cards, mode
from rules.table.initiative import encounter_of
from rules.table.state import Slot
from rules.table.system import Game, is_npc


def side_of(game: Game, slot: Slot) -> Side:
    """Return a character's side in initiative, as a GM has ruled it (MB-CARD-I02).

    Without a ruling, NPCs are on the GM's side.
    """
    if slot.side:
        return "P" if slot.side == "P" else "G"
    return "G" if is_npc(game, slot.character) else "P"


def cards_in_rounds(game: Game, place: str) -> Cards | None:
    """Return the deck during rounds of this place, by cards or by dice; None outside rounds."""
    cards = current_cards(game)
    now = cards.deal.round
    return cards if now is not None and now.place == place else None


def card_here(game: Game, place: str) -> CardReading | None:
    """Return the reading of this round's card at a place; None if no card is in force there."""
    cards = cards_in_rounds(game, place) if mode(game).lines else None
    return None if cards is None else current_reading(cards)


def card_for(game: Game, who: str) -> tuple[CardReading, Side] | None:
    """Return the reading of the card at a character's place, and the character's side.

    None if no card is in force there.
    """
    encounter = encounter_of(game.state, who)
    if encounter is None:
        return None
    reading = card_here(game, encounter.place)
    if reading is None:
        return None
    slot = next(slot for slot in encounter.order if slot.character == who)
    return reading, side_of(game, slot)

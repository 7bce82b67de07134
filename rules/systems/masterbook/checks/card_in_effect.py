"""The initiative card in effect at a character's place, and the character's side (MB-CARD-I02)."""

from __future__ import annotations

from rules.systems.masterbook.deck.card_definitions import Side
from rules.systems.masterbook.deck.card_lines import (
    CardReading,
    current_reading,
)
from rules.systems.masterbook.deck.deck_state import Cards
from rules.systems.masterbook.deck.table_deck import current_cards, mode
from rules.table.initiative import encounter_of
from rules.table.state import Slot
from rules.table.system import Game, is_npc


def side_of(game: Game, slot: Slot) -> Side:
    """Whose side somebody in the order is on: as a GM has said, else the players' or not
    (MB-CARD-I02).
    """
    if slot.side:
        return "P" if slot.side == "P" else "G"
    return "G" if is_npc(game, slot.character) else "P"


def cards_in_rounds(game: Game, place: str) -> Cards | None:
    """The deck in rounds of this place, by its cards or by dice; None out of them."""
    cards = current_cards(game)
    now = cards.deal.round
    return cards if now is not None and now.place == place else None


def card_here(game: Game, place: str) -> CardReading | None:
    """What the card of this round says in a place; None where no card is in force there."""
    cards = cards_in_rounds(game, place) if mode(game).lines else None
    return None if cards is None else current_reading(cards)


def card_for(game: Game, who: str) -> tuple[CardReading, Side] | None:
    """What the card of the round says in which somebody is, and whose side they are on; None
    without.
    """
    found = encounter_of(game.state, who)
    if found is None or (read := card_here(game, found.place)) is None:
        return None
    return read, next(side_of(game, slot) for slot in found.order if slot.character == who)

"""Cards: decks as data, and piles and hands in which no card is ever lost or doubled."""

from __future__ import annotations

from rules.core.cards.decks import Card, Deck, read_deck, standard_deck, write_deck
from rules.core.cards.piles import Piles, shuffle_cards

__all__ = ["Card", "Deck", "Piles", "read_deck", "shuffle_cards", "standard_deck", "write_deck"]

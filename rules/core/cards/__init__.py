"""Cards: decks as data, and piles and hands that never lose or double a card."""

from __future__ import annotations

from rules.core.cards.decks import Card, Deck, read_deck, standard_deck, write_deck
from rules.core.cards.piles import Piles, shuffle_cards

__all__ = ["Card", "Deck", "Piles", "read_deck", "shuffle_cards", "standard_deck", "write_deck"]

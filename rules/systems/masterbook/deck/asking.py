"""What people are asked because of cards that were drawn."""

from __future__ import annotations

from collections.abc import Sequence

from rules.systems.masterbook.deck.state import Moved
from rules.table.events import Event
from rules.table.system import Game


def met(game: Game, place: str, moves: Sequence[Moved]) -> tuple[Game, tuple[Event, ...]]:
    """The game once everybody is asked what these cards take."""
    return game, ()

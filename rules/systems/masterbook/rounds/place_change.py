"""Rounds that go on in another place, with their card and their task."""

from __future__ import annotations

from rules.systems.masterbook.deck.table_deck import current_cards, has_deck, with_cards
from rules.systems.masterbook.rounds.task_state import task_at, with_task
from rules.table.system import Game


def move_rounds(game: Game, old: str, new: str) -> Game:
    """Return the game in which the round's card and the task of one place are those of another.

    A task that the new place has already stays, and so does the other.
    """
    if has_deck(game):
        cards = current_cards(game)
        flipped = cards.deal.round
        if flipped is not None and flipped.place == old and old not in game.state.encounters:
            moved = cards.with_deal_changes(round=flipped.replace(place=new))
            game = with_cards(game, moved)
    task = task_at(game.state, old)
    if task is None or task_at(game.state, new) is not None:
        return game
    return with_task(with_task(game, old, None), new, task)

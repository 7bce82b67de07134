"""Open points: points and numbers of cards of players' characters that the whole table sees."""

from __future__ import annotations

from rules.table.blocks import Text
from rules.table.settings.table_settings import settings_form
from rules.table.state import AnyCharacter
from rules.table.system import Game


def open_points(game: Game, character: AnyCharacter) -> tuple[Text, ...]:
    """Return the lines about a character's points and cards that all participants see.

    There are none for an NPC, and at a table that keeps points closed. What a character spends in a
    secret stage would show in its total. So there are none either for any character in such a
    stage, until the stage is over.
    """
    settings = game.state.settings
    if character.owner is None or not character.in_play or game.sheets.open_points is None:
        return ()
    if "open_points" not in settings_form(game.system).by_key or not settings.open_points:
        return ()
    if _chooses_in_secret(game, character.id):
        return ()
    return game.sheets.open_points(game, character)


def _chooses_in_secret(game: Game, who: str) -> bool:
    """Return whether an open secret prompt asks a character."""
    for check in game.state.open_checks:
        if any(opened.prompt.secret and who in opened.named for opened in check.asked):
            return True
    return False

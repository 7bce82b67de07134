"""Open points: points and numbers of cards of players' characters that the whole table sees."""

from __future__ import annotations

from rules.table.blocks import Text
from rules.table.settings import settings_form
from rules.table.state import AnyCharacter
from rules.table.system import Game


def open_points(game: Game, character: AnyCharacter) -> tuple[Text, ...]:
    """Return the lines about a character's points and cards that everybody sees.

    There are none for an NPC, and at a table that keeps points closed. What a character spends in a
    secret stage would show in its total. So there are none either for any character in such a
    stage, until the stage is over.
    """
    settings = game.state.settings
    if character.owner is None or not character.in_play or game.sheets.open_points is None:
        return ()
    if "open_points" not in settings_form(game.system).by_key or not settings.open_points:
        return ()
    return (
        () if _chooses_in_secret(game, character.id) else game.sheets.open_points(game, character)
    )


def _chooses_in_secret(game: Game, who: str) -> bool:
    """Return whether an open secret prompt asks a character."""
    prompts = [asked for check in game.state.open_checks for asked in check.asked]
    return any(prompt.prompt.secret and who in prompt.named for prompt in prompts)

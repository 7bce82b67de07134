"""What a system's own command tells of what it has done."""

from __future__ import annotations

from rules.table.blocks import EVERYONE, GMS, Block, Text
from rules.table.events import Reported
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter
from rules.table.system import Game


def report_outcome(
    game: Game, title: Text, *blocks: Block, of: AnyCharacter | None = None
) -> Outcome:
    """The table as it is in the game, and what everybody hears of it; the GMs alone, where it is
    `of` an NPC.
    """
    audience = GMS if of is not None and of.owner is None else EVERYONE
    return Outcome(
        game.state, (Reported(audience=audience, title=title, blocks=blocks, by=game.actor.id),)
    )

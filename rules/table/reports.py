"""Outcomes of a system's own commands that report on what was done."""

from __future__ import annotations

from rules.table.blocks import EVERYONE, GMS, Block, Text
from rules.table.events import Reported
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter
from rules.table.system import Game


def report_outcome(
    game: Game, title: Text, *blocks: Block, of: AnyCharacter | None = None
) -> Outcome:
    """Return the outcome with a report to all participants, or to the GMs if it is about an NPC."""
    about_npc = of is not None and of.owner is None
    audience = GMS if about_npc else EVERYONE
    event = Reported(audience=audience, title=title, blocks=blocks, by=game.actor.id)
    return Outcome(game.state, (event,))

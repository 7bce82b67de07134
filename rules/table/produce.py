"""Drawing from a system's own tables, such as EBB-ANOMALY and EBB-ARTEFACT: in the open, or for the GMs."""

from __future__ import annotations

from difflib import get_close_matches

from rules.core.errors import InvalidInput
from rules.table.actions import Produce
from rules.table.events import Audience, Produced
from rules.table.outcome import Outcome
from rules.table.permissions import audience_for, is_gm
from rules.table.state import TableState
from rules.table.system import Game, RandomTable


def _table(game: Game, what: str) -> RandomTable:
    """One of the system's tables. InvalidInput("unknown-generator"), Impossible where it has none at all."""
    tables = game.require(game.system.tables or None)
    found = tables.get(what)
    if found is None:
        nearest = tuple(get_close_matches(what[:40].casefold(), tables, n=1, cutoff=0.5))
        raise InvalidInput(
            "unknown-generator", field="kind", value=what[:100], allowed=tuple(tables), nearest=nearest
        )
    return found


def produce(state: TableState, action: Produce, game: Game) -> Outcome:
    """Draw `what`; raises what the table does.

    Public is for everyone, private for whoever asks and the GMs, blind for the GMs alone: whoever asked
    without being one only learns that it was drawn. What not everyone sees falls with secret dice.
    """
    who, visibility = action.who.id, action.visibility
    public = visibility == "public"
    product = _table(game, action.what)(game.rng.public if public else game.rng.secret)
    gm = is_gm(state, action.who)
    event = Produced(
        audience=audience_for(state, action.who, visibility),
        # A GM who draws for their own eyes need not tell the others; they can look it up.
        quiet=gm and visibility == "private",
        what=action.what,
        visibility=visibility,
        by=who,
        lines=product.lines,
        dice=product.dice,
    )
    if visibility != "blind" or gm:
        return Outcome(state, (event,))
    told = event.but(audience=Audience(people=(who,)), lines=product.lines[:1], dice=())
    return Outcome(state, (told, event))

"""Making a character step by step, and the ready ones to choose from (BAR-TRAIT)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from rules.core.rows import data
from rules.systems.barmore.campaign import DEFAULT, Campaign
from rules.systems.barmore.sheet import CHARACTER
from rules.table.events import Line
from rules.table.forms import Values
from rules.table.system import Game, Page


def _follows(key: str) -> Callable[[Game, Values], tuple[Line, ...]]:
    def lines(game: Game, made: Values) -> tuple[Line, ...]:
        scores: Mapping[str, int] = made.get(key, {})
        counted = Line("bar-creation-scores", {"of": key, "count": len(scores), "sum": sum(scores.values())})
        return (counted,) if key in made else ()

    return lines


PAGES: Final = (
    Page("who", Line("step-who"), CHARACTER.part("name", "concept", "description", "portrait")),
    Page("attributes", Line("sheet-attributes"), CHARACTER.part("attributes"), _follows("attributes")),
    Page("abilities", Line("sheet-abilities"), CHARACTER.part("abilities"), _follows("abilities")),
    Page("things", Line("step-things"), CHARACTER.part("weapons", "armour", "equipment", "notes")),
)


_ROSTER: Final = data("rules.systems.barmore", "roster")


def roster(campaign: Campaign) -> tuple[dict[str, object], ...]:
    """The ready characters, made for the trees that ship: none for a campaign with trees of its own."""
    if campaign.traits != DEFAULT.traits:
        return ()
    return tuple(cast("list[dict[str, object]]", _ROSTER()))

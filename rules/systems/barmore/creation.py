"""Making a character step by step, and the ready ones to choose from (BAR-TRAIT)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from rules.systems.barmore.campaign import DEFAULT, Campaign
from rules.systems.barmore.sheet import CHARACTER
from rules.table.events import Line
from rules.table.forms import Values
from rules.table.system import Game, Page


def _follows(key: str) -> Callable[[Game, Values], tuple[Line, ...]]:
    def lines(game: Game, data: Values) -> tuple[Line, ...]:
        scores: Mapping[str, int] = data.get(key, {})
        counted = Line("bar-creation-scores", {"of": key, "count": len(scores), "sum": sum(scores.values())})
        return (counted,) if key in data else ()

    return lines


PAGES: Final = (
    Page("who", Line("step-who"), CHARACTER.part("name", "concept", "description", "portrait")),
    Page("attributes", Line("sheet-attributes"), CHARACTER.part("attributes"), _follows("attributes")),
    Page("abilities", Line("sheet-abilities"), CHARACTER.part("abilities"), _follows("abilities")),
    Page("things", Line("step-things"), CHARACTER.part("weapons", "armour", "equipment", "notes")),
)


@cache
def _roster_text() -> str:
    return files("rules.systems.barmore").joinpath("data/roster.json").read_text(encoding="utf-8")


def roster(campaign: Campaign) -> tuple[dict[str, object], ...]:
    """The ready characters, made for the trees that ship: none for a campaign with trees of its own."""
    if campaign.traits != DEFAULT.traits:
        return ()
    return tuple(json.loads(_roster_text()))

"""Making a character step by step, and the ready ones to choose from (EBB-CHAR, EBB-DRAWBACK, EBB-TIER)."""

from __future__ import annotations

from typing import Final, cast

from rules.core.rows import data
from rules.systems.ebb.sheet import CHARACTER, EbbSheet, ability_of, base_attributes
from rules.systems.ebb.tables import DIE_SIDES
from rules.table.events import Line
from rules.table.forms import Values
from rules.table.people.fields import called
from rules.table.system import Game, Page


def _told(game: Game, made: Values) -> tuple[Line, ...]:
    """What the abilities make of the attributes, and how they are spread over the dice."""
    if "abilities" not in made:
        return ()
    sheet = EbbSheet(abilities=tuple(map(ability_of, made["abilities"])))
    dice = [ability.sides for ability in sheet.abilities]
    spread = tuple(f"{dice.count(sides)} at d{sides}" for sides in DIE_SIDES if sides in dice)
    values = tuple(f"{name} {value}" for name, value in base_attributes(sheet).items())
    return (
        Line("ebb-creation", {"values": values}),
        Line("ebb-creation", {"count": len(dice), "spread": spread}),
    )


PAGES: Final = (
    Page("who", Line("step-who"), CHARACTER.part("name", "age", "country", "sex", "role")),
    Page(
        "story",
        Line("sheet-story"),
        CHARACTER.part("tag", "group", "renown", "description", "portrait"),
    ),
    Page("abilities", Line("sheet-abilities"), CHARACTER.part("abilities"), follows=_told),
    Page("drawbacks", called("drawbacks"), CHARACTER.part("drawbacks")),
    Page("things", Line("step-things"), CHARACTER.part("equipment", "assets", "scarring", "notes")),
)


_ROSTER: Final = data("rules.systems.ebb", "roster")


def roster() -> tuple[dict[str, object], ...]:
    """The ready characters, each valid for a newcomer (EBB-CHAR). Made anew each time: nobody shares them."""
    return tuple(cast("list[dict[str, object]]", _ROSTER()))

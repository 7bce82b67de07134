"""Luck in words: where each player's dice lie among all that could have fallen."""

from __future__ import annotations

from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.language.words import phrase
from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from bot.services.luck import TableLuck
from rules.table.chance.luck import ENOUGH, NPCS, Luck

#: Most lines of the list.
_MAX_LINES: Final = 25


def luck_card(scene: Scene, luck: TableLuck) -> Layout:
    """Return a line for each player, then the NPCs' and the table's."""
    people = sorted(luck.people, key=lambda one: (one.person == NPCS, -one.rolls))
    lines = [_line(scene, one) for one in people[:_MAX_LINES]]
    if luck.everybody is not None and len(people) > 1:
        lines.append(_line(scene, luck.everybody, everybody=True))
    body = ["\n".join(lines)] if lines else []
    return card("own", "table-luck", None, *body, nothing=not lines)


def _line(scene: Scene, luck: Luck, *, everybody: bool = False) -> str:
    return phrase(
        "luck-line",
        scene.names,
        who=None if everybody or luck.person == NPCS else luck.person,
        everybody=everybody,
        rolls=luck.rolls,
        few=luck.rolls < ENOUGH,
        percentile=ordinal(luck.percentile),
        low=luck.low,
        high=luck.high,
        unusual=not luck.low <= luck.percentile <= luck.high,
    )


def ordinal(number: int) -> str:
    """Return a number with its ending: `1st`, `52nd`, `13th`."""
    ending = "th"
    if number % 100 not in (11, 12, 13):
        ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"

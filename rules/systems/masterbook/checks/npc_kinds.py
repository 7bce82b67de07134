"""Kinds of NPCs on their sheets: grunts, standard characters, archetypes.

MB-GM-08 to MB-GM-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from rules.core.errors import InvalidInput
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas.gm_rules import (
    NPC_KINDS,
    NPC_LIFE_POINT_RANGE,
    NPC_LIFE_POINTS,
    Development,
    NpcKind,
    StandardTarget,
    standard_target,
)
from rules.table.blocks import Text
from rules.table.forms.fields import Option
from rules.table.lookup import player_characters
from rules.table.system import Game

#: The kind of a full character that the GM plays.
STANDARD: Final = "standard"
OPTIONS: Final = tuple(
    Option(kind, Text("mb-npc-kind-option", {"kind": kind, "points": NPC_LIFE_POINTS[kind]}))
    for kind in NPC_KINDS
)


def development(sheet: MasterbookSheet, name: str = "") -> Development:
    """Return how developed a character is: all adds, and all Attribute points (MB-GM-09)."""
    adds = 0
    for skill in sheet.skills:
        adds += skill.adds + sum(number for _, number in skill.specializations)
    return Development(adds, sum(attribute(sheet, key) for key in ATTRIBUTES), name)


def find_target(game: Game) -> StandardTarget | None:
    """Return what a standard NPC of this table should have; None without player characters."""
    return standard_target(
        development(character.sheet, character.name) for character in player_characters(game.state)
    )


def as_kind(
    game: Game, sheet: MasterbookSheet, kind: str, data: Mapping[str, object] | None
) -> tuple[MasterbookSheet, tuple[Text, ...]]:
    """Return an NPC's sheet as one of a kind, and what the GM hears of that (MB-GM-08).

    A file's own Life Points stay. Raises InvalidInput("out-of-range") if the kind has fewer or
    more.
    """
    known = cast("NpcKind", kind)
    points = NPC_LIFE_POINTS[known]
    low, high = NPC_LIFE_POINT_RANGE[known]
    most = game.setting("life_points_max")
    if data is not None and "life_points" in data:
        points = sheet.life_points
        if not low <= points <= high:
            raise InvalidInput(
                "out-of-range", field="life_points", value=points, lowest=low, highest=high
            )
    sheet = sheet.replace(npc_kind=kind, life_points=min(points, most))
    return sheet, kind_lines(game, sheet)


def kind_lines(game: Game, sheet: MasterbookSheet) -> tuple[Text, ...]:
    """Return the kind of an NPC, and how a standard NPC compares with the players' characters."""
    if not sheet.npc_kind:
        return ()
    line = Text("mb-npc-kind", {"kind": sheet.npc_kind, "points": sheet.life_points})
    target = find_target(game) if sheet.npc_kind == STANDARD else None
    return (line,) if target is None else (line, Text("mb-npc-target", _comparison(sheet, target)))


def _comparison(sheet: MasterbookSheet, target: StandardTarget) -> dict[str, Any]:
    now = development(sheet)
    fits = target.least_adds <= now.skill_adds <= target.most_adds
    return {
        "adds": now.skill_adds,
        "least": target.least_adds,
        "most": target.most_adds,
        "attributes": now.attributes,
        "wanted": target.attributes,
        "fits": fits and now.attributes == target.attributes,
        "best": target.best.name,
        "best_adds": target.best.skill_adds,
    }

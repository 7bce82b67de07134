"""Numbers and names of EBB, read once from `data/ebb.json`.

Everything here is constant. Other modules of the system compute from these tables and hold no
numbers of the book themselves, except where a rule is a formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.core.data_rows import from_json, json_loader
from rules.core.record import Record


class _Level(Record):
    name: str
    threshold: int


class Tier(Record):
    """A die of abilities."""

    die: str
    #: Title of a character with an ability of that tier.
    title: str
    #: Fate points for the step up to this die. For the lowest die it is the price of a new ability.
    cost: int


class Column(Record):
    """A column of a generator.

    It has 19 common entries (a d20 of 1 to 19) and 10 rare ones (a d10 after a 20).
    """

    common: tuple[str, ...]
    rare: tuple[str, ...]


#: Both columns of a generator; the first property is rolled first.
Generator = Mapping[str, Column]


class _Tables(Record):
    ladder: tuple[_Level, ...]
    ability_dice: tuple[Tier, ...]
    attributes: tuple[str, ...]
    starting_abilities: int
    starting_die: str
    anomaly: Generator
    artefact: Generator


def _sides(die: str) -> int:
    """Return the sides of a die such as `d8`."""
    return int(die.removeprefix("d"))


_TABLES: Final = from_json(_Tables, json_loader("rules.systems.ebb", "ebb")())

#: (name, threshold) from the lowest to the highest level; neighbors are LEVEL_STEP apart
#: (EBB-LADDER).
LADDER: tuple[tuple[str, int], ...] = tuple(
    (level.name, level.threshold) for level in _TABLES.ladder
)
#: Points that one level of difficulty is worth.
LEVEL_STEP: int = LADDER[1][1] - LADDER[0][1]
#: Threshold of the lowest level; shifts never go below it.
FLOOR: int = LADDER[0][1]

#: Eight attributes in the order of the character sheet, in title case.
ATTRIBUTES: tuple[str, ...] = _TABLES.attributes

#: Ability dice by their sides, from the lowest tier to the highest (EBB-TIER): 4, 6, 8, 10, 12.
TIERS: dict[int, Tier] = {_sides(tier.die): tier for tier in _TABLES.ability_dice}
DIE_SIDES: tuple[int, ...] = tuple(TIERS)

#: Number of abilities of a new character, and sides of their usual die (EBB-CHAR).
STARTING_ABILITIES: int = _TABLES.starting_abilities
STARTING_DIE: int = _sides(_TABLES.starting_die)

#: Generators by kind: "anomaly" (EBB-ANOMALY) and "artefact" (EBB-ARTEFACT).
GENERATORS: dict[str, Generator] = {"anomaly": _TABLES.anomaly, "artefact": _TABLES.artefact}

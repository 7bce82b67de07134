"""The numbers and names of EBB, read once from `data/ebb.json`.

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
    """An ability die: what somebody of that tier is called, and the Fate points for the one step up
    to it; for the lowest die they are the price of a new ability.
    """

    die: str
    title: str
    cost: int


class Column(Record):
    """One column of a generator: 19 common entries (d20 shows 1..19), 10 rare ones (a 20, then d10
    1..10).
    """

    common: tuple[str, ...]
    rare: tuple[str, ...]


#: Both columns of a generator; the first property is rolled before the second.
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
    return int(die.removeprefix("d"))


_TABLES: Final = from_json(_Tables, json_loader("rules.systems.ebb", "ebb")())

#: (name, threshold) from the lowest to the highest level; neighbors are LEVEL_STEP apart
#: (EBB-LADDER).
LADDER: tuple[tuple[str, int], ...] = tuple(
    (level.name, level.threshold) for level in _TABLES.ladder
)
#: How many points one level of difficulty is worth.
LEVEL_STEP: int = LADDER[1][1] - LADDER[0][1]
#: The threshold of the lowest level; shifts never go below it.
FLOOR: int = LADDER[0][1]

#: The eight attributes in the order of the character sheet, in title case.
ATTRIBUTES: tuple[str, ...] = _TABLES.attributes

#: Ability dice by their sides, from the lowest tier to the highest (EBB-TIER): 4, 6, 8, 10, 12.
TIERS: dict[int, Tier] = {_sides(each.die): each for each in _TABLES.ability_dice}
DIE_SIDES: tuple[int, ...] = tuple(TIERS)

#: How many abilities a new character has, and the sides of the die they start with (EBB-CHAR).
STARTING_ABILITIES: int = _TABLES.starting_abilities
STARTING_DIE: int = _sides(_TABLES.starting_die)

#: Generators by kind: "anomaly" (EBB-ANOMALY) and "artefact" (EBB-ARTEFACT).
GENERATORS: dict[str, Generator] = {"anomaly": _TABLES.anomaly, "artefact": _TABLES.artefact}

"""Rows, sheets and tables of EGO as the worked examples call them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from rules.systems.ego.character.sheet import EgoSheet, Power, Skill, Specialty
from rules.systems.ego.formulas.costs import ABILITIES
from rules.systems.ego.formulas.reference_rows import (
    RATINGS,
    SKILLS,
    ArmorKind,
    Effect,
    EnemyKind,
    Rows,
    VehicleKind,
    Weapon,
    rows_of,
)
from rules.systems.ego.settings import SETTINGS
from rules.table.system import Game
from tests.conformance.runner import Given
from tests.rules.ego.play import Play, table

EFFECTS = rows_of(Rows(), "effects")
ARMOR = rows_of(Rows(), "armour")
WEAPONS = rows_of(Rows(), "weapons")
VEHICLES = rows_of(Rows(), "vehicles")
ENEMIES = rows_of(Rows(), "enemies")

T = TypeVar("T")


def slug(name: str) -> str:
    """`Med Cal, automatic` as `med_cal_automatic`."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")


def _named(rows: Iterable[str]) -> dict[str, str]:
    return {slug(name): name for name in rows}


#: Names as the tables have them, by those of examples.
TRAIT, RATING, SKILL = _named(rows_of(Rows(), "traits")), _named(RATINGS), _named(SKILLS)
SPECIALTY = _named(special.name for row in SKILLS.values() for special in row.specialties)
_WEAPON, _ENEMY, _VEHICLE = _named(WEAPONS), _named(ENEMIES), _named(VEHICLES)
_ARMOR, _EFFECT = _named(ARMOR), _named(EFFECTS)


def weapon(name: str) -> Weapon:
    """A weapon: `med_cal_automatic`, `archaic_ranged_7`."""
    return WEAPONS[_WEAPON[name]]


def enemy(name: str) -> EnemyKind:
    """A sample enemy: `large_wild_animal`."""
    return ENEMIES[_ENEMY[name]]


def vehicle(name: str) -> VehicleKind:
    """A vehicle: `pick_up`."""
    return VEHICLES[_VEHICLE[name]]


def armor(name: str) -> ArmorKind:
    """Armor: `powered_armor`."""
    return ARMOR[_ARMOR[name]]


def effect(name: str) -> Effect:
    """A special effect; one with a name of no table has no maximum of its own: `a`."""
    return EFFECTS[_EFFECT[name]] if name in _EFFECT else Effect(name)


def each(value: Any, find: Callable[[Any], T]) -> T | list[T]:
    """For one value what is found for it, for a list a list."""
    return [find(one) for one in value] if isinstance(value, list) else find(value)


def last(path: str) -> str:
    """Of `gun_combat.sharpshooter` the last part."""
    return path.rpartition(".")[2]


def game(given: Mapping[str, Any]) -> Game:
    """A table that plays with the settings that an example names."""
    settings = {key: given[key] for key in given if key in SETTINGS.keys and given[key] is not None}
    return Play(table(**settings)).game()


def sheet(given: Given, field: str = "") -> EgoSheet:
    """Somebody by what an example tells: scores, effects that enhance them, levels; `field` is the
    weapon of one.
    """
    specialties = [
        Specialty(SPECIALTY[key], given[key], field if key == "melee_weapon" else "")
        for key in given
        if key in SPECIALTY
    ]
    powers = [
        Power(effect(f"enhanced_{key}").name, given[f"enhanced_{key}"])
        for key in ABILITIES
        if f"enhanced_{key}" in given
    ]
    return EgoSheet(
        skills=tuple(Skill(SKILL[key], given[key]) for key in given if key in SKILL),
        specialties=tuple(specialties),
        powers=tuple(powers),
    ).replace(**{key: given[key] for key in ABILITIES if key in given})

"""Rows of EGO as the worked examples call them."""

from __future__ import annotations

import re

from rules.systems.ego.tables import ENEMIES, WEAPONS, EnemyKind, Weapon


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")


def weapon(name: str) -> Weapon:
    """A weapon: `med_cal_automatic`, `archaic_ranged_7`."""
    return next(row for row in WEAPONS.values() if _slug(row.name) == name)


def enemy(name: str) -> EnemyKind:
    """A sample enemy: `large_wild_animal`."""
    return next(row for row in ENEMIES.values() if _slug(row.name) == name)

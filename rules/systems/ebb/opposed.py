"""Two characters against each other: what the other side sets against an attack, and its dice (EBB-OPPOSED)."""

from __future__ import annotations

from rules.core.rng import Rng
from rules.systems.ebb.check import Tried, ruling_of
from rules.systems.ebb.difficulty import Adjustments, attribute_counts, levels
from rules.systems.ebb.sheet import EbbSheet, effective_attribute, find_ability
from rules.systems.ebb.tables import LEVEL_STEP
from rules.systems.ebb.task import TaskRoll, roll_task


def points(adjustments: Adjustments) -> int:
    """Bonus or penalty on the total where no threshold is there to shift: 3 for each level (EBB-SHIFT)."""
    return adjustments.bonus - LEVEL_STEP * levels(adjustments)


def roll_defence(sheet: EbbSheet, tried: Tried, rng: Rng) -> TaskRoll:
    """Throw the defending side's dice (EBB-OPPOSED, EBB-ROLL), with the GM's bonus or penalty on it."""
    request = tried.defence
    assert request is not None, "the shared course of a check rolls only against a defence"
    ability = None if request.ability is None else find_ability(sheet, request.ability)
    value = None
    if request.attribute is not None and attribute_counts(request.adjustments):
        value = effective_attribute(sheet, request.attribute)
    return roll_task(
        rng,
        attribute=value,
        ability_sides=None if ability is None else ability.sides,
        bonus=points(request.adjustments) + ruling_of(tried).against,
    )

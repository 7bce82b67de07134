"""Two characters against each other: what the other side sets against an attack, and its dice (EBB-OPPOSED)."""

from __future__ import annotations

from rules.core.rng import Rng
from rules.systems.ebb.check import EbbRequest, Tried, read_traits, ruling_of
from rules.systems.ebb.difficulty import Adjustments, attribute_counts, levels
from rules.systems.ebb.options import DEFENCE, adjustments_of
from rules.systems.ebb.sheet import EbbSheet, effective_attribute, find_ability
from rules.systems.ebb.tables import LEVEL_STEP
from rules.systems.ebb.task import TaskRoll, roll_task
from rules.table.actions import Defend


def defend(sheet: EbbSheet, action: Defend) -> EbbRequest:
    """Read what is set against an attack (EBB-OPPOSED): an ability, an attribute, what makes it harder.

    InvalidInput("gm-gives-that") for words that make it easier, and as a proposal is read.
    """
    adjustments = adjustments_of(DEFENCE.read_words(action.options))
    return EbbRequest(*read_traits(sheet, action.skill, action.attribute), None, adjustments)


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

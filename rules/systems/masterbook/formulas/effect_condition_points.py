"""Worth and difficulty of conditions and illusions (MB-SFX-31, MB-SFX-S17 to -S24)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Final

from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, Condition
from rules.systems.masterbook.formulas.effect_costs import BOOK, WorksheetRules
from rules.systems.masterbook.formulas.effect_rows import (
    GESTURES,
    INCANTATIONS,
    PARTICIPATIONS,
    RELATED_SKILLS,
    UNREAL,
    effect_kind,
    is_ill_fitting,
)
from rules.systems.masterbook.formulas.value_chart import chart_value

#: Willpower difficulty of a concentration of no length (MB-SFX-S19).
_CONCENTRATION_DN: Final = 6
#: Fewest helpers of the GM whose rolls one roll may replace (MB-SFX-S17).
MASS_ROLL_FROM: Final = 6


def community_base(helpers: int) -> int:
    """Return the value of a number of helpers, at least 1 (MB-SFX-S17)."""
    return max(1, chart_value(helpers, "inclusive_up"))


def group_dn(helpers: int, dn: int) -> int:
    """Return the difficulty of one roll for a whole group (MB-SFX-S17)."""
    return dn + 2 * community_base(helpers) - 2


def concentration_points(time_value: int) -> int:
    """Return the points of concentrating for a time value (MB-SFX-S19)."""
    return ceil(Fraction(time_value, 3))


def condition_dn(condition: Condition) -> int | None:
    """Return the difficulty of a condition's roll; None if it needs none (MB-SFX-31).

    For a community it is that of each helper.
    """
    match condition.kind:
        case "community":
            return PARTICIPATIONS[condition.participation].dn
        case "concentration":
            return _CONCENTRATION_DN + concentration_points(condition.time_value)
        case "gesture":
            return GESTURES[condition.level].dn
        case "incantation":
            return INCANTATIONS[condition.level].dn
        case "related_skill":
            return RELATED_SKILLS[condition.level].dn
        case _:
            return None


def condition_points(condition: Condition) -> int:
    """Return the points of a condition before any limit (MB-SFX-S17 to -S23)."""
    match condition.kind:
        case "community":
            base = community_base(condition.helpers)
            points = ceil(base * PARTICIPATIONS[condition.participation].multiplier)
        case "component":
            times = 2 if condition.destroyed else 1
            points = times * condition.level + condition.bonus
        case "concentration":
            points = concentration_points(condition.time_value)
        case "gesture":
            points = condition.level + condition.bonus
        case "incantation":
            points = condition.level + len(condition.addons)
        case _:
            points = condition.level
    return max(0, points - condition.lowered)


def counted_conditions(blueprint: Blueprint, rules: WorksheetRules = BOOK) -> tuple[Condition, ...]:
    """Return a blueprint's conditions as they count: ill-fitting ones are lowered (MB-SFX-41)."""
    return tuple(
        counted_condition(blueprint, condition, rules) for condition in blueprint.conditions
    )


def counted_condition(
    blueprint: Blueprint, condition: Condition, rules: WorksheetRules = BOOK
) -> Condition:
    """Return a condition as it counts for a blueprint (MB-SFX-41)."""
    if not is_ill_fitting(condition.kind, effect_kind(blueprint.skill)):
        return condition
    return condition.replace(lowered=max(condition.lowered, rules.ill_fitting_step))


def unreal_reduction(effect_value: int, disbelief_dn: int) -> int:
    """Return the points by which an illusion lowers both figures together (MB-SFX-S24)."""
    return ceil(effect_value * UNREAL[disbelief_dn].multiplier)

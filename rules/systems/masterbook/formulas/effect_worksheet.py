"""The worksheet of a special effect: totals, limits, difficulty and feedback (MB-SFX-40, -41).

Steps run in the book's order, whatever the order in which a player chooses. A choice that no longer
fits is kept and reported.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Final, NamedTuple

from rules.systems.masterbook.formulas.effect_blueprint import (
    CONDITION_KINDS,
    Blueprint,
    Condition,
    Figure,
    KnownEffect,
    Rush,
    Unreal,
)
from rules.systems.masterbook.formulas.effect_condition_points import (
    condition_points,
    counted_conditions,
    unreal_reduction,
)
from rules.systems.masterbook.formulas.effect_costs import (
    BOOK,
    WorksheetRules,
    even_split,
    running_totals,
    speed_of,
)
from rules.systems.masterbook.formulas.effect_findings import (
    ConditionLine,
    Worksheet,
    given_figure_errors,
    worksheet_errors,
    worksheet_warnings,
)

#: Last of the basic steps, whose total sets the minimum (MB-SFX-S05).
_BASICS_STEP: Final = 4
#: Effect value lost with each rank of a trait (MB-SFX-S08).
_RANK_LOSS: Final = 2


def work_out(blueprint: Blueprint, rules: WorksheetRules = BOOK) -> Worksheet:
    """Return the whole worksheet of a blueprint (MB-SFX-40, MB-SFX-41).

    Errors and warnings are reported, never raised. No figure is below its floor, since conditions
    stop there.
    """
    sheet = _filled_sheet(blueprint, rules)
    given = blueprint.given
    if given is None:
        return sheet._replace(
            errors=tuple(worksheet_errors(blueprint, sheet, rules)),
            warnings=tuple(worksheet_warnings(blueprint, sheet, rules)),
        )
    sheet = sheet._replace(dn=given.dn, fv=given.fv)
    if given.artifact:
        return sheet
    return sheet._replace(errors=tuple(given_figure_errors(blueprint, sheet)))


def _filled_sheet(blueprint: Blueprint, rules: WorksheetRules) -> Worksheet:
    """Return the worksheet of a blueprint without errors and warnings."""
    totals = running_totals(blueprint, rules)
    basics = totals[_BASICS_STEP - 1]
    minimum = _half_up(basics)
    subtotal = max(0, totals[-1])
    dn_split = _dn_split(blueprint, subtotal)
    fv_split = subtotal - dn_split
    dn_floor, fv_floor = _half_up(dn_split), _half_up(fv_split)

    lowering = Lowering(dn_split, fv_split, dn_floor, fv_floor, minimum)
    lines = _lower_by_conditions(lowering, counted_conditions(blueprint, rules))
    reduction = used_reduction = 0
    if blueprint.unreal is not None:
        reduction = unreal_reduction(blueprint.effect_value, blueprint.unreal.disbelief_dn)
        used_reduction = lowering.lower_both(blueprint.unreal, reduction)

    return Worksheet(
        totals=totals,
        total_after_basics=basics,
        minimum=minimum,
        cast_time_most=basics // 2,
        subtotal=subtotal,
        dn_split=dn_split,
        fv_split=fv_split,
        dn_floor=dn_floor,
        fv_floor=fv_floor,
        component_most=min(dn_split, fv_split) // 2,
        lines=lines,
        unreal_reduction=reduction,
        unreal_used=used_reduction,
        dn=lowering.dn,
        fv=lowering.fv,
        errors=(),
        warnings=(),
    )


def _half_up(number: int) -> int:
    return ceil(Fraction(number, 2))


def _dn_split(blueprint: Blueprint, subtotal: int) -> int:
    """Return the difficulty's share of the subtotal (MB-SFX-S16)."""
    if blueprint.dn_share is None:
        return even_split(subtotal)
    return min(blueprint.dn_share, subtotal)


def _lower_by_conditions(
    lowering: Lowering, conditions: tuple[Condition, ...]
) -> tuple[ConditionLine, ...]:
    """Lower both figures by all conditions; return a line for each, in their order."""
    lines: dict[int, ConditionLine] = {}
    for place in _condition_order(conditions):
        condition = conditions[place]
        value = condition_points(condition)
        used = lowering.lower(condition.on, value)
        lines[place] = ConditionLine(value, used, lowering.dn, lowering.fv)
    return tuple(lines[place] for place in range(len(conditions)))


class Lowering:
    """Both figures while conditions lower them (MB-SFX-41).

    Each figure stops at its floor, and the sum of both at the minimum.
    """

    #: Figures after the conditions so far.
    dn: int
    fv: int

    def __init__(
        self, dn: int, fv: int, dn_floor: int = 0, fv_floor: int = 0, minimum: int = 0
    ) -> None:
        self.dn, self.fv = dn, fv
        self._dn_floor, self._fv_floor, self._minimum = dn_floor, fv_floor, minimum

    def lower(self, figure: Figure, points: int) -> int:
        """Lower a figure as far as it may; return by how much."""
        room = self.dn - self._dn_floor if figure == "dn" else self.fv - self._fv_floor
        used = max(0, min(points, room, self.dn + self.fv - self._minimum))
        if figure == "dn":
            self.dn -= used
        else:
            self.fv -= used
        return used

    def lower_both(self, unreal: Unreal, reduction: int) -> int:
        """Lower both figures by an illusion's reduction; return by how much (MB-SFX-S24)."""
        to_dn = min(unreal.to_dn, reduction)
        to_fv = min(unreal.to_fv, reduction - to_dn)
        return self.lower("dn", to_dn) + self.lower("fv", to_fv)


def _condition_order(conditions: tuple[Condition, ...]) -> list[int]:
    """Return the places of conditions in the order of the steps 17 to 23."""
    places = range(len(conditions))
    return sorted(places, key=lambda place: CONDITION_KINDS.index(conditions[place].kind))


# --- figures in play ------------------------------------------------------------------------------


class Figures(NamedTuple):
    """Difficulty and feedback."""

    dn: int
    fv: int


def rushed_figures(figures: Figures, rush: Rush) -> Figures:
    """Return figures raised by the time that was saved at the design (MB-SFX-92)."""
    return Figures(figures.dn + rush.to_dn, figures.fv + rush.to_fv)


def unlearned_figures(figures: Figures) -> Figures:
    """Return figures with the third that an unlearned effect adds (MB-SFX-93)."""
    dn, fv = figures
    return Figures(dn + ceil(Fraction(dn, 3)), fv + ceil(Fraction(fv, 3)))


def known_figures(known: KnownEffect, rules: WorksheetRules = BOOK) -> Figures:
    """Return a known effect's figures before the world's adjustments (MB-SFX-25)."""
    sheet = work_out(known.blueprint, rules)
    figures = rushed_figures(Figures(sheet.dn, sheet.fv), known.rush)
    return figures if known.learned else unlearned_figures(figures)


def design_value(blueprint: Blueprint, *, up: bool = False) -> int:
    """Return the time value of designing an effect in play (MB-SFX-91)."""
    half = Fraction(
        blueprint.effect_value
        + blueprint.range_value
        + blueprint.duration_value
        + speed_of(blueprint),
        2,
    )
    return ceil(half) if up else floor(half)


def hurried_design_value(value: int, rush: Rush) -> int:
    """Return the time value of a hurried design, at least 0 (MB-SFX-92)."""
    return max(0, value - rush.steps)


def learning_limit(skill_value: int, points_each: int = 3) -> int:
    """Return the most effects of a skill that can be learned (MB-SFX-13)."""
    return max(0, ceil(Fraction(skill_value, points_each)))


def applied_effect_values(effect_value: int, count: int) -> tuple[int, ...]:
    """Return the effect value that meets each trait, by rank (MB-SFX-S08)."""
    if count < 2:
        return (effect_value,) * count
    return tuple(effect_value - _RANK_LOSS * rank for rank in range(1, count + 1))

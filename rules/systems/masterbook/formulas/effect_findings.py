"""A special effect's finished worksheet, and the errors and warnings about it (MB-SFX-40, -41)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Final, NamedTuple

from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, Condition
from rules.systems.masterbook.formulas.effect_costs import (
    STEP_COST,
    WorksheetRules,
    basics_total,
    bought_elements,
    largest_share,
    speed_of,
    usable_targets,
)
from rules.systems.masterbook.formulas.effect_rows import effect_kind, is_ill_fitting

#: Highest total after step 15. No roll comes near the half of it that is the difficulty then.
SUBTOTAL_MOST: Final = 1000
#: Fields that pay for steps 1 to 15, in their order.
_STEP_FIELDS: Final = (
    "effect_value",
    "range_value",
    "speed_value",
    "duration_value",
    "cast_time_value",
    "area",
    "targets",
    "traits",
    "target_changes",
    "points_up",
    "extension",
    "accuracy",
    "maintenance",
    "focus_targets",
    "charges",
)


class WorksheetFinding(NamedTuple):
    """An error of a blueprint, or a warning to its builder."""

    code: str
    #: Field of the blueprint, or `variable_effect`.
    field: str
    #: Values that the message names, by their names there.
    numbers: tuple[tuple[str, int | str], ...] = ()


def _finding(code: str, field: str, **numbers: int | str) -> WorksheetFinding:
    return WorksheetFinding(code, field, tuple(numbers.items()))


class ConditionLine(NamedTuple):
    """A condition's line of the worksheet."""

    #: Points of the condition, and those of them that lower its figure.
    value: int
    used: int
    #: Both figures after the condition.
    dn: int
    fv: int

    @property
    def wasted(self) -> int:
        return self.value - self.used


class Worksheet(NamedTuple):
    """A blueprint worked out (MB-SFX-40)."""

    #: Running totals after steps 1 to 15.
    totals: tuple[int, ...]
    #: Total after step 4.
    total_after_basics: int
    #: Lowest sum of both figures, and highest cast time value (MB-SFX-S05).
    minimum: int
    cast_time_most: int
    #: Total after step 15, which step 16 splits.
    subtotal: int
    #: Figures of step 16, and the lowest that conditions can bring them to.
    dn_split: int
    fv_split: int
    dn_floor: int
    fv_floor: int
    #: Most points of all components together (MB-SFX-S18).
    component_most: int
    #: A line for each condition, in the blueprint's order.
    lines: tuple[ConditionLine, ...]
    #: Points that an illusion saves, and those of them that are used (MB-SFX-S24).
    unreal_reduction: int
    unreal_used: int
    #: Finished figures of step 25, before rush and the third of an unlearned effect.
    dn: int
    fv: int
    errors: tuple[WorksheetFinding, ...]
    warnings: tuple[WorksheetFinding, ...]


# --- figures from a GM ----------------------------------------------------------------------------


def given_figure_errors(blueprint: Blueprint, sheet: Worksheet) -> Iterator[WorksheetFinding]:
    """Yield the errors of a quick effect, whose figures a GM gives (MB-SFX-90)."""
    yield from _cast_time_errors(blueprint, sheet)
    given = blueprint.given
    assert given is not None
    low, high = quick_totals(blueprint)
    total = given.dn + given.fv
    if not low <= total <= high:
        yield _finding("mb-effect-quick-total", "given", value=total, low=low, high=high)
    if _is_uneven(given.dn, given.fv):
        yield _finding("mb-effect-split", "given", dn=given.dn, fv=given.fv)


def quick_totals(blueprint: Blueprint) -> tuple[int, int]:
    """Return the lowest and the highest total that a quick effect may have (MB-SFX-90)."""
    total = basics_total(blueprint)
    cast = blueprint.cast_time_value
    return max(0, ceil(Fraction(total, 2)) - cast), max(0, 2 * total - cast)


# --- errors ---------------------------------------------------------------------------------------


def worksheet_errors(
    blueprint: Blueprint, sheet: Worksheet, rules: WorksheetRules
) -> Iterator[WorksheetFinding]:
    """Yield the errors of a blueprint in the order of the steps (MB-SFX-40)."""
    yield from _cast_time_errors(blueprint, sheet)
    yield from _element_errors(blueprint, rules)
    yield from _subtotal_errors(blueprint, sheet)
    yield from _split_errors(blueprint, sheet)
    yield from _condition_errors(blueprint, sheet, rules)
    yield from _unreal_errors(blueprint, sheet)


def _cast_time_errors(blueprint: Blueprint, sheet: Worksheet) -> Iterator[WorksheetFinding]:
    value, most = blueprint.cast_time_value, sheet.cast_time_most
    if value > most:
        yield _finding("mb-effect-cast-time", "cast_time_value", value=value, most=most)


def _element_errors(blueprint: Blueprint, rules: WorksheetRules) -> Iterator[WorksheetFinding]:
    """Yield the errors of steps 6 to 15: elements that exclude or need each other."""
    if blueprint.maintenance and blueprint.charges:
        yield _finding("mb-effect-maintained-charges", "maintenance")
    focused, targets = blueprint.focus_targets, usable_targets(blueprint)
    if focused > targets:
        yield _finding("mb-effect-focus", "focus_targets", value=focused, most=targets)
    is_psionic = effect_kind(blueprint.skill) == "psionics"
    if blueprint.charges and is_psionic and not rules.psionic_charges:
        yield _finding("mb-effect-psionic-charges", "charges")
    if blueprint.ward and not blueprint.charges:
        yield _finding("mb-effect-ward", "ward")
    for element in bought_elements(blueprint):
        if element in rules.forbidden:
            yield _finding("mb-effect-forbidden", element, element=element)


def _subtotal_errors(blueprint: Blueprint, sheet: Worksheet) -> Iterator[WorksheetFinding]:
    """Yield the error of a subtotal that no casting can reach, at the dearest step's field."""
    total = sheet.subtotal
    if total <= SUBTOTAL_MOST:
        return
    costs = [sheet.totals[0], *(after - before for before, after in pairwise(sheet.totals))]
    cost = max(costs)
    field = _STEP_FIELDS[costs.index(cost)]
    extras = sum(extra.cost for extra in blueprint.extras)
    if field == "charges" and extras > cost - extras:
        field = "extras"
    yield _finding("mb-effect-subtotal", field, value=total, cost=cost, most=SUBTOTAL_MOST)


def _is_uneven(dn: int, fv: int) -> bool:
    """Return whether one figure is more than twice the other (MB-SFX-S16)."""
    return max(dn, fv) > 2 * min(dn, fv)


def _split_errors(blueprint: Blueprint, sheet: Worksheet) -> Iterator[WorksheetFinding]:
    """Yield the error of step 16: a share above the subtotal, or more than 2 to 1."""
    share = sheet.dn_split if blueprint.dn_share is None else blueprint.dn_share
    if share > sheet.subtotal or _is_uneven(sheet.dn_split, sheet.fv_split):
        most = largest_share(sheet.subtotal)
        yield _finding(
            "mb-effect-split-over",
            "dn_share",
            value=share,
            low=sheet.subtotal - most,
            high=most,
            subtotal=sheet.subtotal,
        )


def _condition_errors(
    blueprint: Blueprint, sheet: Worksheet, rules: WorksheetRules
) -> Iterator[WorksheetFinding]:
    """Yield the errors of steps 17 to 23."""
    components = 0
    for at, condition in enumerate(blueprint.conditions):
        yield from _limit_errors(blueprint, condition, f"conditions[{at}]", rules)
        if condition.kind == "component":
            components += sheet.lines[at].value
    most = sheet.component_most
    if rules.component_cap and components > most:
        yield _finding("mb-effect-components", "conditions", value=components, most=most)


def _limit_errors(
    blueprint: Blueprint, condition: Condition, place: str, rules: WorksheetRules
) -> Iterator[WorksheetFinding]:
    """Yield the limits that one condition exceeds; *place* is its path in the blueprint."""
    time, cast_time = condition.time_value, blueprint.cast_time_value
    if condition.kind == "concentration" and time > cast_time:
        yield _finding("mb-effect-concentration", place, value=time, most=cast_time)
    level, most = condition.level, rules.other_condition_most
    if condition.kind == "other" and level > most:
        yield _finding("mb-effect-other-condition", place, value=level, most=most)
    if condition.kind == "community" and condition.at_release:
        yield _finding("mb-effect-release-community", place)
    bonus, most = condition.bonus, rules.creative_bonus_most
    if bonus > most:
        yield _finding("mb-effect-creative-bonus", place, value=bonus, most=most)


def _unreal_errors(blueprint: Blueprint, sheet: Worksheet) -> Iterator[WorksheetFinding]:
    """Yield the error of step 24: an illusion divides more points than it saves."""
    unreal = blueprint.unreal
    if unreal is None:
        return
    divided, most = unreal.to_dn + unreal.to_fv, sheet.unreal_reduction
    if divided > most:
        yield _finding("mb-effect-unreal-division", "unreal", value=divided, most=most)


# --- warnings -------------------------------------------------------------------------------------


def worksheet_warnings(
    blueprint: Blueprint, sheet: Worksheet, rules: WorksheetRules
) -> Iterator[WorksheetFinding]:
    """Yield the warnings of a blueprint, and the points that are lost (MB-SFX-40, MB-SFX-41)."""
    yield from _travel_warnings(blueprint)
    yield from _movement_warnings(blueprint)
    yield from _purchase_warnings(blueprint)
    yield from _condition_warnings(blueprint, sheet, rules)


def _travel_warnings(blueprint: Blueprint) -> Iterator[WorksheetFinding]:
    """Yield a speed above the range, and a way that takes longer than the effect lasts."""
    speed, range_value = speed_of(blueprint), blueprint.range_value
    if speed > range_value:
        yield _finding("mb-effect-speed", "speed_value", value=speed, range=range_value)
    travel_value = range_value - speed
    if travel_value > blueprint.duration_value:
        yield _finding("mb-effect-travel", "speed_value", value=travel_value)


def _movement_warnings(blueprint: Blueprint) -> Iterator[WorksheetFinding]:
    """Yield the reasons why an effect that should move something moves nothing."""
    if blueprint.action != "movement":
        return
    if not blueprint.movement:
        yield _finding("mb-effect-no-movement", "movement")
    mass = blueprint.resisting_number
    if mass is not None and blueprint.effect_value < mass:
        yield _finding("mb-effect-mass", "effect_value", mass=mass)


def _purchase_warnings(blueprint: Blueprint) -> Iterator[WorksheetFinding]:
    """Yield elements that cost points and bring nothing."""
    if blueprint.targets == 1:
        yield _finding("mb-effect-one-target", "targets")
    if blueprint.target_changes == 1:
        yield _finding("mb-effect-one-change", "target_changes")
    for field in ("points_up", "points_down"):
        wasted = getattr(blueprint, field) % STEP_COST
        if wasted:
            yield _finding("mb-effect-odd-points", field, wasted=wasted)
    if blueprint.area is not None and blueprint.area.dims == 2 and blueprint.action == "damage":
        yield _finding("mb-effect-flat-explosion", "area")


def _condition_warnings(
    blueprint: Blueprint, sheet: Worksheet, rules: WorksheetRules
) -> Iterator[WorksheetFinding]:
    """Yield conditions that fit the kind of effect badly, and points that a floor wastes."""
    kind = effect_kind(blueprint.skill)
    for at, condition in enumerate(blueprint.conditions):
        place, line = f"conditions[{at}]", sheet.lines[at]
        if is_ill_fitting(condition.kind, kind) and not condition.lowered:
            numbers = {"kind": kind, "condition": condition.kind, "levels": rules.ill_fitting_step}
            yield _finding("mb-effect-ill-fitting", place, **numbers)
        if line.wasted:
            yield _finding("mb-effect-wasted", place, used=line.used, wasted=line.wasted)
    if blueprint.unreal is not None and is_ill_fitting("unreal", kind):
        yield _finding("mb-effect-ill-fitting", "unreal", kind=kind, condition="unreal")

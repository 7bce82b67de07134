"""Costs of a special effect's elements, and the running totals (MB-SFX-40, MB-SFX-S00 to -S16)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import ceil, floor
from typing import Final

from rules.core.record import Record
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, EffectArea
from rules.systems.masterbook.formulas.effect_rows import SHAPES, SWITCHES
from rules.systems.masterbook.formulas.value_chart import chart_value, measure

#: Cost of a meter of a flat area and of a cubic one (MB-SFX-S06).
_METER_COSTS: Final = {2: 2, 3: 5}
_TARGET_COST: Final = 3
_TRAIT_COST: Final = 3
_CHANGE_COST: Final = 5
#: Points for a step of the effect value that may be chosen (MB-SFX-S10).
STEP_COST: Final = 2
_LEAST_CHARGE_COST: Final = 2


class WorksheetRules(Record):
    """The table's settings and the world's rules that a worksheet depends on."""

    #: Total before step 1.
    start_total: int = 0
    #: Whether components together are worth at most half the smaller figure (MB-SFX-S18).
    component_cap: bool = True
    #: Most points that a GM gives for an inventive component or gesture.
    creative_bonus_most: int = 3
    #: Most points of a condition of no other kind (MB-SFX-S23).
    other_condition_most: int = 6
    #: Whether a fraction of the cost of a focused target rounds up (MB-SFX-S14).
    focus_rounds_up: bool = False
    #: Whether the cost of movement ignores that of accuracy, bought in the same step.
    movement_before_accuracy: bool = False
    #: Whether psionic effects can have charges.
    psionic_charges: bool = False
    #: Levels that a condition loses at least if it ill fits the kind of effect (MB-SFX-41).
    ill_fitting_step: int = 1
    #: Elements that the world forbids, by the blueprint's fields; `variable_effect` is one of both
    #: directions (MB-SFX-14).
    forbidden: tuple[str, ...] = ()


#: The book's rules.
BOOK: Final = WorksheetRules()
#: Cost of an element: fixed, or by the running total before it.
Cost = int | Callable[[int], int]


# --- elements -------------------------------------------------------------------------------------


def tenth(total: int) -> int:
    """Return 10 % of a running total, rounded up (MB-SFX-S12, -S13)."""
    return max(0, ceil(Fraction(total, 10)))


def area_cost(area: EffectArea | None) -> int:
    """Return the cost of an area and its shape (MB-SFX-S06)."""
    if area is None:
        return 0
    return _METER_COSTS[area.dims] * area.diameter + SHAPES[area.shape].cost


def area_bonus(area: EffectArea | None) -> int:
    """Return an area's bonus to rolls to hit (MB-SFX-22)."""
    if area is None:
        return 0
    return area.diameter if area.dims == 3 else area.diameter // 2


def targets_cost(targets: int, *, area: bool) -> int:
    """Return the cost of several targets at once; 0 targets: it is not bought (MB-SFX-S07)."""
    return _TARGET_COST * targets * (2 if area else 1)


def traits_cost(count: int) -> int:
    """Return the cost of meeting several traits (MB-SFX-S08)."""
    return _TRAIT_COST * max(0, count - 1)


def changes_cost(changes: int, targets: int, *, area: bool, traits: bool) -> int:
    """Return the cost of visiting targets in turn (MB-SFX-S09)."""
    cost = _CHANGE_COST * changes * max(1, targets)
    if area and traits:
        return 2 * cost
    if area or traits:
        return ceil(Fraction(3 * cost, 2))
    return cost


def accuracy_bonus(points: int) -> int:
    """Return the bonus to rolls to hit that points of accuracy buy (MB-SFX-S12)."""
    if points < 1:
        return 0
    return max(1, chart_value(points, "down"))


def focus_cost(effect_value: int, duration_value: int, targets: int, *, up: bool) -> int:
    """Return the cost of an effect that stays with its targets as they move (MB-SFX-S14).

    A fraction of the cost of one target is dropped, or rounded up with *up*.
    """
    target_cost = Fraction(effect_value + duration_value, 5)
    return targets * (ceil(target_cost) if up else floor(target_cost))


def charges_cost(charges: int, *, ward: bool = False) -> int:
    """Return the cost of charges, and of a ward's trigger (MB-SFX-S15)."""
    if charges < 1:
        return 0
    cost = max(_LEAST_CHARGE_COST, ceil(measure(charges)))
    if ward:
        cost += ceil(Fraction(cost, 10))
    return cost


def extension_seconds(points: int) -> Fraction:
    """Return the most extra seconds that points of extension give; 0 for none (MB-SFX-S11)."""
    return measure(points) if points else Fraction(0)


def largest_share(subtotal: int) -> int:
    """Return the most points of a subtotal that one figure may take (MB-SFX-S16)."""
    return 2 * subtotal // 3


def even_split(subtotal: int) -> int:
    """Return the difficulty's share of an even split, the odd point left to the feedback."""
    return subtotal // 2


# --- running totals -------------------------------------------------------------------------------


def basics_total(blueprint: Blueprint, rules: WorksheetRules = BOOK) -> int:
    """Return the total after step 4, at least 0 (MB-SFX-S00 to -S04)."""
    return max(0, _basic_totals(blueprint, rules)[-1])


def speed_of(blueprint: Blueprint) -> int:
    """Return the speed value: that of the range unless another was chosen (MB-SFX-S03)."""
    speed = blueprint.speed_value
    return blueprint.range_value if speed is None else speed


def _basic_totals(blueprint: Blueprint, rules: WorksheetRules) -> list[int]:
    totals: list[int] = []
    total = rules.start_total
    for value in (
        blueprint.effect_value,
        blueprint.range_value,
        speed_of(blueprint),
        blueprint.duration_value,
    ):
        total += value
        totals.append(total)
    return totals


def running_totals(blueprint: Blueprint, rules: WorksheetRules = BOOK) -> tuple[int, ...]:
    """Return the totals after steps 1 to 15 (MB-SFX-40)."""
    totals = _basic_totals(blueprint, rules)
    total = max(0, totals[-1])
    totals[-1] = total
    for cost in _element_costs(blueprint, rules):
        total += cost if isinstance(cost, int) else cost(total)
        totals.append(total)
    return tuple(totals)


def _element_costs(blueprint: Blueprint, rules: WorksheetRules) -> tuple[Cost, ...]:
    """Return the costs of steps 5 to 15; some depend on the total before them."""
    area, traits = blueprint.area is not None, len(blueprint.traits) > 1
    targets = blueprint.targets
    focus = focus_cost(
        blueprint.effect_value,
        blueprint.duration_value,
        blueprint.focus_targets,
        up=rules.focus_rounds_up,
    )
    extras = sum(extra.cost for extra in blueprint.extras)
    return (
        -blueprint.cast_time_value,
        area_cost(blueprint.area),
        targets_cost(targets, area=area),
        traits_cost(len(blueprint.traits)),
        changes_cost(blueprint.target_changes, targets, area=area, traits=traits),
        blueprint.points_up + blueprint.points_down,
        SWITCHES[blueprint.switch].cost + blueprint.extension,
        partial(_apportation_cost, blueprint, rules),
        tenth if blueprint.maintenance else 0,
        focus,
        charges_cost(blueprint.charges, ward=bool(blueprint.ward)) + extras,
    )


def _apportation_cost(blueprint: Blueprint, rules: WorksheetRules, total: int) -> int:
    """Return the cost of accuracy and movement, which share step 12 (MB-SFX-S12)."""
    accuracy = blueprint.accuracy
    if not blueprint.movement:
        return accuracy
    base = total if rules.movement_before_accuracy else total + accuracy
    return accuracy + tenth(base)


# --- what a blueprint has bought ------------------------------------------------------------------


def bought_elements(blueprint: Blueprint) -> Iterator[str]:
    """Yield the optional elements that a blueprint has, by its fields (MB-SFX-14).

    A variable effect is `variable_effect`, whatever its directions.
    """
    has = {
        "area": blueprint.area is not None,
        "targets": blueprint.targets > 0,
        "traits": len(blueprint.traits) > 1,
        "target_changes": blueprint.target_changes > 0,
        "variable_effect": blueprint.points_up + blueprint.points_down > 0,
        "switch": blueprint.switch != "none",
        "extension": blueprint.extension > 0,
        "accuracy": blueprint.accuracy > 0,
        "movement": blueprint.movement,
        "maintenance": blueprint.maintenance,
        "focus_targets": blueprint.focus_targets > 0,
        "charges": blueprint.charges > 0,
        "ward": bool(blueprint.ward),
        "unreal": blueprint.unreal is not None,
    }
    for element, bought in has.items():
        if bought:
            yield element


def usable_targets(blueprint: Blueprint) -> int:
    """Return the most targets that one casting may name."""
    return max(1, blueprint.targets)


def effect_value_band(blueprint: Blueprint) -> tuple[int, int]:
    """Return the lowest and highest effect value to choose from at casting (MB-SFX-S10)."""
    value = blueprint.effect_value
    down, up = band_steps(blueprint)
    return max(0, value - down), value + up


def band_steps(blueprint: Blueprint) -> tuple[int, int]:
    """Return by how much an effect value may be chosen lower and higher (MB-SFX-S10)."""
    return blueprint.points_down // STEP_COST, blueprint.points_up // STEP_COST

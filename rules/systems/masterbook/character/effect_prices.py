"""Prices of a special effect's elements and conditions, as a form's menus show them (MB-SFX-40).

A price is the cost of an element in its own step. Later steps can cost more because of it: 10 % of
the running total, a focus, changes of targets. So the subtotal is worked out anew for each entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.record import Record
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, Condition, Unreal
from rules.systems.masterbook.formulas.effect_condition_points import (
    condition_dn,
    condition_points,
    counted_condition,
    unreal_reduction,
)
from rules.systems.masterbook.formulas.effect_costs import BOOK, WorksheetRules, running_totals
from rules.systems.masterbook.formulas.effect_findings import Worksheet
from rules.systems.masterbook.formulas.effect_rows import condition_fit, effect_kind
from rules.systems.masterbook.formulas.effect_worksheet import work_out
from rules.table.blocks import Text

#: Steps of the worksheet in which the elements are paid.
AREA_STEP: Final = 6
TARGETS_STEP: Final = 7
TRAITS_STEP: Final = 8
CHANGES_STEP: Final = 9
BAND_STEP: Final = 10
DURATION_STEP: Final = 11
APPORTATION_STEP: Final = 12
MAINTENANCE_STEP: Final = 13
FOCUS_STEP: Final = 14
CHARGES_STEP: Final = 15


class Price(Record):
    """Cost of an element."""

    #: Points in the element's own step.
    own: int
    #: Points that the element adds to the subtotal of all steps.
    subtotal: int


def element_price(
    blueprint: Blueprint, without: Blueprint, step: int, rules: WorksheetRules = BOOK
) -> Price:
    """Return the price of an element, given the blueprint with it and without it."""
    after, before = running_totals(blueprint, rules), running_totals(without, rules)
    own = _step_cost(after, step) - _step_cost(before, step)
    return Price(own, after[-1] - before[-1])


def _step_cost(totals: tuple[int, ...], step: int) -> int:
    return totals[step - 1] - totals[step - 2]


def priced_text(words: Text, price: Price, more: Text | None = None) -> Text:
    """Return a menu entry: `Sphere 2 m: +10 · +2 to hit`, `Off: +4 (subtotal +5)`."""
    subtotal = price.subtotal if price.subtotal != price.own else None
    shown = {"what": words, "price": price.own, "subtotal": subtotal, "more": more}
    return Text("mb-effect-priced", shown)


# --- figures --------------------------------------------------------------------------------------


def figures_text(sheet: Worksheet) -> Text:
    """Return the finished figures: `DN 16, FV 19`."""
    return Text("mb-effect-figures", {"dn": sheet.dn, "fv": sheet.fv})


def with_condition(blueprint: Blueprint, condition: Condition) -> Blueprint:
    """Return a blueprint with one more condition, as its last."""
    return blueprint.replace(conditions=(*blueprint.conditions, condition))


def condition_entry(
    blueprint: Blueprint, condition: Condition, words: Text, rules: WorksheetRules = BOOK
) -> Text:
    """Return a menu entry of a condition that is added: `Rarity 4: −4 · DN 12, FV 19`."""
    sheet = work_out(with_condition(blueprint, condition), rules)
    roll = condition_dn(condition)
    counted = counted_condition(blueprint, condition, rules)
    shown: dict[str, Any] = {"what": words, "points": -condition_points(counted)}
    shown["kind"] = condition.kind
    dn = roll if condition.kind in ("concentration", "related_skill") else None
    return Text("mb-effect-priced-condition", {**shown, "dn": dn, "figures": figures_text(sheet)})


def component_points(blueprint: Blueprint) -> int:
    """Return the points of all components of a blueprint together (MB-SFX-S18)."""
    points = 0
    for condition in blueprint.conditions:
        if condition.kind == "component":
            points += condition_points(condition)
    return points


def condition_lines(
    blueprint: Blueprint, condition: Condition, rules: WorksheetRules = BOOK
) -> Iterable[Text]:
    """Yield the effect of one more condition on a blueprint's figures, and how well it fits."""
    before, changed = work_out(blueprint, rules), with_condition(blueprint, condition)
    after = work_out(changed, rules)
    line = after.lines[-1]
    used = most = None
    if condition.kind == "component" and rules.component_cap:
        used, most = component_points(changed), after.component_most
    shown = {"points": -line.value, "used": used, "most": most, "dn": condition_dn(condition)}
    yield Text("mb-effect-worth", {**shown, "kind": condition.kind})
    yield Text("mb-effect-turns", {"before": figures_text(before), "after": figures_text(after)})
    if line.wasted:
        yield Text("mb-effect-lost", {"used": line.used, "value": line.value})
    kind = effect_kind(blueprint.skill)
    fit = condition_fit(condition.kind, kind)
    yield Text("mb-effect-fit", {"condition": condition.kind, "kind": kind, "fit": fit})


def unreal_entry(blueprint: Blueprint, disbelief_dn: int, rules: WorksheetRules = BOOK) -> Text:
    """Return the menu entry of an illusion: `Disbelief DN 10: −5` (MB-SFX-S24)."""
    points = unreal_reduction(blueprint.effect_value, disbelief_dn)
    return Text("mb-effect-unreal", {"dn": disbelief_dn, "points": -points})


def division_entry(blueprint: Blueprint, unreal: Unreal, rules: WorksheetRules = BOOK) -> Text:
    """Return the menu entry of a way to divide an illusion's points: `DN −2, FV −3`."""
    sheet = work_out(blueprint.replace(unreal=unreal), rules)
    shown = {"to_dn": -unreal.to_dn, "to_fv": -unreal.to_fv, "figures": figures_text(sheet)}
    return Text("mb-effect-division", shown)


#: Titles of the steps 1 to 15, in their order.
STEP_NAMES: Final = (
    *("effect_value", "range", "speed", "duration", "cast_time", "area", "targets", "traits"),
    *("changes", "band", "switch", "apportation", "maintenance", "focus", "charges"),
)


def total_lines(sheet: Worksheet) -> tuple[Text, ...]:
    """Return the running totals, a line for each of the steps 1 to 15, then steps 16 to 25."""
    lines: list[Text] = []
    before = 0
    for number, (name, total) in enumerate(zip(STEP_NAMES, sheet.totals, strict=True), 1):
        shown = {"step": number, "name": name, "total": total, "by": total - before}
        lines.append(Text("mb-effect-total", shown))
        before = total
    lines.append(Text("mb-effect-split-line", {"dn": sheet.dn_split, "fv": sheet.fv_split}))
    floors = {"dn": sheet.dn_floor, "fv": sheet.fv_floor, "minimum": sheet.minimum}
    lines.append(Text("mb-effect-floors", floors))
    return tuple(lines)

"""Adapters for the worked examples of MasterBook: how special effects are built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.core.data_rows import from_json
from rules.systems.masterbook.effects.cast_support import condition_plan
from rules.systems.masterbook.effects.cast_time import CASTING_STAGE
from rules.systems.masterbook.effects.maintenance import PROCEDURE as MAINTENANCE
from rules.systems.masterbook.formulas import effect_condition_points as condition_values
from rules.systems.masterbook.formulas import effect_costs as costs
from rules.systems.masterbook.formulas import effect_findings as findings
from rules.systems.masterbook.formulas import effect_worksheet as worksheet
from rules.systems.masterbook.formulas.effect_blueprint import (
    Blueprint,
    Condition,
    EffectArea,
    ExtraElement,
    IncantationAddon,
    Rush,
    Unreal,
)
from rules.systems.masterbook.formulas.effect_costs import BOOK, STEP_COST, WorksheetRules
from rules.systems.masterbook.formulas.effect_findings import ConditionLine, Worksheet
from rules.systems.masterbook.formulas.effect_rows import READY_MADE, SAMPLE_CONDITIONS
from rules.systems.masterbook.formulas.effect_values import (
    cast_seconds,
    duration_seconds,
    maintenance_figures,
)
from rules.systems.masterbook.formulas.effect_worksheet import Figures, Lowering, work_out
from rules.systems.masterbook.formulas.value_chart import measure, value_in
from tests.conformance.runner import Given, MakeDice, Outputs, adapter
from tests.rules.masterbook.option_table import OptionTable

#: A skill that casts effects, where the example does not say which.
_SKILL = "Conjuration"
#: Rows of the conditions that examples name.
_SAMPLES = {
    "only at night": "night",
    "one add in scholar: fire magic": "scholar_add",
    "lit fire nearby": "fire_nearby",
    "must be indoors": "indoors",
}
#: Settings of examples, and the fields of the worksheet's rules.
_RULES = {
    "sfx_start_total": "start_total",
    "sfx_component_cap": "component_cap",
    "sfx_creative_bonus_max": "creative_bonus_most",
    "sfx_other_modifier_max": "other_condition_most",
    "sfx_psionic_charges": "psionic_charges",
    "sfx_inappropriate_step": "ill_fitting_step",
}


#: Units that are not the plural of their name in the examples.
_UNITS = {"foot": "feet", "metre": "meters", "mph": "mph", "kmh": "kmh"}


def unit_name(name: str) -> str:
    """Return a unit as the chart names it."""
    return _UNITS.get(name, f"{name}s")


def _blueprint(**choices: Any) -> Blueprint:
    return Blueprint(**{"name": "effect", "skill": _SKILL, "effect_value": 0} | choices)


def _many(one: Any) -> list[Any]:
    return one if isinstance(one, list) else [one]


def _as_given(given: Any, results: Iterable[Any]) -> Any:
    """Return results as a list if a list was given."""
    found = list(results)
    return found if isinstance(given, list) else found[0]


def _is_valid(sheet: Worksheet) -> bool:
    return not sheet.errors


def _split(minimum: int, dn: int, fv: int, *conditions: Condition, **choices: Any) -> Blueprint:
    """Return a blueprint with this minimum total and these figures of step 16."""
    extra = ExtraElement("the rest", dn + fv - minimum)
    basics = {"effect_value": 2 * minimum, "cast_time_value": minimum}
    return _blueprint(
        **basics | {"extras": (extra,), "dn_share": dn, "conditions": conditions} | choices
    )


def _step_cost(blueprint: Blueprint, step: int, rules: WorksheetRules = BOOK) -> int:
    totals = costs.running_totals(blueprint, rules)
    return totals[step - 1] - totals[step - 2]


# --- basic elements -------------------------------------------------------------------------------


@adapter("masterbook-effects.mb-sfx-s02")
def effect_range(given: Given, roll: MakeDice) -> Outputs:
    amount, unit = given["measure"], unit_name(given["unit"])
    value = value_in(amount, unit, "inclusive_up")
    lower = value_in(amount, unit, "down")
    return {
        "range_value": value,
        "range_m": measure(value),
        "alternative_lower": {"range_value": lower, "range_m": measure(lower)},
    }


@adapter("masterbook-effects.mb-sfx-s05")
def cast_time(given: Given, roll: MakeDice) -> Outputs:
    value = given["cast_time_value"]
    sheet = work_out(_blueprint(effect_value=given["total_after_step_4"], cast_time_value=value))
    codes = [error.code for error in sheet.errors]
    return {
        "valid": "mb-effect-cast-time" not in codes,
        "minimum_sfx_total": sheet.minimum,
        "max_cast_time_value": sheet.cast_time_most,
        "cast_time_seconds": cast_seconds(value),
        "total_after_step_5": sheet.totals[4],
    }


# --- optional elements ----------------------------------------------------------------------------


@adapter("masterbook-effects.mb-sfx-s06")
def area(given: Given, roll: MakeDice) -> Outputs:
    key = "diameters_m" if "diameters_m" in given else "diameter_m"
    shape = given.get("shape", "none")
    areas = [EffectArea(given["dims"], meters, shape) for meters in _many(given[key])]
    return {
        "to_hit": _as_given(given[key], map(costs.area_bonus, areas)),
        "cost": _as_given(given[key], map(costs.area_cost, areas)),
    }


@adapter("masterbook-effects.mb-sfx-s07")
def targets(given: Given, roll: MakeDice) -> Outputs:
    number = given["targets"]
    return {
        "cost": costs.targets_cost(number, area=given["area"]),
        "usable_targets": list(range(1, costs.usable_targets(_blueprint(targets=number)) + 1)),
    }


@adapter("masterbook-effects.mb-sfx-s08")
def traits(given: Given, roll: MakeDice) -> Outputs:
    count = len(given["attributes"])
    return {
        "cost": costs.traits_cost(count),
        "applied_effect_values": worksheet.applied_effect_values(given["effect_value"], count),
    }


@adapter("masterbook-effects.mb-sfx-s09")
def target_changes(given: Given, roll: MakeDice) -> Outputs:
    cost = costs.changes_cost(
        given["change_targets"],
        given.get("multi_targets", 0),
        area=given.get("area", False),
        traits=given.get("multi_attribute", False),
    )
    return {"cost": cost}


def _band(effect_value: int, points: int, direction: str) -> dict[str, int]:
    blueprint = _blueprint(effect_value=effect_value, **{f"points_{direction}": points})
    low, high = costs.effect_value_band(blueprint)
    odd = [
        finding
        for finding in work_out(blueprint).warnings
        if finding.code == "mb-effect-odd-points"
    ]
    wasted = sum(int(dict(finding.numbers)["wasted"]) for finding in odd)
    return {"min": low, "max": high, "wasted_points": wasted}


@adapter("masterbook-effects.mb-sfx-s10")
def variable_effect(given: Given, roll: MakeDice) -> Outputs:
    value, points = given["effect_value"], given["points"]
    if "direction" in given:
        return _band(value, points, given["direction"])
    return {
        "if_up": {"max": _band(value, points, "up")["max"]},
        "if_down": {"min": _band(value, points, "down")["min"]},
    }


@adapter("masterbook-effects.mb-sfx-s11")
def variable_duration(given: Given, roll: MakeDice) -> Outputs:
    points, value = given["extend_points"], given.get("duration_value", 0)
    blueprint = _blueprint(switch=given.get("switch", "none"), extension=points)
    return {
        "cost": _step_cost(blueprint, 11),
        "extra_seconds_max": costs.extension_seconds(points),
        "total_seconds_max": duration_seconds(value, points),
    }


@adapter("masterbook-effects.mb-sfx-s12")
def apportation(given: Given, roll: MakeDice) -> Outputs:
    if "points" in given:
        return {"to_hit": [costs.accuracy_bonus(points) for points in given["points"]]}
    key = "running_totals" if "running_totals" in given else "running_total"
    moving = [_blueprint(effect_value=total, movement=True) for total in _many(given[key])]
    return {
        "cost": _step_cost(moving[0], 12),
        "costs": [_step_cost(blueprint, 12) for blueprint in moving],
        "total": costs.running_totals(moving[0])[11],
    }


@adapter("masterbook-effects.mb-sfx-s13")
def maintenance(given: Given, roll: MakeDice) -> Outputs:
    if "running_total" in given:
        blueprint = _blueprint(effect_value=given["running_total"], maintenance=True)
        return {"cost": _step_cost(blueprint, 13)}
    figures = maintenance_figures(Figures(given["dn"], given["feedback_value"]))
    return {
        "maintenance_dn": figures.dn,
        "maintenance_fv": figures.fv,
        # A procedure that waits for no cast time is a single action.
        "cast_time_value": None if CASTING_STAGE in MAINTENANCE.stages else 0,
    }


@adapter("masterbook-effects.mb-sfx-s14")
def focus(given: Given, roll: MakeDice) -> Outputs:
    blueprint = _blueprint(
        effect_value=given["effect_value"],
        duration_value=given["duration_value"],
        focus_targets=given["focus_targets"],
    )
    return {"cost": _step_cost(blueprint, 14)}


@adapter("masterbook-effects.mb-sfx-s15")
def charges(given: Given, roll: MakeDice) -> Outputs:
    ward = given.get("ward", False)
    paid = [costs.charges_cost(number, ward=ward) for number in _many(given["charges"])]
    return {"cost": _as_given(given["charges"], paid)}


# --- difficulty and feedback ----------------------------------------------------------------------


def _is_split_allowed(dn: int, fv: int) -> bool:
    codes = [error.code for error in work_out(_split(0, dn, fv)).errors]
    return "mb-effect-split-over" not in codes


@adapter("masterbook-effects.mb-sfx-s16")
def split(given: Given, roll: MakeDice) -> Outputs:
    if "modifiers" in given:
        return _lowered(given)
    if "dn" in given:
        sheet = work_out(_split(0, given["dn"], given["fv"]))
        return {"dn_floor": sheet.dn_floor, "fv_floor": sheet.fv_floor}
    subtotal = given["subtotal"]
    even, largest = costs.even_split(subtotal), costs.largest_share(subtotal)
    other = subtotal - largest
    shares = [even, largest, other]
    over = [largest + 1, other - 1]
    return {
        "splits_valid": [
            [dn, subtotal - dn] for dn in shares if _is_split_allowed(dn, subtotal - dn)
        ],
        "split_invalid": None if _is_split_allowed(*over) else over,
        "largest_share": largest,
        "other": other,
    }


@adapter("masterbook-effects.mb-sfx-41")
def conditions(given: Given, roll: MakeDice) -> Outputs:
    return {"valid": _is_one_figure(given["modifier"])} if "modifier" in given else _lowered(given)


def _is_one_figure(modifier: Given) -> bool:
    """Return whether a condition goes to one of the two figures: it has no field for a division."""
    divided = {key: modifier[key] for key in ("to_dn", "to_fv") if key in modifier}
    said = {"kind": modifier["type"], "level": modifier["value"], **divided}
    try:
        from_json(Condition, said)
    except ValueError:
        return False
    return True


def _lowered(given: Given) -> Outputs:
    """Return both figures after conditions that are worth so much."""
    worth = [
        Condition("other", modifier["target"], level=modifier["value"])
        for modifier in given["modifiers"]
    ]
    sheet = work_out(_split(given["minimum_sfx_total"], given["dn"], given["fv"], *worth))
    return {
        "dn": sheet.dn,
        "fv": sheet.fv,
        "used": sum(line.used for line in sheet.lines),
        "wasted": sum(line.wasted for line in sheet.lines),
    }


# --- conditions -----------------------------------------------------------------------------------


def _community(group: Given) -> Condition:
    doing = group["action"].lower().replace(" ", "")
    row = {"kind": "community", "helpers": group["helpers"], "participation": doing}
    return from_json(Condition, row)


@adapter("masterbook-effects.mb-sfx-s17")
def community(given: Given, roll: MakeDice) -> Outputs:
    if "communities" in given:
        sheet = work_out(_split(0, 100, 100, *map(_community, given["communities"])))
        modifiers = [line.value for line in sheet.lines]
        return {"modifiers": modifiers, "total": sheet.dn_split - sheet.dn}
    helpers = given["helpers"]
    if "roll_dn" in given:
        return {"group_dn": condition_values.group_dn(helpers, given["roll_dn"])}
    numbers = _many(helpers)
    outputs: dict[str, object] = {
        "base": _as_given(helpers, map(condition_values.community_base, numbers)),
        "group_dn_modifier": _as_given(
            helpers, [condition_values.group_dn(number, 0) for number in numbers]
        ),
    }
    if "action" in given:
        outputs["modifier"] = condition_values.condition_points(_community(given))
    return outputs


def _component(row: Given, on: Any = "dn") -> Condition:
    level = row["modifier"] if "modifier" in row else row["value"]
    return Condition("component", on, level=level, destroyed=row.get("destroyed", False))


@adapter("masterbook-effects.mb-sfx-s18")
def components(given: Given, roll: MakeDice) -> Outputs:
    if "components" not in given:
        return {"value": condition_values.condition_points(_component(given))}
    on = given.get("target", "dn")
    used = [_component(row, on) for row in given["components"]]
    sheet = work_out(_split(0, given["dn"], given["fv"], *used))
    values = [line.value for line in sheet.lines]
    return {
        "cap": sheet.component_most,
        "values": values,
        "total": sum(values),
        "dn": sheet.dn,
        "fv": sheet.fv,
        "valid": _is_valid(sheet),
    }


def _figure_after(before: int, *used: Condition) -> int:
    """Return the feedback value after conditions that lower it."""
    return work_out(_split(0, before, before, *used)).fv


def _concentration(value: int) -> Condition:
    return Condition("concentration", "fv", time_value=value)


@adapter("masterbook-effects.mb-sfx-s19")
def concentration(given: Given, roll: MakeDice) -> Outputs:
    if "time_values" in given:
        each = [_concentration(value) for value in given["time_values"]]
        return {
            "modifiers": [condition_values.condition_points(condition) for condition in each],
            "willpower_dns": [condition_values.condition_dn(condition) for condition in each],
        }
    condition = _concentration(given["time_value"])
    if "cast_time_value" in given:
        cast = given["cast_time_value"]
        return {"valid": _is_valid(work_out(_split(cast, cast, cast, condition)))}
    line = _fireball_line(condition)
    return {
        "modifier": condition_values.condition_points(condition),
        "willpower_dn": condition_values.condition_dn(condition),
        "fv_before": line.fv + line.used,
        "fv": line.fv,
    }


def _fireball_line(concentration: Condition) -> ConditionLine:
    """Return the line of the ready-made fireball's concentration, with another in its place."""
    fireball = READY_MADE[0]
    kinds = [condition.kind for condition in fireball.conditions]
    at = kinds.index("concentration")
    conditions = (*fireball.conditions[:at], concentration, *fireball.conditions[at + 1 :])
    return work_out(fireball.replace(conditions=conditions)).lines[at]


@adapter("masterbook-effects.mb-sfx-s20")
def gestures(given: Given, roll: MakeDice) -> Outputs:
    before = given["fv_before"]
    made = [Condition("gesture", "fv", level=level) for level in given["gestures"]]
    after = _figure_after(before, *made)
    return {"total": sum(map(condition_values.condition_points, made)), "fv": after}


@adapter("masterbook-effects.mb-sfx-s21")
def incantation(given: Given, roll: MakeDice) -> Outputs:
    added: tuple[IncantationAddon, ...] = tuple(given["addons"])
    condition = Condition("incantation", "fv", level=given["base"], addons=added)
    outputs: dict[str, object] = {
        "modifier": condition_values.condition_points(condition),
        "roll": condition_plan(OptionTable().game(), "anna", condition).attribute.title(),
        "dn": condition_values.condition_dn(condition),
    }
    if "fv_before" in given:
        outputs["fv"] = _figure_after(given["fv_before"], condition)
    return outputs


@adapter("masterbook-effects.mb-sfx-s22")
def related_skills(given: Given, roll: MakeDice) -> Outputs:
    conditions = [Condition("related_skill", level=level) for level in given["modifiers"]]
    return {"dns": [condition_values.condition_dn(condition) for condition in conditions]}


@adapter("masterbook-effects.mb-sfx-s23")
def other_conditions(given: Given, roll: MakeDice) -> Outputs:
    rows = [SAMPLE_CONDITIONS[_SAMPLES[name]] for name in given["conditions"]]
    used = [Condition("other", level=row.level) for row in rows]
    return {"modifiers": [condition_values.condition_points(condition) for condition in used]}


@adapter("masterbook-effects.mb-sfx-s24")
def unreal(given: Given, roll: MakeDice) -> Outputs:
    if "cases" in given:
        return {
            "reductions": [
                condition_values.unreal_reduction(case["effect_value"], case["disbelief_dn"])
                for case in given["cases"]
            ]
        }
    reduction = condition_values.unreal_reduction(given["effect_value"], given["disbelief_dn"])
    floors = [given.get(key, 0) for key in ("dn_floor", "fv_floor", "minimum_sfx_total")]
    lowering = Lowering(given["dn"], given["fv"], *floors)
    # Where the example does not divide, both figures take what they can.
    to_dn = given.get("to_dn", given["dn"] - floors[0])
    to_fv = given.get("to_fv", given["fv"] - floors[1])
    used = lowering.lower_both(Unreal(given["disbelief_dn"], to_dn, to_fv), reduction)
    return {
        "reduction": reduction,
        "reduction_available": reduction,
        "usable": used,
        "dn": lowering.dn,
        "fv": lowering.fv,
    }


# --- whole worksheets -----------------------------------------------------------------------------


def _build(build: Given) -> dict[str, Any]:
    """Return the fields of a blueprint that a build record chooses."""
    area = build.get("area")
    effect = build.get("variable_effect", {})
    duration = build.get("variable_duration", {})
    apportation = build.get("apportation", {})
    basics = ("effect_value", "range_value", "speed_value", "duration_value", "cast_time_value")
    chosen = {key: build[key] for key in basics}
    return chosen | {
        "area": area and EffectArea(area["dims"], area["diameter_m"], area["shape"]),
        "targets": build.get("multi_target", 0),
        "traits": tuple(build.get("multi_attribute", ())),
        "target_changes": build.get("change_target", 0),
        "points_up": STEP_COST * effect.get("up", 0),
        "points_down": STEP_COST * effect.get("down", 0),
        "switch": duration.get("switch", "none"),
        "extension": duration.get("extend_points", 0),
        "accuracy": apportation.get("accuracy_points", 0),
        "movement": apportation.get("movement", False),
        "maintenance": build.get("maintenance", False),
        "focus_targets": build.get("focus_targets", 0),
        "charges": build.get("charges", 0),
        "ward": "somebody comes" if build.get("ward") else "",
    }


def _modifier(modifier: Given) -> Condition:
    """Return a condition of a build: worth `value`, whatever its rows."""
    kind, on = modifier["type"], modifier["target"]
    if "time_value" in modifier:
        return Condition(kind, on, time_value=modifier["time_value"])
    return Condition(kind, on, text=modifier.get("what", ""), level=modifier["value"])


def _rules(given: Given) -> WorksheetRules:
    settings = given.get("settings", {})
    chosen = {field: settings[key] for key, field in _RULES.items() if key in settings}
    if "start_total" in given["build"]:
        chosen["start_total"] = given["build"]["start_total"]
    return WorksheetRules(**chosen)


@adapter("masterbook-effects.mb-sfx-40")
def whole(given: Given, roll: MakeDice) -> Outputs:
    modifiers = given["modifiers"]
    blueprint = _blueprint(
        **_build(given["build"]),
        dn_share=given["split"]["dn"],
        conditions=tuple(map(_modifier, modifiers)),
    )
    rules = _rules(given)
    sheet = work_out(blueprint, rules)
    assert not sheet.errors, sheet.errors
    assert sheet.fv_split == given["split"]["fv"]
    for modifier, line in zip(modifiers, sheet.lines, strict=True):
        assert modifier["value"] == line.value
    to_hit = costs.area_bonus(blueprint.area) + costs.accuracy_bonus(blueprint.accuracy)
    kept_up = maintenance_figures(Figures(sheet.dn, sheet.fv))
    return {
        "running_totals": sheet.totals,
        "minimum_sfx_total": sheet.minimum,
        "max_cast_time_value": sheet.cast_time_most,
        "subtotal": sheet.subtotal,
        "dn_floor": sheet.dn_floor,
        "fv_floor": sheet.fv_floor,
        "dn": sheet.dn,
        "fv": sheet.fv,
        "effect_value": blueprint.effect_value,
        "effect_value_low": costs.effect_value_band(blueprint)[0],
        "to_hit_bonus": to_hit,
        "applied_effect_values": worksheet.applied_effect_values(
            blueprint.effect_value, len(blueprint.traits)
        ),
        "range_m": measure(blueprint.range_value),
        "duration_seconds": duration_seconds(blueprint.duration_value),
        "cast_time_seconds": cast_seconds(blueprint.cast_time_value),
        "charges": blueprint.charges,
        "maintenance_dn": kept_up.dn,
        "maintenance_fv": kept_up.fv,
        **_in_play(given, blueprint, Figures(sheet.dn, sheet.fv)),
    }


def _rush(given: Given, steps: str) -> Rush:
    return Rush(given[steps], given["to_dn"], given["to_fv"])


def _in_play(given: Given, blueprint: Blueprint, figures: Figures) -> dict[str, object]:
    """Return the figures of an effect that was designed in play."""
    if "rush" not in given:
        return {}
    value, rush = worksheet.design_value(blueprint), _rush(given["rush"], "values")
    assert given["on_the_fly"] and given["settings"]["sfx_rush_blueprint"]
    assert rush.to_dn + rush.to_fv == rush.steps <= value
    hurried = worksheet.rushed_figures(figures, rush)
    return {
        "blueprint_time_value": value,
        "after_rush": hurried._asdict(),
        "final": worksheet.unlearned_figures(hurried)._asdict(),
    }


# --- other ways to get an effect ------------------------------------------------------------------


def _basics(given: Given) -> Blueprint:
    return _blueprint(
        effect_value=given["effect_value"],
        range_value=given["range_value"],
        speed_value=given["speed_value"],
        duration_value=given["duration_value"],
        cast_time_value=given.get("cast_time_value", 0),
    )


@adapter("masterbook-effects.mb-sfx-90")
def quick(given: Given, roll: MakeDice) -> Outputs:
    blueprint = _basics(given)
    low, high = findings.quick_totals(blueprint)
    left = costs.running_totals(blueprint)[4]
    largest = costs.largest_share(left)
    return {
        "sfx_total": costs.basics_total(blueprint),
        "remaining": left,
        "largest_share": largest,
        "other": left - largest,
        "adjust_min": low,
        "adjust_max": high,
    }


@adapter("masterbook-effects.mb-sfx-91")
def design(given: Given, roll: MakeDice) -> Outputs:
    blueprint = _basics(given)
    value = worksheet.design_value(blueprint)
    return {
        "sum": costs.basics_total(blueprint),
        "blueprint_time_value": value,
        "seconds": measure(value),
    }


@adapter("masterbook-effects.mb-sfx-92")
def haste(given: Given, roll: MakeDice) -> Outputs:
    rush = _rush(given, "rush")
    value = worksheet.hurried_design_value(given["blueprint_time_value"], rush)
    figures = worksheet.rushed_figures(Figures(given["dn"], given["fv"]), rush)
    return {"blueprint_time_value": value, "seconds": measure(value), **figures._asdict()}


@adapter("masterbook-effects.mb-sfx-93")
def on_the_fly(given: Given, roll: MakeDice) -> Outputs:
    return worksheet.unlearned_figures(Figures(given["dn"], given["fv"]))._asdict()


@adapter("masterbook-effects.mb-sfx-13")
def learning(given: Given, roll: MakeDice) -> Outputs:
    if "skill_values" in given:
        return {"limits": [worksheet.learning_limit(value) for value in given["skill_values"]]}
    return {"limit": worksheet.learning_limit(given["skill_value"])}

"""Adapters for the worked examples of MasterBook: what is learned."""

from __future__ import annotations

from typing import Any

from rules.core.errors import Impossible
from rules.systems.masterbook.advancement import costs
from rules.systems.masterbook.advancement.life_points import convert_life_points
from rules.systems.masterbook.formulas import attributes as attribute_rules
from rules.systems.masterbook.formulas import success_chart
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


def _by(given: Given) -> int:
    level = given.get("teacher_level", "fail")
    return costs.teaching_divisor(
        0 if level == "fail" else success_chart.ladder("general").index(level)
    )


def _cost(given: Given, *, taught: bool = True) -> int:
    by = _by(given)
    return costs.next_add_cost(
        given["kind"],
        given.get("trained_only", False),
        given["current_adds"],
        by=by if taught else 1,
        curve=given.get("learning_curve", ""),
        rounding=given.get("settings", {}).get("spec_trained_rounding", "round_then_double"),
    )


def _costs(given: Given, roll: MakeDice) -> Outputs:
    return {"cost": _cost(given)}


for _number in ("02", "03", "07"):
    adapter(f"masterbook-skills.mb-skill-imp-{_number}")(_costs)


@adapter("masterbook-skills.mb-skill-imp-01")
def converted(given: Given, roll: MakeDice) -> Outputs:
    try:
        life, points = convert_life_points(
            given["life_points"], given.get("skill_points", 0), given["spend"]
        )
    except Impossible:
        return {"allowed": False}
    return {"allowed": True, "life_points": life, "skill_points": points}


@adapter("masterbook-skills.mb-skill-imp-04")
def taught(given: Given, roll: MakeDice) -> Outputs:
    if "kind" in given:
        return {"cost": _cost(given)}
    if "student_value" in given:
        number = given["student_value"]
    else:
        number = costs.student_value(given["student_attribute"], given["student_adds"])
    if "teacher_total" not in given:
        assert given["gm_teacher"], "somebody who teaches without a roll"
        return {"dn": number, "divisor": costs.free_teaching_divisor(number)}
    points = given["teacher_total"] - number
    level = success_chart.success_level(points)
    return {
        "dn": number,
        "rp": points,
        "level": "fail" if level == success_chart.NO_RESULT else level,
        "divisor": costs.teaching_divisor(success_chart.rank(points)),
    }


@adapter("masterbook-skills.mb-skill-imp-05")
def between(given: Given, roll: MakeDice) -> Outputs:
    most = given.get("settings", {}).get("spec_adds_between_adventures", 2)
    found: dict[str, Any] = {
        "allowed": costs.may_gain(given["kind"], given["adds_gained"], special=most)
    }
    if "current_adds" in given:
        trained = given.get("trained_only", False)
        steps = range(given["current_adds"], given["current_adds"] + given["adds_gained"])
        found["cost"] = sum([costs.next_add_cost(given["kind"], trained, each) for each in steps])
    return found


@adapter("masterbook-skills.mb-skill-imp-06")
def during(given: Given, roll: MakeDice) -> Outputs:
    assert given.get("during_adventure", True)
    adds = given["current_adds"]
    allowed = costs.may_gain_during(given["teacher_success"], given.get("adds_gained", 0))
    found: dict[str, Any] = {"allowed": allowed}
    if "skill" in given:
        assert given["skill"]
    if allowed and "kind" in given:
        # Nobody learns at a discount during an adventure.
        found |= {"cost": _cost(given, taught=False), "adds_after": adds + 1}
    return found


@adapter("masterbook-skills.mb-skill-imp-08")
def attributes(given: Given, roll: MakeDice) -> Outputs:
    key, current = given["attribute"], given["current"]
    found: dict[str, Any] = {"cost": costs.attribute_cost(current)}
    for each in given:
        if each.endswith("_adds"):
            name = each.removesuffix("_adds")
            found[f"{name}_value"] = attribute_rules.skill_value(current + 1, given[each])[0]
    if key == "endurance" and "resist_shock_adds" in given:
        found["shock_capacity"] = attribute_rules.shock_capacity(
            current + 1, given["resist_shock_adds"]
        )
    if key in ("strength", "endurance"):
        now = {
            "strength": given.get("strength", current),
            "endurance": given.get("endurance", current),
        }
        then = now | {key: current + 1}
        before = attribute_rules.toughness(**now)
        first, second = [(each["strength"], each["endurance"]) for each in (now, then)]
        follows = given.get("settings", {}).get("toughness_follows_purchased_attributes", True)
        found |= {
            "toughness_before": before,
            "toughness": attribute_rules.toughness_bought(before, first, second, follows),
        }
    return found

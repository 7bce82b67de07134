"""Adapters for the worked examples of pushing and lifting under MasterBook."""

from __future__ import annotations

from rules.systems.masterbook.formulas import damage, movement, success_chart, value_chart
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.reference_rows import Causes, cause_total
from tests.conformance.masterbook_names import causes, first, make_throw, title_of
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_SKILL_OF = ("skill_value", "value", "lifting", "climbing", "running", "swimming", "long_jumping")


def _settings(given: Given) -> dict[str, bool]:
    settings = given.get("settings", {})
    used = given.get("use", True)
    return {
        "realistic": settings.get("realistic_limits", False),
        "limit": bool(settings.get("limit_shock", False) and used),
    }


def _total(given: Given, dice: MakeDice) -> int | None:
    own = first(given, _SKILL_OF)
    if "total" in given or own is None:
        return given.get("total")
    added: Causes = causes(*[given[each] for each in ("modifiers", "total_mod") if each in given])
    return make_throw(given, dice, own, added).total


@adapter("masterbook-core.mb-psh-01")
@adapter("masterbook-core.mb-psh-02")
def push(given: Given, dice: MakeDice) -> Outputs:
    skill = title_of(given["skill"]) if "skill" in given else ""
    rate = first(given, ("movement_value", "rate")) or 0
    if "maximum" in given:
        rate = min(rate, given["maximum"])
    more = cause_total(causes(given.get("dn_modifiers", []), given.get("skill_modifiers", [])))
    number = first(given, ("dn",))
    if number is None:
        number = movement.push_difficulty(skill, rate, base=given.get("base_dn")) + more
    total, points = _total(given, dice), first(given, ("result_points",))
    if points is None:
        assert total is not None
        points = total - number
    agreed = _settings(given)
    found = movement.resolve_push(skill, points, rate, **agreed)
    before = movement.resolve_push(skill, points, rate, realistic=agreed["realistic"])
    extra = value_chart.measure(found.push) if points >= 0 else 0
    return {
        "dn": number,
        "total": total,
        "result_points": found.points,
        "capped_points": found.points,
        "push_before": before.push,
        "shock_before": before.shock,
        "push": found.push,
        "shock": found.shock,
        "extra_meters": extra,
        "meters": found.meters,
        "outcome": found.trouble or ("pushed" if points >= 0 else "normal"),
        "drowning": found.trouble == "drowning",
        "falls": found.trouble == "fall",
    }


@adapter("masterbook-core.mb-lift-01")
def lift(given: Given, dice: MakeDice) -> Outputs:
    agreed = _settings(given)
    start = (
        given["capacity_value"]
        if "capacity_value" in given
        else movement.lift_capacity(given["strength"])
    )
    mass = first(given, ("dn", "mass_value"))
    if mass is None and "mass_kg" in given:
        mass = value_chart.chart_value(given["mass_kg"], "inclusive_up")
    total = _total(given, dice)
    if mass is None or total is None:
        most = movement.limited_lift(start, realistic=agreed["realistic"])
        return {
            "capacity_value": most,
            "kilograms": value_chart.measure(most),
            "dn": mass,
            "lifted": None if mass is None else most >= mass,
        }
    points = total - mass
    found = movement.resolve_lift(start, mass, points, **agreed)
    return {
        "dn": mass,
        "total": total,
        "result_points": points if points >= 0 else None,
        "push": found.push,
        "shock": found.shock,
        "capacity_value": found.reached,
        "kilograms": value_chart.measure(found.reached),
        "lifted": found.lifted,
    }


@adapter("masterbook-core.mb-lift-02")
def lift_on(given: Given, dice: MakeDice) -> Outputs:
    agreed, reached = _settings(given), movement.lift_capacity(given["strength"])
    mass = first(given, ("dn", "mass_value"))
    if mass is None:
        mass = value_chart.chart_value(given["mass_kg"], "inclusive_up")
    given.get("skill_value")
    others = given.get("other_action_after", [])
    points: list[int | None] = []
    lifts: list[movement.Lift] = []
    hurt, capacity = Harm(), given.get("endurance", 100)
    for number, total in enumerate(given["totals"]):
        if number in others:
            reached = movement.lift_capacity(given["strength"])
        points.append(total - mass if total >= mass else None)
        found = movement.resolve_lift(reached, mass, total - mass, **agreed)
        hurt, _ = damage.apply_damage(hurt, success_chart.Damage(shock=found.shock), capacity)
        reached = found.reached
        lifts.append(found)
    return {
        "result_points": points,
        "push": [each.push for each in lifts],
        "shock": [each.shock for each in lifts],
        "capacity_values": [each.reached for each in lifts],
        "kilograms": [value_chart.measure(each.reached) for each in lifts],
        "lifted": [each.lifted for each in lifts],
        "shock_total": hurt.shock,
        "unconscious": hurt.out,
    }

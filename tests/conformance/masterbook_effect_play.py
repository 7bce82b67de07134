"""Adapters for the worked examples of MasterBook: special effects in play, and their values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rules.core.errors import Impossible
from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill, changed_value
from rules.systems.masterbook.checks.state import Result
from rules.systems.masterbook.combat.movement import measure_digits
from rules.systems.masterbook.effects import effect_settings
from rules.systems.masterbook.effects.cast_declaration import cast_figures
from rules.systems.masterbook.formulas import damage, dice, effect_values, value_chart
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.effect_blueprint import (
    Blueprint,
    EffectArea,
    GivenFigures,
    KnownEffect,
)
from rules.systems.masterbook.formulas.effect_costs import area_bonus
from rules.systems.masterbook.formulas.effect_values import CastResult, cast_result
from rules.systems.masterbook.formulas.effect_worksheet import (
    Figures,
    applied_effect_values,
    work_out,
)
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.systems.masterbook.formulas.reference_rows import cause_total
from rules.systems.masterbook.formulas.success_chart import Damage, push, success_level
from rules.systems.masterbook.formulas.value_chart import chart_value, measure
from rules.table.system import Game
from tests.conformance.masterbook_effects import unit_name
from tests.conformance.runner import Given, MakeDice, Outputs, adapter
from tests.rules.masterbook.option_table import OptionTable, with_options

#: A skill that casts effects, where the example does not say which.
_SKILL = "Conjuration"
#: Duration of the mind probe, as a value.
_PROBE_DURATION = 9
#: Seconds that the GM of the mind probe says pass, by the number of questions.
_PROBE_SECONDS = {0: 10, 4: 20}
#: More harm than any effect of the examples does.
_TOUGH = 1000


# --- values ---------------------------------------------------------------------------------------


def _label(value: int) -> str:
    number, scale = value_chart.magnitude(measure(value))
    return f"{measure_digits(number)} {scale}".strip()


@adapter("masterbook-effects.mb-sfx-01")
def measures(given: Given, roll: MakeDice) -> Outputs:
    if "values" in given:
        return {"measures": [measure(value) for value in given["values"]]}
    if "mrg" in given:
        return {"metres_per_round": measure(given["mrg"])}
    return {"measure": measure(given["value"]), "label": _label(given["value"])}


@adapter("masterbook-effects.mb-sfx-02")
def values(given: Given, roll: MakeDice) -> Outputs:
    amount = given["measure"]
    if "unit" in given:
        found = {
            mode: value_chart.value_in(amount, unit_name(given["unit"]), mode)
            for mode in ("nearest", "inclusive_up", "down")
        }
        return found
    return {
        "value": chart_value(amount, given["rounding"]),
        "neighbours": [chart_value(amount, "down"), chart_value(amount, "inclusive_up")],
    }


@adapter("masterbook-effects.mb-sfx-03")
def units(given: Given, roll: MakeDice) -> Outputs:
    amount, unit, mode = given["amount"], unit_name(given["unit"]), given.get("rounding", "nearest")
    value = value_chart.value_in(amount, unit, mode)
    of_base_unit = measure(value)
    return {
        "bare_value": chart_value(amount, mode),
        "modifier": value_chart.UNITS[unit].modifier,
        "value": value,
        "measure_seconds": of_base_unit,
        "measure_kg": of_base_unit,
        "measure_m": of_base_unit,
    }


def _combined(amounts: tuple[int, int], operation: Any) -> dict[str, object]:
    one, other = amounts
    found = value_chart.combine(chart_value(one), chart_value(other), operation)
    return {
        "values": [chart_value(one), chart_value(other)],
        "sum": found,
        "difference": found,
        "measure": measure(found),
        "exact_product": value_chart.exact_number(one) * value_chart.exact_number(other),
    }


@adapter("masterbook-effects.mb-sfx-04")
def arithmetic(given: Given, roll: MakeDice) -> Outputs:
    for operation in ("multiply", "divide"):
        if operation in given:
            return _combined(given[operation], operation)
    if "measure" in given:
        lifted = value_chart.value_in(given["measure"], unit_name(given["unit"]), "inclusive_up")
        return {"value": lifted, "lifting_dn": lifted}
    if "strength" in given:
        thrown = value_chart.impact_value(given["strength"], given["mass_value"])
        return {"damage_value_before_bonus": thrown}
    mass, height = chart_value(given["mass_kg"]), chart_value(given["height_m"])
    return {
        "mass_value": mass,
        "height_value": height,
        "damage_value_before_bonus": value_chart.impact_value(mass, height),
    }


# --- who may cast, and the world ------------------------------------------------------------------


_FLAW = (
    "Special Effects (CIII): Conjuration; effect: a fireball",
    "Advantage Flaw (CI): Special Effects (CIII); flaw: it hurts; difficulty: 2",
)


@adapter("masterbook-effects.mb-sfx-12")
def access(given: Given, roll: MakeDice) -> Outputs:
    adds = given.get("skill_adds", 1)
    sheet = MasterbookSheet(
        mind=given.get("attribute", 10), skills=(Skill(_SKILL, adds),) if adds else ()
    )
    sheet = with_options(sheet, *(_FLAW if given.get("special_effects_flaw") else ()))
    blueprint = Blueprint("a fireball", _SKILL, given=GivenFigures(given["dn"], 0))
    known = KnownEffect(blueprint, learned=True, approved=True)
    try:
        figures = cast_figures(OptionTable(anna=sheet).game(), "anna", known, 0)
    except Impossible:
        return {"allowed": False}
    success = cast_result(given.get("skill_total", 0), figures).success
    return {"allowed": True, "effective_dn": figures.dn, "success": success}


#: Settings of examples, and their names in the project.
_SETTINGS = {"sfx_world_dn_modifier": "effect_world_difficulty"}


def _game(given: Given) -> Game:
    """Return a table with the settings of an example."""
    settings = _settings(given)
    return OptionTable(
        {name: settings[key] for key, name in _SETTINGS.items() if key in settings}
    ).game()


@adapter("masterbook-effects.mb-sfx-14")
def world(given: Given, roll: MakeDice) -> Outputs:
    figures = effect_settings.world_figures(_game(given), Figures(given["dn"], 0), _SKILL, 0)
    return {"effective_dn": figures.dn}


# --- castings -------------------------------------------------------------------------------------


def _damage(harm: Damage) -> dict[str, object] | None:
    if harm == Damage():
        return None
    return {
        "wounds": harm.wounds,
        "knockdown": harm.knockdown,
        "ko": harm.ko or None,
        "shock": harm.shock,
    }


def _settings(given: Given) -> Mapping[str, Any]:
    return given.get("settings", {})


def _result_outputs(given: Given, result: CastResult) -> dict[str, object]:
    """Return what a casting comes to, with its feedback by the example's setting."""
    resist = _settings(given).get("sfx_feedback_resist", "none")
    mind = given.get("caster_mind", 0)
    return {
        "success": result.success,
        "result_points": result.points,
        "remaining_feedback": result.feedback,
        "damage_row": effect_values.feedback_row(result.feedback, resist, mind),
        "feedback_damage": _damage(effect_values.feedback_damage(result.feedback, resist, mind)),
        "ev_bonus": result.bonus,
    }


def _cast_time(given: Given) -> Outputs:
    value = given["cast_time_value"]
    working, elapsed = measure(value), effect_values.cast_seconds(value)
    return {
        "working_seconds": working,
        "elapsed_seconds": elapsed,
        "doubled": elapsed != working,
    }


@adapter("masterbook-effects.mb-sfx-20")
@adapter("masterbook-effects.mb-sfx-21")
def casting(given: Given, roll: MakeDice) -> Outputs:
    if "cast_time_values" in given:
        seconds = [effect_values.cast_seconds(value) for value in given["cast_time_values"]]
        return {"seconds": seconds, "rounds": [effect_values.rounds_of(each) for each in seconds]}
    if "cast_time_value" in given:
        return _cast_time(given)
    outputs: dict[str, object] = {}
    if "dice" in given:
        lying = dice.throw(roll(given["dice"]), tens=True)
        throw = Throw("", "", given["skill_value"], (), lying)
        total = throw.total
        outputs = {
            "die_total": lying.total,
            "bonus_number": throw.whole_bonus,
            "skill_total": total,
        }
    else:
        total = given["skill_total"]
    result = effect_values.cast_result(total, Figures(given["dn"], given["feedback_value"]))
    final = effect_values.final_effect_value(given["effect_value"], result.bonus)
    return outputs | _result_outputs(given, result) | {"final_effect_value": final}


@adapter("masterbook-effects.mb-sfx-31")
def support(given: Given, roll: MakeDice) -> Outputs:
    feedback_value, game = given["feedback_value"], _game(given)
    if "willpower_total" in given:
        held = Result(given["willpower_total"], given["willpower_dn"]).success
        figures = Figures(given["dn"], feedback_value)
        result = effect_values.cast_result(given["skill_total"], figures, spoiled=not held)
        rolls = True
    elif "interrupted" in given:
        assert given["interrupted"] and given["cast_time_value"]
        figures = Figures(0, feedback_value)
        result = effect_values.failed_result(figures, effect_settings.interrupt_feedback(game))
        rolls = False
    else:
        rolls = Result(given["gesture_total"], given["gesture_dn"]).success
        assert not rolls
        figures = Figures(0, feedback_value)
        result = effect_values.failed_result(figures, effect_settings.autofail_feedback(game))
    return {
        **_result_outputs(given, result),
        "effect_works": result.success,
        "sfx_roll_allowed": rolls,
        "cast_time_lost": not result.success,
    }


@adapter("masterbook-effects.mb-sfx-28")
def maintenance(given: Given, roll: MakeDice) -> Outputs:
    if "maintenance" in given:
        blueprint = Blueprint(
            "effect", "Conjuration", charges=given["charges"], maintenance=given["maintenance"]
        )
        return {"valid": not work_out(blueprint).errors}
    result = Result(given["skill_total"], given["maintenance_dn"])
    left = effect_values.remaining_feedback(result.points, given["maintenance_fv"])
    return {
        "success": result.success,
        "result_points": result.points,
        "remaining_feedback": left,
        "effect_value_running": given["effect_value_running"],
    }


@adapter("masterbook-effects.mb-sfx-29")
def ward(given: Given, roll: MakeDice) -> Outputs:
    result = effect_values.cast_result(given["skill_total"], Figures(given["dn"], 0))
    return {"ward_perception": result.points}


# --- what effects do ------------------------------------------------------------------------------


def _applied(given: Given) -> int:
    """Return the effect value that meets the trait, by its rank if there is one."""
    value = given["effect_value"]
    if "attribute_rank" not in given:
        return value
    rank = given["attribute_rank"]
    return applied_effect_values(value, max(2, rank))[rank - 1]


@adapter("masterbook-effects.mb-sfx-24")
def changing(given: Given, roll: MakeDice) -> Outputs:
    trait = "perception" if "perception" in given else "attribute"
    effect_value, value = _applied(given), given[trait]
    by = effect_values.change_of_value(effect_value, value)
    signs = {"increase": 1, "decrease": -1}
    return {
        "applied_effect_value": effect_value,
        "result_points": Result(effect_value, value).points,
        "push": by,
        f"new_{trait}": changed_value(value, signs[given["direction"]] * by),
    }


@adapter("masterbook-effects.mb-sfx-23")
def resisted(given: Given, roll: MakeDice) -> Outputs:
    if "toughness" in given:
        effect_value = _applied(given)
        struck = damage.resolve_hit(0, effect_value, given["toughness"])
        return {
            "applied_effect_value": effect_value,
            "result_points": Result(effect_value, given["toughness"]).points,
            "damage": _damage(struck.damage),
            "lost_to_hit_points": Result(given["to_hit_total"], given["dodge"]).points,
        }
    effect_value = effect_values.final_effect_value(given["effect_value"], given.get("ev_bonus", 0))
    reached = Result(effect_value, given["resist"])
    points = reached.points
    questions = points if reached.success else 0
    outputs: dict[str, object] = {
        "applied_effect_value": effect_value,
        "result_points": points,
        "questions": questions,
    }
    left = given.get("seconds_left", effect_values.duration_seconds(_PROBE_DURATION))
    if "target_leaves_range" in given:
        away = _FAR if given["target_leaves_range"] else 0
        return outputs | {"effect_ended": not effect_values.stays_with(away, 0, focused=False)}
    used = _PROBE_SECONDS[questions]
    return outputs | {"seconds_used": used, "seconds_left": left - used}


#: Meters at which a target has left the range of the mind probe.
_FAR = 10_000


@adapter("masterbook-effects.mb-sfx-25")
def general(given: Given, roll: MakeDice) -> Outputs:
    points = Result(given["effect_value"], given["time_value"]).points
    return {"result_points": points, "success_level": success_level(points)}


@adapter("masterbook-effects.mb-sfx-10")
def summoning(given: Given, roll: MakeDice) -> Outputs:
    return {"teleported": effect_values.teleports(given["effect_value"], given["mass_value"])}


@adapter("masterbook-effects.mb-sfx-22")
def falloff(given: Given, roll: MakeDice) -> Outputs:
    assert _settings(given)["sfx_area_falloff"]
    bonus = area_bonus(EffectArea(given["dims"], given["diameter_m"]))
    return {
        "to_hit": [effect_values.area_bonus_at(bonus, meters) for meters in given["distances_m"]]
    }


@adapter("masterbook-effects.mb-sfx-32")
def several_targets(given: Given, roll: MakeDice) -> Outputs:
    total, targets = given["to_hit_total"], given["targets"]
    penalties = [multi_action_penalty(rank, targets) for rank in range(1, targets + 1)]
    return {"totals": [cause_total((("total", total), ("rank", loss))) for loss in penalties]}


# --- time and place -------------------------------------------------------------------------------


@adapter("masterbook-effects.mb-sfx-26")
def running(given: Given, roll: MakeDice) -> Outputs:
    if "cast_end_second" in given:
        lasts = effect_values.duration_seconds(given["duration_value"], given["extend_points_used"])
        return {"expires_at_second": given["cast_end_second"] + lasts}
    reach = chart_value(given["range_m"], "inclusive_up")
    return {
        "active": effect_values.stays_with(
            given["target_distance_m"], reach, focused=given["focused"]
        )
    }


@adapter("masterbook-effects.mb-sfx-27")
def slow_arrival(given: Given, roll: MakeDice) -> Outputs:
    meters = Fraction(given["target_distance_m"])
    assert effect_values.stays_with(meters, given["range_value"], focused=False)
    way = effect_values.travel(meters, given["speed_value"])
    outputs: dict[str, object] = {
        "target_range_value": chart_value(meters, "inclusive_up"),
        "travel_time_value": way.value,
        "travel_seconds": way.seconds,
        "travel_seconds_max": way.seconds,
        "dodge_bonus": way.bonus,
    }
    if "duration_value" in given:
        lasts = effect_values.duration_seconds(given["duration_value"])
        outputs |= {"duration_seconds": lasts, "arrives": effect_values.arrives(way, lasts)}
    return outputs


@adapter("masterbook-effects.mb-sfx-33")
def moving(given: Given, roll: MakeDice) -> Outputs:
    rule = _settings(given).get("sfx_apportation_speed", "push")
    effect_value, mass = given["effect_value"], given["mass_value"]
    speed = effect_values.carrying_speed(effect_value, mass, rule)
    if speed is None:
        return {"moved": False}
    points = Result(effect_value, mass).points
    return {
        "moved": True,
        "result_points": points,
        "push": push(points).push,
        "speed_value": speed.value,
        f"metres_per_{speed.per}": measure(speed.value),
    }


# --- illusions ------------------------------------------------------------------------------------


@adapter("masterbook-effects.mb-sfx-30")
def disbelief(given: Given, roll: MakeDice) -> Outputs:
    intellect = given["intellect"]
    if "hours_since_death" in given:
        window = effect_values.revival_seconds(intellect)
        revived = effect_values.is_revived(
            given["first_aid_total"], disbelieved=given["disbelief_succeeds"]
        )
        return {
            "window_hours": window // _HOUR,
            "revived": revived and given["hours_since_death"] * _HOUR <= window,
        }
    encouraged = given.get("encouraged", False)
    more = (("encouraged", effect_values.ENCOURAGED),) if encouraged else ()
    lying = dice.throw(roll(given["dice"]), tens=False)
    throw = Throw("", "", intellect, more, lying)
    return {
        "bonus_number": throw.whole_bonus,
        "total": throw.total,
        "disbelieved": Result(throw.total, given["disbelief_dn"]).success,
    }


_HOUR = 3600

"""Adapters for the worked examples of MasterBook: skills."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from rules.core.errors import Impossible, RulesError
from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill, skill_title
from rules.systems.masterbook.checks import roll_sources
from rules.systems.masterbook.formulas import (
    attack_options,
    attributes,
    damage,
    dice,
    movement,
    multi_actions,
    skill_numbers,
    skill_rules,
    skills,
    success_chart,
    value_chart,
)
from rules.systems.masterbook.formulas.skill_rules import SkillTotal, SkillUse
from rules.systems.masterbook.settings import SETTINGS
from tests.conformance.masterbook_names import make_throw, modifiers
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_USUAL = {field.key: field.default for field in SETTINGS.fields}
_RENAMED = {
    "slope_lt_90": "slope_under_90",
    "slope_lt_60": "slope_under_60",
    "slope_lt_45": "slope_under_45",
    "downhill_lt_15": "downhill_under_15",
    "downhill_15_30": "downhill_15_to_30",
    "heavy_rain_snow": "heavy_rain_or_snow",
    "wall_safe_deadbolt": "wall_safe",
}
_ATTRIBUTES = {each.attribute for each in skills.SKILLS.values()}


def _setting(given: Given) -> Callable[[str], Any]:
    said = given.get("settings", {})
    return lambda key: said.get(key, _USUAL[key])


def _skill(text: str) -> str:
    name = text.replace("_", " ").partition(":")[0].partition("(")[0].strip()
    return next(
        each
        for each in skills.SKILLS
        if each.casefold().replace("-", " ") == name.replace("-", " ")
    )


def _rows(ids: Iterable[str]) -> list[str]:
    return [_RENAMED.get(each, each) for each in ids]


def _read(points: int) -> dict[str, Any]:
    level = success_chart.success_level(points)
    return {
        "rp": points,
        "success": points >= 0,
        "level": "fail" if level == success_chart.NO_RESULT else level,
        "level_index": success_chart.rank(points),
    }


def _ids(given: Given) -> list[str]:
    """The rows of a chart that an example names."""
    return _rows([*given.get("rows", ()), *([given["row"]] if "row" in given else [])])


def _number(given: Given, skill: str = "", base: int | None = None) -> int | None:
    """The difficulty number: said, or put together, with rows of the skill's charts; None where
    there is none.
    """
    said = next((given[each] for each in ("dn", "base_dn", "defense") if each in given), base)
    rows = _ids(given)
    if said is None and not rows:
        return None
    number = skills.difficulty(skill, rows, base=said) if skill and rows else said
    return (number or 0) + sum(given.get("dn_mods", [])) + sum(given.get("mods", []))


def _total(given: Given, roll: MakeDice, *more: tuple[str, int]) -> dict[str, Any]:
    """Dice or a bonus, or a total alone."""
    shifts = (*more, ("modifier", given.get("total_mod", 0)))
    if "dice" in given:
        faces = given["dice"]
        thrown = dice.throw(roll(faces), given.get("trained", len(faces) > 2))
        throw = dice.Throw("", "", given["value"], shifts, thrown, given.get("floor"))
        return {"die_total": thrown.total, "bonus": throw.bonus, "total": throw.total}
    if "bonus" in given:
        known = dice.Roll((dice.least_die_total(given["bonus"]),))
        total = dice.Throw("", "", given["value"], shifts, known).total
        assert given.get("total", total) == total
        return {"bonus": given["bonus"], "total": total}
    return {"total": given["total"]} if "total" in given else {}


def _thrown(
    given: Given, roll: MakeDice, skill: str = "", base: int | None = None
) -> dict[str, Any]:
    """A roll, against a difficulty number where there is one."""
    found, number = _total(given, roll), _number(given, skill, base)
    if number is not None:
        found["dn"] = number
        if "total" in found:
            found |= _read(found["total"] - number)
    return found


def _tries(given: Given, roll: MakeDice, name: str) -> dict[str, Any]:
    """Whether a skill may be tried at all, and what comes of it; without adds as far as
    that goes.
    """
    if "skills" in given:
        kinds = [skills.SKILLS[_skill(each)] for each in given["skills"]]
        harder = [
            0 if given["adds"] else skills.untrained_penalty(each, _setting(given))
            for each in kinds
        ]
        return {"allowed": [each is not None for each in harder]}
    found = _thrown(given, roll, name)
    if "skill" in given:
        kind = skills.SKILLS[_skill(given["skill"])]
        more = 0 if given["adds"] else skills.untrained_penalty(kind, _setting(given))
        found |= {"allowed": more is not None}
        if "dn" in found:
            found["dn"] += more or 0
    return found


def _plain(*names: str) -> None:
    for name in names:

        @adapter(f"masterbook-skills.mb-skill-{name.casefold().replace(' ', '-')}")
        def run(given: Given, roll: MakeDice, name: str = name) -> Outputs:
            return _tries(given, roll, name)

        del run


_plain("Linguistics", "Prestidigitation", "Beast Riding", "Business", "Navigation", "Flight")
_plain("Maneuver", "Mechanical Maneuver", "Lock Picking", "Computer Ops")


@adapter("masterbook-skills.mb-skill-science")
def science(given: Given, roll: MakeDice) -> Outputs:
    # The number for the skill itself, or the higher one for a related skill.
    own, related = given.get("dn_with_skill"), given.get("dn_related")
    assert "dn" not in given or (own, related) == (None, None) or given["dn"] in (own, related)
    return {"dn_with_skill": own, **_tries(given, roll, "Science")}


@adapter("masterbook-skills.mb-skill-01")
def value(given: Given, roll: MakeDice) -> Outputs:
    if "skill" not in given:
        found, trained = attributes.skill_value(
            given.get("attribute", 0), given.get("general_adds", 0), given.get("spec_adds", 0)
        )
        if "attribute" in given:
            assert (given.get("value", found), given.get("trained", trained)) == (found, trained)
        return _thrown(given, roll)
    special = given["spec_adds"] if "(" in given["skill"] else given["spec_adds"] * 0
    found, trained = attributes.skill_value(given["attribute"], given["general_adds"], special)
    return {"value": found, "trained": trained}


@adapter("masterbook-skills.mb-skill-02")
def untrained(given: Given, roll: MakeDice) -> Outputs:
    if "skill" not in given:
        return _thrown(given, roll)
    name = _skill(given["skill"])
    kind = skills.SKILLS[name]
    assert given.get("untrained", kind.untrained) == kind.untrained
    assert given.get("penalty") in (None, kind.penalty)
    rows = given["rows"] if "rows" in given else [given["row"]] if "row" in given else []
    rare = skills.rows_modifier(name, _rows(rows)) if kind.untrained == "gm_table" else 0
    harder = skills.untrained_penalty(kind, _setting(given), rare)
    harder = 0 if given["adds"] else harder
    return {"allowed": harder is not None, "dn_modifier": harder}


@adapter("masterbook-skills.mb-skill-03")
def focus(given: Given, roll: MakeDice) -> Outputs:
    kind = skills.SKILLS[_skill(given["skill"])]
    plain = given.get(kind.attribute, 0)
    learned = [Skill(kind.name, adds, each) for each, adds in dict(given["adds_by_focus"]).items()]
    rolled = roll_sources.find_source(
        MasterbookSheet(skills=tuple(learned)), skill_title(kind.name, given["focus_needed"])
    )
    found, trained = attributes.skill_value(plain, rolled.adds)
    allowed = trained or skills.untrained_penalty(kind, _setting(given)) is not None
    return {"value": found, "trained": trained, "allowed": allowed}


@adapter("masterbook-skills.mb-skill-04")
def specialization(given: Given, roll: MakeDice) -> Outputs:
    special = given["spec_adds"]
    try:
        for _ in range(given["buy"]):
            special = skills.raise_specialization(given["general_adds"], special)
    except Impossible:
        return {"allowed": False}
    return {"allowed": True, "new_spec": special}


@adapter("masterbook-skills.mb-skill-05")
def overlapping(given: Given, roll: MakeDice) -> Outputs:
    plain = next(given[each] for each in _ATTRIBUTES if each in given)
    found = {
        each.removesuffix("_adds"): attributes.skill_value(plain, given[each])[0]
        for each in given
        if each.endswith("_adds")
    }
    name, best = skills.best_skill(found)
    return {"defense_value": best, "uses": name}


@adapter("masterbook-skills.mb-skill-acrobatics")
def acrobatics(given: Given, roll: MakeDice) -> Outputs:
    if "damage_rp" in given:
        points = given["acrobatics_total"] - given["dn"]
        assert given["dn"] == skills.difficulty("Acrobatics", ["reduce_fall"])
        read = _read(points)
        return {
            "acro_rp": points,
            **read,
            "final_rp": movement.cushioned_points(given["damage_rp"], read["level_index"]),
        }
    if "acrobatics" in given:
        worse = ("acrobatics", -skills.rows_modifier("Acrobatics", ["resist_maneuver"]))
        if given.get("passive", not {"dice", "dice_total"} & set(given)):
            return {"defense": attack_options.passive_defense_value(given["acrobatics"], (worse,))}
        floor, mine = attack_options.active_defense_floor(""), given["acrobatics"]
        return {"defense": make_throw(given, roll, mine, (worse,), floor=floor, tens=True).total}
    if "defense" in given:
        assert skills.rows_modifier("Acrobatics", ["combat_maneuver"]) in given["dn_mods"]
    return _thrown(given, roll, "Acrobatics")


@adapter("masterbook-skills.mb-eq-40")
def geared(given: Given, roll: MakeDice) -> Outputs:
    """Gear that changes a number, or puts another in its place."""
    return climbing(given, roll) if "surface" in given else _thrown(given, roll)


@adapter("masterbook-skills.mb-skill-climbing")
def climbing(given: Given, roll: MakeDice) -> Outputs:
    if "weight_value" in given:
        return _fallen(given, roll)
    if "surface" in given and not {"total", "dice", "bonus"} & set(given):
        surface = given["surface"]
        ids = [surface] if isinstance(surface, str) else []
        base: Any = None if ids else surface
        if "slope" in given:
            ids.append("slope_" + re.sub(r" degrees$", "", given["slope"]).replace(" ", "_"))
        ladder = ["ladder"] if given.get("ladder") else []
        more = sum(given.get("mods", []))
        return {
            "dn": skills.difficulty("Climbing", [*ids, *ladder], base=base) + more,
            "dn_without_ladder": skills.difficulty("Climbing", ids, base=base) + more,
        }
    number = given.get("dn")
    if isinstance(given.get("surface"), int):
        number = given["surface"] + sum(given.get("mods", []))
        assert given.get("dn", number) == number
    rolled = _total(given, roll)
    points = rolled["total"] - number
    mode = given.get("mode", "normal")
    if mode == "push":
        found = movement.resolve_push("Climbing", points, given["mrc"])
        meters, trouble, gained, shock = found.meters, found.trouble, found.push, found.shock
    else:
        meters, trouble = movement.climb_without_push(
            points, given.get("mrc", 0), mode == "careful"
        )
        gained = shock = 0
    return {
        **rolled,
        "dn": number,
        **_read(points),
        "result": trouble or "success",
        "meters": meters,
        "push": gained,
        "shock": shock,
    }


def _fallen(given: Given, roll: MakeDice) -> dict[str, Any]:
    distance = (
        given["fall_value"] if "fall_value" in given else value_chart.chart_value(given["fall_m"])
    )
    if "dice" in given:
        throw = dice.Throw(
            "", "", roll=dice.throw(roll(given["dice"]), False), floor=dice.FALL_FLOOR
        )
        assert given.get("bonus", found := dice.bonus_number(throw.roll.total)) == found
        used = throw.bonus
    else:
        used = max(given["bonus"], dice.FALL_FLOOR)
    assert given.get("used_bonus", used) == used
    tough, worn = given.get("toughness", 0), given.get("armor", 0)
    fall = damage.resolve_fall(given["weight_value"], distance, used, tough, worn)
    return {
        "distance_value": fall.distance,
        "used_bonus": used,
        "damage": fall.value,
        "rp": fall.over,
    }


@adapter("masterbook-skills.mb-skill-running")
def running(given: Given, roll: MakeDice) -> Outputs:
    if "mrg" not in given:
        rounds = given["rounds_run"] if "rounds_run" in given else given["rounds"]
        special = given.get("long_distances", 0)
        each = [
            movement.running_shock(number, given["endurance"], special)
            for number in range(1, rounds + 1)
        ]
        return {"shock": sum(each), "shock_this_round": each[-1]}
    rate = attributes.capped_rate("ground", given["mrg"])
    more = sum(given.get("dn_mods", [])) + skills.rows_modifier("Running", _ids(given))
    number = movement.push_difficulty("Running", rate) + more
    rolled = _total(given, roll)
    if not rolled:
        return {"dn": number}
    points = rolled["total"] - number
    found = movement.resolve_push("Running", points, rate)
    return {
        **rolled,
        "dn": number,
        **_read(points),
        "push": found.push,
        "shock": found.shock,
        "meters": found.meters,
        "knocked_down": found.trouble == "fall",
    }


@adapter("masterbook-skills.mb-skill-lifting")
def lifting(given: Given, roll: MakeDice) -> Outputs:
    reached = given["lc"] if "lc" in given else movement.lift_capacity(given["strength"])
    assert "strength" not in given or movement.lift_capacity(given["strength"]) == reached
    mass = (
        value_chart.chart_value(given["mass_kg"], "inclusive_up")
        if "mass_kg" in given
        else given["dn"]
    )
    assert given.get("dn", mass) == mass
    rolled = _thrown(given, roll, base=mass)
    found = movement.resolve_lift(
        reached, mass, rolled["rp"], realistic=_setting(given)("realistic_limits")
    )
    return {
        **rolled,
        "push": found.push,
        "shock": found.shock,
        "new_lc": found.reached,
        "kg": value_chart.measure(found.reached),
        "lifted": found.lifted,
    }


@adapter("masterbook-skills.mb-skill-long-jumping")
def jumping(given: Given, roll: MakeDice) -> Outputs:
    if "mrj" not in given:
        return _thrown(given, roll, "Long Jumping")
    rate = attributes.capped_rate("jumping", given["mrj"])
    if "load_percent" in given:
        said = given["load_percent"]
        loads = said if isinstance(said, list) else [said]
        rows = [skills.load_row("Long Jumping", each) for each in loads]
        found = [
            skills.difficulty("Long Jumping", [each] if each else [], base=rate) for each in rows
        ]
        return {"dn": found if isinstance(said, list) else found[0]}
    more = sum(given.get("dn_mods", [])) + skills.rows_modifier("Long Jumping", _ids(given))
    number = movement.push_difficulty("Long Jumping", rate) + more
    rolled = _total(given, roll)
    if not rolled:
        return {"dn": number}
    points = rolled["total"] - number
    pushed = movement.resolve_push("Long Jumping", points, rate)
    return {
        **rolled,
        "dn": number,
        **_read(points),
        "push": pushed.push,
        "shock": pushed.shock,
        "meters": pushed.meters,
    }


@adapter("masterbook-skills.mb-skill-swimming")
def swimming(given: Given, roll: MakeDice) -> Outputs:
    if "base_dn" in given:
        known = {row.id for row in skills.rows_of("Swimming")}
        ids = [each for each in given if each in known and given[each]]
        number = skills.difficulty("Swimming", [*ids, *_ids(given)], base=given["base_dn"])
        number += sum(given.get("dn_mods", []))
        rolled = _total(given, roll)
        if not rolled:
            return {"dn": number}
        points = rolled["total"] - number
        return {**rolled, "dn": number, **_read(points), "drowning": movement.is_sinking(points)}
    if "mrs" in given and "dn" not in given:
        rate = attributes.capped_rate("swimming", given["mrs"])
        more = sum(given.get("dn_mods", [])) + skills.rows_modifier("Swimming", _ids(given))
        number = movement.push_difficulty("Swimming", rate) + more
        rolled = _total(given, roll)
        if not rolled and "totals" not in given:
            return {"dn": number}
        totals = given["totals"] if "totals" in given else [rolled["total"]]
        found = [movement.resolve_push("Swimming", each - number, rate) for each in totals]
        under = [movement.is_sinking(each - number) for each in totals]
        outputs: dict[str, Any] = {
            "rp": [each - number for each in totals],
            "push": [each.push for each in found],
            "meters": [0 if sunk else each.meters for each, sunk in zip(found, under, strict=True)],
            "shock": [
                movement.DROWNING_SHOCK if sunk else each.shock
                for each, sunk in zip(found, under, strict=True)
            ],
            "drowning": under,
        }
        if "totals" not in given:
            outputs = {key: each[0] for key, each in outputs.items()}
        return {"dn": number, **outputs}
    points = given["total"] - given["dn"]
    under = movement.is_sinking(points, given.get("breathes_water", False))
    if "rolls" not in given:
        swum = movement.meters_without_push(points, given.get("mrs", 0)) if "mrs" in given else None
        return {
            "rp": points,
            "drowning": under,
            "meters": swum,
            "shock": movement.DROWNING_SHOCK * under,
        }
    assert "swimming totals" in given.get("note", "swimming totals")
    state: movement.Drowning | None = movement.Drowning(given["dn"])
    shock, rounds, died = movement.DROWNING_SHOCK, 0, False
    for total in given["rolls"]:
        assert state is not None
        gasp = movement.resolve_drowning_round(
            state, total, shock, given.get("capacity", 99), given.get("endurance", 99)
        )
        state, shock, rounds, died = gasp.state, shock + gasp.shock, rounds + 1, gasp.died
    return {
        "saved": state is None,
        "shock": shock,
        "rounds": rounds,
        "drowning": under,
        "dead": died,
    }


@adapter("masterbook-skills.mb-skill-stealth")
def stealth(given: Given, roll: MakeDice) -> Outputs:
    if _setting(given)("stealth_many_watchers") == "multi_target":
        of = given["watchers"]
        return {
            "totals": [
                given["total"] + multi_actions.multi_action_penalty(rank, of)
                for rank in range(1, of + 1)
            ]
        }
    if not {"watcher_values", "perception"} & set(given):
        return _thrown(given, roll, "Stealth")
    perceptions = given["watcher_values"] if "watcher_values" in given else [given["perception"]]
    many = multi_actions.group_modifiers(given.get("watchers", len(perceptions)))[0]
    more = sum(given.get("dn_mods", [])) + skills.rows_modifier("Stealth", _ids(given))
    number = skill_numbers.stealth_difficulty(perceptions, many) + more
    rolled = _total(given, roll)
    return {**rolled, "dn": number, **_read(rolled["total"] - number)} if rolled else {"dn": number}


@adapter("masterbook-skills.mb-skill-vehicle-piloting")
def piloting(given: Given, roll: MakeDice) -> Outputs:
    if not {"rp", "total", "dice", "bonus"} & set(given):
        return _tries(given, roll, "Vehicle Piloting")
    rolled = {"rp": given["rp"]} if "rp" in given else _thrown(given, roll, "Vehicle Piloting")
    found = {**rolled, "extra_meters": movement.meters_without_push(rolled["rp"], rolled["rp"])}
    if "speed_value" in given:
        found["meters"] = movement.vehicle_meters(given["speed_value"], rolled["rp"])
    return found


@adapter("masterbook-skills.mb-skill-sfx")
def special_effects(given: Given, roll: MakeDice) -> Outputs:
    rolled = {"rp": given["rp"]} if "rp" in given else _thrown(given, roll)
    left = skill_numbers.backlash(rolled["rp"], given["feedback"])
    return {**rolled, "feedback_left": left.feedback, "effect_bonus": left.bonus}


@adapter("masterbook-skills.mb-skill-summoning")
def summoning(given: Given, roll: MakeDice) -> Outputs:
    said = given.get("target_bonus", 0)
    bonuses = said if isinstance(said, list) else [said]
    found = [
        skill_numbers.can_summon(given["effect_value"], given["mass_value"], each)
        for each in bonuses
    ]
    return {"teleported": found if isinstance(said, list) else found[0]}


@adapter("masterbook-skills.mb-skill-camouflage")
def camouflage(given: Given, roll: MakeDice) -> Outputs:
    if "length_m" in given:
        length, width, height = skill_numbers.size_values(
            [given[f"{each}_m"] for each in ("length", "width", "height")]
        )
        found = {"value_length": length, "value_width": width, "value_height": height}
        return {**found, "dn": sum(found.values())}
    points = given["rp"] if "rp" in given else given["total"] - given["dn"]
    more = 0
    if "stealth_rows" in given:
        more = skills.rows_modifier("Stealth", _rows(given["stealth_rows"]))
    if "stealth_mods" in given:
        assert more in (0, sum(given["stealth_mods"]))
        more = sum(given["stealth_mods"])
    spot = skill_numbers.spot_number(points, more)
    return {"rp": points, "spot_dn": spot, "hidden": spot is not None}


@adapter("masterbook-skills.mb-skill-deduction")
def deduction(given: Given, roll: MakeDice) -> Outputs:
    if "needed_level" not in given:
        return _thrown(given, roll, "Deduction")
    number = _number(given, "Deduction")
    assert number is not None
    bands = success_chart.COLUMNS["general"]
    at = [each.id for each in bands].index(given["needed_level"])
    least = number + bands[at].least
    most = number + bands[at + 1].least - 1 if at + 1 < len(bands) else None
    return {"dn": number, "total_range_for_level": [least, most]}


@adapter("masterbook-skills.mb-skill-demolitions")
def demolitions(given: Given, roll: MakeDice) -> Outputs:
    if "toughness" in given:
        return {"damage": skill_numbers.wrecking_damage(given["toughness"], given["wounds"])}
    if "explosive_dv" not in given:
        return _tries(given, roll, "Demolitions")
    number = skill_numbers.packing_difficulty(given["explosive_dv"])
    rolled = _total(given, roll)
    points = rolled["total"] - number
    return {
        **rolled,
        "dn": number,
        **_read(points),
        "push": success_chart.push(points).push,
        "new_dv": skill_numbers.packed_damage_value(given["explosive_dv"], points),
    }


@adapter("masterbook-skills.mb-skill-forgery")
def forgery(given: Given, roll: MakeDice) -> Outputs:
    rows = sum(given.get("mods", [])) + skills.rows_modifier("Forgery", _ids(given))
    rolled = _total(given, roll, ("rows", -rows))
    told = skill_rules.consequences_of(
        SkillUse("Forgery", {}, _setting(given)), SkillTotal(rolled["total"])
    )
    return {**rolled, "inspector_dn": told[0].number}


@adapter("masterbook-skills.mb-skill-perception")
def perception(given: Given, roll: MakeDice) -> Outputs:
    if "stealth_total" not in given:
        return _thrown(given, roll)
    many, suspects = "perception_totals" in given, given.get("suspects", False)
    totals = given["perception_totals"] if many else [given["perception_total"]]
    found = [
        attack_options.surprise_level(given["stealth_total"], each, suspects=suspects)
        for each in totals
    ]
    return {"surprise": found if many else found[0]}


@adapter("masterbook-skills.mb-skill-teaching")
def teaching(given: Given, roll: MakeDice) -> Outputs:
    adds = skill_numbers.teaching_adds(given["teaching_adds"], given["relation"])
    found: dict[str, Any] = {"effective_adds": adds}
    if "student_adds" in given:
        knows = given.get("teacher_subject_adds", 1)
        found["may_teach"] = skill_numbers.may_teach(adds, knows, given["student_adds"])
    if "intellect" in given:
        found["value"], _ = attributes.skill_value(given["intellect"], adds)
    return found


@adapter("masterbook-skills.mb-skill-tracking")
def tracking(given: Given, roll: MakeDice) -> Outputs:
    if "dn" in given or "base_dn" in given:
        return _thrown(given, roll, "Tracking")
    numbers = dict[str, int]()
    found: dict[str, Any] = {}
    if "persons" in given:
        numbers["per_person"] = skill_numbers.tracked_count(
            given["persons"], _setting(given)("track_first_person_counts")
        )
    if "vehicles" in given:
        numbers["per_vehicle"] = given["vehicles"]
    if "quarry" in given:
        how = given["quarry"]
        if "quarry_total" in given:
            points = given["quarry_total"] - given["tracker_value"]
            found = {"quarry_rp": points, "quarry_level": _read(points)["level"]}
            rank = success_chart.rank(points)
        else:
            rank = given[f"{how}_levels"] + 1
        ranks = {each: rank if each == how else 0 for each in ("stealth", "survival")}
        row, levels = skill_numbers.hidden_trail(ranks["stealth"], ranks["survival"])
        assert given.get(f"{how}_levels", levels) == levels
        numbers[row] = levels
    base = (skills.SKILLS["Tracking"].base or 0) + sum(given.get("mods", []))
    number = skills.difficulty("Tracking", [*_ids(given), *numbers], numbers, base)
    rolled = _total(given, roll)
    read = _read(rolled["total"] - number) if rolled else {}
    return {**rolled, "dn": number, **read, **found}


@adapter("masterbook-skills.mb-skill-artist")
def artist(given: Given, roll: MakeDice) -> Outputs:
    rows = skills.CHARTS["artist_quality"].rows
    rolled = {} if "totals" in given else _thrown(given, roll)
    said = given["totals"] if "totals" in given else [rolled["total"]]
    found = [row.id for each in said if (row := skills.read_off(rows, each))]
    return {**rolled, "quality": found if "totals" in given else found[0]}


@adapter("masterbook-skills.mb-skill-hypnotism")
def hypnotism(given: Given, roll: MakeDice) -> Outputs:
    number = skill_numbers.trance_difficulty(
        given["mind"], given["willing"], given.get("willpower_value", 0)
    )
    return _thrown(given, roll, base=number)


@adapter("masterbook-skills.mb-skill-language")
def language(given: Given, roll: MakeDice) -> Outputs:
    rows = skills.CHARTS["language_levels"].rows
    said = given["adds"]
    found = [
        row.id if (row := skills.read_off(rows, each)) else None
        for each in (said if isinstance(said, list) else [said])
    ]
    return {"levels": found, "level": found[0]}


@adapter("masterbook-skills.mb-skill-scholar")
def scholar(given: Given, roll: MakeDice) -> Outputs:
    if "mind" not in given:
        return _thrown(given, roll)
    found, possible = skill_numbers.science_value(given["mind"], given["adds"])
    return {"value": found, "allowed": possible}


@adapter("masterbook-skills.mb-skill-disguise")
def disguise(given: Given, roll: MakeDice) -> Outputs:
    if "disguise_total" in given:
        hidden, seen = given["disguise_total"], given["perception_total"]
        found: dict[str, Any] = {"penetrated": skill_numbers.is_disguise_detected(hidden, seen)}
        if "disguise_level" in given:
            rank = success_chart.ladder("general").index(given["disguise_level"])
            found["real_appearance_seen"] = skill_numbers.is_wearer_recognized(hidden, seen, rank)
        return found
    who = given.get("who", "self_aided")
    rows = [*_ids(given), *([who] if who == "self_unaided" else [])]
    try:
        number = skills.difficulty(
            "Disguise", rows, base=skill_numbers.disguise_base(not who.startswith("self"))
        )
    except RulesError:
        return {"allowed": False}
    less = skill_numbers.stranger_difficulty(number)
    found: dict[str, Any] = {
        "allowed": True,
        "dn": number,
        "dn_for_knower": number,
        "dn_for_stranger": less,
    }
    rolled = _total(given, roll)
    if rolled:
        total = rolled["total"] + given.get("kit", 0)
        found |= {**rolled, "total": total}
        stranger = _read(total - less)
        found |= _read(total - (number if given.get("observer_knows_person", True) else less))
        found |= {"rp_for_stranger": total - less, "level_for_stranger": stranger["level"]}
    return found


@adapter("masterbook-skills.mb-skill-streetwise")
def streetwise(given: Given, roll: MakeDice) -> Outputs:
    return _thrown(given, roll, "Streetwise")


@adapter("masterbook-skills.mb-skill-survival")
def survival(given: Given, roll: MakeDice) -> Outputs:
    if "adds" not in given:
        return _thrown(given, roll, "Survival")
    relation = (
        given["relation"]
        if "relation" in given
        else skill_numbers.environment_relation(given["focus"], given["environment"])
    )
    adds = skill_numbers.usable_adds(given["adds"], relation or "focus")
    assert given["adds"] - given.get("penalty", given["adds"]) <= adds
    found: dict[str, Any] = {"usable_adds": adds}
    found["value"], found["trained"] = attributes.skill_value(given.get("confidence", 0), adds)
    if "dn" in given:
        found["bonus_needed"] = given["dn"] - found["value"]
    if "dice" in given:
        rolled = make_throw(given, roll, found["value"], tens=found["trained"])
        found |= {"die_total": rolled.roll.total, "bonus": rolled.bonus, "total": rolled.total}
        if "dn" in given:
            found |= _read(rolled.total - given["dn"])
    return found


@adapter("masterbook-skills.mb-skill-willpower")
def willpower(given: Given, roll: MakeDice) -> Outputs:
    assert "skill" not in given or _skill(given["skill"])
    plain = given["confidence"]
    found = skill_numbers.best_resistance(
        plain, given.get("willpower_adds", 0), given.get("alt", plain)
    )
    outputs: dict[str, Any] = {"defense": found.value, "uses": found.uses, "trained": found.trained}
    if {"dice", "dice_total", "die_total", "bonus"} & set(given):
        # An active defense.
        floor = attack_options.active_defense_floor("")
        rolled = make_throw(
            given, roll, found.value, modifiers(given), floor=floor, tens=found.trained
        )
        told = {"rolled_bonus": dice.bonus_number(rolled.roll.total), "used_bonus": rolled.bonus}
        outputs |= {**told, "bonus_used": rolled.bonus, "defense": rolled.total}
    return outputs


@adapter("masterbook-skills.mb-skill-faith")
def faith(given: Given, roll: MakeDice) -> Outputs:
    against = (
        given["faith_adds"]
        if given["attack_against_the_faith"]
        else given["faith_adds"] * 0 or None
    )
    found = skill_numbers.best_resistance(
        given["confidence"], given["willpower_adds"], given.get("alt", 0), against
    )
    return {"defense": found.value, "uses": found.uses, "trained": found.trained}

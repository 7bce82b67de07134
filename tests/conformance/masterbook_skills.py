"""Adapters for the worked examples of MasterBook: skills."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from rules.core.errors import Impossible
from rules.systems.masterbook import (
    body,
    chart,
    combat,
    damage,
    dice,
    follows,
    means,
    movement,
    skills,
    turns,
    uses,
    values,
)
from rules.systems.masterbook.follows import Case, Total
from rules.systems.masterbook.settings import SETTINGS
from rules.systems.masterbook.sheet import MasterbookSheet, Skill, titled
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_USUAL = {field.key: field.usual for field in SETTINGS.fields}
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
    return next(each for each in skills.SKILLS if each.casefold().replace("-", " ") == name.replace("-", " "))


def _rows(ids: Iterable[str]) -> list[str]:
    return [_RENAMED.get(each, each) for each in ids]


def _read(points: int) -> dict[str, Any]:
    level = chart.level(points)
    return {
        "rp": points,
        "success": points >= 0,
        "level": "fail" if level == chart.NONE else level,
        "level_index": chart.rank(points),
    }


def _number(given: Given) -> int:
    """The difficulty number: said, or put together."""
    base = given["dn"] if "dn" in given else given["base_dn"]
    return base + sum(given.get("dn_mods", [])) + sum(given.get("mods", []))


def _thrown(given: Given, roll: MakeDice) -> dict[str, Any]:
    """Dice or a bonus, or a total alone, against a difficulty number where there is one."""
    found: dict[str, Any] = {}
    if "dice" in given:
        thrown = dice.throw(roll(given["dice"]), given["trained"])
        throw = dice.Throw("", "", given["value"], (), thrown, given.get("floor"))
        found |= {"die_total": thrown.total, "bonus": throw.bonus, "total": throw.total}
    elif "bonus" in given:
        found |= {"bonus": given["bonus"], "total": given["value"] + given["bonus"]}
        assert given.get("total", found["total"]) == found["total"]
    elif "total" in given:
        found["total"] = given["total"]
    if "dn" in given or "base_dn" in given:
        found["dn"] = _number(given)
        if "total" in found:
            found |= _read(found["total"] - found["dn"])
    return found


def _plain(*procedures: str) -> None:
    for each in procedures:
        adapter(f"masterbook-skills.mb-skill-{each}")(_thrown)


_plain("linguistics", "prestidigitation", "beast-riding", "business", "navigation")
_plain("flight", "maneuver", "mechanical-maneuver")


@adapter("masterbook-skills.mb-skill-science")
def science(given: Given, roll: MakeDice) -> Outputs:
    assert given["dn_related"] == given["dn"]
    return {"dn_with_skill": given["dn_with_skill"], **_thrown(given, roll)}


@adapter("masterbook-skills.mb-skill-01")
def value(given: Given, roll: MakeDice) -> Outputs:
    if "skill" not in given:
        return _thrown(given, roll)
    special = given["spec_adds"] if "(" in given["skill"] else given["spec_adds"] * 0
    found, trained = body.skill_value(given["attribute"], given["general_adds"], special)
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
    rare = skills.shift(name, _rows(rows)) if kind.untrained == "gm_table" else 0
    harder = 0 if given["adds"] else skills.untrained(kind, _setting(given), rare)
    return {"allowed": harder is not None, "dn_modifier": harder}


@adapter("masterbook-skills.mb-skill-03")
def focus(given: Given, roll: MakeDice) -> Outputs:
    kind = skills.SKILLS[_skill(given["skill"])]
    plain = given.get(kind.attribute, 0)
    learned = [Skill(kind.name, adds, each) for each, adds in dict(given["adds_by_focus"]).items()]
    rolled = means.find(MasterbookSheet(skills=tuple(learned)), titled(kind.name, given["focus_needed"]))
    found, trained = body.skill_value(plain, rolled.adds)
    allowed = trained or skills.untrained(kind, _setting(given)) is not None
    return {"value": found, "trained": trained, "allowed": allowed}


@adapter("masterbook-skills.mb-skill-04")
def specialization(given: Given, roll: MakeDice) -> Outputs:
    try:
        return {
            "allowed": True,
            "new_spec": skills.bought(given["general_adds"], given["spec_adds"], given["buy"]),
        }
    except Impossible:
        return {"allowed": False}


@adapter("masterbook-skills.mb-skill-05")
def overlapping(given: Given, roll: MakeDice) -> Outputs:
    plain = next(given[each] for each in _ATTRIBUTES if each in given)
    found = {
        each.removesuffix("_adds"): body.skill_value(plain, given[each])[0]
        for each in given
        if each.endswith("_adds")
    }
    name, best = skills.better(found)
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
            "final_rp": uses.cushioned(given["damage_rp"], read["level_index"]),
        }
    if "passive" in given:
        assert given["passive"]
        return {"defense": given["acrobatics"] - skills.shift("Acrobatics", ["resist_maneuver"])}
    if "defense" in given:
        more = skills.shift("Acrobatics", ["combat_maneuver"])
        assert given["dn_mods"] == [more]
        number = given["defense"] + more
        total = given["value"] + given["bonus"]
        return {"dn": number, "total": total, **_read(total - number)}
    return _thrown(given, roll)


@adapter("masterbook-skills.mb-skill-climbing")
def climbing(given: Given, roll: MakeDice) -> Outputs:
    if "weight_value" in given:
        return _fallen(given, roll)
    if "surface" in given and "total" not in given:
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
    if "surface" in given:
        assert given["surface"] + sum(given["mods"]) == given["dn"]
    points = given["total"] - given["dn"]
    assert (
        given.get("value", 0) + given.get("bonus", given["total"] - given.get("value", 0)) == given["total"]
    )
    mode = given.get("mode", "normal")
    if mode == "push":
        found = movement.pushed("Climbing", points, given["mrc"])
        metres, trouble, gained, shock = found.metres, found.trouble, found.push, found.shock
    else:
        metres, trouble = uses.climbed(points, given["mrc"], mode == "careful")
        gained = shock = 0
    return {
        **_read(points),
        "result": trouble or "success",
        "meters": metres,
        "push": gained,
        "shock": shock,
    }


def _fallen(given: Given, roll: MakeDice) -> dict[str, Any]:
    distance = given["fall_value"] if "fall_value" in given else values.value(given["fall_m"])
    if "dice" in given:
        throw = dice.Throw("", "", roll=dice.throw(roll(given["dice"]), False), floor=dice.FALLING)
        assert given.get("bonus", found := dice.bonus(throw.roll.total)) == found
        used = throw.bonus
    else:
        used = max(given["bonus"], dice.FALLING)
    assert given.get("used_bonus", used) == used
    fall = damage.fall(given["weight_value"], distance, used, given["toughness"], given.get("armor", 0))
    return {"distance_value": fall.distance, "used_bonus": used, "damage": fall.value, "rp": fall.over}


@adapter("masterbook-skills.mb-skill-running")
def running(given: Given, roll: MakeDice) -> Outputs:
    if "mrg" not in given:
        rounds = given["rounds_run"] if "rounds_run" in given else given["rounds"]
        special = given.get("long_distances", 0)
        each = [uses.winded(number, given["endurance"], special) for number in range(1, rounds + 1)]
        return {"shock": sum(each), "shock_this_round": each[-1]}
    rate = body.effective("ground", given["mrg"])
    number = movement.push_number("Running", rate, more=sum(given["dn_mods"]))
    thrown = _thrown(given, roll)
    points = thrown["total"] - number
    found = movement.pushed("Running", points, rate)
    return {
        "dn": number,
        **_read(points),
        "push": found.push,
        "shock": found.shock,
        "meters": found.metres,
        "knocked_down": found.trouble == "fall",
    }


@adapter("masterbook-skills.mb-skill-lifting")
def lifting(given: Given, roll: MakeDice) -> Outputs:
    reached = given["lc"]
    assert "strength" not in given or movement.capacity(given["strength"]) == reached
    thrown = _thrown(given, roll)
    found = movement.lift(reached, given["dn"], thrown["rp"])
    return {
        **thrown,
        "push": found.push,
        "shock": found.shock,
        "new_lc": found.reached,
        "kg": values.measure(found.reached),
        "lifted": found.lifted,
    }


@adapter("masterbook-skills.mb-skill-long-jumping")
def jumping(given: Given, roll: MakeDice) -> Outputs:
    rate = body.effective("jumping", given["mrj"])
    if "load_percent" in given:
        said = given["load_percent"]
        loads = said if isinstance(said, list) else [said]
        rows = [skills.load("Long Jumping", each) for each in loads]
        found = [skills.difficulty("Long Jumping", [each] if each else [], base=rate) for each in rows]
        return {"dn": found if isinstance(said, list) else found[0]}
    number = movement.push_number("Long Jumping", rate, more=sum(given["dn_mods"]))
    points = _thrown(given, roll)["total"] - number
    pushed = movement.pushed("Long Jumping", points, rate)
    return {
        "dn": number,
        **_read(points),
        "push": pushed.push,
        "shock": pushed.shock,
        "meters": pushed.metres,
    }


@adapter("masterbook-skills.mb-skill-swimming")
def swimming(given: Given, roll: MakeDice) -> Outputs:
    if "base_dn" in given:
        ids = [each for each in given if each != "base_dn" and given[each] is True]
        known = {row.id for row in skills.rows_of("Swimming")}
        return {"dn": skills.difficulty("Swimming", known.intersection(ids), base=given["base_dn"])}
    if "mrs" in given:
        rate = body.effective("swimming", given["mrs"])
        number = movement.push_number("Swimming", rate, more=sum(given["dn_mods"]))
        totals = given["totals"] if "totals" in given else [given["total"]]
        found = [movement.pushed("Swimming", each - number, rate) for each in totals]
        under = [uses.sinks(each - number) for each in totals]
        outputs: dict[str, Any] = {
            "rp": [each - number for each in totals],
            "push": [each.push for each in found],
            "meters": [0 if sunk else each.metres for each, sunk in zip(found, under, strict=True)],
            "shock": [
                uses.DROWNING_SHOCK if sunk else each.shock for each, sunk in zip(found, under, strict=True)
            ],
            "drowning": under,
        }
        if "totals" not in given:
            outputs = {key: each[0] for key, each in outputs.items()}
        return {"dn": number, **outputs}
    points = given["total"] - given["dn"]
    under = uses.sinks(points)
    if "rolls" not in given:
        return {"rp": points, "drowning": under}
    assert "swimming totals" in given.get("note", "swimming totals")
    state: uses.Drowning | None = uses.Drowning(given["dn"])
    shock, rounds, died = uses.DROWNING_SHOCK, 0, False
    for total in given["rolls"]:
        assert state is not None
        gasp = uses.under_water(state, total, shock, given.get("capacity", 99), given.get("endurance", 99))
        state, shock, rounds, died = gasp.state, shock + gasp.shock, rounds + 1, gasp.died
    return {"saved": state is None, "shock": shock, "rounds": rounds, "drowning": under, "dead": died}


@adapter("masterbook-skills.mb-skill-stealth")
def stealth(given: Given, roll: MakeDice) -> Outputs:
    if _setting(given)("stealth_many_watchers") == "multi_target":
        of = given["watchers"]
        return {"totals": [given["total"] + turns.multi(rank, of) for rank in range(1, of + 1)]}
    perceptions = given["watcher_values"] if "watcher_values" in given else [given["perception"]]
    many = turns.group(given.get("watchers", len(perceptions)))[0]
    return {"dn": uses.watched(perceptions, many, sum(given["dn_mods"]))}


@adapter("masterbook-skills.mb-skill-lock-picking")
def lock_picking(given: Given, roll: MakeDice) -> Outputs:
    if "skill" not in given:
        return _thrown(given, roll)
    kind = skills.SKILLS[_skill(given["skill"])]
    harder = 0 if given["adds"] else skills.untrained(kind, _setting(given))
    return {"dn": _number(given) + (harder or 0), "allowed": harder is not None}


@adapter("masterbook-skills.mb-skill-vehicle-piloting")
def piloting(given: Given, roll: MakeDice) -> Outputs:
    if "base_dn" in given:
        return {"dn": _number(given)}
    thrown = _thrown(given, roll)
    found = {**thrown, "extra_meters": uses.sped(thrown["rp"])}
    if "speed_value" in given:
        found["meters"] = uses.driven(given["speed_value"], thrown["rp"])
    return found


@adapter("masterbook-skills.mb-skill-sfx")
def special_effects(given: Given, roll: MakeDice) -> Outputs:
    thrown = _thrown(given, roll)
    left = uses.backlash(thrown["rp"], given["feedback"])
    return {**thrown, "feedback_left": left.feedback, "effect_bonus": left.bonus}


@adapter("masterbook-skills.mb-skill-summoning")
def summoning(given: Given, roll: MakeDice) -> Outputs:
    said = given.get("target_bonus", 0)
    bonuses = said if isinstance(said, list) else [said]
    found = [uses.teleported(given["effect_value"], given["mass_value"], each) for each in bonuses]
    return {"teleported": found if isinstance(said, list) else found[0]}


@adapter("masterbook-skills.mb-skill-camouflage")
def camouflage(given: Given, roll: MakeDice) -> Outputs:
    if "length_m" in given:
        length, width, height = uses.sizes([given[f"{each}_m"] for each in ("length", "width", "height")])
        found = {"value_length": length, "value_width": width, "value_height": height}
        return {**found, "dn": sum(found.values())}
    points = given["rp"] if "rp" in given else given["total"] - given["dn"]
    more = 0
    if "stealth_rows" in given:
        more = skills.shift("Stealth", _rows(given["stealth_rows"]))
    if "stealth_mods" in given:
        assert more in (0, sum(given["stealth_mods"]))
        more = sum(given["stealth_mods"])
    spot = uses.spot_number(points, more)
    return {"rp": points, "spot_dn": spot, "hidden": spot is not None}


@adapter("masterbook-skills.mb-skill-computer-ops")
def allowed(given: Given, roll: MakeDice) -> Outputs:
    kinds = [skills.SKILLS[_skill(each)] for each in given["skills"]]
    found = [bool(given["adds"]) or skills.untrained(each, _setting(given)) is not None for each in kinds]
    return {"allowed": found}


@adapter("masterbook-skills.mb-skill-deduction")
def deduction(given: Given, roll: MakeDice) -> Outputs:
    if "needed_level" not in given:
        return _thrown(given, roll)
    number = _number(given)
    bands = chart.COLUMNS["general"]
    at = [each.id for each in bands].index(given["needed_level"])
    least = number + bands[at].least
    most = number + bands[at + 1].least - 1 if at + 1 < len(bands) else None
    return {"dn": number, "total_range_for_level": [least, most]}


@adapter("masterbook-skills.mb-skill-demolitions")
def demolitions(given: Given, roll: MakeDice) -> Outputs:
    if "toughness" in given:
        return {"damage": uses.wrecking(given["toughness"], given["wounds"])}
    if "explosive_dv" not in given:
        return _thrown(given, roll)
    number = uses.packed_number(given["explosive_dv"])
    points = given["total"] - number
    return {
        "dn": number,
        **_read(points),
        "push": chart.push(points).push,
        "new_dv": uses.packed(given["explosive_dv"], points),
    }


@adapter("masterbook-skills.mb-skill-forgery")
def forgery(given: Given, roll: MakeDice) -> Outputs:
    thrown = dice.throw(roll(given["dice"]), given["trained"])
    throw = dice.Throw("", "", given["value"], (("rows", -sum(given["mods"])),), thrown)
    told = follows.tells_of(Case("Forgery", {}, _setting(given)), Total(throw.total))
    found = {"die_total": thrown.total, "bonus": throw.bonus, "total": throw.total}
    return {**found, "inspector_dn": told[0].number}


@adapter("masterbook-skills.mb-skill-perception")
def perception(given: Given, roll: MakeDice) -> Outputs:
    if "stealth_total" not in given:
        return _thrown(given, roll)
    found = [
        combat.surprise(given["stealth_total"], each, suspects=given.get("suspects", False))
        for each in given["perception_totals"]
    ]
    return {"surprise": found}


@adapter("masterbook-skills.mb-skill-teaching")
def teaching(given: Given, roll: MakeDice) -> Outputs:
    adds = uses.teaching_adds(given["teaching_adds"], given["relation"])
    may = uses.may_teach(adds, given["teacher_subject_adds"], given["student_adds"])
    return {"effective_adds": adds, "may_teach": may}


@adapter("masterbook-skills.mb-skill-tracking")
def tracking(given: Given, roll: MakeDice) -> Outputs:
    if "mods" not in given:
        return _thrown(given, roll)
    numbers = dict[str, int]()
    found: dict[str, Any] = {}
    if "persons" in given:
        numbers["per_person"] = uses.tracked(given["persons"], _setting(given)("track_first_person_counts"))
    if "vehicles" in given:
        numbers["per_vehicle"] = given["vehicles"]
    if "quarry" in given:
        points = given["quarry_total"] - given["tracker_value"]
        ranks = {
            each: chart.rank(points) if each == given["quarry"] else 0 for each in ("stealth", "survival")
        }
        row, levels = uses.hidden_trail(ranks["stealth"], ranks["survival"])
        assert given.get(f"{given['quarry']}_levels", levels) == levels
        numbers[row] = levels
        found = {"quarry_rp": points, "quarry_level": _read(points)["level"]}
    base = (skills.SKILLS["Tracking"].base or 0) + sum(given["mods"])
    return {"dn": skills.difficulty("Tracking", numbers, numbers, base), **found}


@adapter("masterbook-skills.mb-skill-artist")
def artist(given: Given, roll: MakeDice) -> Outputs:
    rows = skills.CHARTS["artist_quality"].rows
    said = given["totals"] if "totals" in given else [given["total"]]
    found = [row.id for each in said if (row := skills.read_off(rows, each))]
    return {"quality": found if "totals" in given else found[0]}


@adapter("masterbook-skills.mb-skill-hypnotism")
def hypnotism(given: Given, roll: MakeDice) -> Outputs:
    return {"dn": uses.trance(given["mind"], given["willing"], given.get("willpower_value", 0))}


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
    found, possible = uses.as_science(given["mind"], given["adds"])
    return {"value": found, "allowed": possible}


@adapter("masterbook-skills.mb-skill-disguise")
def disguise(given: Given, roll: MakeDice) -> Outputs:
    if "disguise_total" in given:
        hidden, seen = given["disguise_total"], given["perception_total"]
        found: dict[str, Any] = {"penetrated": uses.seen_through(hidden, seen)}
        if "disguise_level" in given:
            rank = chart.ladder("general").index(given["disguise_level"])
            found["real_appearance_seen"] = uses.made_out(hidden, seen, rank)
        return found
    who = given["who"]
    rows = [*_rows(given["rows"]), *([who] if who == "self_unaided" else [])]
    number = skills.difficulty("Disguise", rows, base=uses.disguise_base(not who.startswith("self")))
    less = uses.stranger(number)
    found = {"dn": number, "dn_for_knower": number, "dn_for_stranger": less}
    if "total" in given:
        total = given["total"] + given.get("kit", 0)
        stranger = _read(total - less)
        found |= _read(total - (number if given.get("observer_knows_person", True) else less))
        found |= {"rp_for_stranger": total - less, "level_for_stranger": stranger["level"]}
    return found


@adapter("masterbook-skills.mb-skill-streetwise")
def streetwise(given: Given, roll: MakeDice) -> Outputs:
    if "rows" in given:
        return {"dn": skills.difficulty("Streetwise", given["rows"])}
    return _thrown(given, roll)


@adapter("masterbook-skills.mb-skill-survival")
def survival(given: Given, roll: MakeDice) -> Outputs:
    relation = (
        given["relation"] if "relation" in given else uses.environment(given["focus"], given["environment"])
    )
    adds = uses.usable_adds(given["adds"], relation or "focus")
    assert given["adds"] - given.get("penalty", given["adds"]) <= adds
    found: dict[str, Any] = {"usable_adds": adds}
    found["value"], found["trained"] = body.skill_value(given.get("confidence", 0), adds)
    if "dn" in given:
        found["bonus_needed"] = given["dn"] - found["value"]
    return found


@adapter("masterbook-skills.mb-skill-willpower")
def willpower(given: Given, roll: MakeDice) -> Outputs:
    assert _skill(given["skill"])
    found = uses.resists(given["confidence"], given["willpower_adds"], given["alt"])
    return {"defense": found.value, "uses": found.uses, "trained": found.trained}


@adapter("masterbook-skills.mb-skill-faith")
def faith(given: Given, roll: MakeDice) -> Outputs:
    against = given["faith_adds"] if given["attack_against_the_faith"] else given["faith_adds"] * 0 or None
    found = uses.resists(given["confidence"], given["willpower_adds"], given.get("alt", 0), against)
    return {"defense": found.value, "uses": found.uses, "trained": found.trained}

"""Adapters for the worked examples of gear under MasterBook."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from rules.core.errors import RulesError
from rules.systems.masterbook.character.sheet import Layer, MasterbookSheet
from rules.systems.masterbook.combat.declaration import AttackPlan
from rules.systems.masterbook.combat.resolution import worn_armor
from rules.systems.masterbook.formulas import damage as blows
from rules.systems.masterbook.formulas import dice as rolls
from rules.systems.masterbook.formulas import equipment as equipment_rules
from rules.systems.masterbook.formulas import success_chart
from rules.systems.masterbook.formulas.attack_options import (
    attack_modifiers,
    combine_options,
    declare_strike,
    passive_defense_value,
)
from rules.systems.masterbook.formulas.equipment import (
    CLEAR,
    UNARMED,
    WEAPONS,
    ArmorKind,
    WeaponKind,
    armored_toughness,
)
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.systems.masterbook.formulas.reference_rows import Causes, cause_total
from tests.conformance.masterbook_attack_options import options_of
from tests.conformance.masterbook_names import causes, first, make_throw, modifiers
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_GRENADE = WEAPONS["Fragmentation grenade"]
#: Columns of Equipment as the examples write them, in their order.
_EQUIPMENT_GRADES = (None, "CI", "CII", "CIII", "CIV")
_DIRECTIONS = {"back": "back toward thrower", "over": "over the target (long)"}


def _layers(given: Given) -> list[ArmorKind]:
    return [ArmorKind("", add, most) for add, most in given.get("layers", [])]


def _armored(given: Given) -> int:
    worn = armored_toughness(given.get("toughness", 0), _layers(given))
    return worn + sum([given.get(each, 0) for each in ("armor", "cover")])


def _weapon(given: Given) -> WeaponKind:
    """A weapon by its name, or with numbers of its own."""
    if "weapon" in given:
        row = WEAPONS.get(given["weapon"], UNARMED.replace(name=given["weapon"], nonlethal=False))
        return row.replace(add=given.get("add", row.add), maximum=given.get("max", row.maximum))
    if "mass_value" in given:
        return UNARMED.replace(name="stone", add=given["mass_value"])
    if "strength" in given and "dv" not in given:
        plain = WeaponKind("", "Melee Combat", nonlethal=given.get("nonlethal", False))
        return plain.replace(name="weapon", add=given.get("add", 0), maximum=given.get("max"))
    kind = given.get("weapon_class", "")
    return WeaponKind("", "Fire Combat", kind, dv=given.get("dv", given.get("damage_value", 0)))


@adapter("masterbook-skills.mb-eq-01")
@adapter("masterbook-skills.mb-eq-20")
@adapter("masterbook-skills.mb-eq-21")
@adapter("masterbook-skills.mb-eq-22")
def damage(given: Given, dice: MakeDice) -> Outputs:
    if "dvs" in given:
        return {"average": fmean(given["dvs"])}
    settings = given.get("settings", {})
    bump = settings.get("nonlethal_damage_bump", 0)
    bump = bump if settings.get("non_lethal") else 0
    close = settings.get("rifle_point_blank_damage", False)
    weapon, strength = _weapon(given), given.get("strength", 0)
    reach = "" if "distance_m" not in given else _reach(weapon, given["distance_m"], strength)
    dv = equipment_rules.damage_value(weapon, strength, reach=reach, close=close, bump=bump)
    found: dict[str, object] = {
        "dv": dv,
        "uncapped": equipment_rules.damage_value(weapon.replace(maximum=None), strength, bump=bump),
        "fist_dv": equipment_rules.damage_value(UNARMED, strength),
        "damage": dv,
    }
    if "bow_value" in given:
        found["attack_value"] = passive_defense_value(
            given["bow_value"], modifiers(given, "attack_mod")
        )
    points = first(given, ("to_hit_rp", "rp", "result_points"))
    if points is not None:
        bare, worn = given.get("toughness", 0), _armored(given)
        more = cause_total(
            causes(*[given[each] for each in ("damage_mods", "damage_mod") if each in given])
        )
        capped = settings.get("damage_cap", False)
        hurt = blows.resolve_hit(points, dv, worn, more=more, capped=capped)
        found |= {
            "armored": worn,
            "credited_rp": hurt.points,
            "damage": hurt.total,
            "rp_damage": hurt.over,
            "rp_without_armor": blows.resolve_hit(points, dv, bare, more=more, capped=capped).over,
            "result": hurt.damage.text,
        }
    return found


def _reach(weapon: WeaponKind, meters: Any, strength: int) -> str:
    found = equipment_rules.reach_at(weapon, meters, strength)
    return "" if found is None else found.name


@adapter("masterbook-skills.mb-eq-02")
@adapter("masterbook-skills.mb-eq-03")
@adapter("masterbook-skills.mb-eq-23")
def ranged(given: Given, dice: MakeDice) -> Outputs:
    if "strength" in given and "distance_m" not in given:
        return damage(given, dice)
    if "targets" in given:
        return _targets(given, dice)
    kind = first(given, ("weapon_class", "type")) or "pistol"
    weapon = WeaponKind("", "Fire Combat", str(kind), dv=given.get("dv", 0))
    if "add" in given:
        weapon = weapon.replace(dv=None, add=given["add"], maximum=given.get("max"))
    allowed = True
    loaded = first(given, ("rounds_loaded", "loaded", "rounds_left"))
    mode = given.get("mode", "")
    if mode == "single_as_multi" and kind == "shotgun":
        able = [given.get(each, False) for each in ("pump_action", "autofeed", "double_barrel")]
        keys = {"pump_action", "autofeed", "double_barrel"} & set(given)
        allowed = not keys or any(able)
    if "distance_m" not in given:
        ways = equipment_rules.fire_modes(weapon, loaded)
        return {"allowed": allowed and (not mode or mode in ways), "modes": ways}
    strength = given.get("strength", 8)
    names = options_of([mode, *given.get("options", []), given.get("option")])
    try:
        if not allowed:
            return {"allowed": False, "band": _band(weapon, given, strength), "attack_mod": None}
        shot = declare_strike(weapon, given["distance_m"], names, strength=strength, loaded=loaded)
    except RulesError:
        return {"allowed": False, "band": _band(weapon, given, strength), "attack_mod": None}
    assert shot.reach is not None
    number = equipment_rules.range_modifier(weapon, shot.reach, shot.mode)
    declared = combine_options(names)
    close = given.get("settings", {}).get("rifle_point_blank_damage", False)
    dv = equipment_rules.damage_value(weapon, strength, reach=shot.reach.name, close=close)
    found: dict[str, object] = {
        "allowed": True,
        "band": shot.reach.name,
        "attack_mod": number,
        "range_mod": number,
        "option_attack": cause_total(declared.attack),
        "dv": passive_defense_value(dv, declared.damage),
    }
    own = first(given, ("value", "skill_value"))
    if own is not None:
        added: Causes = (*attack_modifiers(shot), *modifiers(given))
        found |= dict.fromkeys(("attack_total", "total"), make_throw(given, dice, own, added).total)
    return found


def _band(weapon: WeaponKind, given: Given, strength: int) -> str | None:
    return _reach(weapon, given["distance_m"], strength) or None


def _targets(given: Given, dice: MakeDice) -> Outputs:
    added = causes(*[given[each] for each in ("full_auto", "mods") if each in given])
    total = (
        given["total"] if "total" in given else make_throw(given, dice, given["value"], added).total
    )
    number = given["targets"]
    each_total = [
        passive_defense_value(total, causes(multi_action_penalty(each, number)))
        for each in range(1, number + 1)
    ]
    return {"total": total, "per_target": each_total}


@adapter("masterbook-skills.mb-eq-04")
def ammunition(given: Given, dice: MakeDice) -> Outputs:
    if "capacities" in given:
        return {"rounds": [equipment_rules.burst_rounds(each) for each in given["capacities"]]}
    capacity, mode = given.get("capacity"), given.get("mode", "burst")
    if "rounds_left" not in given:
        return {"rounds": equipment_rules.burst_rounds(capacity)}
    left = given["rounds_left"]
    shots = first(given, ("shots", "declared_rounds"))
    try:
        after = (
            equipment_rules.rounds_after_attack(left, mode, capacity)
            if shots is None
            else equipment_rules.rounds_after_attack(left, mode, capacity, shots)
        )
    except RulesError:
        return {"allowed": False, "rounds_left": left, "rounds": 0}
    return {"allowed": True, "rounds_left": after, "rounds": left - after}


@adapter("masterbook-skills.mb-eq-05")
def standing(given: Given, dice: MakeDice) -> Outputs:
    weapon = WeaponKind("", "", given["weapon_class"])
    return {"standing": (_GRENADE if given["weapon_class"] == "grenade" else weapon).law}


@adapter("masterbook-skills.mb-eq-10")
def throwing(given: Given, dice: MakeDice) -> Outputs:
    reaches = equipment_rules.weapon_reaches(_GRENADE, given["strength"])
    found: dict[str, object] = {
        "max_values": [each.value for each in reaches],
        "max_meters": [each.limit for each in reaches],
        "empty_bands": [each.name for each in reaches if each.empty],
    }
    if "distance_m" in given:
        band = _band(_GRENADE, given, given["strength"])
        found |= {
            "band": band,
            "dn": None if band is None else _spot(given, band),
            "allowed": band is not None,
        }
    return found


def _spot(given: Given, band: str) -> int:
    named = equipment_rules.throw_difficulty(band, given.get("conditions", []))
    return cause_total((*named, *causes(given.get("dn_mods", []))))


@adapter("masterbook-skills.mb-eq-11")
def spot(given: Given, dice: MakeDice) -> Outputs:
    number = _spot(given, given["band"])
    found: dict[str, object] = {"dn": number}
    own, total = first(given, ("value", "skill_value")), first(given, ("total",))
    if own is not None:
        total = make_throw(given, dice, own, modifiers(given, "modifiers")).total
    if total is not None:
        points = total - number
        found |= {"total": total, "rp": points, "success": points >= 0, "on_target": points >= 0}
    return found


@adapter("masterbook-skills.mb-eq-12")
def deviation(given: Given, dice: MakeDice) -> Outputs:
    if "d10" in given:
        faces = given["d10"]
        if isinstance(faces, list):
            return {"directions": [equipment_rules.direction(each) for each in faces]}
        return {"direction": equipment_rules.direction(faces)}
    method = given.get("settings", {}).get("grenade_deviation_method", "random")
    miss = first(given, ("miss",))
    if miss is None and "dn" in given:
        miss = given["dn"] - given["total"]
    thrown_dice = [given["direction_d10"]]
    if "distance_roll" in given:
        thrown_dice.append(given["distance_roll"])
    meters = first(given, ("meters", "gm_meters", "entered_meters"))
    try:
        way, found = equipment_rules.roll_deviation(
            given["band"], dice(thrown_dice), method, miss=miss or 0, meters=meters
        )
    except RulesError:
        return {"allowed": False}
    return {"allowed": True, "direction": _DIRECTIONS.get(way, way), "meters": found}


def _zone(meters: Any) -> int | None:
    found = equipment_rules.blast_zone(meters)
    return None if found == CLEAR else found


@adapter("masterbook-skills.mb-eq-13")
def blast(given: Given, dice: MakeDice) -> Outputs:
    if "distances" in given:
        return {"zones": [_zone(each) for each in given["distances"]]}
    zone = given["zone"] if "zone" in given else _zone(given["distance_m"])
    points = first(given, ("throw_rp", "rp", "result_points")) or 0
    if not given.get("settings", {}).get("grenade_adds_result_points", False):
        points = 0
    if zone is None:
        given.get("dv")
        given.get("toughness")
        return {"zone": None, "damage": None, "rp_damage": None, "unharmed": True}
    total = equipment_rules.blast_damage_value(given.get("dv", _GRENADE.dv or 0), zone, points)
    hurt = blows.resolve_hit(0, total, _armored(given))
    return {
        "zone": zone,
        "damage": total,
        "rp_damage": hurt.over,
        "result": hurt.damage.text,
        "unharmed": False,
    }


@adapter("masterbook-skills.mb-eq-14")
def getting_clear(given: Given, dice: MakeDice) -> Outputs:
    found: dict[str, object] = {}
    total = first(given, ("total",))
    if total is None:
        own = first(given, ("value", "dodge", "agility")) or 0
        rolled = make_throw(given, dice, own, modifiers(given), floor=rolls.ACTIVE_DEFENSE_FLOOR)
        found |= {"rolled_bonus": rolls.bonus_number(rolled.roll.total), "used_bonus": rolled.bonus}
        total = rolled.total
    points = total - equipment_rules.CLEARING
    rank = success_chart.rank(points)
    zone = equipment_rules.zone_after_dodge(given["zone"], rank)
    return {
        **found,
        "total": total,
        "rp": points,
        "success": points >= 0,
        "level_index": rank,
        "new_zone": zone,
        "clear": zone == CLEAR,
    }


@adapter("masterbook-skills.mb-eq-30")
@adapter("masterbook-skills.mb-eq-32")
def armor(given: Given, dice: MakeDice) -> Outputs:
    partial = given.get("settings", {}).get("partial_armor_coverage", False)
    covered, tough = tuple(given.get("covered", ())), given["toughness"]
    layers = tuple([Layer("", each.add, each.maximum, covered) for each in _layers(given)])
    sheet = MasterbookSheet(toughness=tough, armour=layers)
    hits = given["hits"] if "hits" in given else [given.get("hit", "")]
    found = [
        tough + worn_armor(sheet, AttackPlan(options=(each,)), partial=partial) for each in hits
    ]
    return {"armored": found if "hits" in given else found[0]}


@adapter("masterbook-skills.mb-eq-50")
def finding(given: Given, dice: MakeDice) -> Outputs:
    if "codes" in given:
        return {"dns": [equipment_rules.availability_difficulty(each) for each in given["codes"]]}
    number = equipment_rules.availability_difficulty(given["code"])
    more = cause_total(causes(given.get("dn_mods", []), given.get("modifiers", [])))
    found: dict[str, object] = {
        "dn": None if number is None else passive_defense_value(number, causes(more))
    }
    own, total = first(given, ("value", "skill_value")), first(given, ("total",))
    if own is not None:
        total = make_throw(given, dice, own).total
    found["total"] = total
    if total is not None and number is not None:
        found |= {
            "rp": total - number - more,
            "success": total >= number + more,
            "found": total >= number + more,
        }
    return found


@adapter("masterbook-skills.mb-eq-51")
def equipment(given: Given, dice: MakeDice) -> Outputs:
    steps = _EQUIPMENT_GRADES.index(given.get("advantage"))
    code = equipment_rules.reachable_code(given.get("start_code", 0), steps)
    return {"reachable_code": code, "any_one_item": code is None}

"""Adapters for the worked examples of attack and defense under MasterBook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.core.errors import RulesError
from rules.systems.masterbook.formulas import attack_options, skills, success_chart
from rules.systems.masterbook.formulas import damage as blows
from rules.systems.masterbook.formulas.attack_options import (
    Strike,
    attack_modifiers,
    combine_options,
    declare_strike,
    passive_defense_value,
)
from rules.systems.masterbook.formulas.dice import Throw, bonus_number
from rules.systems.masterbook.formulas.equipment import UNARMED, WeaponKind, may_reload
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.systems.masterbook.formulas.reference_rows import (
    COVERS,
    FOCUSES,
    OPTIONS,
    Causes,
    cause_total,
)
from rules.systems.masterbook.formulas.skills import SKILLS
from tests.conformance.masterbook_names import (
    DEFENSES,
    causes,
    first,
    make_throw,
    modifiers,
    title_of,
)
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_HAND = ("Melee Combat", "Unarmed Combat", "Martial Arts")
_CLASSES = {"Missile Weapons": "small_bows", "Thrown Weapons": "throwing_knives_stars_darts"}


def options_of(names: Iterable[str | None]) -> list[str]:
    """Options by their ids, parts of the body without what says that they are some."""
    return [each.removeprefix("hit_location:") for each in names if each]


def weapon_of(given: Given) -> WeaponKind:
    """What an attack is made with, by its class or the skill that it takes."""
    skill = title_of(given.get("skill", "unarmed combat"))
    if "weapon_class" in given:
        return WeaponKind("", "Fire Combat", given["weapon_class"], dv=0)
    return (
        UNARMED.replace(skill=skill)
        if skill in _HAND
        else WeaponKind("", skill, _CLASSES.get(skill, "pistol"))
    )


def tried(
    weapon: WeaponKind, meters: Any, options: Iterable[str], strength: int = 8
) -> Strike | None:
    """An attack, None for one that is refused."""
    try:
        return declare_strike(weapon, meters, options, strength=strength)
    except RulesError:
        return None


@adapter("masterbook-core.mb-cmb-01")
def attack(given: Given, dice: MakeDice) -> Outputs:
    if "distances_m" not in given and "distance_m" not in given:
        return _rolled(given, dice)
    weapon, many = weapon_of(given), "distances_m" in given
    meters = given["distances_m"] if many else [given["distance_m"]]
    options = given.get("options", [given.get("option")])
    named = options if len(options) == len(meters) else [None] * len(meters)
    found = [
        tried(weapon, each, options_of([option]))
        for each, option in zip(meters, named, strict=True)
    ]
    allowed = [each is not None for each in found]
    numbers = [None if each is None else cause_total(attack_modifiers(each)) for each in found]
    return {
        "allowed": allowed if many else allowed[0],
        "attack_modifier": numbers if many else numbers[0],
    }


@adapter("masterbook-core.mb-cmb-05")
def _rolled(given: Given, dice: MakeDice) -> Outputs:
    added = list(modifiers(given))
    if "range_modifier" in given:
        added.append(("range", given["range_modifier"]))
    if "distance_m" in given:
        found = tried(weapon_of(given), given["distance_m"], options_of([given.get("mode")]))
        if found is None:
            return {"hit": False, "allowed": False, "total": None, "result_points": None}
        added += attack_modifiers(found)
    total = first(given, ("total", "attack_total"))
    if total is None:
        value = first(given, ("skill_value", "value", "attack_skill"))
        total = make_throw(given, dice, value or 0, tuple(added)).total
    points = total - given["dn"]
    return {
        "allowed": True,
        "total": total,
        "hit": points >= 0,
        "result_points": points if points >= 0 else None,
    }


@adapter("masterbook-core.mb-cmb-02")
def passive_defense(given: Given, dice: MakeDice) -> Outputs:
    number = passive_defense_value(first(given, DEFENSES) or 0, modifiers(given))
    return {"dn": number, "defense": number}


@adapter("masterbook-core.mb-cmb-03")
@adapter("masterbook-skills.mb-skill-dodge")
def active_defense(given: Given, dice: MakeDice) -> Outputs:
    acted = bool(first(given, ("acted", "has_acted", "already_acted")))
    surprised = given.get("surprise") == "complete" or bool(given.get("completely_surprised"))
    all_out = bool(given.get("all_out")) or given.get("option") == "all_out"
    if attack_options.no_defense_reason(acted=acted, surprised=surprised, all_out=all_out):
        return {"allowed": False, "active_defense_allowed": False}
    found = _active(given, dice)
    if found is None:
        return {**passive_defense(given, dice), "allowed": True, "active_defense_allowed": True}
    return {**found, "allowed": True, "active_defense_allowed": True}


def _active(given: Given, dice: MakeDice) -> dict[str, object] | None:
    if not {"dice", "dice_total", "die_total", "bonus"} & set(given):
        return None
    added = [*modifiers(given)]
    if "ranks" in given:
        ranks, declared = given["ranks"], given["declared"]
        numbers = {each: multi_action_penalty(ranks[each], len(declared)) for each in declared}
        added.append(("multi_action", numbers["active defense"]))
    focus = "judo" if given.get("judo") else given.get("focus", "")
    rolled = make_throw(
        given,
        dice,
        first(given, DEFENSES) or 0,
        tuple(added),
        floor=attack_options.active_defense_floor(focus),
    )
    return _defended(rolled)


def _defended(rolled: Throw) -> dict[str, object]:
    return {
        "die_total": rolled.roll.total,
        "bonus": bonus_number(rolled.roll.total),
        "rolled_bonus": bonus_number(rolled.roll.total),
        "bonus_used": rolled.bonus,
        "used_bonus": rolled.bonus,
        "defense": rolled.total,
        "total": rolled.total,
    }


@adapter("masterbook-core.mb-opt-01")
@adapter("masterbook-core.mb-opt-02")
@adapter("masterbook-core.mb-opt-03")
@adapter("masterbook-core.mb-opt-04")
@adapter("masterbook-core.mb-opt-05")
def options(given: Given, dice: MakeDice) -> Outputs:
    if "round_1" in given:
        return _aimed(given)
    if "damage" in given:
        turned = blows.convert_damage(
            _damage(given["damage"]), 0, fells=attack_options.has_effect([given["option"]], "fells")
        )
        return {**_parts(turned), "damage": turned.text}
    names = options_of([*given.get("options", []), given.get("option"), given.get("location")])
    try:
        declared = combine_options(names)
    except RulesError:
        return {"allowed": False}
    found: dict[str, object] = {
        "allowed": True,
        "attack": cause_total(declared.attack),
        "attack_modifier": cause_total(declared.attack),
        "defense": cause_total(declared.defense),
        "damage": cause_total(declared.damage),
        "damage_modifier": cause_total(declared.damage),
        "active_defense_allowed": all(OPTIONS[each].active for each in names),
        "holds": attack_options.has_effect(names, "holds"),
    }
    own = first(given, DEFENSES)
    if own is not None:
        found |= dict.fromkeys(
            ("own_dodge_now", "own_defense_now"), passive_defense_value(own, declared.defense)
        )
    if "attack_skill_total" in given:
        found["attack_total"] = passive_defense_value(given["attack_skill_total"], declared.attack)
    elif "attack_total" in given:
        given.get("note")
        found["attack_total"] = given["attack_total"]
    if "dn" in given:
        found |= _hit(given, found["attack_total"], declared.damage)
    return found


def _aimed(given: Given) -> dict[str, object]:
    now, dodge = combine_options([given["round_1"]]), first(given, DEFENSES)
    lost = given.get("hit_while_aiming", False) or given.get("target_lost", False)
    later = combine_options([] if lost else ["aimed_last_round"])
    return {
        "round_1_dodge": None if dodge is None else passive_defense_value(dodge, now.defense),
        "round_2_attack_total": passive_defense_value(
            given["round_2_attack_skill_total"], later.attack
        ),
        "round_2_damage_modifier": cause_total(later.damage),
    }


def _hit(given: Given, total: Any, damage: Causes) -> dict[str, object]:
    points = total - given["dn"]
    if points < 0 or "damage_value" not in given:
        for each in ("damage_value", "toughness", "armor", "settings"):
            given.get(each)  # a miss does nothing to anybody
        return {"hit": points >= 0, "result_points": points if points >= 0 else None}
    cap = given.get("settings", {}).get("damage_cap", False)
    found = blows.resolve_hit(
        points,
        given["damage_value"],
        given["toughness"],
        armor=given.get("armor", 0),
        more=cause_total(damage),
        capped=cap,
    )
    return {
        "hit": True,
        "result_points": points,
        "capped_points": found.points,
        "damage_total": found.total,
        "damage_points": found.over,
        "damage": found.damage.text,
    }


def _damage(text: str) -> success_chart.Damage:
    """`2Wnd KO 5`: as the chart writes it."""
    return next(
        found
        for found in (
            *[success_chart.damage_for_points(each) for each in range(40)],
            *[
                success_chart.Damage(wounds, down, ko, shock)
                for wounds in range(20)
                for down in (False, True)
                for ko in ("", "K", "O", "K/O", "KO")
                for shock in range(30)
            ],
        )
        if found.text == text
    )


def _parts(found: success_chart.Damage) -> dict[str, object]:
    return {
        "wounds": found.wounds,
        "knockdown": found.knockdown,
        "ko": found.ko or None,
        "shock": found.shock,
    }


@adapter("masterbook-core.mb-cov-01")
def cover(given: Given, dice: MakeDice) -> Outputs:
    dodge = first(given, DEFENSES) or 0
    hidden = given.get("concealment", 0)
    if isinstance(hidden, str):
        hidden = attack_options.concealment_bonus(hidden, given.get("extra_square_meters", 0))
    if "attack_total" not in given and "attack_totals" not in given:
        return {"defense": passive_defense_value(dodge, causes(hidden))}
    many = "attack_totals" in given
    totals = given["attack_totals"] if many else [given["attack_total"]]
    counting = given.get("settings", {}).get("cover_hit_rp", "from_defense")
    indirect = given.get("indirect", False)
    found = [
        attack_options.resolve_through_cover(
            each, dodge, hidden, counting=counting, indirect=indirect
        )
        for each in totals
    ]
    tough, thick = given.get("toughness", 0), given.get("cover", 0)
    if isinstance(thick, str):
        thick = COVERS[thick].toughness
    used = {"clear_hit": tough, "through_cover": tough + thick, "miss": None}
    columns = {
        "outcome": [each.kind for each in found],
        "toughness_used": [used[each.kind] for each in found],
        "result_points": [each.points for each in found],
    }
    if "damage_value" in given:
        value = given["damage_value"]
        hurt = [
            None
            if each.points is None
            else blows.resolve_hit(each.points, value, used[each.kind] or 0)
            for each in found
        ]
        columns |= {
            "damage_total": [each and each.total for each in hurt],
            "damage_points": [each and each.over for each in hurt],
            "damage": [each and each.damage.text for each in hurt],
        }
    return {**columns} if many else {name: each[0] for name, each in columns.items()}


@adapter("masterbook-core.mb-sur-01")
def surprise(given: Given, dice: MakeDice) -> Outputs:
    if "dn" in given:
        suspects = given.get("suspects_attack", given.get("suspects", False))
        many = "perception_totals" in given
        totals = given["perception_totals"] if many else [given["perception_total"]]
        found = [
            attack_options.surprise_level(given["dn"], each, suspects=suspects) for each in totals
        ]
        return {"surprise": found if many else found[0]}
    level = given.get("surprise", "none")
    names = [
        *(["blindside"] if given.get("blindside") else []),
        *([] if level == "none" else [level]),
    ]
    declared = combine_options(names)
    return {
        "attack_modifier": cause_total(declared.attack),
        "damage_modifier": cause_total(declared.damage),
        "active_defense_allowed": all(OPTIONS[each].foe_active for each in names),
    }


@adapter("masterbook-skills.mb-skill-martial-arts")
def martial_arts(given: Given, dice: MakeDice) -> Outputs:
    if "victim_strength_total" in given:
        hold = given["wrestler_strength"] + given["wrestling_adds"]
        return {"free": attack_options.has_escaped_hold(given["victim_strength_total"], hold)}
    if "victim_agility_total" in given:
        last = given["wrestler_last_total"]
        points = given["victim_agility_total"] - last
        return {
            "rp": points,
            "free": attack_options.has_escaped_hold(given["victim_agility_total"], last),
        }
    value = first(given, DEFENSES) or 0
    if "dn" in given:
        focus, added = given.get("focus", ""), [*modifiers(given)]
        if focus and "total_mod" not in given:
            added.append((focus, FOCUSES[focus].bonus))
        rolled = make_throw(given, dice, value, tuple(added))
        points = rolled.total - given["dn"]
        return {
            **_defended(rolled),
            "rp": points,
            "success": points >= 0,
            "level": success_chart.success_level(points) if points >= 0 else "fail",
        }
    focus = given.get("focus", "judo")
    return _defended(
        make_throw(
            given, dice, value, modifiers(given), floor=attack_options.active_defense_floor(focus)
        )
    )


@adapter("masterbook-skills.mb-skill-combat")
def untrained(given: Given, dice: MakeDice) -> Outputs:
    kind = SKILLS[title_of(given.get("skill", "heavy weapons"))]
    value = first(given, ("dexterity", "agility", "value"))
    harder = skills.untrained_penalty(kind, lambda key: given.get("settings", {}).get(key, False))
    if harder is None:
        return {"allowed": False, "dn": None, "may_reload": False}
    weapon = WeaponKind("", kind.name, "machinegun", dv=0)
    found: dict[str, object] = {
        "allowed": True,
        "value": value,
        "may_reload": may_reload(weapon, trained=False),
    }
    if "dn" in given:
        found["dn"] = given["dn"] + harder
    return found

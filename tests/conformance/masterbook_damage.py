"""Adapters for the worked examples of damage, harm and recovery under MasterBook."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rules.core.errors import Impossible
from rules.systems.masterbook.combat import healing as mending
from rules.systems.masterbook.formulas import (
    attack_options,
    attributes,
    damage,
    dice,
    movement,
    success_chart,
    value_chart,
)
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.dice import Roll, Throw
from rules.systems.masterbook.formulas.reference_rows import COVERS
from rules.systems.masterbook.formulas.success_chart import Damage
from tests.conformance.masterbook_interaction import lower
from tests.conformance.masterbook_names import cards_spent
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

#: Capacity and wounds of somebody of whom an example tells only the one or the other.
_TOUGH = 1000
_RESULT = re.compile(
    r"(?:(?P<wounds>\d*)Wnd)?\s*(?P<down>Knockdown)?\s*(?P<ko>K/O|KO|K|O)?\s*(?P<shock>\d+)?"
)
_LEVELS = ("healthy", "light", "moderate", "heavy", "incapacitated", "mortal", "dead")


def _read(text: str, shock: int = 0) -> Damage:
    """A result as the chart writes it."""
    if text == success_chart.NO_RESULT:
        return Damage()
    found = _RESULT.fullmatch(text.strip())
    assert found is not None, text
    wounds = found["wounds"]
    return Damage(
        wounds=0 if wounds is None else int(wounds or 1),
        knockdown=found["down"] is not None,
        ko=found["ko"] or "",
        shock=int(found["shock"] or shock),
        bare=wounds == "",
    )


def _told(result: Damage) -> dict[str, object]:
    return {
        "wounds": result.wounds,
        "knockdown": result.knockdown,
        "ko": result.ko or None,
        "shock": result.shock,
        "bleeders": result.bleeders,
        "text": result.text,
    }


def _level(wounds: int) -> str:
    return damage.wound_level_name(wounds) or "healthy"


def _state(now: Harm) -> dict[str, object]:
    return {
        "wounds": now.wounds,
        "level": _level(now.wounds),
        "acts_as": _level(now.level),
        "shock": now.shock,
        "k": now.k > 0,
        "o": now.o,
        "unconscious": now.out,
        "unconscious_seconds": now.out_for,
        "bleeders": now.bleeders,
        "knocked_down": now.down > 0,
    }


def _allowed(run: Any) -> bool:
    try:
        run()
    except Impossible:
        return False
    return True


def _points(given: Given) -> int:
    """Result points as they are given, or of an attack's total."""
    if "result_points" in given:
        return given["result_points"]
    found = attack_options.resolve_through_cover(given["attack_total"], given["dn"]).points
    assert found is not None, "a hit"
    return found


def _settings(given: Given, *names: str) -> Mapping[str, Any]:
    settings = given.get("settings", {})
    return {name: settings.get(name, False) for name in names}


def _value(given: Given) -> int:
    if given.get("damage_value") is not None:
        return damage.damage_value(dv=given["damage_value"])
    return damage.damage_value(
        strength=given["strength"], add=given.get("damage_add", 0), maximum=given.get("max")
    )


# --- what a hit does ------------------------------------------------------------------------------


@adapter("masterbook-core.mb-dmg-01")
def damage_value(given: Given, dice: MakeDice) -> Outputs:
    return {"damage_value": _value(given)}


@adapter("masterbook-core.mb-dmg-02")
@adapter("masterbook-core.mb-dmg-03")
def hit(given: Given, dice: MakeDice) -> Outputs:
    points, value, cover = _points(given), _value(given), given.get("cover", 0)
    more = given.get("damage_modifiers", given.get("damage_modifier", 0))
    struck = damage.resolve_hit(
        points,
        value,
        given["toughness"],
        armor=given.get("armor", 0),
        cover=COVERS[cover].toughness if isinstance(cover, str) else cover,
        more=sum(more) if isinstance(more, list) else more,
        capped=_settings(given, "damage_cap")["damage_cap"],
    )
    before = _before(given, "target_k", "target_o")
    now, _ = damage.apply_damage(before, struck.damage, given.get("capacity", _TOUGH))
    return {
        **_told(struck.damage),
        **_state(now),
        "result_points": points,
        "damage_value": value,
        "damage_total": struck.total,
        "damage_points": struck.over,
        "capped_points": struck.points,
        "damage": struck.damage.text,
    }


@adapter("masterbook-core.mb-dmg-11")
def chart_row(given: Given, dice: MakeDice) -> Outputs:
    found = success_chart.damage_for_points(given["damage_points"])
    return {**_told(found), "damage": found.text}


@adapter("masterbook-core.mb-dmo-01")
def capped(given: Given, dice: MakeDice) -> Outputs:
    value, capped = _value(given), _settings(given, "damage_cap")["damage_cap"]
    more = given.get("damage_modifier", 0)
    struck = damage.resolve_hit(
        _points(given),
        value,
        given.get("toughness", 0),
        armor=given.get("armor", 0),
        more=more,
        capped=capped,
    )
    return {
        "damage_value": value,
        "capped_points": struck.points,
        "damage_total": struck.total,
        "damage_points": struck.over,
        "damage": struck.damage.text,
    }


@adapter("masterbook-core.mb-dmo-02")
@adapter("masterbook-core.mb-dmo-03")
def knocked_out(given: Given, dice: MakeDice) -> Outputs:
    """MB-DMO-03 where the attack's result points are given."""
    settings = _settings(given, "non_lethal", "knockout_attacks")
    points = given.get("attack_result_points", 0)
    knockout = "attack_result_points" in given and settings["knockout_attacks"]
    soft = given.get("non_lethal", False) and settings["non_lethal"]
    found = damage.convert_damage(_read(given["damage"]), points, knockout=knockout, soft=soft)
    return {**_told(found), "levels": success_chart.rank(points)}


@adapter("masterbook-core.mb-dmg-04")
def in_order(given: Given, dice: MakeDice) -> Outputs:
    settings = _settings(given, "non_lethal", "knockout_attacks")
    found = damage.convert_damage(
        _read(given["damage"]),
        given.get("attack_result_points", 0),
        fells=given.get("option") == "knockdown",
        knockout="attack_result_points" in given and settings["knockout_attacks"],
        soft=given.get("non_lethal", False) and settings["non_lethal"],
    )
    if "bleeders_by_gm" in given:
        found = damage.convert_to_bleeders(found, given["bleeders_by_gm"])
    left = damage.drop_packages(
        found,
        given.get("cancel", ()),
        own=given.get("life_points_spent", 0),
        cards=cards_spent(given),
    )
    converted = {each: _told(found)[each] for each in ("wounds", "knockdown", "ko", "shock")}
    return {**_told(left), "level": _level(left.wounds), "after_conversion": converted}


# --- what it leaves -------------------------------------------------------------------------------


def _before(given: Given, k: str = "k", o: str = "o") -> Harm:
    """Somebody with a K and an O as they are given, of whom the O may be of an earlier round."""
    now = Harm(
        wounds=given.get("wounds_before", 0),
        shock=given.get("shock_before", 0),
        k=damage.K_RESTS if given.get(k) else 0,
        o=bool(given.get(o)),
    )
    if given.get("same_round", True):
        return now
    now, _ = damage.begin_round(now, _TOUGH)
    return now


@adapter("masterbook-core.mb-dmg-06")
def letters(given: Given, dice: MakeDice) -> Outputs:
    now, _ = damage.apply_damage(
        _before(given), _read(given["result"]), given.get("capacity", _TOUGH)
    )
    later, _ = damage.pass_time(now, now.out_for, _TOUGH)
    return {**_state(now), "k_after_waking": later.k > 0, "o_after_waking": later.o}


@adapter("masterbook-core.mb-dmg-05")
def shock(given: Given, dice: MakeDice) -> Outputs:
    if "endurance" in given:
        adds, capped = given.get("resist_shock_adds", 0), _settings(given, "resist_shock_add_cap")
        capacity = attributes.shock_capacity(
            given["endurance"], adds, bool(capped["resist_shock_add_cap"])
        )
        now, _ = damage.apply_damage(_before(given), Damage(shock=given["shock_taken"]), capacity)
        return {"capacity": capacity, **_state(now)}
    now = Harm(
        wounds=given.get("wounds", 0), shock=given["shock"], bleeders=given.get("bleeders", 0)
    )
    if "cases" not in given:
        return _state(_rested(now, given))
    return {"shock": [_rested(now, each).shock for each in given["cases"]]}


def _rested(now: Harm, case: Given) -> Harm:
    asleep = "unconscious_seconds" in case
    keys = ("unconscious_seconds", "awake_resting_seconds", "resting_seconds", "awake_seconds")
    seconds = next(case[each] for each in keys if each in case)
    resting = "awake_seconds" not in case
    return damage.recover(now.replace(fainted=asleep), seconds, resting=resting)[0]


@adapter("masterbook-core.mb-dmg-07")
def down(given: Given, dice: MakeDice) -> Outputs:
    now, _ = damage.apply_damage(
        Harm(wounds=given.get("wounds", 0)), Damage(knockdown=given["knocked_down"]), _TOUGH
    )
    penalty = damage.penalty(now, True)
    value = next(
        given[each] for each in ("dodge", "defense", "value", "skill_value") if each in given
    )
    return {
        "dn": attack_options.passive_defense_value(value, (("harm", penalty),)),
        "penalty": penalty,
    }


@adapter("masterbook-core.mb-dmg-08")
def wounds(given: Given, dice: MakeDice) -> Outputs:
    now, levels = Harm(wounds=given.get("start_wounds", given.get("wounds", 0))), list[str]()
    for each in given.get("wound_results", ()):
        now, _ = damage.apply_damage(now, Damage(wounds=each), _TOUGH)
        levels.append(_level(now.wounds))
    return {
        **_state(now),
        "levels": levels,
        "physical_modifier": damage.penalty(now, True),
        "other_modifier": damage.penalty(now, False),
    }


@adapter("masterbook-core.mb-dmg-09")
def clock(given: Given, dice: MakeDice) -> Outputs:
    now = Harm(wounds=damage.MORTAL, shock=given["shock"], aided=given.get("first_aided", False))
    left = damage.rounds_left(now, given["capacity"])
    return {"rounds_until_death": left if now.dying else None}


@adapter("masterbook-core.mb-dmg-10")
def deaths(given: Given, dice: MakeDice) -> Outputs:
    many = given["wounds"] if isinstance(given["wounds"], list) else [given["wounds"]]
    cases = [damage.apply_damage(Harm(), Damage(wounds=each), _TOUGH)[0] for each in many]
    levels = [_level(each.wounds) for each in cases]
    able = [
        _allowed(lambda now=each: mending.first_aid_difficulty(now, "wounds")) for each in cases
    ]
    one = len(many) == 1 and not isinstance(given["wounds"], list)
    return {"level": levels[0] if one else levels, "first_aid_possible": able[0] if one else able}


@adapter("masterbook-core.mb-dmo-04")
def bleeding(given: Given, dice: MakeDice) -> Outputs:
    if "events" in given:
        return _bled(given)
    if "attack" in given:
        kind = given["attack"].replace(" ", "_")
        rolled = given.get("d10_rolls", ())
        faces = rolled if given["settings"]["bleeding"] == "table" else ()
        hit = damage.convert_to_bleeders(
            Damage(wounds=given["wounds"]), damage.count_bleeders(kind, faces)
        )
        return _told(hit)
    many = given["bleeders"] if isinstance(given["bleeders"], list) else [given["bleeders"]]
    numbers = [mending.first_aid_difficulty(Harm(bleeders=each), "bleeding") for each in many]
    return {"dn": numbers if isinstance(given["bleeders"], list) else numbers[0]}


def _bled(given: Given) -> Outputs:
    """A fight told event by event: what each brought is found among what happened."""
    capacity, settings = given["capacity"], given["settings"]
    bleeders = given.get("bleeders_by_gm", 0) if settings["bleeding"] == "gm" else 0
    hit = damage.convert_to_bleeders(_read(given["damage"]), bleeders)
    now, _ = damage.apply_damage(_before(given, "k_before", "o_before"), hit, capacity)
    told: dict[str, object] = {"after_hit": {**_some(now, hit.knockdown)}}
    for event in given["events"]:
        if event["event"] == "result":
            now, _ = damage.apply_damage(now, _read(event["text"], event.get("shock", 0)), capacity)
            told["after_o"] = {
                "unconscious": now.out,
                "rounds": now.out_for // damage.ROUND_SECONDS,
            }
        if event["event"] == "wakes":
            told |= {"shock_after_waking": now.shock, "bleeders_after_waking": now.bleeders}
        for _ in range(event.get("times", 1) if event["event"] == "round_start" else 0):
            now, facts = damage.begin_round(now, capacity)
            said = dict(facts)
            told.setdefault("shock_after_first_bleed", now.shock)
            if "bled_wound" in said:
                told |= {"shock_reached": said["bled_wound"], "shock_restarts_at": now.shock}
                told |= {"wounds_then": now.wounds, "level_then": _level(now.wounds)}
            if "awake" in said:
                told["shock_before_waking"] = said["awake"]
    return {**told, **_state(now)}


def _some(now: Harm, knockdown: bool) -> Mapping[str, object]:
    state = _state(now)
    return {
        **{each: state[each] for each in ("wounds", "level", "k", "shock", "bleeders")},
        "knockdown": knockdown and now.down > 0,
    }


# --- points ---------------------------------------------------------------------------------------


@adapter("masterbook-core.mb-lp-03")
@adapter("masterbook-core.mb-lp-05")
def reduced(given: Given, dice: MakeDice) -> Outputs:
    own = given.get("life_points_spent", given.get("own_life_points_spent", 0))
    cards = cards_spent(given)
    if "column" in given:
        return lower(given, dice)
    now = _before(given, "k_before", "o_before").replace(
        fainted=bool(given.get("unconscious", False))
    )
    perceives = given.get("perceives", given.get("can_perceive", True))
    if "damage" not in given and "shock" not in given:
        most = given.get("packages_total", 1)
        whole = Damage(wounds=most)
        able = _allowed(lambda: damage.drop_packages(whole, ["wound"] * most, own=own, cards=cards))
        return {"allowed": able and perceives and not now.out}
    result = _read(given["damage"]) if "damage" in given else Damage(shock=given["shock"])
    chosen = [_kind(result, each) for each in given.get("cancel", ())]
    kinds = damage.packages(result)
    told = {
        "packages": _grouped(kinds),
        "packages_total": sum(kinds.values()),
        "allowed": _allowed(lambda: damage.drop_packages(result, chosen, own=own, cards=cards))
        and perceives
        and not now.out,
    }
    if not told["allowed"]:
        return told
    left = damage.drop_packages(result, chosen, own=own, cards=cards)
    after, _ = damage.apply_damage(now, left, given.get("capacity", _TOUGH))
    return {**told, **_told(left), "level": _level(after.wounds), "unconscious": after.out}


_LETTERS = ("k", "o", "k_or_o")


def _kind(result: Damage, name: str) -> str:
    """A package by the name of the letter that a K/O turns into."""
    return "k_or_o" if result.ko == "K/O" and name in (*_LETTERS, "ko", "k/o") else name


def _grouped(kinds: Mapping[str, int]) -> Mapping[str, int]:
    names = {"wound": "wounds", **dict.fromkeys(_LETTERS, "ko")}
    found: dict[str, int] = {}
    for what, number in kinds.items():
        name = names.get(what, what)
        found[name] = found.get(name, 0) + number
    return found


# --- falls ----------------------------------------------------------------------------------------

_CLIMBS = {"": "climbs", "fall": "falls"}


@adapter("masterbook-core.mb-fall-01")
def fell(given: Given, make: MakeDice) -> Outputs:
    if "totals" in given:
        pushes = [
            movement.resolve_push("Climbing", total - given["dn"], 1) for total in given["totals"]
        ]
        return {"outcome": [_CLIMBS.get(each.trouble, each.trouble) for each in pushes]}
    if "dice" in given:
        total = dice.throw(make(given["dice"]), False).total
    else:
        total = (
            given["dice_total"] if "dice_total" in given else dice.least_die_total(given["bonus"])
        )
    found, used = dice.bonus_number(total), dice.bonus_number(total, dice.FALL_FLOOR)
    weight = (
        given["weight_value"]
        if "weight_value" in given
        else value_chart.chart_value(given["mass_kg"])
    )
    height = (
        given["distance_value"]
        if "distance_value" in given
        else value_chart.chart_value(given["height_m"])
    )
    fall = damage.resolve_fall(weight, height, used, given["toughness"], given.get("armor", 0))
    return {
        "bonus": found,
        "bonus_used": used,
        "distance_used": fall.distance,
        "armor_used": fall.armor,
        "damage_value": fall.value,
        "damage_points": fall.over,
        "damage": fall.damage.text,
        **_told(fall.damage),
    }


# --- recovery -------------------------------------------------------------------------------------


def _wounded(name: str) -> Harm:
    """Somebody with wounds of that level, which may heal by now."""
    return Harm(wounds=_LEVELS.index(name), waited=10 * damage.DAY)


def _each(totals: Any) -> Iterable[int]:
    return totals if isinstance(totals, list) else [totals]


def _rolled(
    given: Given, make: MakeDice, whose: str, value: int, *more: tuple[str, int]
) -> Throw | None:
    """A roll of the helper or the patient: its dice, or what they come to."""
    for key in (f"{whose}_dice", *(["dice"] if whose == "healing" else [])):
        if key in given:
            return Throw("", "", value, more, dice.throw(make(given[key]), True))
    total = given.get(f"{whose}_dice_total")
    return None if total is None else Throw("", "", value, more, Roll((total,)))


@adapter("masterbook-core.mb-heal-01")
@adapter("masterbook-core.mb-heal-06")
def healing(given: Given, make: MakeDice) -> Outputs:
    now = _wounded(given["wound_level"]) if "wound_level" in given else Harm(wounds=given["wounds"])
    if "days_since_last_wound" in given:
        now = now.replace(waited=int(given["days_since_last_wound"] * damage.DAY))
    now = now.replace(
        aided=given.get("clock_stopped", False), stable=given.get("stabilized", False)
    )
    if not _allowed(lambda: mending.healing_difficulty(now)):
        return {"allowed": False}
    told: dict[str, object] = {"allowed": True, "healing_dn": mending.healing_difficulty(now)}
    push = given.get("push", 0)
    if "medicine" in given:
        medic = _rolled(given, make, "medicine", given["medicine"])
        assert medic is not None, "what the helper rolls"
        number = mending.medicine_difficulty(now)
        points = medic.total - number
        push = mending.medicine_bonus(points)
        told |= {
            "medicine_bonus": medic.bonus,
            "medicine_total": medic.total,
            "medicine_dn": number,
        }
        told |= {"medicine_result_points": points, "push": push}
    patient = _rolled(given, make, "healing", given.get("endurance", 0), ("medicine", push))
    if patient is None:
        return told
    after, _ = mending.apply_healing_roll(now, patient.total)
    told |= {"healing_bonus": patient.bonus, "healing_total": patient.total}
    return {
        **told,
        "healed": after.wounds < now.wounds,
        "healed_to": _level(after.wounds),
        "wounds": after.wounds,
    }


@adapter("masterbook-core.mb-heal-02")
@adapter("masterbook-core.mb-heal-03")
@adapter("masterbook-core.mb-heal-07")
@adapter("masterbook-skills.mb-skill-first-aid")
def first_aid(given: Given, make: MakeDice) -> Outputs:
    """Told by the number of wounds, or by the name of the true level."""
    if "bleeders" in given and "total" not in given:
        return {"dn": mending.first_aid_difficulty(Harm(bleeders=given["bleeders"]), "bleeding")}
    many = given.get("wounds", given.get("total_wounds"))
    level = given.get("true_level")
    before = Harm(wounds=many if many is not None else _LEVELS.index(level) if level else 0)
    before = before.replace(dead_for=0 if before.wounds >= damage.DEAD else None)
    before = before.replace(shock=given.get("shock", 0), bleeders=given.get("bleeders", 0))
    before = before.replace(k=damage.K_RESTS if given.get("k") else 0, o=bool(given.get("o")))
    before = before.replace(
        fainted=bool(given.get("unconscious") and before.wounds < damage.MORTAL)
    )
    if "new_wounds" in given:
        aided = before.replace(aided=_LEVELS.index(given["acts_as"]) < before.wounds)
        now, _ = damage.apply_damage(aided, Damage(wounds=given["new_wounds"]), _TOUGH)
        return {**_state(now), "result": _level(now.level)}
    what = "bleeding" if before.bleeders else "wounds" if before.wounds else "shock"
    if not _allowed(lambda: mending.first_aid_difficulty(before, what)):
        return {"first_aid_allowed": False, "allowed": False}
    number = mending.first_aid_difficulty(before, what)
    told: dict[str, object] = {"first_aid_allowed": True, "allowed": True, "dn": number}
    totals = given.get("totals", given.get("total"))
    if "dice" in given:
        totals = Throw(
            "", "", given["value"], (), dice.throw(make(given["dice"]), given["trained"])
        ).total
        told["total"] = totals
    if totals is None:
        return told
    if "dn" in given:
        assert given["dn"] == number, "the difficulty that the example says is given"
    tries = [mending.apply_first_aid(before, what, each) for each in _each(totals)]
    states = [
        {
            **_state(now),
            "success": ("failed", number - total) not in facts,
            "clock_stopped": now.wounds == damage.MORTAL and not now.dying,
            "ko": now.out_for > 0 or now.k > 0 or now.o,
            "true_level_after": _level(now.wounds),
        }
        for total, (now, facts) in zip(_each(totals), tries, strict=True)
    ]
    if "totals" not in given:
        return {**states[0], **told}
    changing = ("success", "acts_as", "clock_stopped", "shock", "k", "o", "unconscious")
    return {**states[0], **{key: [each[key] for each in states] for key in changing}, **told}


@adapter("masterbook-core.mb-heal-04")
def revived(given: Given, dice: MakeDice) -> Outputs:
    def dead(case: Given) -> Harm:
        return Harm(
            wounds=case["wounds"], shock=case.get("shock", 0), dead_for=case["rounds_since_death"]
        )

    if "cases" in given:
        cases = [dead(each) for each in given["cases"]]
        return {
            "allowed": [
                _allowed(lambda now=each: mending.first_aid_difficulty(now, "wounds"))
                for each in cases
            ]
        }
    before = dead(given)
    if not _allowed(lambda: mending.first_aid_difficulty(before, "wounds")):
        return {"allowed": False}
    number = mending.first_aid_difficulty(before, "wounds")
    if "total" not in given:
        return {"allowed": True, "dn": number}
    now, _ = mending.apply_first_aid(before, "wounds", given["total"])
    return {"allowed": True, "dn": number, "success": not now.dead, **_state(now)}


@adapter("masterbook-core.mb-heal-05")
def stabilized(given: Given, dice: MakeDice) -> Outputs:
    now, stable = Harm(wounds=given["wounds"]), list[bool]()
    if not _allowed(lambda: mending.first_aid_difficulty(now, "steady")):
        return {"allowed": False}
    number = mending.first_aid_difficulty(now, "steady")
    between = given.get("seconds_between", mending.STABILIZE_RETRY_SECONDS)
    for total in _each(given.get("totals", given.get("total"))):
        if _allowed(lambda before=now: mending.first_aid_difficulty(before, "steady")):
            now, _ = mending.apply_first_aid(now, "steady", total)
        stable.append(now.stable)
        now, _ = damage.recover(now, between)
    one = "totals" not in given
    told = {
        "dn": number,
        "stabilized": stable[0] if one else stable,
        "success": stable[0] if one else stable,
    }
    return {**told, "wounds": now.wounds, "clock_stopped": not now.dying}


@adapter("masterbook-skills.mb-skill-medicine")
def medicine(given: Given, make: MakeDice) -> Outputs:
    if "dice" not in given or "medicine" not in given:
        # It may take the place of first aid.
        return first_aid(given, make)
    scripted = make((*given["dice"], *given.get("patient_dice", ())))
    level = next(
        each for each in range(1, damage.DEAD) if damage.wound_level(each).medicine == given["dn"]
    )
    medic = Throw("", "", given["medicine"], (), dice.throw(scripted, given["trained"]))
    points = medic.total - mending.medicine_difficulty(_wounded(_LEVELS[level]))
    push = mending.medicine_bonus(points)
    told = {"medicine_total": medic.total, "rp": points, "push": push, "success": points >= 0}
    if "patient_dice" not in given:
        return told
    healing = dice.throw(scripted, True)
    patient = Throw("", "", given["patient_endurance"], (("medicine", push),), healing)
    now, facts = mending.apply_healing_roll(_wounded(_LEVELS[level]), patient.total)
    assert given["patient_dn"] == damage.wound_level(level).healing, (
        "the difficulty that the example says is given"
    )
    return {**told, "patient_total": patient.total, "healed": ("healed", now.wounds) in facts}


@adapter("masterbook-skills.mb-skill-resist-shock")
def resist_shock(given: Given, dice: MakeDice) -> Outputs:
    capped = _settings(given, "resist_shock_add_cap")["resist_shock_add_cap"]
    capacity = attributes.shock_capacity(given["endurance"], given["adds"], capped)
    taken = next(
        each
        for each in range(_TOUGH)
        if damage.apply_damage(Harm(), Damage(shock=each), capacity)[0].out
    )
    return {"capacity": capacity, "unconscious_at": taken}

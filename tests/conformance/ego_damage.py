"""Adapters for the worked examples of damage, impairment, recovery and armor under EGO."""

from __future__ import annotations

from typing import get_args

from rules.systems.ego.character.combat_values import armor_of
from rules.systems.ego.character.sheet import EgoSheet, Power, WornArmor, ability_dice
from rules.systems.ego.combat.weapons import PUNCH, Plan, attack_source
from rules.systems.ego.formulas import damage as damage_rules
from rules.systems.ego.formulas.damage import Body
from rules.systems.ego.formulas.dice import throw
from tests.conformance.ego_names import armor as armor_row
from tests.conformance.ego_names import each, game, sheet, slug, weapon
from tests.conformance.ego_ranged import factors
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

#: Vitality of somebody of whom an example tells only what armor does.
_TOUGH = 1000


@adapter("ego.ego-dmg-01")
@adapter("ego.ego-dmg-02")
def damage(given: Given, dice: MakeDice) -> Outputs:
    faces = throw(dice(given["dice"]), len(given["dice"])).faces
    flat, halvings = given.get("flat", 0), get_args(damage_rules.Halving)
    both = {one: damage_rules.damage(faces, flat, one) for one in halvings}
    return {**both, "damage": both[game(given).setting("damage_halving")]}


@adapter("ego.ego-dmg-03")
def damage_dice(given: Given, dice: MakeDice) -> Outputs:
    who, more = sheet(given), given.get("to_damage", 0)
    if "weapon_dice" in given:
        number = damage_rules.damage_dice(
            given["weapon_dice"], ability_dice(who, "muscle"), more=more
        )
        return {"damage_dice": number}
    named = PUNCH if given["weapon"] == "unarmed" else given["weapon"]
    row = None if named in ("punch", "kick") else weapon(named)
    plan = Plan(weapon=named if row is None else row.name, thrown=given.get("thrown", False))
    hands = [plan] if row is None or len(row.damage) == 1 else [plan, plan.replace(two_hands=True)]
    ways = [attack_source(game(given), who, one) for one in hands]
    found = [
        {"dice": damage_rules.damage_dice(one.dice, one.muscle, more=more), "flat": one.flat}
        for one in ways
    ]
    at = given.get("hands", 1) - 1
    outputs = {
        **found[at],
        "damage_dice": found[at]["dice"],
        "one_hand": found[0],
        "two_hands": found[-1],
        "type": "lethal" if ways[at].lethal else "non_lethal",
        "skill": slug(ways[at].skill),
    }
    if "dice" in given:
        faces = throw(dice(given["dice"]), found[at]["dice"]).faces
        outputs["damage"] = damage_rules.damage(
            faces, ways[at].flat, game(given).setting("damage_halving")
        )
    return outputs


@adapter("ego.ego-dmg-04")
def applied(given: Given, dice: MakeDice) -> Outputs:
    if "damage" in given:
        return _hit(given)
    number = given["tn"] if "tn" in given else given["difficulty"]

    def count(counts: bool) -> int:
        more = damage_rules.excess(given["successes"], number, counts=counts)
        return damage_rules.damage_dice(
            given["weapon_dice"], given.get("muscle_dice", 0), more=more
        )

    return {"damage_dice": each(given.get("excess_successes_to_damage", False), count)}


def _hit(given: Given) -> Outputs:
    """One hit on somebody who has taken some already."""
    body = Body(given["vitality"], given.get("lethal", 0), given.get("non_lethal", 0))
    lethal = given.get("type", "lethal") == "lethal"
    hurt = damage_rules.apply_hit(body, given["damage"], armor=given.get("ar", 0), lethal=lethal)
    after = hurt.after
    return {
        "stopped": hurt.stopped,
        "taken": hurt.taken,
        "damage_taken": hurt.taken,
        "lethal": after.lethal,
        "non_lethal": after.non_lethal,
        "vitality_now": damage_rules.vitality_left(after),
        "impairment_level": damage_rules.impairment(after),
        "stun_now": damage_rules.stun_left(after),
        "dead": damage_rules.is_dead(after),
        "knocked_out": damage_rules.is_knocked_out(after),
    }


@adapter("ego.ego-imp-01")
def impairment(given: Given, dice: MakeDice) -> Outputs:
    if "band" in given:
        return factors(given, dice)
    mode, vitality = game(given).setting("impairment_mode"), given["vitality"]
    if "lost" in given:
        found = each(
            given["lost"], lambda lost: damage_rules.impairment(Body(vitality, lethal=lost), mode)
        )
        return {"levels": found, "impairment_level": found}
    # The last point is what they are struck with: of what there is.
    lethal, non_lethal = given["lethal"], given["non_lethal"]
    last = (1, 0) if lethal else (0, 1) if non_lethal else (0, 0)
    before = Body(vitality, lethal - last[0], non_lethal - last[1])
    hurt = damage_rules.apply_hit(before, sum(last), lethal=bool(lethal), quarters=mode)
    body = hurt.after
    outputs: dict[str, object] = {
        "vitality_now": damage_rules.vitality_left(body),
        "impairment_level": damage_rules.impairment(body, mode),
        "dead": damage_rules.is_dead(body),
        "stun_now": damage_rules.stun_left(body),
        "stay_conscious_roll": hurt.rolls,
        "roll_difficulty": damage_rules.STAY_CONSCIOUS,
    }
    if "dice" in given:
        pool = throw(dice(given["dice"]), ability_dice(sheet(given), "vitality"))
        conscious = damage_rules.stays_conscious(pool.successes)
        outputs |= {"successes": pool.successes, "conscious": conscious}
    return outputs


@adapter("ego.ego-nl-01")
def non_lethal(given: Given, dice: MakeDice) -> Outputs:
    bodies = each(
        given["non_lethal"], lambda one: Body(given["vitality"], given.get("lethal", 0), one)
    )
    return {
        "stun_now": each(bodies, damage_rules.stun_left),
        "knocked_out": each(bodies, damage_rules.is_knocked_out),
        "vitality_now": each(bodies, damage_rules.vitality_left),
        "impairment_level": each(bodies, damage_rules.impairment),
        "dead": each(bodies, damage_rules.is_dead),
    }


@adapter("ego.ego-eff-01")
def knockback(given: Given, dice: MakeDice) -> Outputs:
    return {
        "feet": each(
            given["stun_damage"], lambda stun: damage_rules.knockback(given["muscle"], stun)
        )
    }


@adapter("ego.ego-eff-02")
def stunned(given: Given, dice: MakeDice) -> Outputs:
    body, stuns = Body(given["vitality"]), list[bool]()
    for points in given.get("hits", [given.get("stun_in_round", 0)]):
        hurt = damage_rules.apply_hit(body, points, lethal=False)
        body = hurt.after
        stuns.append(hurt.stunned is not None)
    return {"stunned": stuns[-1], "rounds": damage_rules.round_over(body).stunned}


@adapter("ego.ego-eff-03")
def knocked_out(given: Given, dice: MakeDice) -> Outputs:
    bodies = each(
        given["non_lethal"],
        lambda one: Body(
            given["vitality"], given.get("lethal", 0), one, down=damage_rules.KNOCKED_OUT
        ),
    )
    woken = each(bodies, damage_rules.wake)
    outputs = {
        "knocked_out": each(bodies, damage_rules.is_knocked_out),
        "difficulty": damage_rules.WAKE,
        "non_lethal_on_waking": each(woken, lambda one: one.non_lethal),
    }
    if "dice" in given:
        awake = throw(dice(given["dice"]), len(given["dice"])).successes >= damage_rules.WAKE
        body = woken if awake else bodies
        outputs |= {
            "awake": awake,
            "non_lethal_after": each(body, lambda one: one.non_lethal),
            "stun_after": each(body, damage_rules.stun_left),
        }
    return outputs


@adapter("ego.ego-rec-01")
def days(given: Given, dice: MakeDice) -> Outputs:
    care = {"normal": "none", "no_strenuous_activity": "rest", "medical_care": "medical"}
    lethal, after = given["lethal"], list[int]()
    for day in given["days"]:
        lethal = damage_rules.lethal_after_day(lethal, care[day["care"]])
        after.append(lethal)
    return {"lethal_after_each_day": after}


@adapter("ego.ego-rec-02")
def rounds(given: Given, dice: MakeDice) -> Outputs:
    body = Body(given["vitality"], given["lethal"], given["non_lethal"])
    recovered, after = ability_dice(sheet(given), "vitality"), list[int]()
    found: dict[str, object] = {
        "vitality_start": damage_rules.vitality_left(body),
        "recovered_per_round": recovered,
    }
    for _ in range(given["rounds"]):
        body = body.replace(
            non_lethal=damage_rules.non_lethal_after_round(body.non_lethal, recovered)
        )
        after.append(damage_rules.vitality_left(body))
    return {**found, "vitality_after_each_round": after, "non_lethal_after": body.non_lethal}


@adapter("ego.ego-arm-01")
@adapter("ego.ego-arm-02")
def armor(given: Given, dice: MakeDice) -> Outputs:
    row = armor_row(given["armor"]) if "armor" in given else None
    worn = given["ar"] if row is None or "ar" in given else row.ar
    factor = 1 if row is None else row.threshold_factor
    grown = (Power("Body Armor", given["body_armor"]),) if "body_armor" in given else ()
    who = EgoSheet(powers=grown)
    taken, stopped, ratings = list[list[int]](), list[int](), list[int]()
    for hits in given.get("rounds", [given.get("hits")]):
        body, counts = Body(_TOUGH), armor_of(who.replace(armour=WornArmor("", worn, worn)))
        struck = list[int]()
        for points in hits:
            hurt = damage_rules.apply_hit(body, points, armor=counts)
            body = hurt.after
            struck.append(hurt.taken)
        taken.append(struck)
        stopped.append(body.stopped)
        worn = damage_rules.armor_after_wear(worn, body.stopped, factor) if counts == worn else worn
        ratings.append(worn)
    if "rounds" in given:
        return {"damage_taken": taken, "stopped": stopped, "ar_after_each_round": ratings}
    return {"damage_taken": taken[0], "stopped": stopped[0], "ar_next_round": ratings[0]}

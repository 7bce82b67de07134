"""Adapters for the worked examples of damage, impairment, recovery and armour under EGO."""

from __future__ import annotations

import re
from typing import Any

from rules.systems.ego import harm
from rules.systems.ego.body import dice as rating
from rules.systems.ego.dice import throw
from rules.systems.ego.harm import Body
from rules.systems.ego.tables import Damage
from tests.conformance.ego_names import weapon
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

#: Vitality of somebody of whom an example tells only what armour does.
_TOUGH = 1000


@adapter("ego.ego-dmg-01")
@adapter("ego.ego-dmg-02")
def damage(given: Given, dice: MakeDice) -> Outputs:
    faces = throw(dice(given["dice"]), len(given["dice"])).faces
    halvings: tuple[Any, ...] = ("per_die", "total_half_up")
    return {each: harm.damage(faces, given["flat"], each) for each in halvings}


def _kind(row: Damage) -> str:
    return "lethal" if row.lethal else "non_lethal"


@adapter("ego.ego-dmg-03")
def damage_dice(given: Given, dice: MakeDice) -> Outputs:
    muscle = rating(given["muscle"])
    if "weapon_dice" in given:
        return {"damage_dice": harm.damage_dice(given["weapon_dice"], muscle)}
    row = weapon(given["weapon"])
    found = [
        {"dice": harm.damage_dice(each.dice, muscle if row.adds_muscle else 0), "flat": each.flat}
        for each in row.damage
    ]
    outputs = {
        **found[0],
        "one_hand": found[0],
        "two_hands": found[-1],
        "type": _kind(row.damage[0]),
        "skill": re.sub("[ -]", "_", row.skill.casefold()),
    }
    if "dice" in given:
        faces = throw(dice(given["dice"]), harm.damage_dice(row.damage[0].dice, muscle)).faces
        outputs["damage"] = harm.damage(faces, row.damage[0].flat)
    return outputs


@adapter("ego.ego-dmg-04")
def excess(given: Given, dice: MakeDice) -> Outputs:
    more = [
        harm.excess(given["successes"], given["tn"], counts=each)
        for each in given["excess_successes_to_damage"]
    ]
    return {
        "damage_dice": [
            harm.damage_dice(given["weapon_dice"], given["muscle_dice"], more=each) for each in more
        ]
    }


@adapter("ego.ego-imp-01")
def impairment(given: Given, dice: MakeDice) -> Outputs:
    if "band" in given:
        from tests.conformance.ego_ranged import factors

        return factors(given, dice)
    mode, vitality = given.get("impairment_mode", "full_quarters"), given["vitality"]
    if "lost" in given:
        bodies = [Body(vitality, lethal=each) for each in given["lost"]]
        return {"levels": [harm.impairment(each, mode) for each in bodies]}
    before = Body(vitality, given["lethal"] - 1, given["non_lethal"])
    hurt = harm.struck(before, 1, quarters=mode)
    body = hurt.after
    found: dict[str, object] = {
        "vitality_now": harm.vitality_left(body),
        "impairment_level": harm.impairment(body, mode),
        "dead": harm.is_dead(body),
        "stun_now": harm.stun_left(body),
        "stay_conscious_roll": hurt.rolls,
        "roll_difficulty": harm.STAY_CONSCIOUS,
    }
    if "dice" in given:
        pool = throw(dice(given["dice"]), rating(vitality))
        conscious = harm.stays_conscious(pool.successes)
        found |= {"successes": pool.successes, "conscious": conscious}
    return found


@adapter("ego.ego-nl-01")
def non_lethal(given: Given, dice: MakeDice) -> Outputs:
    bodies = [Body(given["vitality"], non_lethal=each) for each in given["non_lethal"]]
    return {
        "stun_now": [harm.stun_left(each) for each in bodies],
        "knocked_out": [harm.is_knocked_out(each) for each in bodies],
    }


@adapter("ego.ego-eff-01")
def knockback(given: Given, dice: MakeDice) -> Outputs:
    return {"feet": [harm.knockback(given["muscle"], each) for each in given["stun_damage"]]}


@adapter("ego.ego-eff-02")
def stunned(given: Given, dice: MakeDice) -> Outputs:
    hurt = harm.struck(Body(given["vitality"]), given["stun_in_round"], lethal=False)
    return {"stunned": hurt.stunned is not None, "rounds": harm.round_over(hurt.after).stunned}


@adapter("ego.ego-rec-01")
def days(given: Given, dice: MakeDice) -> Outputs:
    care = {"normal": "none", "no_strenuous_activity": "rest", "medical_care": "medical"}
    lethal, after = given["lethal"], list[int]()
    for day in given["days"]:
        lethal = harm.a_day(lethal, care[day["care"]])
        after.append(lethal)
    return {"lethal_after_each_day": after}


@adapter("ego.ego-rec-02")
def rounds(given: Given, dice: MakeDice) -> Outputs:
    body = Body(given["vitality"], given["lethal"], given["non_lethal"])
    recovered, after = rating(body.vitality), list[int]()
    found: dict[str, object] = {"vitality_start": harm.vitality_left(body), "recovered_per_round": recovered}
    for _ in range(given["rounds"]):
        body = body.but(non_lethal=harm.a_round(body.non_lethal, recovered))
        after.append(harm.vitality_left(body))
    return {**found, "vitality_after_each_round": after}


@adapter("ego.ego-arm-01")
@adapter("ego.ego-arm-02")
def armour(given: Given, dice: MakeDice) -> Outputs:
    rating, factor = given["ar"], 2 if given.get("armor") == "powered_armor" else 1
    taken, stopped, ratings = list[int](), list[int](), list[int]()
    for hits in given.get("rounds", [given.get("hits")]):
        body = Body(_TOUGH)
        for points in hits:
            hurt = harm.struck(body, points, armour=rating)
            body = hurt.after
            taken.append(hurt.taken)
        stopped.append(body.stopped)
        rating = harm.worn_down(rating, body.stopped, factor)
        ratings.append(rating)
    if "rounds" in given:
        return {"stopped": stopped, "ar_after_each_round": ratings}
    return {"damage_taken": taken, "stopped": stopped[0], "ar_next_round": ratings[0]}

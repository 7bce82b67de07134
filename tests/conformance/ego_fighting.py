"""Adapters for the worked examples of action points, initiative and close combat under EGO."""

from __future__ import annotations

from typing import Any

from rules.core.errors import Impossible
from rules.systems.ego import body, fighting, harm
from rules.systems.ego.acts import DEEDS
from rules.systems.ego.dice import Pool, throw
from rules.systems.ego.fighting import Points
from rules.table.turns.order import by_score
from tests.conformance.ego_names import enemy
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_TOUGH = 1000
_RELOADS = {"reload_small": "reload-small", "reload_medium": "reload-medium", "reload_large": "reload-large"}


def _thrown(dice: MakeDice, faces: Any) -> Pool:
    return throw(dice(faces), len(faces))


@adapter("ego.ego-ini-01")
def initiative(given: Given, dice: MakeDice) -> Outputs:
    if "a" in given:
        scores = {
            each: fighting.score(given[each]["initiative"], given[each]["agility"], given[each]["intellect"])
            for each in given
        }
        return {"order": sorted(scores, key=lambda each: by_score(scores[each]))}
    fast_draw = given.get("fast_draw", 0)
    count = fighting.initiative_dice(
        body.dice(given["agility"]), fast_draw=fast_draw, round=given.get("round", 1)
    )
    faces = throw(dice(given["dice"]), count).faces
    level, mode = given.get("impairment_level", 0), given.get("initiative_mode", "pips")
    total = fighting.initiative(faces, body.dice(given["intellect"]), impairment=level, counting=mode)
    return {"initiative": total, "draw_ap": fighting.draw_cost(fast_draw)}


@adapter("ego.ego-ap-01")
@adapter("ego.ego-ap-03")
def actions(given: Given, dice: MakeDice) -> Outputs:
    points, over = Points(given["action_points"]), 0
    wanted: list[str] = [_RELOADS.get(str(each), str(each)) for each in given["actions"]]
    for each in wanted:
        price = fighting.cost((each,))
        try:
            deed = DEEDS.get(each.partition("-")[0])
            points, _ = fighting.paid(points, price, whole=deed is not None and deed.whole)
        except Impossible:
            over = fighting.over_by(points, price)
    return {
        "cost": fighting.cost(wanted),
        "legal": not over,
        "over_by": over,
        "others_allowed": points.left > 0,
    }


@adapter("ego.ego-ap-02")
def overspending(given: Given, dice: MakeDice) -> Outputs:
    before = given["ap_used_before"] if "ap_used_before" in given else given["other_actions"]
    try:
        _, penalty = fighting.paid(Points(given["action_points"], before), given["cost"])
    except Impossible:
        return {"legal": False}
    return {"legal": True, "penalty_dice": penalty}


@adapter("ego.ego-ap-04")
def skill_use(given: Given, dice: MakeDice) -> Outputs:
    return {"ap": [fighting.skill_points(each) for each in given["seconds"]]}


def _judged(given: Given, dice: MakeDice) -> dict[str, Any]:
    """An attack roll against a defence roll."""
    defence = _thrown(dice, given["defence_dice"])
    blocked = _thrown(dice, given["block_dice"]) if "block_dice" in given else Pool()
    level = given.get("attacker_impairment_level", 0)
    number = fighting.to_beat(defence.successes, blocked=blocked.successes, impaired=harm.DIFFICULTY[level])
    attack = _thrown(dice, given["attack_dice"])
    found: dict[str, Any] = {
        "tn": number,
        "successes": attack.successes,
        "hit": fighting.beats(attack.successes, number),
    }
    if "attack_dice_2" in given:
        again = _thrown(dice, given["attack_dice_2"])
        found["hit_2"] = fighting.beats(again.successes, number)
    return found


def _hurt(given: Given, dice: MakeDice, *, armour: int, lethal: bool) -> dict[str, Any]:
    points = harm.damage(_thrown(dice, given["damage_dice"]).faces)
    hurt = harm.struck(harm.Body(_TOUGH), points, armour=armour, lethal=lethal)
    return {"damage_rolled": points, "stopped": hurt.stopped, "damage_taken": hurt.taken}


@adapter("ego.ego-atk-01")
def attack(given: Given, dice: MakeDice) -> Outputs:
    if "muscle" in given:
        more = fighting.UNARMED["kick"]
        return {
            "ap": fighting.cost(("kick",)),
            "damage_dice": harm.damage_dice(more, body.dice(given["muscle"])),
        }
    found = _judged(given, dice)
    if "attacker" in given:
        mine, target = given["attacker"], given["target"]
        base = body.dice(mine["agility"]) + mine["hand_to_hand_combat"]
        found["attack_pool"] = fighting.attack_pool(base)
        found["defence_pool"] = fighting.defence_pool(body.dice(target["agility"]))
        assert harm.damage_dice(0, body.dice(mine["muscle"])) == len(given["damage_dice"])
        found |= {
            **_hurt(given, dice, armour=target["ar"], lethal=given["type"] == "lethal"),
            "type": given["type"],
        }
    return found


@adapter("ego.ego-def-01")
def block(given: Given, dice: MakeDice) -> Outputs:
    if "band" in given:
        from rules.systems.ego import ranged

        dodge = _thrown(dice, given["dodge_dice"]).successes
        return {
            "difficulty": [
                ranged.difficulty(given["band"], dodged=dodge if each else 0)
                for each in given["dodge_vs_ranged"]
            ]
        }
    return {**_judged(given, dice), "target_ap_spent": fighting.cost(fighting.REACTIONS["block"])}


@adapter("ego.ego-def-02")
def parry(given: Given, dice: MakeDice) -> Outputs:
    if "ap_left" in given:
        return {"allowed": "parry" in fighting.reactions(given["ap_left"])}
    size = fighting.defence_pool(
        body.dice(given["agility"]), melee=given["melee_combat"], weapon=given["melee_weapon"]
    )
    cost = fighting.cost(fighting.REACTIONS["parry"])
    assert "parry" in fighting.reactions(cost, armed=given["armed"], melee=given["melee_combat"])
    number = fighting.to_beat(throw(dice(given["dice"]), size).successes)
    return {"defence_pool": size, "tn": number, "target_ap_spent": cost}


@adapter("ego.ego-def-03")
def tumbling(given: Given, dice: MakeDice) -> Outputs:
    bonus = throw(dice(given["tumble_dice"]), given["tumbling"]).successes
    defences = [_thrown(dice, each).successes for each in given["defence_rolls"]]
    return {
        "tumbling_bonus": bonus,
        "tns": [fighting.to_beat(each, tumbling=bonus) for each in defences],
    }


@adapter("ego.ego-nme-01")
def enemies(given: Given, dice: MakeDice) -> Outputs:
    profile = enemy(given["enemy"])
    if "target" not in given:
        own, by = None, given.get("enemy_ap", "one")
        return {
            "stun_points": harm.stun_points(profile.vitality),
            "vitality_dice": body.dice(profile.vitality),
            "initiative_dice": fighting.enemy_initiative(profile.defence),
            "ap": fighting.enemy_points(profile.defence, own=own, by=by),
        }
    target = given["target"]
    assert fighting.defence_pool(body.dice(target["agility"])) == len(given["defence_dice"])
    assert fighting.attack_pool(profile.att) == len(given["attack_dice"])
    assert harm.damage_dice(profile.damage[0]) == len(given["damage_dice"])
    return {**_judged(given, dice), **_hurt(given, dice, armour=target["ar"], lethal=True)}

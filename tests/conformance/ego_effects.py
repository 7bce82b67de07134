"""Adapters for the worked examples of EGO: special effects, magic, psionics."""

from __future__ import annotations

from rules.core.errors import Impossible
from rules.systems.ego import body, effects
from rules.systems.ego.dice import throw
from rules.systems.ego.harm import damage, damage_dice
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


@adapter("ego.ego-mag-01")
def magic(given: Given, roll: MakeDice) -> Outputs:
    level = given["magic"]
    most = effects.pool_most(given["intellect"], level)
    return {
        "pool_max": most,
        "known_effects": effects.known_most(level),
        "max_points_per_casting": effects.most_points(level, most),
    }


@adapter("ego.ego-psi-01")
def psionics(given: Given, roll: MakeDice) -> Outputs:
    level = given["psionics"]
    return {
        "pool_max": effects.pool_most(given["intellect"], level),
        "known_effects": effects.known_most(level),
    }


@adapter("ego.ego-mag-02")
def casting(given: Given, roll: MakeDice) -> Outputs:
    level, points, pool = given["magic"], given["points"], given["pool_before"]
    try:
        after = effects.spent(points, level, pool)
    except Impossible as error:
        return {"allowed": False, "max": error.params["highest"]}
    size = effects.damage_dice(points)
    thrown = throw(roll(given["dice"]), size)
    return {
        "rating_pool": size,
        "success": thrown.successes >= given["difficulty"],
        "pool_after": after,
    }


@adapter("ego.ego-mag-03")
def attack_spell(given: Given, roll: MakeDice) -> Outputs:
    level, points = given["magic"], given["points"]
    size = effects.casting_pool(level, body.dice(given["intellect"]))
    thrown = throw(roll(given["dice"]), size)
    hurt = throw(roll(given["damage_dice"]), effects.damage_dice(points))
    return {
        "attack_pool": size,
        "successes": thrown.successes,
        "hit": thrown.successes >= given["range_difficulty"],
        "damage": damage(hurt.faces, 0, "per_die"),
        "pool_after": effects.spent(points, level, given["pool_before"]),
    }


@adapter("ego.ego-mag-04")
def sleep(given: Given, roll: MakeDice) -> Outputs:
    before, most, vitality = given["pool_before"], given["pool_max"], given["vitality"]
    return {"pool_after": [effects.slept(before, most, hours, vitality) for hours in given["hours"]]}


@adapter("ego.ego-fx-03")
def rating(given: Given, roll: MakeDice) -> Outputs:
    own = given["own_rating"]
    assert given["effect"] == "energy_blast"
    assert own <= given["table_max"]
    return {"damage_dice": effects.damage_dice(own), "rounds_if_timed": effects.rounds(own)}


@adapter("ego.ego-fx-06")
def by_themselves(given: Given, roll: MakeDice) -> Outputs:
    if "natural_weapon" in given:
        dice = damage_dice(given["natural_weapon"], body.dice(given["muscle"]))
        return {"damage_dice": dice, "type": "lethal"}
    successes = throw(roll(given["dice"]), given["rating"]).successes
    healed = effects.regenerated(given["lethal_before"], given["non_lethal_before"], successes)
    return {
        "healed": healed.points,
        "non_lethal_after": healed.non_lethal,
        "lethal_after": healed.lethal,
    }

"""Adapters for the worked examples of ranged combat under EGO."""

from __future__ import annotations

from rules.core.errors import Impossible
from rules.systems.ego import body, fighting, harm, ranged
from rules.systems.ego.dice import throw
from tests.conformance.ego_names import weapon
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


def factors(given: Given, dice: MakeDice) -> Outputs:
    band = given["band"] if "band" in given else given["gm_band"] or "short"
    level = given.get("impairment_level", 0)
    return {"difficulty": ranged.difficulty(band, given["factors"], impairment=level)}


adapter("ego.ego-rng-02")(factors)


@adapter("ego.ego-rng-01")
def shots(given: Given, dice: MakeDice) -> Outputs:
    if "dice" in given:
        pool = throw(dice(given["dice"]), len(given["dice"]))
        hit = ranged.hits(pool.successes, given["difficulty"])
        return {"successes": pool.successes, "hit": hit}
    if "weapon" in given:
        assert weapon(given["weapon"]).range == "sight"
        return factors(given, dice)
    limits = [*[given.get(each, 0) for each in ("short", "medium")], given["long"]]
    most = ranged.farthest(given["long"], limited=given.get("max_range_rule", False))
    bands = [ranged.band_at(each, limits, most) for each in given["distance"]]
    return {"bands": bands, "difficulties": [each and ranged.difficulty(each) for each in bands]}


@adapter("ego.ego-rng-03")
def thrown(given: Given, dice: MakeDice) -> Outputs:
    most = body.lift(given["muscle"])
    ends = ranged.throws(most, given["weight_lb"])
    made = given.get("made_for_throwing", False)
    bands = [ranged.band_at(each, ends, ends[-1]) for each in given.get("distance", [])]
    return {
        "max_lift": most,
        "max_distance": ends[-1],
        "increments": ends,
        "bands": bands,
        "difficulties": [each and ranged.difficulty(each, made_for_throwing=made) for each in bands],
    }


@adapter("ego.ego-rng-04")
def rate_of_fire(given: Given, dice: MakeDice) -> Outputs:
    declared = given["shots"]
    fired = declared if isinstance(declared, list) else [declared]
    base, rate = given["base_pool"], given["rof"]
    pools = [fighting.attack_pool(base, other=ranged.rate_dice(rate, each)) for each in fired]
    return {"pools": pools, "pool": pools[0]}


def _used(way: str, left: int) -> int | None:
    try:
        return ranged.ammunition(way, left)
    except Impossible:
        return None


@adapter("ego.ego-rng-05")
def automatic(given: Given, dice: MakeDice) -> Outputs:
    way = given["mode"]
    if "base_pool" in given:
        found, left = weapon(given["weapon"]), given["ammunition"]
        fire, used = ranged.FIRE[way], _used(way, left)
        count = harm.damage_dice(found.damage[0].dice, more=fire.damage, factor=fire.factor)
        return {
            "pool": fighting.attack_pool(given["base_pool"], other=fire.dice),
            "damage": {"dice": count, "flat": found.damage[0].flat},
            "ammunition_after": left - (used or 0),
        }
    if "weapon" in given:
        found = weapon(given["weapon"])
        return {"allowed": way in ranged.ways_to_fire(found.rate, automatic=found.automatic)}
    used = [_used(way, each) for each in given["ammunition"]]
    return {"allowed": [each is not None for each in used], "used": used}


@adapter("ego.ego-mus-01")
def muscle(given: Given, dice: MakeDice) -> Outputs:
    needs = given["requirement"] if "requirement" in given else weapon(given["weapon"]).muscle
    scores = given["muscle"] if isinstance(given["muscle"], list) else [given["muscle"]]
    found = [fighting.muscle_penalty(needs, each) for each in scores]
    return {"penalty_dice": found if isinstance(given["muscle"], list) else found[0]}


@adapter("ego.ego-aoe-01")
def area(given: Given, dice: MakeDice) -> Outputs:
    found = weapon(given["weapon"])
    faces = throw(dice(given["dice"]), harm.damage_dice(found.damage[0].dice)).faces
    points = harm.damage(faces, found.damage[0].flat)
    taken: list[int | None] = []
    for each in given["targets"]:
        hurt = harm.struck(harm.Body(1000), points, armour=each["ar"])
        within = given["hit"] and ranged.reaches(each["feet"], found.area or 0)
        taken.append(hurt.taken if within else None)
    return {"damage_rolled": points, "damage_taken": taken}

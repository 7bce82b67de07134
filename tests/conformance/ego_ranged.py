"""Adapters for the worked examples of ranged combat under EGO."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rules.core.errors import Impossible
from rules.systems.ego.character.sheet import lift
from rules.systems.ego.checks.procedure import Result
from rules.systems.ego.formulas import close_combat, damage, ranged
from rules.systems.ego.formulas.dice import throw
from tests.conformance.ego_names import each, game, sheet, weapon
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

#: A factor as some call it.
_FACTORS = {"target_unaware": "unaware"}


def _number(given: Mapping[str, Any], band: str, *, made_for_throwing: bool = False) -> int:
    """What it takes to hit somebody in a band, with everything that an example names."""
    named = [_FACTORS.get(str(one), str(one)) for one in given.get("factors", ())]
    level = given.get("impairment_level", 0)
    made = ranged.THROWING_MODIFIER if made_for_throwing else 0
    return ranged.difficulty(band, named, damage.IMPAIRMENT_DIFFICULTY[level] + made)


@adapter("ego.ego-rng-02")
def factors(given: Given, dice: MakeDice) -> Outputs:
    return {"difficulty": _number(given, given.get("band", given.get("gm_band")) or "short")}


def _placed(
    given: Given, limits: Sequence[ranged.Meters], most: ranged.Meters | None, *, made: bool = False
) -> dict[str, object]:
    """The bands and difficulties of one distance or of several."""
    bands = each(
        given.get("distance", []), lambda far: ranged.band_at(Fraction(str(far)), limits, most)
    )
    numbers = each(bands, lambda band: band and _number(given, band, made_for_throwing=made))
    return {"bands": bands, "band": bands, "difficulties": numbers, "difficulty": numbers}


@adapter("ego.ego-rng-01")
def shots(given: Given, dice: MakeDice) -> Outputs:
    if "dice" in given:
        pool = throw(dice(given["dice"]), len(given["dice"]))
        result = Result(pool.successes, given["difficulty"])
        hit = ranged.hits(pool.successes, given["difficulty"])
        return {"successes": pool.successes, "hit": hit, "margin": result.margin}
    row = weapon(given["weapon"]) if "weapon" in given else None
    if row is not None and (row.range == "sight" or "gm_band" in given):
        return factors(given, dice)
    limits = (
        row.limits
        if row is not None
        else [*[given.get(one, 0) for one in ("short", "medium")], given["long"]]
    )
    return _placed(
        given, limits, ranged.max_range(limits[-1], limited=game(given).setting("max_range_rule"))
    )


@adapter("ego.ego-rng-03")
def thrown(given: Given, dice: MakeDice) -> Outputs:
    made = weapon(given["weapon"]).made_for_throwing if "weapon" in given else False
    made = given.get("made_for_throwing", made)
    most = lift(sheet(given))
    ends = ranged.throws(most, Fraction(str(given["weight_lb"])))
    return {
        "max_lift": most,
        "max_distance": ends[-1],
        "increments": ends,
        **_placed(given, ends, ends[-1], made=made),
    }


@adapter("ego.ego-rng-04")
def rate_of_fire(given: Given, dice: MakeDice) -> Outputs:
    base, rate = (
        given["base_pool"],
        weapon(given["weapon"]).rate if "weapon" in given else given["rof"],
    )
    try:
        pools = each(
            given["shots"],
            lambda fired: close_combat.attack_pool(base, other=ranged.rate_dice(rate or 0, fired)),
        )
    except Impossible:
        return {"allowed": False}
    return {"allowed": True, "pools": pools, "pool": pools}


def _used(way: str, left: int | None) -> tuple[bool, int | None]:
    """Whether a magazine allows it, and what it takes of it."""
    try:
        return True, ranged.ammunition(way, left)
    except Impossible:
        return False, None


@adapter("ego.ego-rng-05")
def automatic(given: Given, dice: MakeDice) -> Outputs:
    way, left = given["mode"], given.get("ammunition")
    fire = ranged.FIRE[way]
    found: list[tuple[bool, int | None]] | tuple[bool, int | None] = each(
        left, lambda one: _used(way, one)
    )
    if isinstance(found, list):
        return {"allowed": [able for able, _ in found], "used": [used for _, used in found]}
    allowed, used = found
    outputs: dict[str, object] = {"used": used}
    if "weapon" in given:
        row = weapon(given["weapon"])
        allowed = allowed and way in ranged.ways_to_fire(row.rate, automatic=row.automatic)
        count = damage.damage_dice(row.damage[0].dice, more=fire.damage, factor=fire.factor)
        outputs["damage"] = {"dice": count, "flat": row.damage[0].flat}
    if "base_pool" in given:
        outputs["pool"] = close_combat.attack_pool(given["base_pool"], other=fire.dice)
    if not allowed:
        return {"allowed": False, "used": None}
    return {
        **outputs,
        "allowed": True,
        "ammunition_after": None if left is None else left - (used or 0),
    }


@adapter("ego.ego-mus-01")
def muscle(given: Given, dice: MakeDice) -> Outputs:
    needs = given["requirement"] if "requirement" in given else weapon(given["weapon"]).muscle
    return {
        "penalty_dice": each(
            given["muscle"], lambda score: close_combat.muscle_penalty(needs, score)
        )
    }


@adapter("ego.ego-aoe-01")
def area(given: Given, dice: MakeDice) -> Outputs:
    row, table = weapon(given["weapon"]), game(given)
    outputs: dict[str, object] = {}
    if "attack_dice" in given:
        successes = throw(dice(given["attack_dice"]), len(given["attack_dice"])).successes
        outputs = {"successes": successes, "hit": ranged.hits(successes, given["difficulty"])}
    hit = outputs.get("hit", given.get("hit"))
    points = 0
    if hit:
        faces = throw(dice(given["dice"]), damage.damage_dice(row.damage[0].dice)).faces
        points = damage.damage(faces, row.damage[0].flat, table.setting("damage_halving"))
        outputs["damage_rolled"] = points
    else:
        throw(dice(given.get("dice", ())), len(given.get("dice", ())))
    taken: list[int | None] = []
    for target in given["targets"]:
        hurt = damage.apply_hit(damage.Body(1000), points, armor=target["ar"])
        feet, measure = target.get("feet", 0), table.setting("aoe_measure")
        within = row.area is None or ranged.reaches(feet, row.area, measure)
        taken.append(hurt.taken if hit and within else None)
    return {**outputs, "damage_taken": taken}

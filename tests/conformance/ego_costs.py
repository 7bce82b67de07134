"""Adapters for the worked examples of EGO: points, limits, races, experience, funds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rules.core.errors import Impossible, Problems, RulesError
from rules.systems.ego.character import creation
from rules.systems.ego.character.combat_values import points_of
from rules.systems.ego.character.sheet import (
    EgoSheet,
    Skill,
    Specialty,
    ability_dice,
    pool_of,
    write_sheet,
)
from rules.systems.ego.formulas import body, costs, damage
from rules.systems.ego.formulas.costs import ABILITIES
from rules.systems.ego.formulas.reference_rows import CATEGORIES, SKILLS, Rows, rows_of
from rules.table.system import Game
from tests.conformance.ego_names import SKILL, SPECIALTY, TRAIT, effect, game, last, slug
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

#: What each ability of the sample races differs by from a human's.
_RACES: dict[str, dict[str, int]] = {"human": {}, "elf": {"agility": 2, "vitality": -2}}


def _verdict(found: Iterable[RulesError]) -> dict[str, Any]:
    params = {key: value for error in found for key, value in error.params.items()}
    return {"valid": not params, **params}


def _wrong(table: Game, who: EgoSheet) -> list[RulesError]:
    """What the file of such a new character breaks."""
    try:
        creation.read(table, write_sheet("Somebody", who), new=True)
    except Problems as error:
        return list(error.problems)
    return []


def _traits(given: Given, key: str) -> tuple[str, ...]:
    return tuple(TRAIT[name] for name in given.get(key, ()))


def _specialty(path: str, level: int) -> Specialty:
    """`melee_combat.melee_weapon`, which is of some one weapon."""
    name = SPECIALTY[last(path)]
    many = {each.name for row in SKILLS.values() for each in row.specialties if each.multiple}
    return Specialty(name, level, "Dagger" if name in many else "")


@adapter("ego.ego-chr-01")
def points(given: Given, roll: MakeDice) -> Outputs:
    unsaid = {key for key in ABILITIES if key not in given}
    who = EgoSheet(
        skills=tuple(Skill(SKILL[key], level) for key, level in given.get("skills", {}).items()),
        specialties=tuple(
            _specialty(key, level) for key, level in given.get("specialties", {}).items()
        ),
        advantages=_traits(given, "advantages"),
        disadvantages=_traits(given, "disadvantages"),
    ).replace(**{key: given.get(key, 0) for key in ABILITIES})
    table = game(given)
    made = creation.creation_budget(table, who)
    return {
        "ability_cost": made.abilities,
        "skill_cost": made.skills,
        "specialty_cost": made.specialties,
        "advantage_cost": made.advantages,
        "spent": made.total,
        "available": made.available,
        "left": made.left,
        "over_by": -made.left,
        "valid": not [each for each in _wrong(table, who) if each.params["field"] not in unsaid],
        "karma": body.karma([ability_dice(who, key) for key in ABILITIES]),
        "action_points": points_of(who).all,
        "stun_points": damage.stun_points(who.vitality),
    }


@adapter("ego.ego-chr-02")
def scores(given: Given, roll: MakeDice) -> Outputs:
    found = {key: given[key] for key in ABILITIES if key in given}
    maxima = costs.maxima(_RACES[given.get("race", "human")])
    wrong = _verdict(costs.score_faults(found, maxima))
    only = next(iter(found))
    return {
        "valid": wrong["valid"],
        "max": wrong.get("highest", maxima[only]),
        "min": wrong.get("lowest", costs.MIN_SCORES.get(only, 0)),
    }


@adapter("ego.ego-adv-01")
def advantages(given: Given, roll: MakeDice) -> Outputs:
    table, good, bad = game(given), _traits(given, "advantages"), _traits(given, "disadvantages")
    wrong = _wrong(table, EgoSheet(advantages=good, disadvantages=bad))
    found = _verdict(each for each in wrong if "advantages" in str(each.params["field"]))
    made = costs.point_budget(0, advantages=len(good), disadvantages=len(bad))
    repeats = table.setting("advantage_repeat_limit")
    rows = rows_of(Rows(), "traits")
    limits = {costs.trait_limit(rows[name].limit, repeats) for name in (*good, *bad)}
    return {
        "valid": found["valid"],
        "limit": found.get("highest", min(limits, default=repeats)),
        "cost": made.advantages,
        "bonus": made.available,
    }


def _bought(given: Given, after: int | None = None) -> Outputs:
    """A rise from one level to another, where an example tells it with the experience that there
    is.
    """
    before = given["from"]
    cost = costs.price(before, given["to"])
    most = given.get("max", given["to"]) if after is None else after
    have = given.get("exp", cost)
    try:
        for score in range(before, given["to"]):
            if (full := costs.maximum_error(score, most)) is not None:
                raise full
        _, left = costs.spend_experience(0, have, cost)
    except Impossible as error:
        return {"allowed": False, "missing": error.params.get("missing"), "max": most, "cost": cost}
    return {"allowed": True, "cost": cost, "exp_after": left}


@adapter("ego.ego-skl-01")
def skill_cost(given: Given, roll: MakeDice) -> Outputs:
    return _bought(given)


@adapter("ego.ego-exp-01")
def step_cost(given: Given, roll: MakeDice) -> Outputs:
    assert given["kind"] in ("skill", "specialty", "power_rating")
    return _bought(given, effect(given["effect"]).most if "effect" in given else None)


@adapter("ego.ego-exp-02")
def ability_cost(given: Given, roll: MakeDice) -> Outputs:
    if "race" not in given:
        return _bought(given)
    return _bought(given, costs.maxima(_RACES[given["race"]])[given["ability"]])


@adapter("ego.ego-spc-01")
def specialties(given: Given, roll: MakeDice) -> Outputs:
    base, before = given["base_level"], given.get("specialty_from", 0)
    after = given.get("specialty_to", before)
    found = _verdict(costs.specialty_faults("", given.get("base_skill", ""), after, base))
    cost = costs.price(before, after)
    return {
        "allowed": found["valid"],
        "specialty_max": costs.specialty_most(base),
        "first_raise_base_to": found.get("base"),
        "base_cost": found.get("cost"),
        "specialty_cost_after": cost,
        "specialty_cost": cost,
        "cost": cost,
    }


@adapter("ego.ego-pow-01")
def powers(given: Given, roll: MakeDice) -> Outputs:
    level = given["superpowers"]
    ratings = [(name, rating, effect(name).most) for name, rating in given["powers"].items()]
    found = {error.code: error.params for error in costs.power_faults(level, ratings)}
    most = min([costs.rating_most(most) for _, _, most in ratings], default=costs.HIGHEST_POWER)
    return {
        "rating_levels": costs.rating_levels(level),
        "used": sum(rating for _, rating, _ in ratings),
        "skill_cost": costs.price(0, level),
        "valid": not found,
        "max_rating": found.get("ego-power-rating", {}).get("highest", most),
        "max_powers": costs.MOST_POWERS,
    }


@adapter("ego.ego-rac-01")
@adapter("ego.ego-rac-02")
def race(given: Given, roll: MakeDice) -> Outputs:
    deltas: Mapping[str, int] = given["deltas"]
    maxima = costs.maxima(deltas)
    paid = given.get("racial_effects", 0), given.get("racial_disadvantages", 0)
    return {
        "valid": not list(costs.race_faults(deltas, *paid)),
        "maxima": maxima,
        "maxima_sum": sum(maxima.values()),
        "sum": sum(deltas.values()),
    }


@adapter("ego.ego-nme-02")
def category(given: Given, roll: MakeDice) -> Outputs:
    row = next(
        each for each in CATEGORIES.values() if slug(each.name).startswith(given["category"])
    )
    best = given.get("best", "muscle")
    found = costs.category_scores(
        (given.get("best_score", row.abilities[0]), *row.abilities[1:]), best
    )
    dice = {key: body.dice_for_score(score) for key, score in found.items()}
    who = EgoSheet(skills=(Skill("Climbing", row.level), Skill("Stealth", row.level))).replace(
        **found
    )
    return {
        "abilities": found if "best" in given else list(found.values()),
        "dice": list(dice.values()),
        **{f"{key}_dice": number for key, number in dice.items()},
        "skill_pool": pool_of(who, "Climbing"),
        "skill_pool_agility": pool_of(who, "Stealth"),
        "skills": row.skills,
        "skill_level": row.level,
        "cbp_value": costs.point_budget(0, found.values(), [row.level] * row.skills).total,
    }


@adapter("ego.ego-eqp-01")
def funds(given: Given, roll: MakeDice) -> Outputs:
    if "dice" in given:
        return {"funds": costs.funds(given["dice"], given["multiplier"])}
    if "starting_funds" in given:
        return {"funds": creation.amount(game({"starting_funds": str(given["starting_funds"])}))}
    try:
        return {"valid": True, "left": costs.spend_money(given["funds"], given["prices"])}
    except Impossible as error:
        return {"valid": False, "missing": error.params["missing"]}

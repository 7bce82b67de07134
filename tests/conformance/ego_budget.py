"""Adapters for the worked examples of EGO: points, limits, races, experience, funds."""

from __future__ import annotations

from collections.abc import Iterable

from rules.core.errors import Impossible, RulesError
from rules.systems.ego import body, budget
from rules.systems.ego.budget import ABILITIES
from rules.systems.ego.sheet import EgoSheet, Skill, pool_of
from rules.systems.ego.tables import CATEGORIES, EFFECTS, TRAITS
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


def _title(text: str) -> str:
    return text.replace("_", " ").title()


def _verdict(found: Iterable[RulesError]) -> dict[str, object]:
    params = {key: value for error in found for key, value in error.params.items()}
    return {"valid": not params, **params}


@adapter("ego.ego-chr-01")
def points(given: Given, roll: MakeDice) -> Outputs:
    scores = [given[each] for each in ABILITIES if each in given]
    made = budget.spent(
        given["cbp"],
        scores,
        given.get("skills", {}).values(),
        given.get("specialties", {}).values(),
        advantages=len(given.get("advantages", ())),
        disadvantages=len(given["disadvantages"]),
    )
    dice = [body.dice(score) for score in scores]
    return {
        "ability_cost": made.abilities,
        "skill_cost": made.skills,
        "specialty_cost": made.specialties,
        "advantage_cost": made.advantages,
        "spent": made.total,
        "available": made.available,
        "left": made.left,
        "over_by": -made.left,
        "valid": not list(budget.over(made)),
        "karma": body.karma(dice),
        "action_points": dice[1] if dice else None,
        "stun_points": body.stun(scores[3]) if dice else None,
    }


@adapter("ego.ego-chr-02")
def scores(given: Given, roll: MakeDice) -> Outputs:
    assert given["race"] == "human"
    given_scores = {each: given[each] for each in ABILITIES if each in given}
    found = _verdict(budget.score_faults(given_scores, budget.maxima({})))
    return {"valid": found["valid"], "max": found.get("highest")}


@adapter("ego.ego-adv-01")
def advantages(given: Given, roll: MakeDice) -> Outputs:
    names = [_title(name) for name in given["advantages"]]
    limits = {name: TRAITS[name].limit for name in names}
    found = _verdict(budget.trait_faults("advantages", names, limits, 3))
    return {"valid": found["valid"], "limit": found.get("highest")}


@adapter("ego.ego-skl-01")
def skill_cost(given: Given, roll: MakeDice) -> Outputs:
    return {"cost": budget.price(given["from"], given["to"])}


@adapter("ego.ego-exp-01")
def rating_cost(given: Given, roll: MakeDice) -> Outputs:
    assert given["kind"] == "power_rating"
    return {"cost": budget.price(given["from"], given["to"])}


@adapter("ego.ego-spc-01")
def specialties(given: Given, roll: MakeDice) -> Outputs:
    base, before = given["base_level"], given.get("specialty_from", 0)
    after = given.get("specialty_to", before)
    found = _verdict(budget.specialty_faults("", given.get("base_skill", ""), after, base))
    return {
        "allowed": found["valid"],
        "specialty_max": budget.specialty_most(base),
        "first_raise_base_to": found.get("base"),
        "base_cost": found.get("cost"),
        "specialty_cost_after": budget.price(before, after),
    }


@adapter("ego.ego-pow-01")
def powers(given: Given, roll: MakeDice) -> Outputs:
    level = given["superpowers"]
    most = {each.name: each.most for each in EFFECTS.values()}
    ratings = [(name, rating, most.get(_title(name))) for name, rating in given["powers"].items()]
    found = {error.code: error.params for error in budget.power_faults(level, ratings)}
    return {
        "rating_levels": budget.rating_levels(level),
        "used": sum(rating for _, rating, _ in ratings),
        "skill_cost": budget.price(0, level),
        "valid": not found,
        "max_rating": found.get("ego-power-rating", {}).get("highest"),
        "max_powers": found.get("ego-too-many-powers", {}).get("highest"),
    }


@adapter("ego.ego-rac-01")
def race(given: Given, roll: MakeDice) -> Outputs:
    deltas = dict(given["deltas"])
    maxima = budget.maxima(deltas)
    found = _verdict(budget.race_faults(deltas, given.get("racial_effects", 0)))
    return {
        "valid": found["valid"],
        "maxima": maxima,
        "maxima_sum": sum(maxima.values()),
        "sum": found.get("value"),
    }


@adapter("ego.ego-exp-02")
def ability_cost(given: Given, roll: MakeDice) -> Outputs:
    cost = budget.price(given["from"], given["to"])
    try:
        score = given["from"]
        while score < given["to"]:
            score = budget.raised(score, given.get("max", given["to"]))
        budget.paid(0, given.get("exp", cost), cost)
    except Impossible as error:
        return {"allowed": False, "missing": error.params.get("missing")}
    return {"allowed": True, "cost": cost}


@adapter("ego.ego-nme-02")
def category(given: Given, roll: MakeDice) -> Outputs:
    row = next(each for each in CATEGORIES.values() if each.name.casefold().startswith(given["category"]))
    found = budget.category_scores(row.abilities, given.get("best", "muscle"))
    dice = {each: body.dice(score) for each, score in found.items()}
    skills = (Skill("Climbing", row.level), Skill("Stealth", row.level))
    sheet = EgoSheet(skills=skills).but(**found)
    return {
        "abilities": found if "best" in given else list(found.values()),
        "dice": list(dice.values()),
        "agility_dice": dice["agility"],
        "skill_pool": pool_of(sheet, "Climbing"),
        "skill_pool_agility": pool_of(sheet, "Stealth"),
        "cbp_value": budget.spent(0, found.values(), [row.level] * row.skills).total,
    }


@adapter("ego.ego-eqp-01")
def funds(given: Given, roll: MakeDice) -> Outputs:
    return {"funds": budget.funds(given["dice"], given["multiplier"])}

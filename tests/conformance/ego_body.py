"""Adapters for the worked examples of EGO: what a body can do."""

from __future__ import annotations

from fractions import Fraction

from rules.systems.ego import body
from rules.systems.ego.budget import ABILITIES
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


@adapter("ego.ego-chr-03")
def rating(given: Given, roll: MakeDice) -> Outputs:
    if "scores" in given:
        return {"dice": [body.dice(score) for score in given["scores"]]}
    found = {each: body.dice(given[each]) for each in ABILITIES}
    return {"dice": found, "karma": body.karma(tuple(found.values()))}


@adapter("ego.ego-fx-05")
def enhanced(given: Given, roll: MakeDice) -> Outputs:
    found = {each: body.dice(given[each], given[f"enhanced_{each}"]) for each in ABILITIES if each in given}
    return {f"{each}_dice": dice for each, dice in found.items()} | {"action_points": found.get("agility")}


@adapter("ego.ego-lft-01")
def lifting(given: Given, roll: MakeDice) -> Outputs:
    levels = given["enhanced_muscle"]
    if isinstance(levels, list):
        return {"pounds": [body.lift(given["muscle"], level) for level in levels]}
    pounds = body.lift(given["muscle"], levels)
    loads = {how: body.load(pounds, how) for how in body.LOADS}
    return {"push_pull_drag": loads["push"], "on_wheels": loads["wheels"], "carry": loads["carry"]}


@adapter("ego.ego-siz-01")
def size(given: Given, roll: MakeDice) -> Outputs:
    return {"sizes": [body.size(Fraction(str(feet))).casefold() for feet in given["height_feet"]]}


@adapter("ego.ego-mov-01")
def movement(given: Given, roll: MakeDice) -> Outputs:
    feet = Fraction(given["height_feet"])
    return {pace: body.movement(feet, pace) for pace in body.PACES}

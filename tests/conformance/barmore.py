"""Adapters for the worked examples of Barmore's dice pool."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rules.systems.barmore import timed_actions
from rules.systems.barmore.check_state import Pace, Plan, roll_pool
from rules.systems.barmore.complex_actions import Task
from rules.systems.barmore.pool import (
    Opposition,
    Pool,
    PoolRoll,
    find_die_type,
    judge,
    no_dice_total,
    oppose,
    oppose_indirect,
    team_pool,
)
from rules.systems.barmore.trait_trees import ATTRIBUTE_FORM, Node, resolve_trait
from rules.systems.barmore.wounds import Blow, healing_time
from tests.conformance.runner import Given, MakeDice, Outputs, adapter
from tests.rules.barmore.play import built_pool
from tests.rules.barmore.trees import read_tree


def _pool(given: Given) -> Pool:
    return Pool(given["add"], given.get("bonus", 0) - given.get("penalty", 0))


def _described(pool: Pool) -> dict[str, object]:
    modifier = pool.modifier
    return {
        "add": pool.add,
        "bonus": max(0, modifier),
        "penalty": max(0, -modifier),
        "dice": pool.size,
    }


def _throw(given: Given, dice: MakeDice) -> PoolRoll:
    """Roll what one side of an example rolled; examples give what the dice count, not their
    faces.
    """
    die = find_die_type(given["die"])
    return roll_pool(
        dice([value - die.add for value in given["values"]]), _pool(given), (), Plan(die=die.id)
    )


def _exact(value: Any) -> int | Fraction:
    return value if isinstance(value, int) else Fraction(str(value))


def _pace(given: Given) -> dict[str, int]:
    """More or less time than usual, in either way to tell it."""
    return {each: given[each] for each in Pace.__struct_fields__ if each in given}


@adapter("barmore.pool")
def pool(given: Given, dice: MakeDice) -> Outputs:
    built = built_pool(
        given["ability"] or 0,
        given["attribute"] or 0,
        support=given.get("support") or 0,
        convert=given.get("convert", 0),
        wounds=given.get("wounds", 0),
        modifier=given.get("modifier", 0),
        **_pace(given),
    )
    return _described(built)


@adapter("barmore.roll")
def roll(given: Given, dice: MakeDice) -> Outputs:
    result = judge(_throw(given, dice), given["difficulty"])
    return {
        "total": result.total,
        "botch": result.botch,
        "success": result.success,
        "degree": result.degree,
    }


@adapter("barmore.no_dice")
def no_dice(given: Given, dice: MakeDice) -> Outputs:
    return {"total": no_dice_total(_pool(given))}


@adapter("barmore.team")
def team(given: Given, dice: MakeDice) -> Outputs:
    members = given["members"]
    if given["mode"] != "either_or":
        return _described(team_pool(given["mode"], [_pool(member) for member in members]))
    rolled = [_throw(member, dice).replace(lucky=member["chance"]) for member in members]
    results = [judge(each, given["difficulty"]) for each in rolled]
    return {
        "successes": [result.success for result in results],
        "degrees": [result.degree for result in results],
    }


def _triumph(result: Opposition) -> dict[str, object]:
    """Who triumphs; nobody does so to any degree."""
    won, degree = result
    if won is None:
        return {"winner": "nobody", "degree": None}
    return {"winner": "first" if won else "second", "degree": degree}


@adapter("barmore.direct_opposition")
def direct_opposition(given: Given, dice: MakeDice) -> Outputs:
    first, second = _throw(given["first"], dice), _throw(given["second"], dice)
    result = _triumph(oppose(first, second))
    return {
        "first_total": first.total,
        "second_total": second.total,
        "first_botch": first.botch,
        "second_botch": second.botch,
        **result,
    }


@adapter("barmore.indirect_opposition")
def indirect_opposition(given: Given, dice: MakeDice) -> Outputs:
    difficulty = given["difficulty"]
    first = judge(_throw(given["first"], dice), difficulty)
    second = judge(_throw(given["second"], dice), difficulty)
    result = _triumph(oppose_indirect(first, second))
    return {
        "first_success": first.success,
        "second_success": second.success,
        "first_degree": first.degree,
        "second_degree": second.degree,
        "first_botch": first.botch,
        "second_botch": second.botch,
        **result,
    }


@adapter("barmore.duration")
def duration(given: Given, dice: MakeDice) -> Outputs:
    return {"phases": timed_actions.action_duration(given["base_cost"], given["score"])}


@adapter("barmore.simultaneous")
def simultaneous(given: Given, dice: MakeDice) -> Outputs:
    return {"phases": timed_actions.combined_duration(given["durations"])}


@adapter("barmore.simultaneous_regular")
def simultaneous_regular(given: Given, dice: MakeDice) -> Outputs:
    return {"least_time": timed_actions.least_time([_exact(time) for time in given["times"]])}


@adapter("barmore.time_factor")
def time(given: Given, dice: MakeDice) -> Outputs:
    assert given["mode"] in ("detailed", "regular")
    add, bonus = Pace(**_pace(given)).dice()
    return {"add": add, "bonus": bonus}


@adapter("barmore.healing_time")
def healing(given: Given, dice: MakeDice) -> Outputs:
    return {"time": healing_time(_exact(given["base"]), given["attribute"])}


def _damage(blow: Blow) -> dict[str, object]:
    physical, mental = blow.degrees
    return {
        "stopped": blow.stopped,
        "final": None if blow.stopped else blow.final,
        "physical": physical,
        "mental": mental,
    }


@adapter("barmore.damage")
def damage(given: Given, dice: MakeDice) -> Outputs:
    muscle = given.get("muscle_power", 0)
    return _damage(
        Blow(
            given["attack_level"],
            given.get("armour", 0),
            muscle if given["physically_powered"] else 0,
            given.get("weapon", 0),
            given.get("toughness", 0),
            given["threshold"],
            given["lethal"],
        )
    )


@adapter("barmore.mental_damage")
def mental(given: Given, dice: MakeDice) -> Outputs:
    armor, threshold = given.get("armour", 0), given["threshold"]
    return _damage(Blow(given["attack_level"], armor, threshold=threshold, mental=True))


@adapter("barmore.complex")
def complex_action(given: Given, dice: MakeDice) -> Outputs:
    task = Task("t1", "", "k1", "", "", difficulty=0, every=1, required=given["required"])
    for degree in given["degrees"]:
        task = task.with_roll(degree, Pace())
        if task.is_finished:
            break
    return {"done_after": task.rolls if task.is_finished else None, "running_total": task.done}


@adapter("barmore.trait")
def trait(given: Given, dice: MakeDice) -> Outputs:
    parents = given["parents"]
    scores = {name: score for name, score in given["scores"].items() if score is not None}
    tree = read_tree(
        [ATTRIBUTE_FORM.changed_values(Node(name, parents[name])) for name in parents], "abilities"
    )
    found = resolve_trait(tree, scores, given["wanted"], given.get("accepted_descendant"))
    return {"used": found.used, "score": found.score, "via": found.via}

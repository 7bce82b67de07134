"""Adapters for the worked examples of EBB."""

from __future__ import annotations

from typing import Any

from rules.core.errors import Impossible, Problems
from rules.core.rng import Die, Rng, ScriptedRng
from rules.systems.ebb.difficulty import (
    Plan,
    counted_traits,
    level_name,
    parse_difficulty,
    shift_threshold,
    total_shift,
)
from rules.systems.ebb.generators import roll_generator
from rules.systems.ebb.resources import (
    ATTRIBUTE_RESOURCES,
    REROLL,
    RESOURCES,
    advance_cost,
    next_die,
)
from rules.systems.ebb.sheet import (
    Ability,
    EbbSheet,
    base_attributes,
    effective_attributes,
    read_sheet,
    write_sheet,
)
from rules.systems.ebb.task_roll import (
    TaskRoll,
    bare_success,
    judge,
    judge_opposed,
    reroll_ability,
    roll_task,
)
from rules.table.blocks import Text
from rules.table.resources import pay_cost
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_SOME_ATTRIBUTE = "Fitness"
_SOME_THRESHOLD = 10


def _sides(die: str | None) -> int | None:
    return None if die is None else int(die.removeprefix("d"))


def _roll(given: Given, dice: MakeDice) -> TaskRoll:
    """Roll what one side of an example rolled."""
    ability = given.get("ability")
    faces = list(given["main"])
    sides = None
    if ability is not None:
        sides = _sides(ability["die"])
        faces.append(ability["roll"])
    return roll_task(
        dice(faces),
        attribute=given.get("attribute"),
        ability_sides=sides,
        bonus=given.get("bonus", 0),
    )


def _threshold(value: Any) -> int:
    """A threshold is a number, or a difficulty as it is typed."""
    return parse_difficulty(value) if isinstance(value, str) else value


def _judged(roll: TaskRoll, threshold: int) -> dict[str, object]:
    result = judge(roll, threshold)
    return {"total": result.total, "verdict": result.verdict, "extra_results": result.extra_results}


def _abilities(number: int, sides: int = 6) -> tuple[Ability, ...]:
    return tuple(Ability(f"Ability {index}", _SOME_ATTRIBUTE, sides) for index in range(number))


@adapter("ebb.task_roll")
def task_roll(given: Given, dice: MakeDice) -> Outputs:
    return _judged(_roll(given, dice), _threshold(given["threshold"]))


@adapter("ebb.opposed")
def opposed(given: Given, dice: MakeDice) -> Outputs:
    result = judge_opposed(_roll(given["actor"], dice), _roll(given["opponent"], dice))
    return {
        "actor_total": result.actor.total,
        "actor_verdict": result.actor.verdict,
        "actor_extra_results": result.actor.extra_results,
        "opponent_total": result.opponent.total,
        "opponent_verdict": result.opponent.verdict,
        "opponent_extra_results": result.opponent.extra_results,
        "winner": result.winner,
    }


@adapter("ebb.level")
def level(given: Given, dice: MakeDice) -> Outputs:
    threshold = shift_threshold(parse_difficulty(str(given["level"])), given["shift"])
    return {"threshold": threshold, "name": level_name(threshold)}


@adapter("ebb.difficulty")
def difficulty(given: Given, dice: MakeDice) -> Outputs:
    equipment = given.get("equipment_levels", 0)
    adjustments = Plan(
        dilemma=given.get("dilemmas_removed", 0),
        flaw=given.get("flaw_levels", 0),
        superior=equipment < 0,
        missing_tools=max(0, equipment),
        drawback=given.get("drawback_defied", False),
        injured=given.get("injured_part_used", False),
        modifier=given.get("bonus", 0),
    )
    assessed = shift_threshold(parse_difficulty(str(given["level"])), total_shift(adjustments))
    return {
        "threshold": assessed,
        "name": level_name(assessed),
        "attribute_counts": counted_traits(Plan(value=1), adjustments)[1] is not None,
    }


@adapter("ebb.attribute")
def attribute(given: Given, dice: MakeDice) -> Outputs:
    sheet = EbbSheet(abilities=_abilities(given["abilities_in_group"]))
    return {"value": base_attributes(sheet)[_SOME_ATTRIBUTE]}


@adapter("ebb.advance")
def advance(given: Given, dice: MakeDice) -> Outputs:
    """Only one tier at a time can be bought."""
    before, wanted = _sides(given["from_die"]), _sides(given["to_die"])
    try:
        allowed = next_die(before) == wanted
    except Impossible:
        allowed = False
    return {"cost": advance_cost(before) if allowed else None, "allowed": allowed}


def _again(sheet: EbbSheet, roll: TaskRoll, face: int) -> tuple[EbbSheet, TaskRoll]:
    return pay_cost(RESOURCES, sheet, REROLL), reroll_ability(ScriptedRng([face]), roll)


@adapter("ebb.fate_reroll")
def fate_reroll(given: Given, dice: MakeDice) -> Outputs:
    roll = _roll(given, dice)
    sheet = EbbSheet(fate=given["fate"])
    allowed = True
    try:
        for face in given["rerolls"]:
            sheet, roll = _again(sheet, roll, face)
        if not given["rerolls"]:
            _again(sheet, roll, 1)  # only asks whether it would be allowed
    except Impossible:
        allowed = False
    return {
        **_judged(roll, _threshold(given["threshold"])),
        "allowed": allowed,
        "fate_left": sheet.fate,
    }


@adapter("ebb.sacrifice")
def sacrifice_point(given: Given, dice: MakeDice) -> Outputs:
    # Two abilities of a group make one point of its attribute.
    sheet = EbbSheet(abilities=_abilities(2 * given["base"]))
    if given["sacrificed"]:
        sheet = sheet.replace(sacrificed=((_SOME_ATTRIBUTE, given["sacrificed"]),))
    before = effective_attributes(sheet)[_SOME_ATTRIBUTE]
    try:
        after = ATTRIBUTE_RESOURCES[_SOME_ATTRIBUTE].pay(sheet, 1)
    except Impossible:
        return {
            "allowed": False,
            "effective_before": before,
            "effective_after": before,
            "extra_results": None,
        }
    return {
        "allowed": True,
        "effective_before": before,
        "effective_after": effective_attributes(after)[_SOME_ATTRIBUTE],
        "extra_results": bare_success(_SOME_THRESHOLD).extra_results,
    }


@adapter("ebb.new_character")
def new_character(given: Given, dice: MakeDice) -> Outputs:
    abilities = tuple(
        Ability(f"Ability {index}", _SOME_ATTRIBUTE, _sides(die) or 0)
        for index, die in enumerate(given["abilities"])
    )
    sheet = EbbSheet(abilities=abilities)
    codes: dict[tuple[str, Any], Any] = {}
    try:
        read_sheet(write_sheet("Somebody", sheet), new=True)
    except Problems as error:
        codes = {
            (problem.code, problem.params["field"]): problem.params for problem in error.problems
        }
    # Drawbacks are no part of the example: what is wrong about them tells how many there have to
    # be.
    wrong = codes.pop(("wrong-number", "drawbacks"), None)
    needed = len(sheet.drawbacks) if wrong is None else wrong["need"]
    return {"valid": not codes, "drawbacks_needed": needed}


def generate(rng: Rng, kind: str) -> tuple[tuple[str, ...], tuple[Die, ...]]:
    """Both properties as the tables write them, and the dice."""
    drawn = roll_generator(kind, rng)
    assert drawn.lines[0] == Text("ebb-drawn", {"kind": kind})
    said = ([each.params["name"], each.params["kind"]] for each in drawn.lines[1:])
    return tuple(", ".join(map(str, filter(None, both))) for both in said), drawn.dice


@adapter("ebb.generate")
def generated(given: Given, dice: MakeDice) -> Outputs:
    (first, second), _ = generate(dice(given["dice"]), given["kind"])
    return {"kind": given["kind"], "first": first, "second": second}

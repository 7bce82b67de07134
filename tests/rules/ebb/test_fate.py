"""Fate points and what they buy."""

from __future__ import annotations

import pytest

from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.rng import ScriptedRng
from rules.systems.ebb.resources import (
    FATE,
    REROLL,
    RESOURCES,
    advance,
    advance_cost,
    learn,
    next_die,
)
from rules.systems.ebb.sheet import Ability, EbbSheet, base_attributes
from rules.systems.ebb.task_roll import reroll_ability, roll_task
from rules.table.actions import Advance, Learn
from rules.table.resources import pay_cost
from rules.table.state import Character
from tests.sample_table import ANN, by, game

SHEET = EbbSheet(
    fate=12,
    abilities=(Ability("Climbing", "Fitness", 6), Ability("Running", "Fitness", 12)),
    drawbacks=("Loud", "Proud"),
)


def learn_ability(sheet: EbbSheet, name: str, group: str, drawback: str) -> EbbSheet:
    said = {
        "skill": name,
        "attribute": group,
        "drawback": drawback,
        "explanation": "in the marshes",
    }
    return learn(
        game(), Character("k1", "Anna", "p2", sheet), Learn(**by(ANN), **said)
    ).character.sheet


def raise_ability(sheet: EbbSheet, name: str) -> EbbSheet:
    return advance(
        game(), Character("k1", "Anna", "p2", sheet), Advance(**by(ANN), skill=name)
    ).character.sheet


@pytest.mark.rule("EBB-FATE", "EBB-TIER")
def test_costs() -> None:
    steps = [(None, 4, 10), (4, 6, 6), (6, 8, 8), (8, 10, 10), (10, 12, 12)]
    for from_sides, to_sides, cost in steps:
        assert advance_cost(from_sides) == cost
        assert next_die(from_sides) == to_sides
    assert sum(cost for _, _, cost in steps) == 46


@pytest.mark.rule("EBB-FATE", "EBB-TIER")
def test_above_the_highest_die_nothing_can_be_bought() -> None:
    for asked in (advance_cost, next_die):
        with pytest.raises(Impossible) as caught:
            asked(12)
        assert (caught.value.code, caught.value.params["highest"]) == ("highest-die", "d12")


@pytest.mark.rule("EBB-FATE")
def test_spending_and_earning() -> None:
    assert FATE.pay(SHEET, 12).fate == 0
    assert FATE.give(SHEET, 4).fate == 16
    with pytest.raises(Impossible) as caught:
        FATE.pay(SHEET, 13)
    assert (caught.value.code, caught.value.params) == (
        "not-enough-fate",
        {"what": "fate", "have": 12, "need": 13},
    )


@pytest.mark.parametrize("points", [0, -1])
def test_only_whole_positive_points(points: int) -> None:
    for change in (FATE.pay, FATE.give):
        with pytest.raises(InvalidInput):
            change(SHEET, points)


def test_fate_has_an_upper_end() -> None:
    with pytest.raises(InvalidInput):
        FATE.give(SHEET, 9988)
    assert FATE.give(SHEET, 9987).fate == 9999


@pytest.mark.rule("EBB-FATE")
def test_each_reroll_costs_a_point() -> None:
    roll = roll_task(ScriptedRng([6, 2]), attribute=2, ability_sides=8)
    sheet = EbbSheet(fate=2)
    for face in (3, 7):
        sheet, roll = pay_cost(RESOURCES, sheet, REROLL), reroll_ability(ScriptedRng([face]), roll)
    assert (sheet.fate, roll.abilities, roll.total) == (0, (2, 3, 7), 15)
    with pytest.raises(Impossible) as caught:
        pay_cost(RESOURCES, sheet, REROLL)
    assert caught.value.code == "not-enough-fate"


@pytest.mark.rule("EBB-FATE")
def test_without_ability_die_nothing_is_rolled_again() -> None:
    roll = roll_task(ScriptedRng([6]), attribute=2, ability_sides=None)
    with pytest.raises(Impossible) as caught:
        reroll_ability(ScriptedRng([]), roll)
    assert caught.value.code == "no-ability-die"


@pytest.mark.rule("EBB-FATE", "EBB-DRAWBACK", "EBB-CHAR")
def test_a_new_ability_brings_a_drawback_and_moves_the_attribute() -> None:
    grown = learn_ability(SHEET, "Swimming", "fitness", "Afraid of the dark")
    assert grown.abilities[-1] == Ability("Swimming", "Fitness", 4)
    assert grown.drawbacks == ("Loud", "Proud", "Afraid of the dark")
    assert grown.fate == 2
    assert (base_attributes(SHEET)["Fitness"], base_attributes(grown)["Fitness"]) == (1, 2)


@pytest.mark.parametrize(
    ("name", "group", "drawback", "error", "code"),
    [
        ("climbing ", "Fitness", "x", Impossible, "known-already"),
        (" ", "Fitness", "x", InvalidInput, "empty-text"),
        ("Swimming", "Fitness", "", InvalidInput, "empty-text"),
        ("x" * 301, "Fitness", "x", InvalidInput, "too-long"),
        ("a\x00b", "Fitness", "x", InvalidInput, "unprintable-text"),
        ("Swimming", "Luck", "x", NotFound, "unknown-attribute"),
    ],
)
def test_learning_is_checked(
    name: str, group: str, drawback: str, error: type[RulesError], code: str
) -> None:
    with pytest.raises(error) as caught:
        learn_ability(SHEET, name, group, drawback)
    assert caught.value.code == code


def test_a_sheet_has_room_for_sixty_abilities() -> None:
    full = EbbSheet(fate=50, abilities=tuple(Ability(f"A{i}", "Zone", 4) for i in range(60)))
    with pytest.raises(InvalidInput) as caught:
        learn_ability(full, "One more", "Zone", "x")
    assert caught.value.code == "too-many-entries"


@pytest.mark.rule("EBB-FATE", "EBB-TIER")
def test_raising_a_die() -> None:
    higher = raise_ability(SHEET, "climb")
    assert higher.abilities == (Ability("Climbing", "Fitness", 8), SHEET.abilities[1])
    assert higher.fate == 4
    assert higher.drawbacks == SHEET.drawbacks
    with pytest.raises(Impossible) as caught:
        raise_ability(higher, "climb")
    assert caught.value.code == "not-enough-fate"
    with pytest.raises(Impossible) as caught:
        raise_ability(SHEET, "running")
    assert caught.value.code == "highest-die"

"""What makes a task easier or harder before the roll."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, Problems
from rules.core.rng import ScriptedRng
from rules.systems.ebb.difficulty import (
    Plan,
    counted_traits,
    parse_difficulty,
    shift_threshold,
    total_shift,
)
from rules.systems.ebb.procedure import PROPOSAL, RULING, Attempt, roll_attempt

ADJUSTMENTS = st.builds(
    Plan,
    dilemma=st.integers(0, 9),
    flaw=st.integers(0, 2),
    missing_tools=st.integers(0, 9),
    superior=st.booleans(),
    drawback=st.booleans(),
    injured=st.booleans(),
    modifier=st.integers(-20, 20),
)


@pytest.mark.rule("EBB-PROPOSAL")
@pytest.mark.parametrize(
    ("adjustments", "expected"),
    [
        (Plan(), 0),
        (Plan(dilemma=1), -1),
        (Plan(dilemma=3), -3),
        (Plan(flaw=1), 1),
        (Plan(flaw=2), 2),
        (Plan(superior=True), -1),
        (Plan(missing_tools=4), 4),
        (Plan(modifier=5), 0),
        (Plan(dilemma=2, flaw=1, missing_tools=1, drawback=True, injured=True), 2),
    ],
)
def test_levels(adjustments: Plan, expected: int) -> None:
    assert total_shift(adjustments) == expected


@pytest.mark.rule("EBB-DRAWBACK")
def test_a_defied_drawback_is_a_level_and_the_attribute() -> None:
    adjustments = Plan(drawback=True)
    assert shift_threshold(
        parse_difficulty("Tricky"), total_shift(adjustments)
    ) == parse_difficulty("Difficult")
    able = Plan(sides=8, value=3)
    assert counted_traits(able, adjustments) == (8, None)
    assert counted_traits(
        able, Plan(dilemma=1, flaw=2, missing_tools=3, injured=True, modifier=-2)
    ) == (8, 3)


@pytest.mark.rule("EBB-INJURY")
def test_an_injured_part_is_a_level() -> None:
    assert shift_threshold(
        parse_difficulty("Tricky"), total_shift(Plan(injured=True))
    ) == parse_difficulty("Difficult")


@pytest.mark.rule("EBB-SHIFT", "EBB-PROPOSAL")
def test_never_below_easy() -> None:
    assert shift_threshold(
        parse_difficulty("Routine"), total_shift(Plan(dilemma=9))
    ) == parse_difficulty("Easy")
    assert shift_threshold(
        parse_difficulty("Routine"), total_shift(Plan(dilemma=3, drawback=True))
    ) == parse_difficulty("Easy")


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ({"dilemma": 0}, "out-of-range"),
        ({"dilemma": 10}, "out-of-range"),
        ({"flaw": 0}, "out-of-range"),
        ({"flaw": 3}, "out-of-range"),
        ({"missing-tools": 0}, "out-of-range"),
        ({"missing-tools": 10}, "out-of-range"),
        ({"modifier": 21}, "out-of-range"),
        ({"modifier": -21}, "out-of-range"),
    ],
)
def test_numbers_out_of_range(word: dict[str, int], code: str) -> None:
    for form in (PROPOSAL, RULING):
        with pytest.raises(Problems) as caught:
            form.read_json(word)
        (problem,) = caught.value.problems
        assert problem.code == code
        assert problem.params["field"] in word


@given(ADJUSTMENTS)
def test_shifts_add_up(adjustments: Plan) -> None:
    base = parse_difficulty("Tricky")
    assert shift_threshold(base, total_shift(adjustments)) == max(
        4, 10 + 3 * total_shift(adjustments)
    )


@pytest.mark.rule("EBB-SPECIALIST")
def test_a_specialist_task_needs_an_ability() -> None:
    def tried(ruling: Plan, **request: Any) -> Attempt:
        return Attempt(answer="roll", request=Plan(**request), ruling=ruling)

    specialist = tried(Plan(specialist=True))
    assert (specialist.lacks_ability, specialist.may_sacrifice) == (True, False)
    with pytest.raises(Impossible) as caught:
        roll_attempt(specialist, ScriptedRng([]))
    assert caught.value.code == "ability-required"
    assert not tried(Plan(specialist=True), sides=4).lacks_ability
    assert not tried(Plan()).lacks_ability
    assert tried(Plan(specialist=True, specialist_luck=True)).may_sacrifice

"""Moving, pushing and lifting under MasterBook."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.formulas import movement, success_chart
from rules.systems.masterbook.formulas.movement import Lift, Pushed, lift, pushed
from rules.systems.masterbook.formulas.value_chart import measure


@pytest.mark.rule("MB-MOV-01", "MB-MOV-02")
@given(st.integers(0, 30))
def test_an_action_never_takes_one_less_far_on_the_ground(rate: int) -> None:
    assert movement.in_a_round(rate) == max(movement.free(rate), measure(rate))
    assert movement.in_a_round(rate, ground=False) == measure(rate)
    assert movement.free(rate) == rate * movement.INCH


@pytest.mark.rule("MB-MOV-03", "MB-PSH-01", "MB-EQ-40")
def test_what_a_push_goes_against() -> None:
    assert movement.push_number("Running", 8) == 8
    assert movement.push_number("Climbing", 3, base=15) == 18
    assert movement.push_number("Climbing", 3, base=0) == 3  # a ladder in the place of the wall


@pytest.mark.rule("MB-PSH-01", "MB-PSH-02")
@given(
    st.sampled_from(("Running", "Swimming", "Climbing", "Long Jumping")),
    st.integers(0, 40),
    st.integers(0, 10),
)
def test_a_push_goes_as_far_as_its_result_has_it(skill: str, points: int, rate: int) -> None:
    found = pushed(skill, points, rate)
    push = success_chart.push(points)
    assert found == Pushed(points, push.push, push.shock, measure(rate) + measure(push.push))
    less = pushed(skill, points, rate, limit=True)
    assert (less.push, less.shock) == (push.push - 1, (push.shock + 1) // 2)
    most = {"Running": 40, "Swimming": 20, "Climbing": 23, "Long Jumping": 23}[skill]
    assert pushed(skill, points, rate, realistic=True).points == min(points, most)


@pytest.mark.rule("MB-PSH-01", "MB-MOV-03", "MB-FALL-01")
def test_pushes_that_fail() -> None:
    assert pushed("", -3, 8) == Pushed(metres=Fraction(40))
    assert pushed("Running", -9, 8) == Pushed(metres=Fraction(40))
    assert pushed("Running", -1, 4).metres == movement.in_a_round(4) == 8
    assert pushed("Running", -10, 8) == Pushed(None, 0, 2, Fraction(40), "fall")
    assert pushed("Climbing", -2, 3) == Pushed(trouble="no_progress")
    assert pushed("Climbing", -3, 3) == Pushed(trouble="fall")
    assert pushed("Swimming", -8, 4).trouble == ""
    assert pushed("Swimming", -9, 4) == Pushed(None, 0, 2, Fraction(6), "drowning")
    found = [movement.trouble("Climbing", each) for each in (0, -1, -2, -3)]
    assert found == ["", "no_progress", "no_progress", "fall"]
    assert pushed("Long Jumping", -20, 3) == Pushed(metres=Fraction(4))


@pytest.mark.rule("MB-LIFT-01", "MB-LIFT-02")
def test_lifting() -> None:
    assert movement.capacity(10) == 7
    assert lift(7, 11, 9) == Lift(11, True, 4, 6)
    first = lift(7, 11, 4)
    assert first == Lift(9, False, 2, 3)
    assert lift(first.reached, 11, 6) == Lift(12, True, 3, 5)
    assert lift(7, 11, -1) == Lift(7, False)
    assert lift(7, 6, -1).lifted
    assert lift(12, 16, 15, realistic=True) == Lift(14, False, 6, 8)
    assert lift(7, 11, 9, limit=True) == Lift(10, False, 3, 3)

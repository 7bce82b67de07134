"""Moving, pushing and lifting under MasterBook."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.formulas import movement, success_chart
from rules.systems.masterbook.formulas.movement import Lift, PushResult, resolve_lift, resolve_push
from rules.systems.masterbook.formulas.value_chart import measure


@pytest.mark.rule("MB-MOV-01", "MB-MOV-02")
@given(st.integers(0, 30))
def test_an_action_never_takes_one_less_far_on_the_ground(rate: int) -> None:
    assert movement.meters_in_a_round(rate) == max(movement.free_meters(rate), measure(rate))
    assert movement.meters_in_a_round(rate, ground=False) == measure(rate)
    assert movement.free_meters(rate) == rate * movement.INCH


@pytest.mark.rule("MB-MOV-03", "MB-PSH-01", "MB-EQ-40")
def test_what_a_push_goes_against() -> None:
    assert movement.push_difficulty("Running", 8) == 8
    assert movement.push_difficulty("Climbing", 3, base=15) == 18
    assert movement.push_difficulty("Climbing", 3, base=0) == 3  # a ladder in the place of the wall


@pytest.mark.rule("MB-PSH-01", "MB-PSH-02")
@given(
    st.sampled_from(("Running", "Swimming", "Climbing", "Long Jumping")),
    st.integers(0, 40),
    st.integers(0, 10),
)
def test_a_push_goes_as_far_as_its_result_has_it(skill: str, points: int, rate: int) -> None:
    found = resolve_push(skill, points, rate)
    push = success_chart.push(points)
    assert found == PushResult(points, push.push, push.shock, measure(rate) + measure(push.push))
    less = resolve_push(skill, points, rate, limit=True)
    assert (less.push, less.shock) == (push.push - 1, (push.shock + 1) // 2)
    most = {"Running": 40, "Swimming": 20, "Climbing": 23, "Long Jumping": 23}[skill]
    assert resolve_push(skill, points, rate, realistic=True).points == min(points, most)


@pytest.mark.rule("MB-PSH-01", "MB-MOV-03", "MB-FALL-01")
def test_pushes_that_fail() -> None:
    assert resolve_push("", -3, 8) == PushResult(meters=Fraction(40))
    assert resolve_push("Running", -9, 8) == PushResult(meters=Fraction(40))
    assert resolve_push("Running", -1, 4).meters == movement.meters_in_a_round(4) == 8
    assert resolve_push("Running", -10, 8) == PushResult(None, 0, 2, Fraction(40), "fall")
    assert resolve_push("Climbing", -2, 3) == PushResult(trouble="no_progress")
    assert resolve_push("Climbing", -3, 3) == PushResult(trouble="fall")
    assert resolve_push("Swimming", -8, 4).trouble == ""
    assert resolve_push("Swimming", -9, 4) == PushResult(None, 0, 2, Fraction(6), "drowning")
    found = [movement.trouble("Climbing", each) for each in (0, -1, -2, -3)]
    assert found == ["", "no_progress", "no_progress", "fall"]
    assert resolve_push("Long Jumping", -20, 3) == PushResult(meters=Fraction(4))


@pytest.mark.rule("MB-LIFT-01", "MB-LIFT-02")
def test_lifting() -> None:
    assert movement.lift_capacity(10) == 7
    assert resolve_lift(7, 11, 9) == Lift(11, True, 4, 6)
    first = resolve_lift(7, 11, 4)
    assert first == Lift(9, False, 2, 3)
    assert resolve_lift(first.reached, 11, 6) == Lift(12, True, 3, 5)
    assert resolve_lift(7, 11, -1) == Lift(7, False)
    assert resolve_lift(7, 6, -1).lifted
    assert resolve_lift(12, 16, 15, realistic=True) == Lift(14, False, 6, 8)
    assert resolve_lift(7, 11, 9, limit=True) == Lift(10, False, 3, 3)

"""The scale of difficulties and the columns of the Success Chart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.checks.state import Result
from rules.systems.masterbook.formulas import success_chart
from rules.systems.masterbook.formulas.success_chart import COLUMNS, DIFFICULTIES, Column, Damage


@pytest.mark.rule("MB-DN-01")
def test_the_scale_climbs_and_its_lowest_step_needs_no_roll() -> None:
    numbers = [each.dn for each in DIFFICULTIES.values()]
    assert numbers[0] is None
    climbing = [number for number in numbers if number is not None]
    assert climbing == sorted(set(climbing))
    assert (climbing[0], climbing[-1]) == (0, 25)


@pytest.mark.rule("MB-SUC-01", "MB-DN-03")
@given(st.integers(-40, 60), st.integers(-40, 60), st.integers(-20, 20))
def test_a_modifier_does_the_same_on_the_total_and_on_the_number(
    total: int, number: int, by: int
) -> None:
    assert Result(total + by, number).points == Result(total, number - by).points
    assert Result(total, number).success == (total >= number)


@pytest.mark.rule("MB-SUC-02", "MB-SUC-03")
@given(st.integers(-10, 60), st.sampled_from(sorted(COLUMNS)))
def test_more_points_are_never_a_smaller_result(points: int, column: Column) -> None:
    steps = success_chart.ladder(column)
    now, more = (steps.index(success_chart.result(column, each)) for each in (points, points + 1))
    assert now <= more <= now + 1
    assert (now == 0) == (points < 0)


@pytest.mark.rule("MB-SUC-02")
def test_levels_have_ranks() -> None:
    assert [success_chart.rank(points) for points in (-1, 0, 1, 5, 9, 13, 17, 90)] == [
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        6,
    ]
    assert [success_chart.success_level(points) for points in (-1, 16, 17)] == [
        "none",
        "spectacular",
        "spectacular_plus",
    ]


@pytest.mark.rule("MB-SUC-03")
def test_texts_of_damage_are_those_of_the_chart() -> None:
    texts = [
        success_chart.damage_for_points(points).text for points in (-1, 0, 1, 7, 8, 11, 15, 20, 23)
    ]
    whole = (
        "none 1|O1|Knockdown KO|Wnd K/O 3|2Wnd K/O 5|3Wnd KO 7|6Wnd Knockdown K5|9Wnd Knockdown K5"
    )
    assert " ".join(texts[:2]) + "|" + "|".join(texts[2:]) == whole


@pytest.mark.rule("MB-SUC-03")
def test_a_result_that_was_changed_counts_a_single_wound() -> None:
    assert success_chart.damage_for_points(8).replace(bare=False).text == "1Wnd K/O 3"
    assert Damage(shock=3).text == "3"
    assert Damage(knockdown=True).text == "Knockdown"
    assert Damage(wounds=1, ko="K").text == "1Wnd K"


@pytest.mark.rule("MB-DMG-11", "MB-SUC-03")
@given(st.integers(0, 80))
def test_wounds_never_fall_with_the_points(points: int) -> None:
    now, more = success_chart.damage_for_points(points), success_chart.damage_for_points(points + 1)
    assert now.wounds <= more.wounds
    assert points < 20 or more == now.replace(wounds=now.wounds + 1)


@pytest.mark.rule("MB-SUC-04")
@given(st.integers(-30, 90))
def test_pushes_go_further_every_third_point_and_cost_least_before(points: int) -> None:
    now, later = success_chart.push(points), success_chart.push(points + 3)
    if points < 0:
        assert (now.push, now.shock) == (0, 0)
    else:
        assert (later.push, later.shock) == (now.push + 1, now.shock + 1)
        assert 0 <= now.shock - now.push <= 2


@pytest.mark.rule("MB-SUC-05")
def test_a_critical_failure_misses_by_more_than_the_value() -> None:
    assert success_chart.is_critical_failure(10, 22, 11)
    assert not success_chart.is_critical_failure(10, 21, 11)
    assert not success_chart.is_critical_failure(12, 12, -3)
    assert success_chart.is_critical_failure(11, 12, 0)

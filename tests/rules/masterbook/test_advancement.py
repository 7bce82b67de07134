"""What is learned, and what it costs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.systems.masterbook.advancement import costs
from rules.systems.masterbook.advancement.costs import next_add_cost
from rules.systems.masterbook.advancement.life_points import convert_life_points


@pytest.mark.rule("MB-SKILL-IMP-01")
def test_life_points_turn_into_skill_points() -> None:
    assert convert_life_points(5, 1, 2) == (3, 7)
    for points in (0, -1, 6):
        with pytest.raises(Impossible, match="mb-too-few-life-points"):
            convert_life_points(5, 1, points)


@pytest.mark.rule("MB-SKILL-IMP-02", "MB-SKILL-IMP-03", "MB-SKILL-IMP-04")
@pytest.mark.parametrize(
    ("adds", "costs"),
    [
        # general, trained, special, special of trained, the other way, then with a teacher: half
        # and a third of both
        (0, (4, 8, 2, 4, 4, 2, 2, 4, 3)),
        (1, (2, 4, 1, 2, 2, 1, 1, 2, 2)),
        (2, (3, 6, 2, 4, 3, 2, 1, 3, 2)),
        (6, (7, 14, 4, 8, 7, 4, 3, 7, 5)),
        (14, (15, 30, 8, 16, 15, 8, 5, 15, 10)),
    ],
)
def test_costs(adds: int, costs: tuple[int, ...]) -> None:
    other = "double_then_round"
    assert costs == (
        next_add_cost("general", False, adds),
        next_add_cost("focus", True, adds),
        next_add_cost("specialization", False, adds),
        next_add_cost("specialization", True, adds),
        next_add_cost("specialization", True, adds, rounding=other),
        next_add_cost("general", False, adds, by=2),
        next_add_cost("general", False, adds, by=3),
        next_add_cost("general", True, adds, by=2),
        next_add_cost("general", True, adds, by=3),
    )


@pytest.mark.rule("MB-SKILL-IMP-04")
def test_teachers() -> None:
    assert [costs.teaching_divisor(rank) for rank in range(7)] == [1, 2, 2, 2, 2, 2, 3]
    assert costs.student_value(9, 2) == 11
    assert (costs.free_teaching_divisor(16), costs.free_teaching_divisor(17)) == (2, None)


@pytest.mark.rule("MB-SKILL-IMP-05")
def test_between_adventures() -> None:
    assert costs.may_gain("general", 1)
    assert not costs.may_gain("focus", 1, gained=1)
    assert costs.may_gain("specialization", 2)
    assert not costs.may_gain("specialization", 2, special=1)


@pytest.mark.rule("MB-SKILL-IMP-06")
def test_during_an_adventure() -> None:
    assert costs.may_gain_during(True)
    assert not costs.may_gain_during(False)
    assert not costs.may_gain_during(True, gained=1)


@pytest.mark.rule("MB-SKILL-IMP-07")
@given(
    st.sampled_from(("general", "focus", "specialization")),
    st.booleans(),
    st.integers(0, 20),
    st.integers(1, 3),
)
def test_quick_and_slow_learners(kind: costs.AddKind, trained: bool, adds: int, by: int) -> None:
    usual = next_add_cost(kind, trained, adds, by=by)
    quick = next_add_cost(kind, trained, adds, by=by, curve="positive")
    slow = next_add_cost(kind, trained, adds, by=by, curve="negative")
    assert 1 <= quick <= usual <= slow <= 2 * usual
    assert quick == (max(1, usual - 1) if adds else next_add_cost(kind, trained, 0, by=max(2, by)))


@pytest.mark.rule("MB-SKILL-IMP-08")
def test_attributes() -> None:
    assert costs.attribute_cost(9) == 30

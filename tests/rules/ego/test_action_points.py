"""Action Points and initiative under EGO."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.systems.ego.formulas import action_points
from rules.systems.ego.formulas.action_points import ActionPoints

prices = st.lists(st.integers(0, 5), max_size=8)


@pytest.mark.rule("EGO-AP-01")
@given(st.integers(1, 8), prices)
def test_no_more_is_spent_than_there_is_but_by_one_thing_alone(
    most: int, wanted: list[int]
) -> None:
    points, done = ActionPoints(most), 0
    for price in wanted:
        try:
            points, penalty = action_points.spend_points(points, price)
        except Impossible:
            continue
        done += price > 0
        assert penalty == (action_points.over_by(ActionPoints(most), points.spent) if price else 0)
        assert points.spent <= most or (points.alone and done == 1)
        assert points.left == (0 if points.alone else most - points.spent)


@pytest.mark.rule("EGO-AP-02")
def test_overspending_costs_dice_and_takes_the_round() -> None:
    points, penalty = action_points.spend_points(ActionPoints(3), 5)
    assert (points.alone, points.left, penalty) == (True, 0, 2)
    with pytest.raises(Impossible, match="ego-round-taken"):
        action_points.spend_points(points, 1)
    assert action_points.spend_points(points, 0) == (points, 0)  # what is free may still be done
    with pytest.raises(Impossible) as refused:
        action_points.spend_points(ActionPoints(3, spent=1), 4)
    assert refused.value.params == {"need": 4, "left": 2, "over": 2}
    with pytest.raises(Impossible, match="ego-no-ap"):
        action_points.spend_points(ActionPoints(0), 1, reaction=True)


@pytest.mark.rule("EGO-AP-02", "EGO-AP-03", "EGO-OP-20")
def test_a_reload_takes_the_whole_round_and_costs_no_dice() -> None:
    points, penalty = action_points.spend_points(
        ActionPoints(2), action_points.COSTS["reload-large"], whole=True
    )
    assert (points.alone, penalty) == (True, 0)
    with pytest.raises(Impossible, match="ego-no-ap"):
        action_points.spend_points(
            ActionPoints(4, spent=1), action_points.COSTS["reload-small"], whole=True
        )


@pytest.mark.rule("EGO-AP-03", "EGO-OP-19")
def test_what_actions_cost() -> None:
    assert (
        action_points.cost(("punch", "kick", "shoot", "melee", "throw", "tumbling", "effect")) == 8
    )
    assert action_points.cost(("parry", "block")) == 2
    assert (
        action_points.cost(("draw", "shoot")),
        action_points.cost(("draw", "shoot"), free=("draw",)),
    ) == (
        2,
        1,
    )
    assert (action_points.draw_cost(0), action_points.draw_cost(1)) == (1, 0)


@pytest.mark.rule("EGO-AP-04")
def test_what_longer_uses_of_a_skill_cost() -> None:
    assert [action_points.skill_use_cost(each) for each in (1, 10, 11, 19, 20, 39, 40)] == [
        1,
        1,
        3,
        3,
        4,
        5,
        6,
    ]


@pytest.mark.rule("EGO-INI-01", "EGO-OP-08")
def test_initiative() -> None:
    assert action_points.initiative_dice(3, fast_draw=2, karma=1) == 6
    assert action_points.initiative_dice(3, fast_draw=2, round=2) == 3
    assert action_points.initiative((2, 5, 6), 3, impairment=2) == 12
    assert action_points.initiative((2, 5, 6), 3, impairment=2, counting="successes") == 1
    assert action_points.initiative((1,), 1, impairment=3) == -4

"""Attack and defense pools of EGO's close combat, and the number to beat."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.ego.formulas import close_combat


@pytest.mark.rule("EGO-ATK-01", "EGO-DEF-01", "EGO-DEF-03", "EGO-IMP-01")
@given(
    st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 2), st.integers(0, 30)
)
def test_an_attack_beats_everything_that_is_set_against_it(
    defense: int, blocked: int, tumbling: int, impaired: int, successes: int
) -> None:
    number = close_combat.target_number(
        defense, blocked=blocked, tumbling=tumbling, impaired=impaired
    )
    assert number == defense + blocked + tumbling + impaired
    assert close_combat.beats(successes, number) == (successes >= number + 1)


@pytest.mark.rule("EGO-ATK-01")
def test_equal_is_a_miss() -> None:
    assert [close_combat.beats(each, 0) for each in (0, 1)] == [False, True]


@pytest.mark.rule("EGO-ATK-01", "EGO-MUS-01")
def test_what_an_attack_is_rolled_with() -> None:
    assert close_combat.attack_pool(5) == 5
    assert close_combat.attack_pool(5, specialty=2, muscle=1, other=-4) == 2
    assert close_combat.attack_pool(2, other=-3) == 0, "too few dice are no dice"


@pytest.mark.rule("EGO-DEF-01", "EGO-DEF-02")
def test_what_may_be_set_against_an_attack() -> None:
    assert close_combat.reactions(2, parries=True) == ("parry", "block", "both")
    assert close_combat.reactions(1, parries=True) == ("parry", "block")
    assert close_combat.reactions(2, parries=False) == ("block",)
    assert close_combat.reactions(0, parries=True) == ()
    assert close_combat.defense_pool(3) == 3
    assert close_combat.defense_pool(3, 5) == 8


@pytest.mark.rule("EGO-MUS-01")
@given(st.integers(0, 20), st.integers(0, 20))
def test_a_die_less_for_each_two_points_that_are_missing(needs: int, muscle: int) -> None:
    assert close_combat.muscle_penalty(needs, muscle) == sum(
        muscle <= needs - each for each in range(2, 22, 2)
    )
    assert close_combat.muscle_penalty(None, muscle) == 0

"""Exact odds against enumeration and against their own symmetries."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.rng import ScriptedRng
from rules.systems.ebb.task_odds import TaskOdds, task_odds
from rules.systems.ebb.task_roll import judge, roll_task

SIDES = st.sampled_from([None, 4, 6, 8, 10, 12])
ATTRIBUTES = st.none() | st.integers(0, 6)
BONUSES = st.integers(-20, 20)
LADDER_OF_DICE = (None, 4, 6, 8, 10, 12)


def enumerate_rolls(
    attribute: int | None, sides: int | None, threshold: int, bonus: int, rerolls: int
) -> tuple[dict[str, Fraction], list[Fraction], Fraction]:
    """Verdicts and extra results by rolling every face, tens at most `rerolls` times; and what is
    cut off.
    """
    names = ("success", "near_miss", "failure", "automatic_failure", "fumble")
    verdicts: dict[str, Fraction] = {name: Fraction(0) for name in names}
    at_least = [Fraction(0)] * 7
    for tens, last in product(range(rerolls + 1), range(1, 10)):
        for face in (None,) if sides is None else range(1, sides + 1):
            faces = [10] * tens + [last] + ([] if face is None else [face])
            roll = roll_task(
                ScriptedRng(faces), attribute=attribute, ability_sides=sides, bonus=bonus
            )
            result = judge(roll, threshold)
            chance = Fraction(1, 10 ** (tens + 1) * (sides or 1))
            verdicts[result.verdict] += chance
            for extra in range(min(6, result.extra_results) + 1 if result.success else 0):
                at_least[extra] += chance
    return verdicts, at_least, Fraction(1, 10 ** (rerolls + 1))


@given(ATTRIBUTES, SIDES, st.integers(1, 60), BONUSES)
def test_odds_add_up(attribute: int | None, sides: int | None, threshold: int, bonus: int) -> None:
    odds = task_odds(attribute=attribute, ability_sides=sides, threshold=threshold, bonus=bonus)
    parts = (odds.success, odds.near_miss, odds.failure, odds.automatic_failure)
    assert sum(parts) == 1
    assert all(0 <= part <= 1 for part in parts)
    assert odds.at_least[0] == odds.success
    assert len(odds.at_least) == 7
    assert list(odds.at_least) == sorted(odds.at_least, reverse=True)
    assert odds.automatic_failure == Fraction(1, 10)
    assert odds.fumble == Fraction(1, 10 * (sides or 1))


@pytest.mark.rule("EBB-ROLL", "EBB-CRIT", "EBB-FAIL")
@given(ATTRIBUTES, SIDES, st.integers(1, 40), st.integers(-3, 3))
def test_odds_are_what_rolling_every_face_gives(
    attribute: int | None, sides: int | None, threshold: int, bonus: int
) -> None:
    """The enumeration leaves out rolls with more than three tens; by their chance at most it may
    differ.
    """
    odds = task_odds(attribute=attribute, ability_sides=sides, threshold=threshold, bonus=bonus)
    verdicts, at_least, cut = enumerate_rolls(attribute, sides, threshold, bonus, rerolls=3)
    assert sum(verdicts.values()) == 1 - cut
    assert odds.automatic_failure == verdicts["automatic_failure"] + verdicts["fumble"]
    assert odds.fumble == verdicts["fumble"]
    pairs = [
        (odds.success, verdicts["success"]),
        (odds.near_miss, verdicts["near_miss"]),
        (odds.failure, verdicts["failure"]),
        *zip(odds.at_least, at_least, strict=True),
    ]
    for exact, counted in pairs:
        assert counted <= exact <= counted + cut


@given(ATTRIBUTES, SIDES, st.integers(1, 22))
def test_odds_are_exact_where_the_cut_cannot_reach(
    attribute: int | None, sides: int | None, threshold: int
) -> None:
    """With four tens the total is 41 or more: six extra results and more against anything
    up to 22.
    """
    odds = task_odds(attribute=attribute, ability_sides=sides, threshold=threshold)
    verdicts, at_least, cut = enumerate_rolls(attribute, sides, threshold, 0, rerolls=3)
    assert odds.success == verdicts["success"] + cut
    assert (odds.near_miss, odds.failure) == (verdicts["near_miss"], verdicts["failure"])
    assert odds.at_least == tuple(chance + cut for chance in at_least)


@pytest.mark.rule("EBB-ROLL")
def test_some_odds_by_hand() -> None:
    plain = task_odds(attribute=None, ability_sides=None, threshold=4)
    assert plain == TaskOdds(
        success=Fraction(7, 10),
        automatic_failure=Fraction(1, 10),
        fumble=Fraction(1, 10),
        near_miss=Fraction(2, 10),
        failure=Fraction(0),
        at_least=(
            Fraction(7, 10),
            Fraction(4, 10),  # 7 or more
            Fraction(1, 10),  # 10 or more: any ten
            Fraction(8, 100),  # 13 or more: a ten, then 3 or more
            Fraction(5, 100),
            Fraction(2, 100),
            Fraction(9, 1000),  # 22 or more: two tens, then anything but a 1
        ),
    )
    reaches = {2: 90, 4: 70, 9: 20, 10: 10, 11: 10, 12: 9, 19: 2, 20: 1, 21: 1}
    for threshold, percent in reaches.items():
        odds = task_odds(attribute=None, ability_sides=None, threshold=threshold)
        assert odds.success == Fraction(percent, 100), threshold


@given(ATTRIBUTES, SIDES, st.integers(1, 60), BONUSES)
def test_odds_are_monotone(
    attribute: int | None, sides: int | None, threshold: int, bonus: int
) -> None:
    """Harder is never likelier; more attribute, a better die, any die at all is never less
    likely.
    """
    base = task_odds(attribute=attribute, ability_sides=sides, threshold=threshold, bonus=bonus)
    harder = task_odds(
        attribute=attribute, ability_sides=sides, threshold=threshold + 1, bonus=bonus
    )
    abler = task_odds(
        attribute=(attribute or 0) + 1, ability_sides=sides, threshold=threshold, bonus=bonus
    )
    assert harder.success <= base.success <= abler.success
    for better in LADDER_OF_DICE[LADDER_OF_DICE.index(sides) + 1 :]:
        other = task_odds(
            attribute=attribute, ability_sides=better, threshold=threshold, bonus=bonus
        )
        assert base.success <= other.success
        assert all(one <= two for one, two in zip(base.at_least, other.at_least, strict=True))


def test_no_attribute_and_a_bonus_are_plain_numbers() -> None:
    assert task_odds(attribute=None, ability_sides=8, threshold=13) == task_odds(
        attribute=0, ability_sides=8, threshold=13
    )
    assert task_odds(attribute=3, ability_sides=8, threshold=13, bonus=-2) == task_odds(
        attribute=1, ability_sides=8, threshold=13
    )


def test_the_highest_threshold_has_odds_too() -> None:
    odds = task_odds(attribute=None, ability_sides=None, threshold=20_000)
    assert 0 < odds.success < Fraction(1, 10**1999)

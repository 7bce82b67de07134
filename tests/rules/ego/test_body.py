"""What a body can do."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.ego.formulas import body, damage

scores = st.integers(0, 60)
levels = st.integers(0, 12)


@pytest.mark.rule("EGO-CHR-03")
@given(scores)
def test_dice_never_fall_as_the_score_rises(score: int) -> None:
    assert (
        1
        <= body.dice_for_score(score)
        <= body.dice_for_score(score + 1)
        <= body.dice_for_score(score) + 1
    )


@pytest.mark.rule("EGO-CHR-03", "EGO-FX-05")
@given(scores, levels)
def test_each_level_of_an_effect_is_one_die(score: int, level: int) -> None:
    assert body.dice_for_score(score, level) == body.dice_for_score(score) + level


@pytest.mark.rule("EGO-CHR-04", "EGO-KAR-01")
def test_what_follows_from_the_scores() -> None:
    assert damage.stun_points(9) == 18
    assert body.step(10) == Fraction(5, 2)
    assert body.karma([4, 3, 3, 4]) == 14


@pytest.mark.rule("EGO-LFT-01")
@given(scores, levels)
def test_each_level_adds_twice_what_the_last_did(muscle: int, level: int) -> None:
    assert body.lift(muscle, level + 1) - body.lift(muscle, level) == 100 * 2**level
    pounds = body.lift(muscle, level)
    loads = [body.load(pounds, how) for how in ("push", "wheels", "carry")]
    assert loads == [2 * pounds, 3 * pounds, Fraction(pounds, 2)]


@pytest.mark.rule("EGO-MOV-01")
def test_running_is_twice_and_sprinting_three_times_as_fast() -> None:
    paces = [body.movement(Fraction(11, 2), pace) for pace in ("normal", "running", "sprinting")]
    assert paces == [11, 22, 33]


@pytest.mark.rule("EGO-SIZ-01")
@given(st.fractions(0, 30), st.fractions(0, 30))
def test_the_taller_is_never_of_a_smaller_size(one: Fraction, other: Fraction) -> None:
    sizes = [*(name for _, name in body.SIZES), body.LARGEST]
    low, high = sorted((one, other))
    assert sizes.index(body.size(low)) <= sizes.index(body.size(high))

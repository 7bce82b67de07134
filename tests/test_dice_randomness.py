"""The tests of chance on the keyed dice, smaller than `make bench` has them; and that they would
notice.
"""

from __future__ import annotations

import pytest

from benchmarks import randomness


def test_keyed_dice_look_like_chance() -> None:
    trials = randomness.measure(seeds=2, draws=4_000)
    assert [trial for trial in trials if not trial.kept] == []


LOADED = [*range(10)] * 400 + [9] * 300
STEADY = [*range(10)] * 400


@pytest.mark.parametrize(
    "score",
    [
        randomness.faces(LOADED, 10),
        randomness.pairs(STEADY, 10),
        randomness.serial(STEADY, 10),
        randomness.serial([number // 2 % 10 for number in range(4_000)], 1),
        randomness.runs([0, 9] * 2_000, 10),
        randomness.runs([0] * 2_000 + [9] * 2_000, 10),
    ],
)
def test_what_is_no_chance_is_noticed(score: float) -> None:
    assert abs(score) > randomness.LIMIT


def test_scores_of_even_and_of_plain_counts() -> None:
    # Too even is as unlikely as too uneven; the 95 % point of chi-square with 9 degrees is 16.92.
    assert randomness.faces(STEADY, 10) < -randomness.LIMIT
    uneven = [100 + step for step in (9, -9, 9, -9, 9, -9, 9, -9, 9.99, -9.99)]
    assert randomness.chi_square([*map(round, uneven)], 1_000) == pytest.approx(0.0, abs=0.3)
    assert randomness.chi_square(
        [100, 100, 100, 100, 100, 100, 100, 100, 129, 71], 1_000
    ) == pytest.approx(1.645, abs=0.06)

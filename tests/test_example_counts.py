"""A night has an end: no test goes on with new examples for ever, and late ones only for a
moment.
"""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings, strategies

from tests import example_counts


@pytest.mark.parametrize(
    ("started", "test", "plays"), [(0, 0, True), (0, 70, False), (2500, 5, True), (2500, 7, False)]
)
def test_what_is_left_passes_unplayed(
    monkeypatch: pytest.MonkeyPatch, started: float, test: float, plays: bool
) -> None:
    now, played = time.monotonic(), list[int]()
    monkeypatch.setattr(example_counts, "nightly", lambda: True)
    monkeypatch.setattr(example_counts, "_began", now - test)
    monkeypatch.setattr(example_counts, "_started", now - test - started)
    example_counts.within(60.0, played.append)(1)
    assert bool(played) is plays


@pytest.mark.parametrize(("night", "usual"), [(False, 8), (True, 20)])
def test_fewer_examples_by_day_are_all_of_them_at_night(
    monkeypatch: pytest.MonkeyPatch, night: bool, usual: int
) -> None:
    profile = settings.get_profile(settings.get_current_profile_name())
    monkeypatch.setattr(example_counts, "nightly", lambda: night)
    found = example_counts.examples(20, by_day=8).max_examples
    assert found == max(1, usual * profile.max_examples // example_counts.USUAL)


def test_what_draws_on_the_way_seems_not_flaky_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(example_counts, "nightly", lambda: True)
    played = list[float]()

    def example(dice: random.Random) -> None:
        played.extend([dice.random() for _ in range(dice.randint(1, 3))])
        if len(played) > 20:
            monkeypatch.setattr(example_counts, "_began", time.monotonic() - 3600)

    checks = [HealthCheck.data_too_large]
    tried = settings(max_examples=100, database=None, suppress_health_check=checks)
    tried(given(strategies.randoms(use_true_random=False))(example_counts.within(60.0, example)))()
    assert 20 < len(played) < 30

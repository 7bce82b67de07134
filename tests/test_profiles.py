"""A night has an end: no test goes on with new examples for ever, and late ones only for a moment."""

from __future__ import annotations

import time

import pytest

from tests import profiles


@pytest.mark.parametrize(
    ("started", "test", "plays"), [(0, 0, True), (0, 70, False), (2500, 5, True), (2500, 7, False)]
)
def test_what_is_left_passes_unplayed(
    monkeypatch: pytest.MonkeyPatch, started: float, test: float, plays: bool
) -> None:
    now, played = time.monotonic(), list[int]()
    monkeypatch.setattr(profiles, "nightly", lambda: True)
    monkeypatch.setattr(profiles, "_began", now - test)
    monkeypatch.setattr(profiles, "_started", now - test - started)
    profiles.within(60.0, played.append)(1)
    assert bool(played) is plays

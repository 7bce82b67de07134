"""The smallest system, as every other is played: on the simulated Discord."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.tiny import playing_tiny


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with playing_tiny(monkeypatch):
        yield

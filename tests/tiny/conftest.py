from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.sample_table import House, Session, make_house
from tests.tiny import playing_tiny, tiny_session


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with playing_tiny(monkeypatch):
        yield


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with make_house(tmp_path) as house:
        yield house


@pytest.fixture
async def session(house: House) -> Session:
    return await tiny_session(house)

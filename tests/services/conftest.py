from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.sample_table import House, Session, make_house, make_session


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with make_house(tmp_path) as house:
        yield house


@pytest.fixture
async def session(house: House) -> Session:
    return await make_session(house)

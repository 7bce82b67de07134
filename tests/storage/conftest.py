from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.store import Store
from tests.storage.postgres_server import schema_for, shared_server
from tests.storage.stores import FACTORIES, Keeper, postgres


@pytest.fixture(params=FACTORIES, ids=lambda factory: factory.__name__)
async def keeper(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Keeper]:
    """One kind of store on a place of its own; closed at the end."""
    keeper = Keeper(request.param, tmp_path)
    yield keeper
    await keeper.close()
    if request.param is postgres:
        shared_server().drop_schema(schema_for(tmp_path))


@pytest.fixture
async def store(keeper: Keeper) -> Store:
    return await keeper.open()

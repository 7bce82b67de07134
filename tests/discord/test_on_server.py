"""The whole bot on a PostgreSQL server: what works on a copy of the database, and its figures."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from bot.app import Storyguide
from bot.storage.location import ServerAddress
from tests.discord.test_data import busy_table, file_of, forget
from tests.discord.world import (
    World,
    close_bots,
    controls,
    make_bot,
    message_of,
    private,
    public,
    texts,
)
from tests.ops.test_long_running import figures
from tests.storage.postgres_server import schema_for, shared_server


@pytest.fixture
def address(tmp_path: Path) -> Iterator[ServerAddress]:
    """An empty schema."""
    server, schema = shared_server(), schema_for(tmp_path)
    server.create_schema(schema)
    yield server.address(schema)
    server.drop_schema(schema)


@pytest.fixture(autouse=True)
def rare_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a long time pass between two looks at the server: SimCord waits for every timer that
    ends before a command's time limit, and so would wait for look after look.
    """
    monkeypatch.setattr("bot.storage.server_database.WATCH_INTERVAL", 3600)


@pytest_asyncio.fixture
async def simcord_bot(address: ServerAddress) -> AsyncIterator[Storyguide]:
    yield make_bot(address)
    await close_bots()


async def test_rolls_are_verified(world: World) -> None:
    await world.table()
    public(await world.ana.slash(world.zone, "roll", dice="4d6kh3"))
    message = world.last()
    await world.gina.slash(world.zone, "table fair rotate")
    verified = await world.ana.context_menu(world.zone, "Verify this roll", message)
    assert "✓ Verified" in private(verified)


async def test_exports_are_written(world: World) -> None:
    await busy_table(world)
    mine = await file_of(await world.ana.slash(world.zone, "privacy export"))
    assert "under the false floor" in json.dumps(mine)
    full = await file_of(await world.gina.slash(world.zone, "gm export", what="full", journal=True))
    assert full["journal"]


async def test_deleting_says_what_a_server_keeps(world: World) -> None:
    await busy_table(world)
    asked = texts(message_of(await world.ana.slash(world.zone, "privacy delete")))
    deleted = await forget(world, world.ana)
    for text in (asked, deleted):
        assert "The database server keeps deleted data in its files for a while" in text
        assert "its log and backups keep your data until" in text
    assert "Your data is gone from 1 table" in deleted
    again = await world.ana.slash(world.zone, "privacy export")
    assert not controls(message_of(again))
    assert "No data about you" in private(again)


async def test_the_metrics_port_tells_of_the_server(world: World) -> None:
    await world.table()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    await world.bot.metrics.start(port)
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/metrics") as answer,
    ):
        told = figures(await answer.text())
    assert told["storyguide_server_connected"] == 1
    assert told["storyguide_replicas"] == told["storyguide_replicas_missing"] == 0
    assert (told["storyguide_process_slot"], told["storyguide_processes"]) == (0, 1)
    assert told["storyguide_tables"] == 1
    assert told["storyguide_commits_total"] >= 1
    assert told["storyguide_database_bytes"] > 1_000_000
    assert "storyguide_log_bytes" not in told

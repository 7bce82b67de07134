"""Shards of a process, and their turns to identify among all processes."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.settings import Settings
from bot.shards import (
    SHARDS_NOTE,
    IdentifyTurns,
    ShardsRefused,
    agree_on_shards,
    least_multiple,
    own_shards,
)
from bot.storage.location import ServerAddress
from bot.storage.share import Share, shard_key
from bot.storage.store import SqlStore
from tests.storage.postgres_server import schema_for, shared_server


@pytest.fixture
def address(tmp_path: Path) -> Iterator[ServerAddress]:
    """The address of an empty schema of the test's own."""
    schema = schema_for(tmp_path)
    shared_server().create_schema(schema)
    yield shared_server().address(schema)
    shared_server().drop_schema(schema)


@pytest.fixture
async def stores(address: ServerAddress) -> AsyncIterator[list[SqlStore]]:
    """Three processes of three."""
    found = [await open_share(address, number, 3) for number in range(3)]
    yield found
    for store in found:
        await store.close()


async def open_share(address: ServerAddress, number: int, count: int) -> SqlStore:
    """Open the store of one process."""
    store = await SqlStore.open(address)
    store.database.share = Share(number, count)
    return store


def test_each_shard_belongs_to_the_process_of_its_servers() -> None:
    shares = [Share(number, 3) for number in range(3)]
    shards = [own_shards(share, 12) for share in shares]
    assert shards[1] == [1, 4, 7, 10]
    assert sorted(shard for own in shards for shard in own) == [*range(12)]
    for guild in map(str, range(10**18, 10**18 + 40 * 2**22, 2**22)):
        owner = next(share for share in shares if share.owns(guild))
        assert shard_key(guild) % 12 in shards[owner.number]


def test_what_discord_recommends_is_rounded_up_to_all_processes() -> None:
    assert [least_multiple(recommended, 4) for recommended in (1, 4, 5, 16)] == [4, 4, 8, 16]
    assert least_multiple(3, 1) == 3


def test_shards_are_a_multiple_of_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORYGUIDE_PROCESSES", "3")
    monkeypatch.setenv("STORYGUIDE_SHARDS", "6")
    assert Settings(_env_file=None).storyguide_shards == 6  # pyright: ignore[reportCallIssue]
    monkeypatch.setenv("STORYGUIDE_SHARDS", "8")
    with pytest.raises(ValidationError, match="a multiple of STORYGUIDE_PROCESSES, 3"):
        Settings(_env_file=None)  # pyright: ignore[reportCallIssue]


async def test_a_file_has_the_shards_that_it_wants(tmp_path: Path) -> None:
    store = await SqlStore.open(tmp_path / "tables.db")
    assert await agree_on_shards(store.database, 2, explicit=True) == 2
    assert await agree_on_shards(store.database, 1, explicit=True) == 1
    await store.close()


async def test_processes_take_the_shards_of_those_that_run(
    stores: list[SqlStore], address: ServerAddress
) -> None:
    first, second, third = [store.database for store in stores]
    assert await agree_on_shards(first, 6, explicit=False) == 6
    assert await stores[1].note(SHARDS_NOTE) == "6/3"
    assert await agree_on_shards(second, 12, explicit=False) == 6, "Discord recommends more by now"
    with pytest.raises(ShardsRefused, match="is 12, and the other processes run with 6"):
        await agree_on_shards(third, 12, explicit=True)
    assert await agree_on_shards(third, 6, explicit=True) == 6
    await stores.pop(0).close()
    again = await open_share(address, 0, 3)
    stores.append(again)
    assert await agree_on_shards(again.database, 12, explicit=False) == 6, "two others run"


async def test_shards_are_decided_anew_when_all_have_ended(
    stores: list[SqlStore], address: ServerAddress
) -> None:
    for store in stores[:2]:
        await agree_on_shards(store.database, 6, explicit=False)
    while stores:
        await stores.pop().close()
    stores += [await open_share(address, number, 2) for number in range(2)]
    assert await agree_on_shards(stores[0].database, 4, explicit=True) == 4
    assert await agree_on_shards(stores[1].database, 4, explicit=True) == 4


async def test_all_that_start_together_agree(stores: list[SqlStore]) -> None:
    agreeing = [
        agree_on_shards(store.database, wanted, explicit=False)
        for store, wanted in zip(stores, (6, 9, 12), strict=True)
    ]
    assert len(set(await asyncio.gather(*agreeing))) == 1


async def test_who_agreed_is_known_after_the_session_was_lost(
    stores: list[SqlStore], address: ServerAddress
) -> None:
    await agree_on_shards(stores[0].database, 6, explicit=False)
    shared_server().execute(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE classid = 5734 AND granted"
    )
    await stores[0].set_note("anything", "is written")
    assert await agree_on_shards(stores[1].database, 12, explicit=False) == 6


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns are short."""
    monkeypatch.setattr("bot.shards.IDENTIFY_INTERVAL", 0.3)
    monkeypatch.setattr("bot.storage.server_database.TURN_DELAY", 0.02)


@pytest.mark.usefixtures("quick")
async def test_one_shard_of_a_bucket_identifies_at_a_time(stores: list[SqlStore]) -> None:
    loop, turns = asyncio.get_running_loop(), [IdentifyTurns(each.database, 2) for each in stores]
    had: dict[int, float] = {}

    async def identify(shard: int) -> None:
        await turns[shard % 3].take(shard)
        had[shard] = loop.time()

    await asyncio.gather(*map(identify, range(6)))
    for bucket in range(2):
        times = sorted(time for shard, time in had.items() if shard % 2 == bucket)
        gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
        assert len(gaps) == 2 and min(gaps) >= 0.28, gaps
    assert max(had.values()) - min(had.values()) < 5 * 0.3, "two buckets go side by side"
    for each in turns:
        assert each.waiting == 0
        await each.close()


@pytest.mark.usefixtures("quick")
async def test_whoever_gives_up_or_ends_keeps_no_turn(
    stores: list[SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.shards.IDENTIFY_INTERVAL", 60)
    first, second, third = [IdentifyTurns(each.database, 1) for each in stores]
    await first.take(0)
    waiting = asyncio.create_task(second.take(1))
    await asyncio.sleep(0.1)
    assert second.waiting == 1 and not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await first.close()
    async with asyncio.timeout(20):
        await third.take(2)
    for each in (second, third):
        await each.close()


@pytest.mark.usefixtures("quick")
async def test_without_a_server_a_shard_waits_its_time(
    stores: list[SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere: Any = ServerAddress("postgresql://storyguide@%2Fnowhere/postgres")
    monkeypatch.setattr(stores[0].database, "_address", nowhere)
    turns = IdentifyTurns(stores[0].database, 1)
    began = asyncio.get_running_loop().time()
    async with asyncio.timeout(20):
        await turns.take(0)
    assert asyncio.get_running_loop().time() - began >= 0.28
    await turns.close()

"""After a restore the first process begins anew at all tables."""

from __future__ import annotations

import asyncio

from bot.services.after_restore import EPOCH, finish_restore
from bot.services.table_opening import ensure_free_table
from bot.services.tables import Tables
from bot.storage.high_water_mark import RESTORED_KEY
from bot.storage.share import Share
from bot.storage.store import SqlStore
from tests.sample_table import NOON, House


async def _process(house: House, number: int, count: int) -> Tables:
    tables = await house.enter()
    store = tables.store
    assert isinstance(store, SqlStore)
    store.database.share = Share(number, count)
    return tables


async def _renewed(house: House) -> list[int]:
    """Return how often each table began anew, in the order of the tables."""
    tables = await house.enter()
    counts: list[int] = []
    for table_id in sorted(await tables.store.table_places()):
        rows = await tables.store.page(table_id, 0)
        counts.append(sum(row.kind == "BeginAnew" for row in rows))
    return counts


async def _start(tables: Tables) -> int:
    return await finish_restore(tables, lambda: NOON)


async def _restored_tables(house: House) -> Tables:
    """Three tables, of servers with the shard keys 0 to 2, in a database that was restored."""
    tables = await house.enter()
    for number in range(3):
        await ensure_free_table(tables, str(number << 22), f"20{number}", NOON)
    await tables.store.set_note(RESTORED_KEY, "")
    return tables


async def test_the_first_process_begins_anew_at_the_tables_of_all(house: House) -> None:
    tables = await _restored_tables(house)
    processes = [await _process(house, number, 2) for number in range(2)]
    assert await _start(processes[1]) == 1
    assert await _renewed(house) == [1, 1, 1]
    assert await tables.store.note(RESTORED_KEY) is None
    assert await _start(processes[0]) == 1
    assert await _renewed(house) == [1, 1, 1]
    assert await tables.store.note(EPOCH) == "1"


async def test_processes_that_start_at_once_do_the_same(house: House) -> None:
    tables = await _restored_tables(house)
    processes = [await _process(house, number, 2) for number in range(2)]
    epochs = await asyncio.gather(*map(_start, processes))
    assert {*epochs} == {1}
    assert await _renewed(house) == [1, 1, 1]
    assert await tables.store.note(RESTORED_KEY) is None

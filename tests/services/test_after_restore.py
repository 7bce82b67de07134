"""After a restore each process begins anew at the tables of its share."""

from __future__ import annotations

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


async def test_each_process_begins_anew_at_its_own_tables(house: House) -> None:
    tables = await house.enter()
    for number in range(3):
        await ensure_free_table(tables, str(number << 22), f"20{number}", NOON)
    await tables.store.set_note(RESTORED_KEY, "")
    processes = [await _process(house, number, 2) for number in range(2)]
    assert await _start(processes[0]) == 1
    assert await _renewed(house) == [1, 0, 1]
    assert await _start(await _process(house, 0, 2)) == 1, "a process that starts again"
    assert await _renewed(house) == [1, 0, 1]
    assert await _start(processes[1]) == 1
    assert await _renewed(house) == [1, 1, 1]
    assert await tables.store.note(RESTORED_KEY) is None
    assert await tables.store.note(EPOCH) == "1"


async def test_with_another_number_of_processes_no_table_is_left_out(house: House) -> None:
    tables = await house.enter()
    for number in range(3):
        await ensure_free_table(tables, str(number << 22), f"20{number}", NOON)
    await tables.store.set_note(RESTORED_KEY, "")
    assert await _start(await _process(house, 1, 2)) == 1
    for number in range(3):
        assert await _start(await _process(house, number, 3)) == 1
    assert await _renewed(house) == [1, 1, 1]
    assert await tables.store.note(RESTORED_KEY) is None

"""What is SQLite's own: durability, shared commits, and trouble with the file."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from bot.storage.database import BUSY_MS, Database, FileConnection, _prepare, storage_error
from bot.storage.errors import Reason, StaleTable, StorageUnavailable
from bot.storage.row_records import WrittenEntry
from bot.storage.store import SqlStore
from bot.storage.write_batches import MAX_BATCH
from tests.machine_load import slower
from tests.storage.stores import new_entry, new_out, new_table


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "store.db")
    yield database
    await database.close()


@pytest.fixture
def store(database: Database) -> SqlStore:
    return SqlStore(database)


async def open_store(store: SqlStore, place: str = "200") -> int:
    return (await store.create_table(new_table(place), new_entry(f"open {place}")))[0].table_id


async def pragma(database: Database, text: str) -> Any:
    return await database.read(
        lambda connection: connection.execute(f"PRAGMA {text}").fetchone()[0]
    )


def dump(path: Path) -> list[str]:
    """Everything that is committed in the file, as another process sees it."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


# --- durability -----------------------------------------------------------------------------------


async def test_commits_are_durable_when_they_return(database: Database) -> None:
    assert await pragma(database, "journal_mode") == "wal"
    assert await pragma(database, "synchronous") == 2  # FULL
    assert await pragma(database, "foreign_keys") == 1
    assert await pragma(database, "busy_timeout") == BUSY_MS <= 1500


async def test_the_private_names_of_aiosqlite_are_what_they_were(database: Database) -> None:
    """`Database` uses them; a release that renames or changes them must not go unnoticed."""
    connection = database._connection
    assert isinstance(connection, aiosqlite.Connection)
    assert isinstance(connection._conn, sqlite3.Connection)
    assert isinstance(connection._thread, threading.Thread)
    assert connection._running is True
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    connection._tx.put_nowait((future, lambda: 3))
    assert await future == 3
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    connection._tx.put_nowait((None, lambda: loop.call_soon_threadsafe(done.set)))
    await asyncio.wait_for(done.wait(), 5)
    failing: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    connection._tx.put_nowait((failing, lambda: 1 // 0))
    with pytest.raises(ZeroDivisionError):
        await failing
    await database.close()
    assert connection._running is False
    with pytest.raises(ValueError, match="closed"):
        await database.read(lambda _: None)


# --- shared commits -------------------------------------------------------------------------------


async def trace_statements(database: Database) -> list[str]:
    """The statements from now on."""
    seen: list[str] = []
    await database.read(lambda connection: connection.set_trace_callback(seen.append))
    return seen


async def test_what_waits_together_shares_a_commit(database: Database, store: SqlStore) -> None:
    tables = [await open_store(store, str(place)) for place in range(2 * MAX_BATCH)]
    seen = await trace_statements(database)
    await asyncio.gather(
        *(store.append(table_id, 1, new_entry(f"e {table_id}")) for table_id in tables)
    )
    assert seen.count("COMMIT") == seen.count("BEGIN IMMEDIATE") == 2
    seen.clear()
    await store.append(tables[0], 2, new_entry("alone"))
    assert seen.count("COMMIT") == 1


async def test_a_refused_one_alone_commits_nothing(database: Database, store: SqlStore) -> None:
    table_id = await open_store(store)
    seen = await trace_statements(database)
    with pytest.raises(StaleTable):
        await store.append(table_id, 7, new_entry("a"))
    assert (seen.count("COMMIT"), seen.count("ROLLBACK")) == (0, 1)


async def test_a_result_is_told_only_after_the_commit(
    database: Database, store: SqlStore, tmp_path: Path
) -> None:
    """Whoever is told can read it in the file from outside."""
    tables = [await open_store(store, str(place)) for place in range(20)]

    async def write(table_id: int) -> bool:
        await store.append(table_id, 1, new_entry(f"e {table_id}"))
        with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
            return connection.execute(
                "SELECT 1 FROM journal WHERE request_id = ?", (f"e {table_id}",)
            ).fetchone()

    assert all(await asyncio.gather(*map(write, tables)))


async def test_whoever_gives_up_does_not_stop_the_others(store: SqlStore) -> None:
    tables = [await open_store(store, str(place)) for place in range(10)]
    tasks = [
        asyncio.ensure_future(store.append(table_id, 1, new_entry(f"e {table_id}")))
        for table_id in tables
    ]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [asyncio.CancelledError, WrittenEntry] * 5


# --- no room --------------------------------------------------------------------------------------


async def test_a_full_disk_changes_nothing_and_heals(
    database: Database, store: SqlStore, tmp_path: Path
) -> None:
    tables = [await open_store(store, str(place)) for place in range(3)]
    before = dump(tmp_path / "store.db")
    pages = await pragma(database, "page_count")
    assert await pragma(database, f"max_page_count = {pages}") == pages
    big = new_entry("big", parts={"settings": "x" * 200_000}, outs=(new_out(),))
    with pytest.raises(StorageUnavailable) as caught:
        await store.append(tables[0], 1, big)
    assert caught.value.reason == "full"
    # Together with others: either all are durable or none, and none is told otherwise.
    results = await asyncio.gather(
        store.append(tables[1], 1, new_entry("small 1")),
        store.append(tables[0], 1, big),
        store.append(tables[2], 1, new_entry("small 2")),
        return_exceptions=True,
    )
    assert [getattr(result, "reason", None) for result in results] == ["full"] * 3
    assert dump(tmp_path / "store.db") == before
    assert (await store.load_table(tables[0])) is not None
    await pragma(database, "max_page_count = 1000000")
    assert (await store.append(tables[0], 1, big)).seq == 2
    assert (await store.append(tables[1], 1, new_entry("small 1"))).seq == 2


# --- no writing -----------------------------------------------------------------------------------


async def test_a_file_turned_read_only_changes_nothing_and_heals(
    database: Database, store: SqlStore, tmp_path: Path
) -> None:
    table_id = await open_store(store)
    before = dump(tmp_path / "store.db")
    await database.read(lambda connection: connection.execute("PRAGMA query_only = 1").close())
    for work in (
        store.append(table_id, 1, new_entry("a")),
        store.set_note("a", "b"),
        store.drop_due(1, "x"),
    ):
        with pytest.raises(StorageUnavailable) as caught:
            await work
        assert caught.value.reason == "read-only"
    assert (await store.load_table(table_id)) is not None
    assert dump(tmp_path / "store.db") == before
    await database.read(lambda connection: connection.execute("PRAGMA query_only = 0").close())
    assert (await store.append(table_id, 1, new_entry("a"))).seq == 2


async def read_only(path: Path) -> Database:
    """The file as somebody has it who may only read it."""
    return Database(
        await aiosqlite.connect(
            f"file:{path}?mode=ro", uri=True, isolation_level=None, factory=FileConnection
        ),
        path,
    )


async def test_a_file_that_may_only_be_read(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await SqlStore.open(path)
    table_id = await open_store(store)
    other = await read_only(path)
    try:
        await other.read(_prepare)
        assert (await SqlStore(other).load_table(table_id)) is not None
        with pytest.raises(StorageUnavailable) as caught:
            await SqlStore(other).append(table_id, 1, new_entry("a"))
        assert caught.value.reason == "read-only"
    finally:
        await other.close()
    assert (await store.append(table_id, 1, new_entry("a"))).seq == 2
    await store.close()


async def test_a_new_file_that_may_only_be_read(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch()
    database = await read_only(path)
    try:
        with pytest.raises(StorageUnavailable) as caught:
            await database.read(_prepare)
        assert caught.value.reason == "read-only"
    finally:
        await database.close()
    assert path.read_bytes() == b""


@pytest.mark.parametrize("place", ["", "missing/store.db"])
async def test_a_place_where_no_file_can_be(tmp_path: Path, place: str) -> None:
    with pytest.raises(StorageUnavailable, match="unable to open"):
        await Database.open(tmp_path / place)


# --- somebody else has it -------------------------------------------------------------------------

_HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
connection.close()
print("free", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def hold() -> Any:
    """Makes another process hold the file for writing; returns how to let it go."""
    running: list[subprocess.Popen[str]] = []

    def begin(path: Path) -> Callable[[], None]:
        process = subprocess.Popen(
            [sys.executable, "-c", _HOLDER, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == "held\n"

        def release() -> None:
            assert process.stdin
            assert process.stdout
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "free\n"

        return release

    yield begin
    for process in running:
        process.communicate("\n")


async def test_a_held_file_is_told_soon_and_works_again(
    store: SqlStore, tmp_path: Path, hold: Callable[[Path], Callable[[], None]]
) -> None:
    tables = [await open_store(store, str(place)) for place in range(3)]
    before = dump(tmp_path / "store.db")
    release = hold(tmp_path / "store.db")
    started = time.monotonic()
    results = await asyncio.gather(
        *(store.append(table_id, 1, new_entry(f"e {table_id}")) for table_id in tables),
        return_exceptions=True,
    )
    took = time.monotonic() - started
    assert [getattr(result, "reason", None) for result in results] == ["locked"] * 3
    assert 0.5 < took < 2.5 * slower()
    assert (await store.load_table(tables[0])) is not None
    assert dump(tmp_path / "store.db") == before
    release()
    assert (await store.append(tables[0], 1, new_entry("again"))).seq == 2


async def test_a_file_held_for_a_moment_is_waited_for(
    store: SqlStore, tmp_path: Path, hold: Callable[[Path], Callable[[], None]]
) -> None:
    table_id = await open_store(store)
    release = hold(tmp_path / "store.db")
    task = asyncio.ensure_future(store.append(table_id, 1, new_entry("a")))
    await asyncio.sleep(0.2)
    assert not task.done()
    release()
    assert (await task).seq == 2


async def test_a_held_file_is_no_reason_not_to_start(
    tmp_path: Path, hold: Callable[[Path], Callable[[], None]]
) -> None:
    path = tmp_path / "store.db"
    await (await SqlStore.open(path)).close()
    release = hold(path)
    store = await SqlStore.open(path)
    assert await store.place_tables() == {}
    release()
    await store.close()


# --- words for it ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("database or disk is full", "full"),
        ("attempt to write a readonly database", "read-only"),
        ("database is locked", "locked"),
        ("database table is locked: part", "locked"),
        ("database disk image is malformed", "damaged"),
        ("file is not a database", "damaged"),
        ("Could not decode to UTF-8 column 'body' with text '\udcff'", "damaged"),
        ("no such table: part", "unknown"),
    ],
)
def test_each_kind_of_trouble_has_its_reason(text: str, reason: Reason) -> None:
    found = storage_error(sqlite3.OperationalError(text))
    assert (found.reason, str(found)) == (reason, f"{reason}: {text}")


# --- words for whoever runs the bot ---------------------------------------------------------------


def _logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, str]]:
    return [
        (record.levelname, record.getMessage(), record.__dict__["reason"])
        for record in caplog.records
        if record.getMessage().startswith("storage.")
    ]


async def test_trouble_that_lasts_is_logged_once_and_its_end(
    database: Database, store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "storyguide.storage")
    table_id = await open_store(store)
    await database.read(lambda connection: connection.execute("PRAGMA query_only = 1").close())
    for _ in range(3):
        with pytest.raises(StorageUnavailable):
            await store.append(table_id, 1, new_entry("a"))
    assert _logged(caplog) == [("ERROR", "storage.failing", "read-only")]
    await database.read(lambda connection: connection.execute("PRAGMA query_only = 0").close())
    pages = await pragma(database, "page_count")
    await pragma(database, f"max_page_count = {pages}")
    big = new_entry("big", parts={"settings": "x" * 200_000}, outs=(new_out(),))
    for _ in range(2):
        with pytest.raises(StorageUnavailable):
            await store.append(table_id, 1, big)
        await store.drop_due(1, "none")  # which writes nothing
    assert _logged(caplog)[1:] == [("ERROR", "storage.failing", "full")]
    await pragma(database, "max_page_count = 1000000")
    for number in (1, 2):
        await store.append(table_id, number, new_entry(f"e{number}"))
    assert _logged(caplog)[2:] == [("INFO", "storage.working-again", "full")]

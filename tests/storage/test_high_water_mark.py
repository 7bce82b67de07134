"""What was acknowledged is in the file itself once the bot rests; and a database that lost
something is known by it.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bot.storage import database
from bot.storage.high_water_mark import (
    highest_entry,
    loss_report,
    mark_file,
    marked_entry,
    raise_mark,
)
from bot.storage.store import SqlStore
from tests.storage.stores import file_of, new_entry, new_table, tidy_all

#: Seconds without a commit, here.
REST = 0.1


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "REST_DELAY", REST)
    monkeypatch.setattr(database, "REST_RETRY_DELAY", REST)


async def until(true: Callable[[], bool]) -> None:
    for _ in range(500):
        if true():
            return
        await asyncio.sleep(REST / 5)
    raise TimeoutError


async def store_with_entries(path: Path, count: int) -> SqlStore:
    """A store with so many entries in one table."""
    store = await SqlStore.open(path)
    await store.create_table(new_table(), new_entry("open"))
    for number in range(1, count):
        await store.append(1, number, new_entry(f"w{number}"))
    return store


def entries(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        found: int = connection.execute("SELECT COUNT(*) FROM journal").fetchone()[0]
        return found


async def test_nothing_is_lost_with_the_log_of_a_bot_that_rested(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    store = await store_with_entries(path, 40)
    await until(lambda: marked_entry(path) == 40)
    # What somebody finds who deletes the log under the running bot, and then loses the bot, too.
    alone = tmp_path / "alone" / "some.db"
    alone.parent.mkdir()
    (tmp_path / "some.db-wal").unlink()
    shutil.copy(path, alone)
    assert entries(alone) == 40
    again = await SqlStore.open(alone)
    assert await again.append(1, 40, new_entry("after"))
    await again.close()
    await store.close()


async def test_who_still_reads_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    store = await store_with_entries(path, 10)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT COUNT(*) FROM journal").fetchone() == (10,)
        await store.append(1, 10, new_entry("later"))
        await until(lambda: marked_entry(path) == 11)
        await store.append(1, 11, new_entry("later still"))
    await until(lambda: file_of(store).is_resting)
    alone = tmp_path / "alone.db"
    shutil.copy(path, alone)
    assert entries(alone) == 12
    await store.close()


async def test_the_timer_ends_when_nothing_is_written(tmp_path: Path) -> None:
    store = await store_with_entries(tmp_path / "some.db", 2)
    await until(lambda: file_of(store).is_resting)
    await asyncio.sleep(2 * REST)
    assert file_of(store).is_resting, "nothing looks again and again"
    await store.append(1, 2, new_entry("more"))
    await until(lambda: marked_entry(tmp_path / "some.db") == 3)
    await store.close()


async def test_a_note_that_cannot_be_written_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, entry: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(database, "raise_mark", fail)
    store = await store_with_entries(tmp_path / "some.db", 2)
    await until(lambda: "storage.not-at-rest" in caplog.text)
    assert await store.append(1, 2, new_entry("more"))
    await store.close()


def test_a_note_only_rises(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    raise_mark(path, 7)
    raise_mark(path, 3)
    assert marked_entry(path) == 7
    assert [each.name for each in tmp_path.iterdir()] == ["some.db-seen"]
    mark_file(path).write_text("no number", encoding="ascii")
    assert marked_entry(path) == 0


async def test_what_is_lost_is_told_with_numbers(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    store = await store_with_entries(path, 5)
    await store.close()
    assert loss_report(path) is None
    raise_mark(path, 5)
    assert loss_report(path) is None
    raise_mark(path, 9)
    said = loss_report(path)
    assert (
        said is not None
        and "it had at least 9 journal entries, and now its journal ends at entry 5" in said
    )
    assert "python -m bot restore FILE" in said and str(mark_file(path)) in said
    path.write_bytes(b"")
    assert "no table is in it" in (loss_report(path) or "")
    path.unlink()
    assert "no table is in it" in (loss_report(path) or "")
    mark_file(path).unlink()
    assert loss_report(path) is None


async def test_a_server_that_was_deleted_is_no_loss(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    store = await store_with_entries(path, 12)
    raise_mark(path, 12)
    await store.drop_guild("100")
    await tidy_all(store)
    assert loss_report(path) is None
    # Its numbers are given again, and others are deleted after them.
    await store.create_table(new_table("201", guild="101"), new_entry("open again"))
    await store.drop_guild("101")
    await tidy_all(store)
    await store.close()
    assert entries(path) == 0 and loss_report(path) is None
    with closing(sqlite3.connect(path)) as connection:
        assert highest_entry(connection) == 12


async def test_what_was_deleted_leaves_the_log_without_keeping_anybody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_MS", 20_000)
    path = tmp_path / "some.db"
    log = path.with_name("some.db-wal")
    store = await store_with_entries(path, 4)
    await until(lambda: file_of(store).is_resting)
    assert log.stat().st_size == 0, "what was deleted before the start may be in it"
    with closing(sqlite3.connect(path)) as reader:  # Litestream always reads
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM journal").fetchone()
        await store.append(1, 4, new_entry("more"))
        begun = time.monotonic()
        await store.purge()
        assert time.monotonic() - begun < database.BUSY_MS / 2000, "a writer would wait as long"
        assert log.stat().st_size
        assert await store.append(1, 5, new_entry("written meanwhile"))
        assert log.stat().st_size
    await until(lambda: file_of(store).is_resting)
    assert log.stat().st_size == 0
    await store.append(1, 6, new_entry("and later"))
    await until(lambda: file_of(store).is_resting)
    assert log.stat().st_size, "it is emptied only when something was deleted"
    await store.purge()
    assert log.stat().st_size == 0
    await store.close()


async def test_the_log_is_moved_while_nobody_writes(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    store = await store_with_entries(path, 4)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        await until(lambda: marked_entry(path) == 4)
        alone = tmp_path / "alone.db"
        shutil.copy(path, alone)
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            entries(alone)
        writer.execute("ROLLBACK")
    await until(lambda: file_of(store).is_resting)
    shutil.copy(path, alone)
    assert entries(alone) == 4
    await store.close()


async def test_a_commit_has_the_log_moved_before_it_would_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "REST_RETRY_DELAY", 3600)
    path = tmp_path / "some.db"
    store = await store_with_entries(path, 4)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM journal").fetchone()
        await store.append(1, 4, new_entry("more"))
        await until(lambda: marked_entry(path) == 5)
        assert not file_of(store).is_resting
    await store.append(1, 5, new_entry("the reader is gone"))
    await until(lambda: file_of(store).is_resting)
    await store.close()

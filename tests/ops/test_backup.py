"""Copies of the database: whole while another process writes, brought back only when nobody has it
open.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.ops.backup import back_up, restore_database
from bot.ops.database_files import OperationRefused
from bot.storage.schema import LATEST_SCHEMA
from bot.storage.store import SqlStore
from tests.storage.stores import new_entry, new_table

ROOT = Path(__file__).resolve().parents[2]

# Writes entries one after the other, each of which moves the table's revision and one part
# together.
WRITER = """
import asyncio, sys
from bot.storage.store import SqlStore
from tests.storage.stores import new_entry

async def write(path):
    store = await SqlStore.open(path)
    revision = (await store.load_table(1)).revision
    print("writing", flush=True)
    for number in range(revision, revision + 4000):
        entry = new_entry(f"w{number}", parts={"settings": str(number + 1), "filler": "x" * 2000})
        await store.append(1, number, entry)

asyncio.run(write(sys.argv[1]))
"""
HOLDER = """
import asyncio, sys
from bot.storage.store import SqlStore

async def hold(path):
    store = await SqlStore.open(path)
    print("open", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await store.close()

asyncio.run(hold(sys.argv[1]))
"""


@contextmanager
def process(script: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process of its own, once it says that it has begun; it ends with the block."""
    run = subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert run.stdout is not None and run.stdout.readline()
        yield run
    finally:
        run.kill()
        run.communicate(timeout=20)


@pytest.fixture
async def database(tmp_path: Path) -> Path:
    """A database with one table, closed."""
    path = tmp_path / "storyguide.db"
    store = await SqlStore.open(path)
    await store.create_table(new_table(), new_entry("open"))
    await store.close()
    return path


def revision(path: Path) -> tuple[int, int, str]:
    """The table's revision, how many entries there are, and what the last one wrote."""
    with closing(sqlite3.connect(path)) as connection:
        (number,) = connection.execute("SELECT revision FROM game_table").fetchone()
        (count,) = connection.execute("SELECT COUNT(*) FROM journal").fetchone()
        (text,) = connection.execute("SELECT body FROM part WHERE key = 'settings'").fetchone()
    return number, count, text


def test_copies_made_while_another_process_writes_are_whole(database: Path, tmp_path: Path) -> None:
    found: list[int] = []
    copy = tmp_path
    with process(WRITER, database) as writer:
        for number in range(5):
            copy = tmp_path / f"copy{number}.db"
            assert "complete copy" in back_up(database, copy)
            last, count, text = revision(copy)
            assert last == count
            assert text == (str(last) if last > 1 else '"open"')
            found.append(last)
        assert writer.poll() is None, "it wrote all the time"
    assert found == sorted(found) and found[-1] > found[0]
    assert copy.stat().st_mode & 0o077 == 0, "it holds secret seeds"
    assert not [
        path for path in tmp_path.iterdir() if "partial" in path.name or path.name == "copy4.db-wal"
    ]


def test_what_is_there_is_not_written_over(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_text("dear to somebody")
    with pytest.raises(OperationRefused, match="--force"):
        back_up(database, copy)
    assert copy.read_text() == "dear to somebody"
    with pytest.raises(OperationRefused, match="itself"):
        back_up(database, database, force=True)
    back_up(database, copy, force=True)
    assert revision(copy)[0] == 1


def test_a_damaged_database_gives_no_copy(database: Path, tmp_path: Path) -> None:
    _spoil(database)
    copy = tmp_path / "copy.db"
    copy.write_text("the last good one")
    with pytest.raises(OperationRefused):
        back_up(database, copy, force=True)
    assert copy.read_text() == "the last good one"


def _spoil(path: Path) -> None:
    """Write over pages in the middle of the file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        for page in range(2, path.stat().st_size // size):
            file.seek(page * size)
            file.write(b"\xff" * 200)


def test_a_copy_is_brought_back_and_the_old_file_kept(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    back_up(database, copy)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE game_table SET revision = 77")
    said = restore_database(database, copy)
    assert revision(database)[0] == 1
    aside = tmp_path / "storyguide.db.before-restore-1"
    assert str(aside) in said
    with closing(sqlite3.connect(aside)) as connection:
        assert connection.execute("SELECT revision FROM game_table").fetchone() == (77,)
    restore_database(database, copy)
    assert (tmp_path / "storyguide.db.before-restore-2").exists(), "an earlier one is not lost"
    assert copy.exists()


def test_a_log_left_by_a_crash_goes_with_its_file(database: Path, tmp_path: Path) -> None:
    """A write-ahead log that stayed would be taken for the new file's."""
    copy = tmp_path / "copy.db"
    back_up(database, copy)
    wal = tmp_path / "storyguide.db-wal"
    with process(WRITER, database):
        while not wal.stat().st_size:
            time.sleep(0.01)
    assert wal.stat().st_size > 0, "it was killed while it wrote"
    restore_database(database, copy)
    assert revision(database) == (1, 1, '"open"')


def test_a_lost_database_is_brought_back(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    back_up(database, copy)
    new = tmp_path / "new" / "storyguide.db"
    assert "kept" not in restore_database(new, copy)
    assert revision(new)[0] == 1
    database.write_bytes(b"nothing left of it " * 100)
    restore_database(database, copy)
    assert revision(database)[0] == 1


def test_nothing_is_brought_back_under_a_running_bot(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    back_up(database, copy)
    with process(HOLDER, database):
        before = database.read_bytes()
        with pytest.raises(OperationRefused, match="Stop the bot"):
            restore_database(database, copy)
        assert database.read_bytes() == before
    restore_database(database, copy)


@pytest.mark.parametrize("kind", ["missing", "other", "newer", "damaged", "foreign"])
def test_a_bad_copy_is_refused(kind: str, database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    expected = {
        "missing": "No file at",
        "other": "Can't read",
        "newer": "Update",
        "foreign": "isn't a Storyguide database",
        "damaged": "damaged|Can't read",
    }
    if kind == "other":
        copy.write_bytes(b"no database at all, " * 100)
    elif kind == "foreign":
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute("CREATE TABLE somebody_elses (a)")
    elif kind != "missing":
        back_up(database, copy)
        if kind == "newer":
            with closing(sqlite3.connect(copy)) as connection:
                connection.execute(f"PRAGMA user_version = {LATEST_SCHEMA + 1}")
        else:
            _spoil(copy)
    before = database.read_bytes()
    with pytest.raises(OperationRefused, match=expected[kind]):
        restore_database(database, copy)
    assert database.read_bytes() == before


def test_a_copy_in_another_form_is_not_brought_back(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    back_up(database, copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA application_id = 7")
    with pytest.raises(OperationRefused, match="comes from another release"):
        restore_database(database, copy)


def test_the_commands(
    database: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STORYGUIDE_DATABASE", str(database))
    assert main(["backup", "copy.db"]) == 0
    assert main(["backup", "copy.db"]) == 1
    assert "--force" in capsys.readouterr().err
    assert main(["restore", "copy.db"]) == 0
    assert "before-restore" in capsys.readouterr().out
    assert main(["stats"]) == 0
    said = capsys.readouterr().out
    assert (
        "Tables: 1\n  ebb: 1\n" in said and "Journal entries: 1\n" in said and "People: 0\n" in said
    )
    assert re.search(
        r"By table:\n  1: 1 entries, [0-9]+ parts, [0-9]+ undo history, 0 snapshots; "
        r"[0-9.]+ K?i?B",
        said,
    )
    monkeypatch.setenv("STORYGUIDE_DATABASE", str(tmp_path / "none.db"))
    assert main(["stats"]) == 1

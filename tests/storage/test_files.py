"""Files of other releases, and damaged ones: brought up to date, or refused and left alone."""

from __future__ import annotations

import asyncio
import pickle
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest

from bot.services.perform import perform
from bot.storage import codec, fingerprint, schema
from bot.storage.database import PAGE_SIZE
from bot.storage.errors import StorageUnavailable, TableUnreadable
from bot.storage.fingerprint import FingerprintMismatch, stored_fingerprint
from bot.storage.schema import LATEST_SCHEMA, MIGRATIONS, SchemaTooNew
from bot.storage.store import SqlStore
from rules.core.record import Record
from tests.sample_table import House, Session, faces, make_house, make_session, propose
from tests.storage.stores import new_entry, new_table
from tests.tiny import playing_tiny

ROOT = Path(__file__).resolve().parents[2]


def shape(connection: sqlite3.Connection) -> dict[str, Any]:
    """Tables with their columns, and indexes, however they came about."""
    names = connection.execute("SELECT name, type FROM sqlite_master ORDER BY name").fetchall()
    info = {"table": "table_xinfo", "index": "index_xinfo"}
    return {
        name: sorted(row[1:] for row in connection.execute(f"PRAGMA {info[kind]}('{name}')"))
        for name, kind in names
        if kind in info
    }


def tables_of(connection: sqlite3.Connection) -> list[str]:
    return [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]


def fill(connection: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    """One row in every table, each referring to the others; returns them by table."""
    samples = {"INTEGER": 1, "TEXT": "text — ü", "BLOB": b"\x00\xff"}
    rows: dict[str, dict[str, Any]] = {}
    for table in tables_of(connection):
        columns = [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({table})")]
        rows[table] = {name: samples[kind] for name, kind in columns}
        marks = ", ".join("?" * len(columns))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", list(rows[table].values()))
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    return rows


def build(path: Path, version: int) -> dict[str, dict[str, Any]]:
    """A file as the release with that schema left it; version 0 is an empty file."""
    if version == 0:
        path.touch()
        return {}
    with closing(sqlite3.connect(path)) as connection:
        for script in MIGRATIONS[:version]:
            connection.executescript(script)
        rows = fill(connection)
        connection.execute(f"PRAGMA application_id = {stored_fingerprint()}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
    return rows


@pytest.mark.parametrize("version", range(LATEST_SCHEMA + 1))
async def test_every_old_file_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    rows = build(tmp_path / "old.db", version)
    for name in ("old.db", "old.db", "new.db"):  # a second time there is nothing to do
        await (await SqlStore.open(tmp_path / name)).close()
    with (
        closing(sqlite3.connect(tmp_path / "old.db")) as connection,
        closing(sqlite3.connect(tmp_path / "new.db")) as new,
    ):
        assert connection.execute("PRAGMA user_version").fetchone() == (LATEST_SCHEMA,)
        assert shape(connection) == shape(new)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for table, row in rows.items():
            found = connection.execute(f"SELECT {', '.join(row)} FROM {table}").fetchall()
            assert found == [tuple(row.values())]


async def test_a_migration_brings_a_file_of_the_schema_before_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables in another form come with it: the step is what brings them into the new one."""
    path = tmp_path / "store.db"
    rows = build(path, LATEST_SCHEMA)
    sample = (*MIGRATIONS, "ALTER TABLE place ADD COLUMN kind TEXT NOT NULL DEFAULT 'channel';")
    monkeypatch.setattr(schema, "MIGRATIONS", sample)
    monkeypatch.setattr(schema, "LATEST_SCHEMA", len(sample))
    monkeypatch.setattr(fingerprint, "LATEST_SCHEMA", len(sample))
    monkeypatch.setattr("bot.storage.database.stored_fingerprint", lambda: 7)
    for _ in range(2):
        await (await SqlStore.open(path)).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(sample),)
        found = connection.execute("SELECT id, table_id, kind FROM place").fetchall()
        assert found == [(*rows["place"].values(), "channel")]


async def test_tables_in_another_form_are_refused_and_left_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "other.db"
    build(path, LATEST_SCHEMA)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 7")
    before = path.read_bytes()
    with pytest.raises(FingerprintMismatch):
        await SqlStore.open(path)
    assert path.read_bytes() == before
    monkeypatch.setattr("bot.storage.database.stored_fingerprint", lambda: 7)
    await (await SqlStore.open(path)).close()


async def test_a_file_without_tables_takes_any_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    await (await SqlStore.open(path)).close()
    monkeypatch.setattr("bot.storage.database.stored_fingerprint", lambda: 7)
    await (await SqlStore.open(path)).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (7,)


def test_the_form_follows_from_the_fields_of_what_is_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Inner(Record):
        score: int

    class Outer(Record):
        inner: tuple[Inner, ...]

    found = set[int]()
    for hint in (int, str, Literal["a", "b"], Literal["a"], int | None):
        Inner.__annotations__["score"] = hint
        Outer.__annotations__["inner"] = tuple[Inner, ...]
        monkeypatch.setattr(codec, "stored_classes", lambda: iter([("part", Outer)]))
        found.add(stored_fingerprint.__wrapped__())
        assert stored_fingerprint.__wrapped__() in found
    assert len(found) == 5


async def test_a_step_that_fails_leaves_the_file_at_the_step_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    build(path, LATEST_SCHEMA)
    broken = (
        *MIGRATIONS,
        "CREATE TABLE extra (a); CREATE TABLE more (b); INSERT INTO nowhere VALUES (1);",
    )
    monkeypatch.setattr(schema, "MIGRATIONS", broken)
    monkeypatch.setattr(schema, "LATEST_SCHEMA", len(broken))
    monkeypatch.setattr(fingerprint, "LATEST_SCHEMA", len(broken))
    with pytest.raises(StorageUnavailable, match="nowhere"):
        await SqlStore.open(path)
    monkeypatch.undo()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (LATEST_SCHEMA,)
        assert not {"extra", "more"} & set(tables_of(connection))
    await (await SqlStore.open(path)).close()


async def test_many_start_on_an_empty_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    stores = await asyncio.gather(*(SqlStore.open(path) for _ in range(6)))
    (written,) = await stores[0].create_table(new_table(), new_entry("open"))
    for store in stores:
        assert await store.place_tables() == {"200": written.table_id}
        await store.close()


def _being_written(path: Path) -> sqlite3.Connection:
    """Somebody else has begun to write a file that is not in WAL yet: SQLite would not wait for
    that.
    """
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with (
        closing(sqlite3.connect(path, timeout=5)) as second,
        pytest.raises(sqlite3.OperationalError) as caught,
    ):
        second.execute("PRAGMA journal_mode = WAL")
    assert caught.value.sqlite_errorname == "SQLITE_BUSY"
    return other


async def test_a_file_that_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(_being_written(path)) as other:
        opening = asyncio.create_task(SqlStore.open(path))
        await asyncio.sleep(0.1)
        assert not opening.done()
        other.execute("ROLLBACK")
        store = await opening
        assert await store.place_tables() == {}
        await store.close()


async def test_a_file_that_is_never_let_go_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    monkeypatch.setattr("bot.storage.database.OPENING_MS", 100)
    with closing(_being_written(path)):
        with pytest.raises(StorageUnavailable) as caught:
            await asyncio.wait_for(SqlStore.open(path), timeout=30)
        assert caught.value.reason == "locked"


async def test_another_process_was_faster_with_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both saw the empty file; the second finds the step done when its turn comes."""
    path = tmp_path / "store.db"
    build(path, LATEST_SCHEMA)
    right = schema.check_version
    seen = [0]
    monkeypatch.setattr(
        schema, "check_version", lambda connection: seen.pop() if seen else right(connection)
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert schema.migrate(connection, stored_fingerprint()) == 0
        assert not connection.in_transaction
        assert connection.execute("PRAGMA user_version").fetchone() == (LATEST_SCHEMA,)


def test_the_form_is_the_same_in_every_process() -> None:
    code = "import bot.storage.fingerprint as it; print(it.stored_fingerprint())"
    found = {subprocess.check_output([sys.executable, "-c", code], cwd=ROOT) for _ in range(2)}
    assert found == {f"{stored_fingerprint()}\n".encode()}


@pytest.mark.parametrize("error", [FingerprintMismatch(), SchemaTooNew(99)])
def test_why_a_file_is_refused_is_told_by_another_process(error: Exception) -> None:
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is type(error) and str(found) == str(error)


def test_no_system_of_the_tests_is_left_in_the_form_when_one_fails() -> None:
    before = stored_fingerprint()
    with (
        pytest.raises(ZeroDivisionError),
        pytest.MonkeyPatch.context() as patch,
        playing_tiny(patch),
    ):
        assert stored_fingerprint() != before
        raise ZeroDivisionError
    assert stored_fingerprint() == before


@pytest.mark.parametrize("mode", ["delete", "wal"])
async def test_a_newer_file_is_refused_and_left_as_it_is(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "newer.db"
    build(path, LATEST_SCHEMA)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(f"PRAGMA journal_mode = {mode}").fetchone() == (mode,)
        connection.execute(f"PRAGMA user_version = {LATEST_SCHEMA + 1}")
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew, match=str(LATEST_SCHEMA + 1)) as caught:
        await SqlStore.open(path)
    assert caught.value.found == LATEST_SCHEMA + 1
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["newer.db"]


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to look at" * 100, b"SQLite format 3\x00" * 9]
)
async def test_something_that_is_no_database_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(content)
    with pytest.raises(StorageUnavailable) as caught:
        await SqlStore.open(path)
    assert caught.value.reason == "damaged"
    assert path.read_bytes() == content


async def test_damaged_pages_are_told_as_such(tmp_path: Path) -> None:
    async with make_house(tmp_path) as house:
        await make_session(house)
        await house.close()
        content = bytearray(house.path.read_bytes())
        content[PAGE_SIZE:] = b"\x7f" * (len(content) - PAGE_SIZE)
        house.path.write_bytes(content)
        with pytest.raises(StorageUnavailable) as caught:
            await SqlStore.open(house.path)
        assert caught.value.reason == "damaged"


# --- damaged tables in a sound file ---------------------------------------------------------------


def _settings(changes: str) -> str:
    return f"UPDATE part SET {changes} WHERE table_id = 1 AND key = 'settings'"


_ONE_CHARACTER = "key LIKE 'character:%' AND json_extract(body, '$.name') = 'Anna'"
DAMAGE: dict[str, tuple[str, type[Exception], str]] = {
    "no JSON": (_settings("body = '{'"), TableUnreadable, "damaged"),
    "nothing": (_settings("body = ''"), TableUnreadable, "damaged"),
    "another shape": (_settings("body = '[1, 2]'"), TableUnreadable, "damaged"),
    "a field lost": (_settings("body = json_remove(body, '$.gms')"), TableUnreadable, "damaged"),
    "a wrong type": (
        _settings("body = json_set(body, '$.window', 'long')"),
        TableUnreadable,
        "damaged",
    ),
    "an unknown choice": (
        _settings("body = json_set(body, '$.reveal', 'some')"),
        TableUnreadable,
        "damaged",
    ),
    "no text": (_settings("body = x'ff00'"), TableUnreadable, "damaged"),
    "broken text": (_settings("body = CAST(x'7bff7d' AS TEXT)"), StorageUnavailable, "damaged"),
    "a later release": (_settings("schema_version = 99"), TableUnreadable, "newer"),
    "an unknown release": (_settings("schema_version = -1"), TableUnreadable, "damaged"),
    "a part lost": (
        "DELETE FROM part WHERE table_id = 1 AND key = 'counters'",
        TableUnreadable,
        "damaged",
    ),
    "a character lost": (
        "DELETE FROM part WHERE table_id = 1 AND " + _ONE_CHARACTER,
        TableUnreadable,
        "damaged",
    ),
    "a sheet damaged": (
        "UPDATE part SET body = json_set(body, '$.sheet.fate', 'many') WHERE table_id = 1 AND "
        + _ONE_CHARACTER,
        TableUnreadable,
        "damaged",
    ),
    "an unknown part": (
        "INSERT INTO part (table_id, key, schema_version, body) VALUES (1, 'deck:d1', 1, '{}')",
        TableUnreadable,
        "damaged",
    ),
    "an unknown system": (
        "UPDATE game_table SET system = 'chess' WHERE id = 1",
        TableUnreadable,
        "newer",
    ),
}


def hurt(house: House, sql: str) -> None:
    with closing(sqlite3.connect(house.path)) as connection, connection:
        assert connection.execute(sql).rowcount == 1


@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_damaged_table_is_refused_and_never_overwritten(
    tmp_path: Path, damage: str
) -> None:
    sql, kind, reason = DAMAGE[damage]
    async with make_house(tmp_path) as house:
        first = await make_session(house)
        other = await make_session(house, first.tables, place="300")
        await first.proposed()
        await house.close()
        hurt(house, sql)

        def rows() -> dict[str, list[tuple[Any, ...]]]:
            with closing(sqlite3.connect(house.path)) as connection:
                connection.text_factory = bytes
                return {
                    table: connection.execute(
                        f"SELECT * FROM {table} WHERE table_id = 1"
                    ).fetchall()
                    for table in ("part", "journal", "outbox", "due", "person", "seed")
                }

        before = rows()
        tables = await house.enter()
        for number in range(2):
            with pytest.raises((TableUnreadable, StorageUnavailable)) as caught:
                await perform(tables, first.table_id, propose(), f"try {number}")
            assert (type(caught.value), caught.value.reason) == (kind, reason)
        assert rows() == before
        again = Session(house, tables, other.table_id)
        again._requests = 5000
        assert faces(await again.rolled())
        assert rows() == before


async def test_a_table_damaged_while_it_is_open_is_not_overwritten(tmp_path: Path) -> None:
    """Another process of a later release takes the table over while this one has it in memory."""
    async with make_house(tmp_path) as house:
        session = await make_session(house)
        hurt(house, _settings("schema_version = 99"))
        hurt(house, "UPDATE game_table SET revision = revision + 1 WHERE id = 1")
        before = house.rows()
        for _ in range(2):
            with pytest.raises(TableUnreadable) as caught:
                await session.do(propose())
            assert caught.value.reason == "newer"
        assert house.rows() == before

"""Moves of a database from a file to a server and back: complete, refused, and killed."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.ops import move, row_copy
from bot.ops.database_files import OperationRefused
from bot.ops.doctor import examine_offline
from bot.ops.move import move_database, undo_move
from bot.ops.restore_drill import run_restore_drill
from bot.settings import Settings
from bot.storage import file_rows
from bot.storage.bulk_rows import Page
from bot.storage.engines import open_rows
from bot.storage.high_water_mark import RESTORED_KEY, mark_file
from bot.storage.location import ServerAddress, Where
from bot.storage.move_notes import MOVED_TO, MOVING, PLACE_NOTES, DatabaseMoved
from bot.storage.schema import LATEST_SCHEMA, stored_tables
from bot.storage.server_rows import ServerRows
from bot.storage.store import SqlStore
from tests.loopback.launch import TOKEN
from tests.sample_table import ANN, make_house, make_session
from tests.storage.postgres_server import DATABASE, schema_for, shared_server
from tests.storage.stores import new_entry, new_table

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "hush"
#: Texts that drivers escape, in an order that depends on the collation.
AWKWARD = ("Zoë\t\\N", "aé\n\\.", "Ab'\"", "_😀", "\\x00", "a,b;{}")
NOWHERE = f"postgresql://bot:{PASSWORD}@%2Fnowhere/dice"

CHILD = """
import os, signal, sys
from bot.ops import move
from bot.storage import file_rows, server_rows
from bot.storage.location import parse_where

for module in (file_rows, server_rows):
    module.PAGE_ROWS = 7
name, left, source, target = sys.argv[1:]
left = int(left)

def dying(function):
    def call(*given, **options):
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*given, **options)
    return call

for owner in (move, file_rows.FileRows, server_rows.ServerRows):
    if hasattr(owner, name):
        setattr(owner, name, dying(getattr(owner, name)))
move.move_database(parse_where(source), parse_where(target), print)
"""

#: Holds a file's lock, which is free for the process that holds it, until its input ends.
HOLDER = """
import sys
from pathlib import Path
from bot.storage.instance_lock import hold_instance_lock

with hold_instance_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


async def _play(folder: Path) -> Path:
    async with make_house(folder) as house:
        session = await make_session(house)
        await session.rolled(ANN)
    return folder / "tables.db"


def _add_awkward_rows(path: Path) -> None:
    """Add rows of every table to a file with one played table, with gaps in the numbers."""
    with closing(sqlite3.connect(path)) as connection, connection:
        (table_id,) = connection.execute("SELECT id FROM game_table").fetchone()
        (entry,) = connection.execute("SELECT MAX(id) FROM journal").fetchone()
        for number, text in enumerate(AWKWARD):
            rows = {
                "note": (f"note:{text}", text),
                "panel": (text, None, "501", "draft", json.dumps(text), 7),
                "place": (f"free:{text}", table_id),
                "due": (table_id, text, 1_900_000_000 + number, number),
                "scrub": (table_id, text, 3, 0),
                "snapshot": (table_id, 100 + number, zlib.compress(bytes(range(256)))),
                "person": (table_id, f"x{number}", text, text),
                "preference": (text, json.dumps({"zone": text})),
            }
            for name, row in rows.items():
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", row)
            connection.execute(
                "INSERT INTO notice (key, user_id, shard_key, table_id, kind, body, at, loud)"
                " VALUES (?, '501', 0, ?, 'nudge', ?, ?, 1)",
                (text, table_id, json.dumps(text), 1_900_000_000 + number),
            )
        connection.execute(
            "INSERT INTO outbox (id, journal_id, table_id, kind, place, public, events, token,"
            " created_at, attempts, error) VALUES (900, ?, ?, 'post', '200', 1, '[0]', 'token', 1,"
            " 3, 'Forbidden')",
            (entry, table_id),
        )
        connection.execute("INSERT INTO note VALUES ('dropped', '4000')")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with rows in every table, as bytes."""
    path = asyncio.run(_play(tmp_path_factory.mktemp("played")))
    _add_awkward_rows(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path.read_bytes()


@pytest.fixture
def file(played: bytes, tmp_path: Path) -> Path:
    """The file of `played`."""
    path = tmp_path / "old.db"
    path.write_bytes(played)
    return path


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerAddress]:
    """An empty schema on a server."""
    schema = schema_for(tmp_path)
    shared_server().create_schema(schema)
    yield with_password(shared_server().address(schema))
    shared_server().drop_schema(schema)


def with_password(address: ServerAddress) -> ServerAddress:
    """Return the address with a password, which the server doesn't ask for."""
    return ServerAddress(address.dsn.replace("storyguide@", f"storyguide:{PASSWORD}@"))


@pytest.fixture
def ends(request: pytest.FixtureRequest, file: Path, server: ServerAddress) -> tuple[Where, Where]:
    """A full database and an empty one: `up` from a file to a server, or `down`."""
    if request.param == "up":
        return file, server
    move_database(file, server, print)
    return server, file.with_name("new.db")


both_ways = pytest.mark.parametrize("ends", ["up", "down"], indirect=True)


def dump(path: Path) -> list[str]:
    """Return every row of a file as SQL, but for the notes of the moves themselves."""
    with closing(sqlite3.connect(path)) as connection:
        lines = list(connection.iterdump())
    return [line for line in lines if f"VALUES('{MOVED_TO}'" not in line]


def rows_of(where: Where) -> dict[str, Page]:
    """Return every row of a database."""
    rows = open_rows(where, exclusive=False)
    try:
        rows.begin_snapshot()
        return {
            table.name: [row for page in rows.pages(table) for row in page]
            for table in stored_tables()
        }
    finally:
        rows.close()


def note(where: Where, key: str) -> str | None:
    rows = open_rows(where, exclusive=False)
    try:
        found = rows.connection.execute("SELECT value FROM note WHERE key = ?", (key,)).fetchone()
        return found[0] if found else None
    finally:
        rows.close()


async def _start(where: Where) -> None:
    store = await SqlStore.open(where, processes=1)
    await store.close()


def starts(where: Where) -> bool:
    """Return whether a bot opens the database."""
    try:
        asyncio.run(_start(where))
    except DatabaseMoved:
        return False
    return True


def text_of(where: Where) -> str:
    return where.dsn if isinstance(where, ServerAddress) else str(where)


# --- complete -------------------------------------------------------------------------------------


def test_every_row_comes_back_as_it_was(file: Path, server: ServerAddress, tmp_path: Path) -> None:
    before = rows_of(file)
    assert all(before.values()), "every table has rows"
    said = move_database(file, server, print)
    assert said[0].startswith("Moved 1 tables (") and "Every row was compared" in said[0]
    assert "Replayed as stored: 1 tables." in said
    assert PASSWORD not in "\n".join(said)
    assert rows_of(server) == before
    back = tmp_path / "back.db"
    move_database(server, back, print)
    assert dump(back) == dump(file)


@both_ways
def test_a_bot_starts_on_the_target_alone(
    ends: tuple[Where, Where], capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = ends
    assert main(["move", text_of(source), text_of(target)]) == 0
    assert PASSWORD not in "".join(capsys.readouterr())
    assert starts(target)
    assert not starts(source)
    with pytest.raises(DatabaseMoved, match=r"was moved to .*--undo"):
        asyncio.run(_start(source))
    assert note(target, RESTORED_KEY) is None


async def _append(where: Where, place: str) -> tuple[int, int]:
    store = await SqlStore.open(where, processes=1)
    (entry,) = await store.create_table(new_table(place), new_entry(f"open {place}"))
    await store.close()
    return entry.table_id, entry.journal_id


def test_new_rows_are_numbered_after_the_old_ones(file: Path, server: ServerAddress) -> None:
    before = rows_of(file)
    move_database(file, server, print)
    table_id, journal_id = asyncio.run(_append(server, "777"))
    assert table_id == max(row[0] for row in before["game_table"]) + 1
    assert journal_id == 4001, "entries that were deleted on purpose count"
    assert {row[0] for row in before["seed"]} < {row[0] for row in rows_of(server)["seed"]}


def test_notes_about_a_place_stay_there(file: Path, server: ServerAddress, tmp_path: Path) -> None:
    asyncio.run(_start(server))
    assert note(server, "timeline")
    shown = {key: note(server, key) for key in PLACE_NOTES}
    move_database(file, server, print)
    assert {key: note(server, key) for key in PLACE_NOTES} == shown
    back = tmp_path / "back.db"
    move_database(server, back, print)
    assert not PLACE_NOTES & {row[0] for row in rows_of(back)["note"]}
    assert [note(back, key) for key in sorted(PLACE_NOTES)] == [None] * len(PLACE_NOTES)


def test_the_doctor_names_a_moved_file(
    file: Path, server: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    def problems() -> list[str]:
        return examine_offline(Settings(_env_file=None)).problems  # pyright: ignore[reportCallIssue]

    monkeypatch.setenv("STORYGUIDE_DATABASE", str(file))
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    assert not any("moved" in problem for problem in problems())
    move_database(file, server, print)
    assert any("was moved to PostgreSQL" in problem for problem in problems())


def test_a_move_undone_begins_anew(
    file: Path, server: ServerAddress, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["move", "--undo", str(file)]) == 1
    assert "was not moved" in capsys.readouterr().err
    move_database(file, server, print)
    assert main(["move", "--undo", str(file)]) == 0
    said = capsys.readouterr().out
    assert "Start no bot there" in said and PASSWORD not in said
    assert starts(file)
    assert note(file, RESTORED_KEY) == ""


def test_long_moves_tell_how_far_they_are(
    file: Path, server: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_copy, "PROGRESS_INTERVAL", 0)
    told = list[str]()
    move_database(file, server, told.append)
    journal = len(rows_of(file)["journal"])
    for line in (f"journal: {journal} rows copied", f"journal: {journal} rows compared"):
        assert line in told
    assert "1 tables replayed" in told
    monkeypatch.setattr(row_copy, "PROGRESS_INTERVAL", 60)
    told.clear()
    undo_move(file)
    move_database(file, file.with_name("other.db"), told.append)
    assert not told


def test_pages_are_put_together(
    file: Path, server: ServerAddress, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in (file_rows, sys.modules[ServerRows.__module__]):
        monkeypatch.setattr(module, "PAGE_ROWS", 2)
    move_database(file, server, print)
    back = tmp_path / "back.db"
    move_database(server, back, print)
    assert dump(back) == dump(file)


# --- refused --------------------------------------------------------------------------------------


def move_refusal(source: Where, target: Where) -> str:
    """Return why a move is refused; nothing has changed then."""
    with pytest.raises(OperationRefused) as caught:
        move_database(source, target, print)
    said = str(caught.value)
    assert PASSWORD not in said
    assert said.endswith(".") and "\n" not in said
    return said


def test_what_is_no_database_is_refused(file: Path, server: ServerAddress, tmp_path: Path) -> None:
    assert "No database at" in move_refusal(tmp_path / "none.db", server)
    (tmp_path / "text.db").write_text("no database " * 1000)
    assert "Can't read" in move_refusal(tmp_path / "text.db", server)
    assert "isn't a Storyguide database" in move_refusal(server, tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()
    assert "can't be reached" in move_refusal(ServerAddress(NOWHERE), tmp_path / "new.db")
    assert "can't be reached" in move_refusal(file, ServerAddress(NOWHERE))
    broken = ServerAddress(f"postgresql://bot:{PASSWORD}%zz@%2Fnowhere/dice")
    assert "the address can't be read" in move_refusal(file, broken)
    missing = ServerAddress(server.dsn.replace(f"/{DATABASE}?", "/nothing?"))
    assert 'database "nothing" does not exist' in move_refusal(file, missing)
    assert "No folder" in move_refusal(file, tmp_path / "none" / "new.db")
    assert "is a folder" in move_refusal(file, tmp_path)
    assert starts(file)


def test_a_database_is_not_moved_to_itself(file: Path, server: ServerAddress) -> None:
    assert "named twice" in move_refusal(file, file.parent / ".." / file.parent.name / file.name)
    move_database(file, server, print)
    assert "named twice" in move_refusal(server, server)
    other = ServerAddress(server.dsn + "&application_name=other")
    assert "name each database once" in move_refusal(server, other)
    assert starts(server)


def test_a_running_bot_keeps_its_database(file: Path, server: ServerAddress) -> None:
    command = [sys.executable, "-c", HOLDER, str(file)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline()
        assert "Stop the bot first" in move_refusal(file, server)
        holder.communicate()

    async def running() -> str:
        store = await SqlStore.open(server, processes=1)
        try:
            return await asyncio.to_thread(move_refusal, file, server)
        finally:
            await store.close()

    assert "Stop the bot first" in asyncio.run(running())
    assert starts(file)


@both_ways
def test_a_target_must_be_empty(ends: tuple[Where, Where], tmp_path: Path) -> None:
    source, target = ends
    asyncio.run(_append(target, "300"))
    before = rows_of(target)
    assert "isn't empty: it holds 1 tables" in move_refusal(source, target)
    assert rows_of(target) == before
    assert starts(source) and starts(target)


def test_tables_of_another_program_are_left_alone(file: Path, server: ServerAddress) -> None:
    other = file.with_name("other.db")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE note (text)")
    assert "aren't Storyguide's" in move_refusal(file, other)
    schema = schema_for(file.parent)
    shared_server().execute(f"CREATE TABLE {schema}.note (text text)")
    assert "aren't Storyguide's" in move_refusal(file, server)


@both_ways
def test_the_source_must_be_of_this_release(
    ends: tuple[Where, Where], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source, target = ends
    monkeypatch.setattr(row_copy, "LATEST_SCHEMA", LATEST_SCHEMA + 1)
    assert "Start the bot on it once" in move_refusal(source, target)
    monkeypatch.setattr(row_copy, "LATEST_SCHEMA", LATEST_SCHEMA - 1)
    assert "later release" in move_refusal(source, target)
    monkeypatch.undo()
    on_server = isinstance(source, ServerAddress)
    name = "bot.storage.server_schema" if on_server else "bot.ops.database_files"
    monkeypatch.setattr(f"{name}.stored_fingerprint", lambda: 1)
    assert "another release" in move_refusal(source, target)


def test_an_older_copy_is_not_moved_unnoticed(file: Path, server: ServerAddress) -> None:
    mark_file(file).write_text("5000\n")
    assert "older copy" in move_refusal(file, server)
    mark_file(file).unlink()
    target = file.with_name("new.db")
    mark_file(target).write_text("5000\n")
    assert "left of a database that held more" in move_refusal(file, target)
    assert not target.exists() or starts(target)


def test_a_moved_database_is_not_moved_again(file: Path, server: ServerAddress) -> None:
    move_database(file, server, print)
    assert "was moved to" in move_refusal(file, file.with_name("new.db"))
    assert "isn't empty" in move_refusal(file, server)
    assert "(moved to " in move_refusal(server, file)


def test_a_full_disk_changes_nothing(
    file: Path, server: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(file)
    schema = schema_for(file.parent)
    asyncio.run(_start(server))
    shared_server().execute(
        f"CREATE FUNCTION {schema}.no_room() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$"
    )
    shared_server().execute(
        f"CREATE TRIGGER no_room BEFORE INSERT ON {schema}.journal"
        f" FOR EACH ROW EXECUTE FUNCTION {schema}.no_room()"
    )
    assert "the disk of PostgreSQL on" in move_refusal(file, server)
    assert not starts(server)
    shared_server().execute(f"DROP FUNCTION {schema}.no_room CASCADE")
    target, prepare = file.with_name("new.db"), file_rows.prepare_file

    def prepare_small_file(connection: sqlite3.Connection) -> None:
        prepare(connection)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    monkeypatch.setattr(file_rows, "prepare_file", prepare_small_file)
    assert f"the disk of {target} is full" in move_refusal(file, target)
    assert not starts(target)
    monkeypatch.undo()
    assert dump(file) == before and starts(file)
    move_database(file, server, print)
    assert starts(server)


def test_a_target_that_differs_is_refused(
    file: Path, server: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = ServerRows.insert

    def lose_a_row(self: ServerRows, table: object, page: Page) -> None:
        insert(self, table, page[1:] if getattr(table, "name", "") == "person" else page)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(ServerRows, "insert", lose_a_row)
    assert "person differ" in move_refusal(file, server)
    assert starts(file) and not starts(server)


def test_a_table_that_does_not_match_its_journal_is_told(
    file: Path, server: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        changed = connection.execute(
            "UPDATE part SET body = REPLACE(body, '\"c1\"', '\"c7\"') WHERE key LIKE 'check%'"
        ).rowcount
    assert changed
    findings = move.replay_tables

    async def differ_on_server(where: Where, report: Callable[[int], None]) -> object:
        found = await findings(where, report)
        if where == file:
            found.other.clear()
        return found

    with monkeypatch.context() as patched:
        patched.setattr(move, "replay_tables", differ_on_server)
        assert "Table 1 doesn't match its journal" in move_refusal(file, server)
    said = move_database(file, server, print)
    assert "Table 1 doesn't match its journal, there or here." in said


def test_a_database_of_another_encoding_is_refused(file: Path) -> None:
    shared_server().execute("DROP DATABASE IF EXISTS latin")
    shared_server().execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    address = shared_server().address("public").dsn.replace(f"/{DATABASE}?", "/latin?")
    assert "ENCODING 'UTF8'" in move_refusal(file, ServerAddress(address))
    shared_server().execute("DROP DATABASE latin")


@pytest.mark.parametrize("arguments", [["a.db"], ["--undo", "a.db", "b.db"], []])
def test_places_must_be_named(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["move", *arguments])
    assert caught.value.code == 2
    assert "FROM" in capsys.readouterr().err


# --- killed ---------------------------------------------------------------------------------------


#: A function, and at which of its calls the process is killed.
MOMENTS = (
    ("insert", 1),
    ("insert", 9),
    ("table_digests", 1),
    ("finish", 1),
    ("_replayed", 1),
    ("set_move_note", 2),
    ("drop_move_note", 1),
)


@pytest.mark.slow
@both_ways
@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: f"{moment[0]}-{moment[1]}")
def test_a_move_that_was_killed_can_be_done_again(
    ends: tuple[Where, Where], moment: tuple[str, int]
) -> None:
    source, target = ends
    before = rows_of(source)
    name, count = moment
    command = [sys.executable, "-c", CHILD, name, str(count), text_of(source), text_of(target)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done
    assert rows_of(source) == before
    # Between its last two steps both are whole, and the move alone may say which is used.
    assert starts(source) == (name != "drop_move_note")
    assert not starts(target)
    with pytest.raises(DatabaseMoved, match="that was cut off"):
        asyncio.run(_start(target))
    if name == "insert" and count > 1:
        assert any(rows_of(target).values()), "the target is half filled"
    with pytest.raises(OperationRefused, match="Move from there again"):
        move_database(target, source if isinstance(source, Path) else Path("none.db"), print)
    move_database(source, target, print)
    assert starts(target) and not starts(source)
    assert note(target, MOVING) is None
    assert {**rows_of(target), "note": []} == {**before, "note": []}


# --- a drill of a server --------------------------------------------------------------------------


def test_a_server_is_drilled_while_a_bot_runs(
    file: Path, server: ServerAddress, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["drill", NOWHERE]) == 1
    said = capsys.readouterr().err
    assert "can't be reached" in said and PASSWORD not in said
    with pytest.raises(OperationRefused, match="isn't a Storyguide database"):
        run_restore_drill(server)
    move_database(file, server, print)
    before = rows_of(server)

    async def running() -> None:
        store = await SqlStore.open(server, processes=1)
        try:
            await asyncio.to_thread(main, ["drill", server.dsn])
        finally:
            await store.close()

    asyncio.run(running())
    said = capsys.readouterr().out
    assert "can be restored" in said and "Replayed as stored: 1 tables." in said
    assert PASSWORD not in said
    assert rows_of(server) == before
    schema = schema_for(file.parent)
    shared_server().execute(
        f"""UPDATE {schema}.part SET body = REPLACE(body, '"c1"', '"c7"') WHERE key LIKE 'check%'"""
    )
    with pytest.raises(OperationRefused, match="doesn't match its journal"):
        run_restore_drill(server)

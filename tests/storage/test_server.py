"""The PostgreSQL engine: lost answers, a server that goes away, its lock and its schema."""

from __future__ import annotations

import asyncio
import logging
import pickle
import random
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.storage.errors import DuplicateRequest, StaleTable, StorageUnavailable
from bot.storage.fingerprint import FingerprintMismatch
from bot.storage.location import ServerAddress, parse_where
from bot.storage.row_records import WrittenEntry
from bot.storage.schema import LATEST_SCHEMA, MIGRATIONS, SchemaTooNew
from bot.storage.server_schema import translate_script
from bot.storage.server_session import Session, translate
from bot.storage.store import SqlStore
from tests.storage.postgres_server import PostgresServer, schema_for, shared_server
from tests.storage.server_proxy import Proxy
from tests.storage.stores import new_entry, new_out, new_table

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def schema(tmp_path: Path) -> Iterator[str]:
    """A schema of the test's own."""
    name = schema_for(tmp_path)
    shared_server().create_schema(name)
    yield name
    shared_server().drop_schema(name)


@pytest.fixture
async def proxy(schema: str) -> AsyncIterator[Proxy]:
    """A proxy before the server."""
    with tempfile.TemporaryDirectory(prefix="sg-proxy-") as folder:
        proxy = Proxy(shared_server().socket, Path(folder))
        await proxy.start()
        yield proxy
        proxy.stop()


def behind(proxy: Proxy, schema: str) -> ServerAddress:
    """Return the address of the server by way of the proxy."""
    return shared_server().address(schema, proxy.folder)


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a server."""
    monkeypatch.setattr("bot.storage.server_database.PATIENCE", 0.3)
    monkeypatch.setattr("bot.storage.server_database.RETRY_DELAY", 0.05)


async def stored_requests(store: SqlStore, table_id: int) -> dict[str, WrittenEntry]:
    """Return what the journal and the outbox hold of each request at a table."""
    found: dict[str, WrittenEntry] = {}
    for row in await store.page(table_id, 0):
        known = await store.find_request(row.request_id)
        assert known is not None
        found[row.request_id] = WrittenEntry(table_id, row.id, row.seq, known[1])
    return found


async def test_commits_whose_answers_are_lost_are_told_as_they_are_stored(
    proxy: Proxy, schema: str
) -> None:
    store = await SqlStore.open(behind(proxy, schema))
    tables = [
        (await store.create_table(new_table(str(place)), new_entry(f"open {place}")))[0].table_id
        for place in range(4)
    ]
    chance = random.Random(3)
    proxy.swallows = lambda: chance.random() < 0.15

    async def play(table: int) -> list[WrittenEntry]:
        written: list[WrittenEntry] = []
        for number in range(1, 31):
            outs = (new_out(), new_out(topic="c"))
            entry = new_entry(f"{table} {number}", outs=outs)
            written.append(await store.append(table, number, entry))
        return written

    told = await asyncio.gather(*map(play, tables))
    proxy.swallows = lambda: False
    assert proxy.cuts >= 3
    for table, entries in zip(tables, told, strict=True):
        there = await stored_requests(store, table)
        assert [entry.seq for entry in entries] == [*range(2, 32)]
        assert {f"{table} {number}": entry for number, entry in enumerate(entries, 1)} == {
            request: entry for request, entry in there.items() if not request.startswith("open")
        }
    await store.close()


async def test_a_lost_answer_to_a_batch_with_a_refusal(proxy: Proxy, schema: str) -> None:
    store = await SqlStore.open(behind(proxy, schema))
    (one,) = await store.create_table(new_table("1"), new_entry("open 1"))
    (two,) = await store.create_table(new_table("2"), new_entry("open 2"))
    proxy.swallows = lambda: not proxy.cuts
    refused, written = await asyncio.gather(
        store.append(one.table_id, 1, new_entry("open 2")),
        store.append(two.table_id, 1, new_entry("new", outs=(new_out(),))),
        return_exceptions=True,
    )
    assert proxy.cuts == 1
    assert isinstance(refused, DuplicateRequest | StaleTable)
    assert isinstance(written, WrittenEntry)
    assert (await stored_requests(store, two.table_id))["new"] == written
    await store.close()


async def test_a_server_that_crashes_loses_nothing_that_was_told() -> None:
    server = PostgresServer()
    try:
        store = await SqlStore.open(server.address("public"))
        tables = [
            (await store.create_table(new_table(str(place)), new_entry(f"open {place}")))[0]
            for place in range(3)
        ]
        crashes = 0

        async def crash() -> None:
            nonlocal crashes
            for _ in range(2):
                await asyncio.sleep(0.2)
                await asyncio.to_thread(server.stop)
                await asyncio.to_thread(server.start)
                crashes += 1

        async def play(opened: WrittenEntry) -> dict[str, WrittenEntry]:
            told: dict[str, WrittenEntry] = {}
            while crashes < 2:
                seq = opened.seq + len(told)
                request = f"{opened.table_id} {seq}"
                told[request] = await store.append(
                    opened.table_id, seq, new_entry(request, outs=(new_out(),))
                )
            return told

        _, *played = await asyncio.gather(crash(), *map(play, tables))
        for opened, told in zip(tables, played, strict=True):
            there = await stored_requests(store, opened.table_id)
            assert told
            assert told == {key: there[key] for key in there if not key.startswith("open")}
        await store.close()
    finally:
        server.remove()


@pytest.mark.usefixtures("brief")
async def test_a_commit_is_in_doubt_while_the_server_stays_away(proxy: Proxy, schema: str) -> None:
    store = await SqlStore.open(behind(proxy, schema))
    (opened,) = await store.create_table(new_table(), new_entry("open"))
    back = asyncio.Event()
    store.database.on_return(back.set)
    proxy.swallows, proxy.gone_after_cut = (lambda: True), True
    with pytest.raises(StorageUnavailable) as caught:
        await store.append(opened.table_id, 1, new_entry("one", outs=(new_out(),)))
    assert caught.value.reason == "in-doubt"
    proxy.swallows = lambda: False
    await proxy.start()
    await asyncio.wait_for(back.wait(), 10)
    (unsent,) = await store.unsent_rows()
    assert unsent.table_id == opened.table_id, "it is there, and may be sent"
    with pytest.raises(StaleTable):
        await store.append(opened.table_id, 1, new_entry("two"))
    await store.append(opened.table_id, 2, new_entry("two"))
    await store.close()


@pytest.mark.usefixtures("brief")
async def test_what_never_began_is_in_no_doubt(proxy: Proxy, schema: str) -> None:
    store = await SqlStore.open(behind(proxy, schema))
    (opened,) = await store.create_table(new_table(), new_entry("open"))
    back = asyncio.Event()
    store.database.on_return(back.set)
    proxy.stop()
    with pytest.raises(StorageUnavailable) as caught:
        await store.append(opened.table_id, 1, new_entry("one"))
    assert caught.value.reason == "unreachable"
    with pytest.raises(StorageUnavailable):
        await store.load_table(opened.table_id)
    await proxy.start()
    await asyncio.wait_for(back.wait(), 10)
    assert (await store.append(opened.table_id, 1, new_entry("one"))).seq == 2
    await store.close()


@pytest.mark.usefixtures("brief")
async def test_a_bot_waits_for_a_server_that_is_down_and_says_so(
    proxy: Proxy, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "storyguide.storage")
    proxy.stop()
    with pytest.raises(StorageUnavailable):
        await SqlStore.open(behind(proxy, schema))
    opening = asyncio.create_task(SqlStore.open(behind(proxy, schema), processes=1))
    await asyncio.sleep(0.6)  # longer than others wait
    assert not opening.done()
    await proxy.start()
    store = await asyncio.wait_for(opening, 10)
    await store.close()
    assert {"storage.waiting-for-server", "storage.server-there"} <= {*caplog.messages}


async def test_no_process_has_a_share_on_a_replica() -> None:
    server = PostgresServer("fsync = off")
    try:
        server.create_schema("play")
        address = server.address("play")
        store = await SqlStore.open(address, processes=1)
        (table,) = await store.create_table(new_table(), new_entry("open"))
        await store.close()
        server.stop()
        server.start_as_replica()
        opening = asyncio.create_task(SqlStore.open(address, processes=1))
        await asyncio.sleep(1)
        assert not opening.done(), "its lock would exclude nobody at the primary"
        reading = await SqlStore.open(address, reading=True)
        assert await reading.revision(table.table_id) == 1
        await reading.close()
        server.promote()
        store = await asyncio.wait_for(opening, 15)
        await store.append(table.table_id, 1, new_entry("one"))
        await store.close()
    finally:
        server.remove()


async def test_two_writers_number_their_own_rows(schema: str) -> None:
    address = shared_server().address(schema)
    stores = [await SqlStore.open(address) for _ in range(2)]

    async def play(store: SqlStore, place: str) -> list[WrittenEntry]:
        (opened,) = await store.create_table(new_table(place), new_entry(f"open {place}"))
        written = [opened]
        for number in range(1, 20):
            outs = tuple(new_out(place=place) for _ in range(3))
            entry = new_entry(f"{place} {number}", outs=outs)
            written.append(await store.append(opened.table_id, number, entry))
        return written

    for written in await asyncio.gather(play(stores[0], "1"), play(stores[1], "2")):
        there = await stored_requests(stores[0], written[0].table_id)
        assert [*there.values()] == written
    for store in stores:
        await store.close()


@pytest.mark.parametrize(
    ("key", "value", "refusal"),
    [("schema", LATEST_SCHEMA + 1, SchemaTooNew), ("form", 7, FingerprintMismatch)],
)
@pytest.mark.parametrize("reading", [False, True])
async def test_tables_of_another_release_are_refused(
    schema: str, key: str, value: int, refusal: type[Exception], reading: bool
) -> None:
    address = shared_server().address(schema)
    store = await SqlStore.open(address)
    await store.create_table(new_table(), new_entry("open"))
    await store.set_note(key, str(value))
    await store.close()
    with pytest.raises(refusal):
        await SqlStore.open(address, reading=reading)


#: Whole tables that are read because all of it is wanted.
WHOLE = {"place", "game_table", "note", "scrub"}


async def test_nothing_is_found_by_reading_everything(
    schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}
    execute = Session.execute

    def noted(session: Session, sql: str, parameters: Any = (), /) -> Any:
        if sql.startswith(("SELECT", "UPDATE", "DELETE", "INSERT INTO before_part")):
            asked[sql] = parameters
        return execute(session, sql, parameters)

    store = await SqlStore.open(shared_server().address(schema))
    monkeypatch.setattr(Session, "execute", noted)
    (opened,) = await store.create_table(new_table(), new_entry("open"))
    table = opened.table_id
    entry = await store.append(table, 1, new_entry("one", outs=(new_out(topic="c1"),)))
    row = entry.outs[0].id
    (second,) = await store.create_table(new_table("300"), new_entry("open another"))
    await asyncio.gather(
        store.append(table, 2, new_entry("two")),
        store.append(second.table_id, 1, new_entry("two at once")),
    )
    await store.places_of_table(table)
    await store.bound_places(["200"])
    await store.memberships("100", "7")
    await store.load_table(table)
    await store.find_request("one")
    await store.page(table, 0, until=2, limit=2)
    await store.entries(table, since=1, limit=2)
    await store.entries_touching(table, {"settings": 0}, 5)
    await store.unsent_rows(table)
    await store.topic_messages(table, ["c1"])
    await store.live_messages(table, "c1", "c2")
    await store.last_sent_row(table, "c1")
    await store.outbox_rows([row])
    await store.messages_near(entry.outs[0])
    await store.mark_done([(row, 1, "1/2")], [row])
    await store.due_waits(5)
    monkeypatch.setattr(Session, "execute", execute)

    def plans(session: Session) -> dict[str, str]:
        session.execute("SET enable_seqscan = off")
        found: dict[str, str] = {}
        for sql, parameters in asked.items():
            lines = session.execute(f"EXPLAIN {sql}", parameters).fetchall()
            for (line,) in lines:
                if "Seq Scan on" in line:
                    found[line.split("Seq Scan on ")[1].split()[0]] = sql
        return found

    assert len(asked) > 15
    assert any("AS ends" in sql for sql in asked)
    scanned = await store.database.read(plans)
    assert scanned.keys() <= WHOLE, scanned
    await store.close()


def test_migrations_have_no_word_of_sqlite_left() -> None:
    for script in MIGRATIONS:
        translated = translate_script(script)
        assert "ROWID" not in translated
        assert " INTEGER" not in translated
        assert "BLOB" not in translated


def test_values_are_numbered() -> None:
    assert translate("SELECT ? , ?") == "SELECT $1 , $2"
    assert translate("SELECT ?2, ?1, ?2") == "SELECT $2, $1, $2"


def test_an_address_does_not_tell_its_password() -> None:
    where = parse_where("postgresql://bot:hush@db.example:5432/dice?sslmode=require")
    assert isinstance(where, ServerAddress)
    for text in (str(where), repr(where), f"{where}"):
        assert "hush" not in text
        assert "db.example" in text
    assert pickle.loads(pickle.dumps(where)) == where
    assert isinstance(parse_where("storyguide.db"), Path)


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://bot:hu/sh@db.example/dice",
        "postgresql://bot:hu?sh@db.example/dice",
        "postgresql://bot:hu[sh@db.example",
        "postgresql://db.example/dice?user=bot&password=hush",
        "postgresql://db.example?application_name=a@b&password=hush",
    ],
)
def test_no_spelling_of_an_address_tells_its_password(dsn: str) -> None:
    assert "hu" not in str(ServerAddress(dsn))
    assert "sh" not in str(ServerAddress(dsn)).replace("PostgreSQL", "")


async def test_an_address_that_cannot_be_read_is_not_quoted() -> None:
    for dsn in ("postgresql://bot:hush@h:hush/dice", "postgresql://h/dice?hush"):
        with pytest.raises(StorageUnavailable) as caught:
            await SqlStore.open(ServerAddress(dsn))
        assert "hush" not in str(caught.value)


async def test_a_start_tells_what_a_role_lacks(schema: str) -> None:
    server = shared_server()
    server.execute("CREATE ROLE weak LOGIN")
    weak = ServerAddress(server.address(schema).dsn.replace("storyguide@", "weak@"))
    try:
        with pytest.raises(StorageUnavailable, match="search_path"):
            await asyncio.wait_for(SqlStore.open(weak, processes=1), 5)
        server.execute(f"GRANT USAGE ON SCHEMA {schema} TO weak")
        with pytest.raises(StorageUnavailable, match="permission denied"):
            await asyncio.wait_for(SqlStore.open(weak, processes=1), 5)
    finally:
        server.execute("DROP OWNED BY weak")
        server.execute("DROP ROLE weak")


async def test_a_value_that_a_server_cannot_hold_fails_alone(schema: str) -> None:
    store = await SqlStore.open(shared_server().address(schema))
    rows = [new_table("1"), new_table("2\x00"), new_table("3")]
    made = await asyncio.gather(
        *(store.create_table(new, new_entry(new.place.strip("\x00"))) for new in rows),
        return_exceptions=True,
    )
    assert [isinstance(each, Exception) for each in made] == [False, True, False]
    await store.close()


def test_a_file_needs_no_driver() -> None:
    code = "import sys, bot.__main__; sys.exit('psycopg' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0

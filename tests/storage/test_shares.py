"""Several processes on one server: their shares, spares, and processes that may not join."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.storage.errors import StorageUnavailable
from bot.storage.fingerprint import FingerprintMismatch
from bot.storage.high_water_mark import RESTORED_KEY
from bot.storage.location import ServerAddress
from bot.storage.schema import MIGRATIONS
from bot.storage.server_database import ServerDatabase
from bot.storage.share import WHOLE, OtherProcessCount, Share, shard_key
from bot.storage.store import SqlStore
from bot.storage.upkeep import UndoRetention
from tests.storage.postgres_server import PostgresServer, schema_for, shared_server
from tests.storage.postgres_server import address as server_address
from tests.storage.stores import new_entry, new_out, new_table, sqlite

#: Ids of Discord servers.
snowflakes = st.integers(min_value=1, max_value=2**63 - 1)
#: A process that holds a share until it is killed.
HOLDER = """
import asyncio, sys
from bot.storage.location import parse_where
from bot.storage.store import SqlStore

async def hold():
    store = await SqlStore.open(parse_where(sys.argv[1]), processes=1)
    print(store.share.number, flush=True)
    await asyncio.sleep(600)

asyncio.run(hold())
"""
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[ServerAddress]:
    """The address of a schema of the test's own."""
    name = schema_for(tmp_path)
    shared_server().create_schema(name)
    yield shared_server().address(name)
    shared_server().drop_schema(name)


@pytest.fixture
async def opened(address: ServerAddress) -> AsyncIterator[Processes]:
    """Stores that are closed at the end."""
    async with AsyncExitStack() as stack:
        yield Processes(address, stack)


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits are short."""
    monkeypatch.setattr("bot.storage.server_database.PATIENCE", 0.5)
    monkeypatch.setattr("bot.storage.server_database.SAY_AFTER", 0.1)


class Processes:
    """Opens stores on one schema."""

    def __init__(self, address: ServerAddress, stack: AsyncExitStack) -> None:
        self.address = address
        self._stack = stack

    async def __call__(self, processes: int | None = None) -> SqlStore:
        store = await SqlStore.open(self.address, processes=processes)
        self._stack.push_async_callback(store.close)
        return store

    def later(self, processes: int | None) -> asyncio.Task[SqlStore]:
        """Open a store that has to wait."""
        task = asyncio.create_task(self(processes))

        async def end() -> None:
            task.cancel()
            await asyncio.wait({task})

        self._stack.push_async_callback(end)
        return task


def engine_of(store: SqlStore) -> ServerDatabase:
    assert isinstance(store.database, ServerDatabase)
    return store.database


def cut_off(store: SqlStore) -> None:
    """Have the server end a store's writing session."""
    shared_server().execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE application_name = '{engine_of(store)._writer.session.name}'"
    )


def guild_of(share: int, count: int) -> str:
    """Return the id of a Discord server of a share."""
    return str((count * 7 + share) << 22 | 5)


# --- which tables -------------------------------------------------------------------------------


@given(guild=snowflakes, count=st.integers(1, 40), multiple=st.integers(1, 20))
def test_every_server_has_one_share_which_is_that_of_its_shard(
    guild: int, count: int, multiple: int
) -> None:
    shards = count * multiple
    owners = [number for number in range(count) if Share(number, count).owns(str(guild))]
    assert owners == [(guild >> 22) % shards % count]


@given(user=snowflakes, count=st.integers(1, 40))
def test_personal_tables_are_the_first_shares(user: int, count: int) -> None:
    assert shard_key(f"@{user}") == shard_key("") == 0
    owners = [number for number in range(count) if Share(number, count).owns(f"@{user}")]
    assert owners == [0]


async def _play(store: SqlStore, guild: str, number: int) -> int:
    """Open a table with something unsent, something due and something to tidy; return its id."""
    place = str(1000 + number)
    entry = new_entry(f"open {guild}", outs=(new_out(topic="c1"),), due_on=(("c1.1", 50 + number),))
    (written,) = await store.create_table(new_table(place, guild=guild), entry)
    forget = new_entry(f"forget {guild}", forgets="p1", outs=(new_out(place=place),))
    last = await store.append(written.table_id, 1, forget)
    await store.mark_done([(last.outs[0].id, 1, f"{place}/77")])
    return written.table_id


async def _lists(store: SqlStore) -> dict[str, set[Any]]:
    """Return what a store lists of all tables."""
    next_due = await store.next_due()
    return {
        "places": set((await store.place_tables()).values()),
        "tables": set(await store.table_places()),
        "servers": set(await store.guild_systems()),
        "unsent": {row.table_id for row in await store.unsent_rows()},
        "due": {table_id for table_id, _, _ in await store.due_waits(10**12)},
        "first": set() if next_due is None else {next_due},
        "untidy": set(await store.untidy_tables(UndoRetention(0))),
    }


async def test_two_shares_list_their_own_tables_and_together_all(opened: Processes) -> None:
    stores = [await opened(2) for _ in range(2)]
    assert [store.share for store in stores] == [Share(0, 2), Share(1, 2)]
    guilds = [guild_of(0, 2), guild_of(1, 2), "@7", guild_of(2, 2)]
    tables = [await _play(stores[0], guild, number) for number, guild in enumerate(guilds)]
    owned = [{tables[0], tables[2], tables[3]}, {tables[1]}]
    servers = [{guilds[0], guilds[3]}, {guilds[1]}]
    for store, own, names, first in zip(stores, owned, servers, (50, 51), strict=True):
        lists = await _lists(store)
        assert lists.pop("servers") == names
        assert lists.pop("first") == {first}
        assert all(found == own for found in lists.values()), lists
    whole = await opened()
    assert whole.share == WHOLE
    assert (await _lists(whole))["tables"] == {*tables}
    # By id and place a store finds the tables of any share.
    assert await stores[1].load_table(tables[0]) is not None
    assert await stores[1].bound_places(["1002"]) == {"1002": tables[2]}
    await stores[1].forget_messages()
    kept = [await whole.entry_messages([row]) for row in range(1, 9)]
    assert {row.table_id for rows in kept for row in rows} == owned[0]


async def test_a_server_that_is_dropped_is_tidied_by_its_share(opened: Processes) -> None:
    stores = [await opened(2) for _ in range(2)]
    await stores[0].create_table(new_table(guild=guild_of(1, 2)), new_entry("open"))
    (gone,) = await stores[0].drop_guild(guild_of(1, 2))
    assert await stores[0].untidy_tables(UndoRetention(0)) == ()
    assert await stores[1].untidy_tables(UndoRetention(0)) == (gone,)


async def test_a_file_is_one_share(tmp_path: Path) -> None:
    store = await sqlite(tmp_path)
    assert store.share == WHOLE
    await store.close()


# --- spares -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("brief")
async def test_a_spare_says_so_once_and_takes_over(
    opened: Processes, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = await opened(2), await opened(2)
    assert {first.share, second.share} == {Share(0, 2), Share(1, 2)}
    spare = opened.later(2)
    await asyncio.sleep(0.8)
    assert not spare.done()
    assert caplog.messages.count("storage.waiting-as-spare") == 1
    (table,) = await second.create_table(new_table(guild=guild_of(1, 2)), new_entry("open"))
    lost = asyncio.Event()
    second.database.on_lost_share(lost.set)
    begun = time.monotonic()
    cut_off(second)
    third = await asyncio.wait_for(spare, 5)
    assert time.monotonic() - begun < 1
    assert third.share == second.share
    with pytest.raises(StorageUnavailable):
        await second.append(table.table_id, 1, new_entry("lost"))
    await asyncio.wait_for(lost.wait(), 5)
    with pytest.raises(StorageUnavailable):
        await second.load_table(table.table_id)
    late = asyncio.Event()
    second.database.on_lost_share(late.set)
    assert late.is_set()
    assert await third.find_request("lost") is None
    await third.append(table.table_id, 1, new_entry("kept"))


@pytest.mark.usefixtures("brief")
async def test_an_idle_process_notices_that_its_share_is_lost(
    opened: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for the spare to be faster.
    monkeypatch.setattr("bot.storage.server_database.WATCH_INTERVAL", 1.5)
    store = await opened(1)
    spare = opened.later(1)
    lost = asyncio.Event()
    store.database.on_lost_share(lost.set)
    cut_off(store)
    await asyncio.wait_for(spare, 5)
    await asyncio.wait_for(lost.wait(), 5)


@pytest.mark.usefixtures("brief")
async def test_an_idle_process_watches_on_after_a_server_took_no_writes(
    opened: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.storage.server_database.WATCH_INTERVAL", 0.1)
    store = await opened(1)
    read_only = "default_transaction_read_only"
    shared_server().execute(f"ALTER ROLE storyguide SET {read_only} = on")
    try:
        cut_off(store)
        await asyncio.sleep(1)
    finally:
        with psycopg.connect(opened.address.dsn, autocommit=True) as connection:
            connection.execute(f"SET {read_only} = off".encode())
            connection.execute(f"ALTER ROLE storyguide RESET {read_only}".encode())
    cut_off(store)
    await asyncio.sleep(1)
    with psycopg.connect(opened.address.dsn) as connection:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"
        row = connection.execute(sql, (engine_of(store)._writer.session.name,)).fetchone()
    assert row == (1,)


async def test_a_session_that_breaks_takes_its_own_slot_again(opened: Processes) -> None:
    stores = [await opened(2) for _ in range(2)]
    (table,) = await stores[1].create_table(new_table(), new_entry("open"))
    cut_off(stores[1])
    await stores[1].append(table.table_id, 1, new_entry("one"))
    spare = opened.later(2)
    await asyncio.sleep(0.6)
    assert not spare.done(), "both slots are held"


async def test_a_session_before_that_still_has_the_slot_is_waited_for(opened: Processes) -> None:
    store = await opened(1)
    (table,) = await store.create_table(new_table(), new_entry("open"))
    name = engine_of(store)._writer.session.name
    dsn = opened.address.dsn
    cut_off(store)
    with psycopg.connect(dsn, autocommit=True, application_name=name) as before:
        sql = "SELECT pg_advisory_lock(5731, hashtext(current_schema()))"
        before.execute(sql)
        writing = asyncio.ensure_future(store.append(table.table_id, 1, new_entry("one")))
        await asyncio.sleep(0.5)
        assert not writing.done()
    assert (await asyncio.wait_for(writing, 5)).seq == 2


async def test_a_killed_process_leaves_its_share(opened: Processes) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDER, opened.address.dsn, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await asyncio.wait_for(holder.stdout.readline(), 120) == b"0\n"
    spare = opened.later(1)
    await asyncio.sleep(0.6)
    assert not spare.done()
    holder.send_signal(signal.SIGKILL)
    begun = time.monotonic()
    await asyncio.wait_for(spare, 5)
    assert time.monotonic() - begun < 1
    await holder.wait()


# --- processes that do not fit ------------------------------------------------------------------


@pytest.mark.usefixtures("brief")
async def test_another_number_of_processes_is_refused_while_one_runs(
    opened: Processes, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = await opened(2), await opened(2)
    with pytest.raises(OtherProcessCount) as caught:
        await opened(3)
    assert (caught.value.asked, caught.value.running) == (3, 2)
    assert "storage.waiting-for-processes" in caplog.messages
    await first.close()
    with pytest.raises(OtherProcessCount):
        await opened(1)
    await second.close()
    assert (await opened(3)).share.count == 3


@pytest.mark.usefixtures("brief")
async def test_another_release_waits_until_the_running_one_has_ended(
    opened: Processes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = await opened(1)
    form = await store.note("form")
    monkeypatch.setattr("bot.storage.server_schema.stored_fingerprint", lambda: 77)
    waiting = opened.later(1)
    await asyncio.sleep(1)  # longer than a server is waited for
    assert not waiting.done()
    assert caplog.messages.count("storage.waiting-for-release") == 1
    assert await store.note("form") == form
    await store.close()
    later = await asyncio.wait_for(waiting, 5)
    assert await later.note("form") == "77"


@pytest.mark.usefixtures("brief")
async def test_a_migration_waits_for_every_process_before_it(
    opened: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened(1)
    spare = opened.later(1)
    (table,) = await store.create_table(new_table(), new_entry("open"))
    await asyncio.sleep(0.4)
    monkeypatch.setattr("bot.storage.server_schema.LATEST_SCHEMA", len(MIGRATIONS) + 1)
    migrations = (*MIGRATIONS, "ALTER TABLE panel ADD COLUMN more TEXT;")
    monkeypatch.setattr("bot.storage.server_schema.MIGRATIONS", migrations)
    waiting = opened.later(1)
    await asyncio.sleep(0.6)
    assert not waiting.done()
    assert await store.note("schema") == str(len(MIGRATIONS))
    spare.cancel()
    await asyncio.wait({spare})
    await store.close()
    later = await asyncio.wait_for(waiting, 5)
    assert await later.note("schema") == str(len(migrations))
    assert await later.load_table(table.table_id) is not None


@pytest.mark.usefixtures("brief")
async def test_a_session_of_the_release_before_cannot_come_back(
    opened: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened(1)
    lost = asyncio.Event()
    store.database.on_lost_share(lost.set)
    (table,) = await store.create_table(new_table(), new_entry("open"))
    await store.set_note("form", "77")  # as another release leaves it
    cut_off(store)
    with pytest.raises(StorageUnavailable):
        await store.append(table.table_id, 1, new_entry("one"))
    await asyncio.wait_for(lost.wait(), 5)


@pytest.mark.usefixtures("brief")
async def test_tables_that_cannot_be_read_are_refused_at_once(
    opened: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened(1)
    await store.create_table(new_table(), new_entry("open"))
    monkeypatch.setattr("bot.storage.server_schema.stored_fingerprint", lambda: 77)
    begun = time.monotonic()
    with pytest.raises(FingerprintMismatch):
        await opened(1)
    assert time.monotonic() - begun < 0.5, "it waits for nobody"


async def test_processes_that_begin_together_agree(opened: Processes) -> None:
    stores = await asyncio.gather(*(opened(3) for _ in range(3)))
    assert {store.share for store in stores} == {Share(number, 3) for number in range(3)}


async def test_schemas_have_shares_of_their_own(opened: Processes, tmp_path: Path) -> None:
    await opened(1)
    other = schema_for(tmp_path / "other")
    shared_server().create_schema(other)
    store = await asyncio.wait_for(SqlStore.open(shared_server().address(other), processes=1), 5)
    await store.close()
    shared_server().drop_schema(other)


async def test_a_process_that_hangs_loses_its_share(
    opened: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.storage.server_claim.HANG_LIMIT", 4.0)
    monkeypatch.setattr("bot.storage.server_database.WATCH_INTERVAL", 0.2)
    store = await opened(1)
    spare = opened.later(1)
    await asyncio.sleep(5.0)
    assert not spare.done(), "one that looks keeps it"
    # A transaction through the pipeline is the last that the server hears of it.
    await store.create_table(new_table(), new_entry("open"))
    lost = asyncio.Event()
    store.database.on_lost_share(lost.set)
    database: Any = store.database
    database._watching.cancel()
    assert (await asyncio.wait_for(spare, 20)).share == store.share
    with pytest.raises(StorageUnavailable):
        await store.create_table(new_table("other"), new_entry("two"))
    await asyncio.wait_for(lost.wait(), 5)


async def test_a_process_whose_commit_waits_for_a_replica_keeps_its_share(
    opened: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server works for its session, however long that takes."""
    monkeypatch.setattr("bot.storage.server_claim.HANG_LIMIT", 0.2)
    monkeypatch.setattr("bot.storage.server_database.WATCH_INTERVAL", 60.0)
    holder = await opened(1)
    session = engine_of(holder)._writer
    working = session.run(lambda each: each.execute("SELECT pg_sleep(1.5)").fetchone())
    spare = opened.later(1)
    await asyncio.sleep(1.0)
    assert not spare.done()
    await working
    await asyncio.wait_for(spare, 30)  # Now it is silent.


async def test_a_replica_is_no_older_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address with several hosts may lead to a replica while the primary is away."""
    monkeypatch.setattr("bot.storage.server_database.PATIENCE", 0.3)
    monkeypatch.setattr("bot.storage.server_database.RETRY_DELAY", 0.05)
    primary, replica = PostgresServer(), PostgresServer(initialize=False)
    try:
        replica.follow(primary)
        name = schema_for(tmp_path)
        primary.create_schema(name)
        both = server_address(name, primary.socket.parent, replica.socket.parent)
        either = both.dsn.replace("&target_session_attrs=read-write", "")
        store = await SqlStore.open(ServerAddress(either), processes=1)
        try:
            await store.set_note("said", "before")
            primary.kill()
            for attempt in (store.set_note("said", "meanwhile"), store.note("said")):
                with pytest.raises(StorageUnavailable) as refused:
                    await attempt
                assert refused.value.reason == "unreachable"
            primary.start()
            back = asyncio.Event()
            store.database.on_return(back.set)
            await asyncio.wait_for(back.wait(), 30)
            await store.set_note("said", "after")
            assert await store.note("said") == "after"
            assert await store.note(RESTORED_KEY) is None
        finally:
            await store.close()
    finally:
        replica.remove()
        primary.remove()

"""`python -m benchmarks.server_size`: the store on a server with a million entries.

Times of the store's queries are compared, in turns, with those in a schema that holds one table.
Then one process writes as fast as it can, and several with a share each. It takes about five
minutes and 4 GB of disk.

--tables N     tables, all but one copies of the one that was played (10,000)
--entries N    entries of each (101)
--processes N  how many processes share the servers (4)
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import psycopg

from benchmarks.size import NPCS_OF_OTHERS, ROWS, play_table
from benchmarks.tables import PLAYERS, furnish
from bot.storage.location import ServerAddress
from bot.storage.server_session import Session
from bot.storage.store import SqlStore
from bot.storage.upkeep import UndoRetention
from tests.loopback.driver import percentile
from tests.loopback.process import ROOT
from tests.storage.postgres_server import PostgresServer
from tests.storage.stores import new_entry, new_out

#: Discord servers that the tables are spread over; the key of a server counts them.
SERVERS: Final = 20
FIRST_KEY: Final = 300_000_000_000
#: Tables that number their rows.
NUMBERED: Final = ("game_table", "journal", "outbox", "seed")
#: How often each query is measured, at a table of its own, and for how many entries at once.
TIMES: Final = 200
ABREAST: Final = 16
#: How long the processes write, in seconds.
WRITING: Final = 10.0
#: Where the table that is copied is played.
PLACE: Final = "777777"


# --- the tables -----------------------------------------------------------------------------------


def _guild(number: int) -> str:
    return str((FIRST_KEY + number % SERVERS) << 22)


async def _furnish(where: ServerAddress, entries: int) -> None:
    """Make the table that is copied; something at it is due later."""
    people = [(str(500 + number), f"player-{number}") for number in range(PLAYERS)]
    leader = ("400", "gina")
    await furnish(where, _guild(0), [PLACE], leader, people, live=True, npcs=NPCS_OF_OTHERS)
    await play_table(where, PLACE, entries)
    store = await SqlStore.open(where)
    try:
        ((table_id, _),) = (await store.table_places()).items()
        row = await store.load_table(table_id)
        assert row is not None
        waiting = new_entry("wait", parts={}, due_on=(("c1.1", 2_000_000_000),))
        await store.append(table_id, row.revision, waiting)
    finally:
        await store.close()


def _multiply(where: ServerAddress, copies: int) -> int:
    """Copy the played table row for row; return the number of all entries."""
    with psycopg.connect(where.dsn, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        origin = _number(connection, "SELECT table_id FROM place WHERE id = %s", PLACE)
        steps = {
            name: _number(connection, f"SELECT COALESCE(MAX(id), 0) FROM {name}")
            for name in NUMBERED
        }
        for name in ROWS:
            _copy(connection, name, steps, origin, copies)
        for name in NUMBERED:
            _execute(
                connection,
                f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), MAX(id)) FROM {name}",
            )
        _execute(connection, "VACUUM ANALYZE")
        return _number(connection, "SELECT COUNT(*) FROM journal")


def _copy(
    connection: psycopg.Connection[Any], name: str, steps: dict[str, int], origin: int, copies: int
) -> None:
    """Copy the rows of the played table in one of the database's tables."""
    columns = connection.execute(
        "SELECT column_name, data_type FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND table_name = %s",
        (name,),
    ).fetchall()
    key = f"({FIRST_KEY} + n % {SERVERS})"
    made = {
        "table_id": f"_.table_id + n * {steps['game_table']}",
        "journal_id": f"_.journal_id + n * {steps['journal']}",
        "request_id": "lpad(n::text, 8, '0') || ':' || _.request_id",
        "head": "lpad(n::text, 8, '0') || ':' || _.head",
        "guild": f"({key} << 22)::text",
        "shard_key": key,
        "user_id": "_.user_id || n",
    }
    if name in steps:
        made["id"] = f"_.id + n * {steps[name]}"
    values: list[str] = []
    for column, kind in columns:
        plain = f"replace(_.{column}, '{PLACE}', '{PLACE}' || n)" if kind == "text" else None
        values.append(made.get(column) or plain or f"_.{column}")
    mine = "id" if name == "game_table" else "table_id"
    names = ", ".join(column for column, _ in columns)
    _execute(
        connection,
        f"INSERT INTO {name} ({names}) SELECT {', '.join(values)}"
        f" FROM generate_series(1, {copies}) AS n"
        f" CROSS JOIN (SELECT * FROM {name} WHERE {mine} = {origin}) AS _",
    )


def _execute(connection: psycopg.Connection[Any], sql: str) -> None:
    connection.execute(sql.encode())


def _number(connection: psycopg.Connection[Any], sql: str, *values: object) -> int:
    row = connection.execute(sql.encode(), values or None).fetchone()
    assert row is not None
    return int(row[0])


# --- the queries ----------------------------------------------------------------------------------


Call = Callable[[SqlStore, int, int], Awaitable[object]]


async def _append(store: SqlStore, table_id: int, revision: int) -> object:
    parts = {"bench": "0" * 700}
    entry = new_entry(
        f"bench-{table_id}-{revision}-{time.time_ns()}",
        events='[["X", {}]]' * 200,
        parts=parts,
        outs=(new_out(), new_out(kind="reply", public=False, person="p1")),
    )
    return await store.append(table_id, revision, entry)


_KEEP: Final = UndoRetention(now=1_800_000_000)
#: Calls at one table each time, given the table and its revision.
AT_A_TABLE: Final[dict[str, Call]] = {
    "load_table": lambda store, table_id, _: store.load_table(table_id),
    "append": _append,
    "page": lambda store, table_id, last: store.page(table_id, last - 20, limit=20),
    "entries": lambda store, table_id, last: store.entries(table_id, since=last - 20, limit=20),
    "unsent_rows of a table": lambda store, table_id, _: store.unsent_rows(table_id),
    "bound_places": lambda store, table_id, _: store.bound_places([f"{PLACE}{table_id}"]),
    "memberships in a server": lambda store, table_id, _: store.memberships(
        _guild(table_id), "500"
    ),
}
#: Calls for all tables.
AT_ALL: Final[dict[str, Call]] = {
    "next_due": lambda store, *_: store.next_due(),
    "due_waits": lambda store, *_: store.due_waits(1_900_000_000),
    "unsent_rows": lambda store, *_: store.unsent_rows(),
    "untidy_tables": lambda store, *_: store.untidy_tables(_KEEP),
    "guild_systems": lambda store, *_: store.guild_systems(),
    "place_tables": lambda store, *_: store.place_tables(),
    "table_places": lambda store, *_: store.table_places(),
}


async def _times(stores: Sequence[SqlStore]) -> dict[str, list[float]]:
    """Return each call's milliseconds at the median, at these stores in turns."""
    chosen = [await _some_tables(store) for store in stores]
    found: dict[str, list[float]] = {}
    for what, call in AT_A_TABLE.items():
        took: list[list[float]] = [[] for _ in stores]
        for number in range(TIMES):
            for store, tables, times in zip(stores, chosen, took, strict=True):
                table_id = tables[number % len(tables)]
                row = await store.load_table(table_id)
                assert row is not None
                times.append(await _milliseconds(call, store, table_id, row.revision))
        found[what] = [statistics.median(times) for times in took]
    for what, call in AT_ALL.items():
        took = [[] for _ in stores]
        for _ in range(TIMES // 4):
            for store, times in zip(stores, took, strict=True):
                times.append(await _milliseconds(call, store, 0, 0))
        found[what] = [statistics.median(times) for times in took]
    return found


async def _some_tables(store: SqlStore) -> list[int]:
    tables = [*await store.table_places()]
    return tables[:: max(1, len(tables) // TIMES)][:TIMES]


async def _milliseconds(call: Call, store: SqlStore, table_id: int, revision: int) -> float:
    begun = time.perf_counter()
    await call(store, table_id, revision)
    return 1000 * (time.perf_counter() - begun)


async def _scans(store: SqlStore) -> dict[str, list[str]]:
    """Return the calls whose plans read a whole table, with what they read."""
    found: dict[str, list[str]] = {}
    table_id = next(iter(await store.table_places()))
    for what, call in (AT_A_TABLE | AT_ALL).items():
        row = await store.load_table(table_id)
        assert row is not None
        asked = await _statements(call, store, table_id, row.revision)

        def explain(session: Session, asked: Sequence[tuple[str, Any]] = asked) -> list[str]:
            steps: list[str] = []
            for sql, values in asked:
                plan = session.execute(f"EXPLAIN {sql}", values).fetchall()
                steps += [step.strip() for (step,) in plan if "Seq Scan" in step]
            return steps

        if steps := await store.database.read(explain):
            found[what] = steps
    return found


async def _statements(
    call: Call, store: SqlStore, table_id: int, revision: int
) -> list[tuple[str, Any]]:
    """Return the statements of one call, with their values."""
    asked: list[tuple[str, Any]] = []
    execute = Session.execute

    def noted(session: Session, sql: str, values: Sequence[Any] = (), /) -> Any:
        if sql.startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
            asked.append((sql, values))
        return execute(session, sql, values)

    Session.execute = noted
    try:
        await call(store, table_id, revision)
    finally:
        Session.execute = execute
    return asked


# --- several processes ----------------------------------------------------------------------------


async def _write(dsn: str, processes: int, seconds: float) -> dict[str, float]:
    """Write at the tables of one share for so long, some at once."""
    store = await SqlStore.open(ServerAddress(dsn), processes=processes)
    try:
        tables = [*await store.table_places()]
        # A line that everybody is ready, from whoever began these processes.
        print(json.dumps({"share": store.share.number, "tables": len(tables)}), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        took: list[float] = []
        end = time.perf_counter() + seconds

        async def work(worker: int) -> None:
            for table_id in tables[worker::ABREAST] * 100:
                row = await store.load_table(table_id)
                assert row is not None
                begun = time.perf_counter()
                if begun > end:
                    return
                await _append(store, table_id, row.revision)
                took.append(1000 * (time.perf_counter() - begun))

        cpu = time.process_time()
        await asyncio.gather(*map(work, range(ABREAST)))
        used = time.process_time() - cpu
    finally:
        await store.close()
    took.sort()
    return {
        "entries": len(took),
        "p50_ms": percentile(took, 0.5),
        "p99_ms": percentile(took, 0.99),
        "cpu_ms": 1000 * used / len(took),
    }


async def _side_by_side(where: ServerAddress, processes: int) -> list[dict[str, float]]:
    """Have so many processes write at once, each at the tables of its share."""
    words = ("-m", "benchmarks.server_size", "--write", where.dsn, "--processes", str(processes))
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            *words,
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(processes)
    ]
    found: list[dict[str, float]] = []
    for process in started:
        assert process.stdout is not None
        found.append(json.loads(await process.stdout.readline()))
    for process in started:
        assert process.stdin is not None
        process.stdin.write(b"\n")
    for process, figures in zip(started, found, strict=True):
        assert process.stdout is not None
        figures |= json.loads(await process.stdout.readline())
        await process.wait()
    return found


# --- all of it ------------------------------------------------------------------------------------


#: What the server is set up with beside the defaults: room to write a million entries at once.
SETTINGS: Final = (
    "max_wal_size = 4GB",
    "checkpoint_timeout = 30min",
    "maintenance_work_mem = 256MB",
)


async def measure(tables: int, entries: int, processes: int) -> None:
    """Make both schemas, measure, and print."""
    server = await asyncio.to_thread(PostgresServer, *SETTINGS)
    try:
        for schema in ("few", "many"):
            server.create_schema(schema)
            await _furnish(server.address(schema), entries)
        begun = time.perf_counter()
        count = await asyncio.to_thread(_multiply, server.address("many"), tables - 1)
        print(f"{tables:,} tables, {count:,} entries in {time.perf_counter() - begun:.0f} s")
        server.execute("CHECKPOINT")
        stores = [await SqlStore.open(server.address(schema)) for schema in ("few", "many")]
        try:
            times = await _times(stores)
            scans = await _scans(stores[-1])
            sizes = await stores[-1].database.sizes()
        finally:
            for store in stores:
                await store.close()
        print("milliseconds at the median, with one table and with all")
        for what, (few, many) in times.items():
            print(f"  {what:26} {few:8.2f} {many:8.2f}")
        print(f"{sizes['database_bytes'] / 2**20:,.0f} MiB; whole tables read:")
        for what, steps in scans.items():
            print(f"  {what}: {steps}")
        for number in (1, processes):
            print(f"writing at once: {number}")
            for figures in await _side_by_side(server.address("many"), number):
                print("  ", {key: round(value, 2) for key, value in figures.items()})
    finally:
        await asyncio.to_thread(server.remove)


def main() -> None:
    """Measure, or write as one of several processes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server_size")
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--entries", type=int, default=101)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--write", default="", help="for the processes that this one begins")
    options = parser.parse_args()
    if options.write:
        print(json.dumps(asyncio.run(_write(options.write, options.processes, WRITING))))
    else:
        asyncio.run(measure(options.tables, options.entries, options.processes))


if __name__ == "__main__":
    main()

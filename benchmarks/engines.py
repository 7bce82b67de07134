"""The store and the whole bot on a PostgreSQL server, beside the same on a SQLite file.

The server is the tests' own, on this machine, with a socket beside its files; it waits for the disk
as SQLite does. The far server is the same one behind a proxy that delays its answers.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.commands import Pair, full, pair
from bot.storage.connection import Statements
from bot.storage.location import ServerAddress, Where
from bot.storage.store import SqlStore
from tests.loopback.driver import Bench, burst, latency, percentile, throughput
from tests.storage.postgres_server import PostgresServer
from tests.storage.server_proxy import far_server
from tests.storage.stores import new_entry, new_out, new_table

#: Entries that are under way at once, each at a table of its own.
ABREAST: Final = 64
#: Seconds by which the far server's answers are late; the proxy's clock adds some.
DELAY: Final = 0.002
#: Events of an entry and a part of a table, about as large as a live check's: 2.2 and 0.7 kB.
EVENTS: Final = json.dumps([["CheckChanged", {"text": "x" * 100, "number": n}] for n in range(15)])
PART: Final = json.dumps({"value": ["0123456789"] * 50})


@dataclass(frozen=True)
class EnginePlan:
    """Size of the measurement: entries and commands of a round, on each engine."""

    rounds: int = 5
    alone: int = 256
    abreast: int = 1920
    commands: int = 400
    warm_up: int = 100
    rate: float = 100.0
    seconds: float = 2.0
    burst: int = 2000


QUICK: Final = EnginePlan(
    rounds=1, alone=16, abreast=128, commands=40, warm_up=8, seconds=0.3, burst=300
)


@dataclass(frozen=True)
class Entries:
    """Entries written by the store alone: the server's figures with SQLite's as the peer.

    CPU is in milliseconds an entry: of the store's process, and of the server's in `server_ms`.
    """

    cpu_ms: Pair
    server_ms: float
    p50_ms: Pair
    per_second: Pair


@dataclass(frozen=True)
class Commands:
    """Live checks through the whole bot: the server's figures with SQLite's as the peer.

    `late` and `last_s` tell of the burst: commands not acknowledged within 3 seconds on either
    engine, and when the last was.
    """

    cpu_ms: Pair
    server_ms: float
    p50_ms: Pair
    p99_ms: Pair
    last_s: Pair
    late: tuple[int, int]
    unanswered: int


@dataclass(frozen=True)
class Engines:
    """All figures of the two engines. `round_trip_ms` is the far server's."""

    alone: Entries
    abreast: Entries
    round_trip_ms: float
    far_alone: Entries
    far_abreast: Entries
    commands: Commands
    burst: int
    rate: float


async def measure(folder: Path, plan: EnginePlan) -> Engines:
    """Measure both engines in turns."""
    server = await asyncio.to_thread(PostgresServer)
    try:
        for schema in ("alone", "live"):
            server.create_schema(schema)
        near = server.address("alone")
        alone, abreast = await _entries(server, near, folder / "near.db", plan)
        await asyncio.to_thread(Path.mkdir, folder / "far")
        async with far_server(server.socket, folder / "far", DELAY):
            far = server.address("alone", folder / "far")
            round_trip_ms = await _round_trip_ms(far)
            far_alone, far_abreast = await _entries(server, far, folder / "far.db", plan)
        commands = await _commands(server, folder, plan)
    finally:
        await asyncio.to_thread(server.remove)
    return Engines(
        alone, abreast, round_trip_ms, far_alone, far_abreast, commands, plan.burst, plan.rate
    )


# --- the store alone ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Round:
    cpu_ms: float
    server_ms: float
    p50_ms: float
    per_second: float


class _Writer:
    """A store, and tables of it that get entries."""

    def __init__(self, store: SqlStore, tables: list[int], name: str) -> None:
        self._store = store
        self._tables = tables
        self._name = name
        self._revisions = dict.fromkeys(tables, 1)
        self._count = 0

    async def append(self, number: int) -> None:
        """Write an entry of a live check's size at one of the tables."""
        table_id = self._tables[number % len(self._tables)]
        revision = self._revisions[table_id]
        self._revisions[table_id] += 1
        self._count += 1
        entry = new_entry(
            f"{self._name}-{self._count:012}",
            events=EVENTS,
            parts={"checks": f"[{self._count}, {PART}]", "settings": f"[{self._count}, {PART}]"},
            outs=(new_out(), new_out(kind="reply", public=False, person="p1", token="t" * 60)),
        )
        await self._store.append(table_id, revision, entry)

    async def write(self, entries: int, abreast: int, server: PostgresServer) -> _Round:
        """Write so many entries, so many at once."""
        took: list[float] = []

        async def work(worker: int) -> None:
            for number in range(entries // abreast):
                begun = time.perf_counter()
                await self.append(worker + number * abreast)
                took.append(1000 * (time.perf_counter() - begun))

        cpu, server_cpu, start = time.process_time(), server.cpu_seconds(), time.perf_counter()
        await asyncio.gather(*map(work, range(abreast)))
        seconds = time.perf_counter() - start
        used, server_used = time.process_time() - cpu, server.cpu_seconds() - server_cpu
        written = len(took)
        return _Round(
            1000 * used / written,
            1000 * server_used / written,
            statistics.median(took),
            written / seconds,
        )


@asynccontextmanager
async def _writer(where: Where, name: str) -> AsyncIterator[_Writer]:
    store = await SqlStore.open(where)
    try:
        tables: list[int] = []
        for number in range(ABREAST):
            place = f"{name}-{number}"
            parts = {"checks": PART, "settings": PART}
            opening = await store.create_table(new_table(place), new_entry(place, parts=parts))
            tables.append(opening[0].table_id)
        yield _Writer(store, tables, name)
    finally:
        await store.close()


async def _entries(
    server: PostgresServer, address: ServerAddress, path: Path, plan: EnginePlan
) -> tuple[Entries, Entries]:
    """Measure entries one at a time, and abreast."""
    found: dict[int, tuple[list[_Round], list[_Round]]] = {1: ([], []), ABREAST: ([], [])}
    async with _writer(address, path.stem) as ours, _writer(path, path.stem) as file:
        for writer in (ours, file):
            await writer.write(plan.alone // 4, 1, server)
        for _ in range(plan.rounds):
            for abreast, entries in ((1, plan.alone), (ABREAST, plan.abreast)):
                for writer, rounds in zip((ours, file), found[abreast], strict=True):
                    rounds.append(await writer.write(entries, abreast, server))
    return _compare(*found[1]), _compare(*found[ABREAST])


def _compare(ours: list[_Round], file: list[_Round]) -> Entries:
    return Entries(
        pair([each.cpu_ms for each in ours], [each.cpu_ms for each in file]),
        statistics.median(each.server_ms for each in ours),
        pair([each.p50_ms for each in ours], [each.p50_ms for each in file]),
        pair([each.per_second for each in ours], [each.per_second for each in file]),
    )


async def _round_trip_ms(address: ServerAddress, times: int = 50) -> float:
    """Return how long one statement takes at least on the way to a server and back."""

    def work(connection: Statements) -> float:
        took: list[float] = []
        for _ in range(times):
            begun = time.perf_counter()
            connection.execute("SELECT 1").fetchone()
            took.append(1000 * (time.perf_counter() - begun))
        return percentile(sorted(took), 0.5)

    store = await SqlStore.open(address, reading=True)
    try:
        return await store.database.read(work)
    finally:
        await store.close()


# --- the whole bot --------------------------------------------------------------------------------


async def _commands(server: PostgresServer, folder: Path, plan: EnginePlan) -> Commands:
    """Measure live checks; a command that left nothing in the journal raises RuntimeError."""
    cpu: tuple[list[float], list[float]] = ([], [])
    p50: tuple[list[float], list[float]] = ([], [])
    p99: tuple[list[float], list[float]] = ([], [])
    server_ms: list[float] = []
    unanswered = 0
    async with (
        full(folder, name="on-server", server=server.address("live")) as ours,
        full(folder, name="on-file") as file,
    ):
        for _ in range(plan.rounds):
            for which, bot in enumerate((ours, file)):
                before = server.cpu_seconds()
                closed = await throughput(bot, plan.commands, warm_up=plan.warm_up)
                if bot is ours:
                    sent = plan.commands + plan.warm_up
                    server_ms.append(1000 * (server.cpu_seconds() - before) / sent)
                paced = await latency(bot, plan.rate, plan.seconds)
                cpu[which].append(closed.cpu_ms)
                p50[which].append(paced.p50_ms)
                p99[which].append(paced.p99_ms)
                unanswered += closed.unacknowledged + paced.unacknowledged
        last, late = await _bursts((ours, file), plan.burst)
    return Commands(
        pair(*cpu),
        statistics.median(server_ms),
        pair(*p50),
        pair(*p99),
        pair([last[0]], [last[1]]),
        late,
        unanswered,
    )


async def _bursts(
    bots: tuple[Bench, Bench], commands: int
) -> tuple[tuple[float, float], tuple[int, int]]:
    """Send so many commands at once to each; seconds until the last answer, and how many late."""
    first, second = await burst(bots[0], commands), await burst(bots[1], commands)
    return (first.last_s, second.last_s), (first.late, second.late)

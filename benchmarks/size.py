"""A database of ten thousand tables and a million journal entries: what it costs a command, and how
much memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.commands import OPTIONS, Pair, launch_bot, pair, people, running
from benchmarks.tables import PLAYERS, furnish
from bot.services.perform import perform
from bot.services.seeds import seed_commitment
from bot.services.tables import Tables
from bot.storage.location import Where
from bot.storage.store import SqlStore
from rules.table.actions import Action, Actor, Begin, RollDice
from tests.loopback.driver import Bench, Command, Slash, latency
from tests.loopback.interactions import all_done
from tests.loopback.server import StandIn

#: How many servers the tables are spread over.
SERVERS = 20
#: Tables of the database, in the order in which they refer to each other.
ROWS: Final = (
    "game_table",
    "place",
    "part",
    "journal",
    "before_part",
    "outbox",
    "due",
    "person",
    "seed",
)
#: The other tables are as large as a table on the average may be: six characters, these NPCs, and
#: among their entries as many checks, which leave more behind than anything else.
NPCS_OF_OTHERS = 4
CHECK_EACH = 8


@dataclass(frozen=True)
class SizePlan:
    """How large the database is and how much is measured; `visited` tables are played at one after
    the other.
    """

    tables: int = 10_000
    entries: int = 101
    visited: int = 700
    rounds: int = 11
    rate: float = 100.0
    seconds: float = 2.0


QUICK = SizePlan(tables=30, entries=40, visited=20, rounds=1, seconds=0.3)


@dataclass(frozen=True)
class Size:
    """What a command costs with and without so much else in the database.

    `p50_ms` and `cpu_ms` compare a command on the large database (`ours`) with one on a fresh one
    (`bare`), `nowhere_ms` a command in a channel where no table is. `cold_ms` is the median of the
    first commands at tables that were not in memory. Memory is the resident set of the bot's
    process in MiB: when it has started, and the most it had once it had been at more tables than it
    keeps.
    """

    tables: int
    entries: int
    file_mb: float
    build_s: float
    start_s: float
    p50_ms: Pair
    cpu_ms: Pair
    nowhere_ms: Pair
    cold_ms: float
    idle_mb: float
    peak_mb: float
    unanswered: int


async def measure(folder: Path, plan: SizePlan) -> Size:
    """Both bots run side by side and are measured in turns."""
    start = time.perf_counter()
    async with StandIn() as small, StandIn() as large:
        one = await _fresh(small, folder / "small.db")
        other, places, entries = await _filled(large, folder / "large.db", plan)
        built = time.perf_counter() - start
        file_mb = (folder / "large.db").stat().st_size / 2**20
        async with contextlib.AsyncExitStack() as stack:
            fresh = await stack.enter_async_context(
                running(small, launch_bot(folder / "small.db"), one)
            )
            begun = time.perf_counter()
            full = await stack.enter_async_context(
                running(large, launch_bot(folder / "large.db"), other)
            )
            started = time.perf_counter() - begun
            idle = _memory(full, "VmRSS")
            series: dict[str, tuple[list[float], list[float]]] = {
                key: ([], []) for key in ("p50", "cpu", "nowhere")
            }
            unanswered = 0
            for number in range(plan.rounds):
                turn = ((0, full), (1, fresh)) if number % 2 else ((1, fresh), (0, full))
                for which, bot in turn:
                    found = await latency(bot, plan.rate, plan.seconds)
                    series["p50"][which].append(found.p50_ms)
                    series["cpu"][which].append(found.cpu_ms)
                    series["nowhere"][which].append(await _nowhere(bot))
                    unanswered += found.unacknowledged
            cold = await _visit(full, places)
            return Size(
                plan.tables,
                entries,
                file_mb,
                built,
                started,
                pair(*series["p50"]),
                pair(*series["cpu"]),
                pair(*series["nowhere"]),
                cold,
                idle,
                _memory(full, "VmHWM"),
                unanswered,
            )


def _memory(one: Bench, what: str) -> float:
    """A figure of the bot's process in MiB."""
    text = Path(f"/proc/{one.bot.pid}/status").read_text()
    return next(
        int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(f"{what}:")
    )


async def _nowhere(one: Bench, times: int = 20) -> float:
    """The median time of the refusal of a command in a channel without a table, in milliseconds."""
    slash = one.command(0)
    channel = one.standin.add_channel(slash.guild, "elsewhere")
    took: list[float] = []
    for _ in range(times):
        sent = one.standin.emit_slash(*slash._replace(channel=channel))
        await sent.acknowledged(5.0)
        took.append(1000 * (sent.ack_latency or float("inf")))
    return statistics.median(took)


async def _visit(one: Bench, places: Sequence[Slash]) -> float:
    """A command at each of these tables, some at a time; the median time of their answers in
    milliseconds.
    """
    took: list[float] = []
    for start in range(0, len(places), 4):
        sent = [one.standin.emit_slash(*slash) for slash in places[start : start + 4]]
        await all_done(sent, lambda item: item.state != "none", 5.0)
        took += [1000 * (item.ack_latency or float("inf")) for item in sent]
        refused = [item for item in sent if item.response is None or item.response.ephemeral]
        if refused:
            raise RuntimeError(f"not played: {refused[0].response and refused[0].response.texts()}")
    return statistics.median(took)


# --- the databases --------------------------------------------------------------------------------


async def _fresh(standin: StandIn, path: Path) -> Command:
    """A database with the measured table and nothing else."""
    guild, (place,), gm, players = people(standin, 1)
    named = [(str(player.id), player.name) for player in players]
    await furnish(path, str(guild.id), [str(place.id)], (str(gm.id), gm.name), named, live=True)
    return lambda number: Slash(guild, place, players[number % PLAYERS], "check", OPTIONS)


async def _filled(standin: StandIn, path: Path, plan: SizePlan) -> tuple[Command, list[Slash], int]:
    """The measured table among many others; commands for it, one for each table to visit, and all
    entries.
    """
    guild, (place, pattern), gm, players = people(standin, 2)
    named = [(str(player.id), player.name) for player in players]
    leader, pattern_place = (str(gm.id), gm.name), str(pattern.id)
    await furnish(path, str(guild.id), [str(place.id)], leader, named, live=True)
    await furnish(
        path, str(guild.id), [pattern_place], leader, named, live=True, npcs=NPCS_OF_OTHERS
    )
    await play_table(path, pattern_place, plan.entries)

    guilds = [guild]
    for number in range(1, SERVERS):
        guilds.append(standin.add_guild(f"Rim {number}"))
        for user in (gm, *players):
            standin.add_member(guilds[-1], user)
    bound: list[tuple[str, str]] = []
    visits: list[Slash] = []
    for number in range(plan.tables - 2):
        server = guilds[number % SERVERS]
        if number < plan.visited:
            channel = standin.add_channel(server, f"zone-{number}")
            visits.append(Slash(server, channel, players[number % PLAYERS], "check", OPTIONS))
            bound.append((str(server.id), str(channel.id)))
        else:
            bound.append((str(server.id), str(standin.ids.next())))
    entries = multiply(path, pattern_place, bound)
    return (
        (lambda number: Slash(guild, place, players[number % PLAYERS], "check", OPTIONS)),
        visits,
        entries,
    )


async def play_table(where: Where, place: str, entries: int) -> None:
    """Checks and rolls at the table of a place until its journal has so many entries; all of it was
    said.
    """
    store = await SqlStore.open(where)
    try:
        tables = Tables(store)
        await tables.start()
        table_id = tables.places.table_id(place)
        assert table_id is not None
        table = await tables.get(table_id)
        now = int(time.time())
        for number in range(entries - table.revision):
            who = Actor(f"p{2 + number % PLAYERS}")
            action: Action = RollDice(who=who, place=place, at=now, dice="4d6kh3")
            if number % CHECK_EACH == 0:
                action = Begin(who=who, place=place, at=now, kind="check", values=dict(OPTIONS))
            await perform(tables, table_id, action, f"{place}:{number}")
        await store.mark_done([(out.id, now, None) for out in await store.unsent_rows(table_id)])
    finally:
        await store.close()


def multiply(path: Path, place: str, bound: list[tuple[str, str]]) -> int:
    """Copy the table of a place, row for row, once for each server and place given; returns all
    journal entries.

    The copies differ in their numbers, servers, places, requests and seeds; everything else is as
    it was played.
    """
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.create_function("seed_of", 2, _seed, deterministic=True)
        connection.create_function("commitment_of", 1, seed_commitment, deterministic=True)
        connection.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;"
        )
        ((origin,),) = connection.execute("SELECT table_id FROM place WHERE id = ?", (place,))
        connection.execute("CREATE TEMP TABLE copy (n INTEGER PRIMARY KEY, guild TEXT, place TEXT)")
        connection.executemany("INSERT INTO copy (guild, place) VALUES (?, ?)", bound)
        # What a copy's number is multiplied with to make a row's number its own.
        steps: dict[str, int] = {}
        for name in ("game_table", "journal", "outbox", "seed"):
            ((steps[name],),) = connection.execute(f"SELECT COALESCE(MAX(id), 0) FROM {name}")
        with connection:
            for name in ROWS:
                _copy(connection, name, steps, {"origin": origin, "place": place})
        connection.execute("PRAGMA journal_mode = WAL")
        ((entries,),) = connection.execute("SELECT COUNT(*) FROM journal")
        return int(entries)


def _seed(seed: bytes, number: int) -> bytes:
    return hashlib.sha256(seed + str(number).encode()).digest()


def _copy(
    connection: sqlite3.Connection, name: str, steps: Mapping[str, int], of: Mapping[str, str | int]
) -> None:
    """Every row of the original in one of the database's tables, once for each copy."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
    made = {
        "table_id": f"_.table_id + copy.n * {steps['game_table']}",
        "journal_id": f"_.journal_id + copy.n * {steps['journal']}",
        # Real ids grow with time, so that new ones are neighbors in the index.
        "request_id": "printf('%08d:', copy.n) || _.request_id",
        "head": "printf('%08d:', copy.n) || _.head",
        "seed": "seed_of(_.seed, copy.n)",
        "commitment": "commitment_of(seed_of(_.seed, copy.n))",
    }
    if name in steps:
        made["id"] = f"_.id + copy.n * {steps[name]}"
    if name == "game_table":
        made["guild"] = "copy.guild"
        made["shard_key"] = "CAST(copy.guild AS INTEGER) >> 22"
    # A place is named in many texts: actions, events, parts of the table, messages.
    values = [
        made.get(column)
        or f"CASE typeof(_.{column}) WHEN 'text' THEN replace(_.{column}, :place, copy.place)"
        f" ELSE _.{column} END"
        for column in columns
    ]
    mine = {
        "game_table": "id = :origin",
        "before_part": "journal_id IN (SELECT id FROM journal WHERE table_id = :origin)",
    }
    connection.execute(
        f"INSERT INTO {name} ({', '.join(columns)}) SELECT {', '.join(values)}"
        f" FROM copy CROSS JOIN (SELECT * FROM {name} WHERE "
        f"{mine.get(name, 'table_id = :origin')}) AS _",
        of,
    )

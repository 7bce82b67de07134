"""The whole `/check` through real discord.py over loopback sockets, against a bot that answers a
constant.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import statistics
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.tables import EBB, PLAYERS, Cast, furnish
from bot.storage.connection import Statements
from bot.storage.database import PAGE_SIZE
from bot.storage.location import ServerAddress, Where
from bot.storage.store import SqlStore
from tests.loopback.driver import Bench, Slash, burst, latency, percentile, throughput
from tests.loopback.launch import TOKEN
from tests.loopback.process import ROOT, BotProcess, Launch, launch
from tests.loopback.server import StandIn

#: Everything a player can say at once; the same options go to both bots.
OPTIONS: Mapping[str, Any] = {
    "skill": "Climbing",
    "attribute": "Fitness",
    "difficulty": "Tricky",
    "approach": "up the drainpipe on the dark side, slowly, and over the balcony",
}
#: What one command adds to the database's log, in bytes: nine pages.
COMMIT_BYTES = 9 * (PAGE_SIZE + 24)
#: A table holds so many open proposals at most; more commands are spread over more tables.
PROPOSALS_A_TABLE = 150


@dataclass(frozen=True)
class Plan:
    """How much is measured. `seconds` is how long 100 commands a second are sent."""

    rounds: int = 7
    commands: int = 1000
    warm_up: int = 300
    rate: float = 100.0
    seconds: float = 5.0
    burst: int = 2000
    bursts: int = 3


class Evidence(NamedTuple):
    """Evidence in the journal that a command did what is measured."""

    #: Class name of the journal's action.
    action: str
    #: Text that its stored events contain.
    text: str


ROLLED: Final = Evidence("Begin", '"t":"roll"')
PROPOSED: Final = Evidence("Begin", '"prompt":"rule"')


@dataclass(frozen=True)
class Pair:
    """One figure of both bots, each the median of its rounds; `ratio` is the median of the rounds'
    ratios.
    """

    ours: float
    bare: float
    ratio: float


#: What processor time is counted in is coarse: in a small run it may stand still.
_LEAST: Final = 1e-6


def pair(ours: list[float], bare: list[float]) -> Pair:
    """The medians of two series measured in turns; a clock that has not moved has moved by
    `_LEAST`.
    """
    ratios = [mine / max(theirs, _LEAST) for mine, theirs in zip(ours, bare, strict=True)]
    return Pair(statistics.median(ours), statistics.median(bare), statistics.median(ratios))


@dataclass(frozen=True)
class Figures:
    """`late` and `last_s` tell of the worst burst: not acknowledged in time, and when the last was.

    `told_s` is when the last of it was answered. `disk_ms` is how long the disk alone
    takes to have a commit: p50 and p99.
    """

    cpu_ms: Pair
    p50_ms: Pair
    p99_ms: Pair
    per_second: Pair
    late: int
    last_s: float
    bare_last_s: float
    told_s: float
    bare_told_s: float
    unanswered: int
    disk_ms: tuple[float, float]


def launch_bot(
    path: Path, target: str = "tests.loopback.bot_main:main", *words: str, **env: str
) -> Launch:
    """The real bot on a database, away from the checkout's own settings; `target` is what starts
    it, with `words`.
    """
    settings = {
        "DISCORD_TOKEN": TOKEN,
        "STORYGUIDE_DATABASE": str(path),
        "LOG_LEVEL": "INFO",
        "PYTHONPATH": str(ROOT),
    }
    spec = launch(target, *words, env=settings | env)
    return dataclasses.replace(spec, cwd=path.parent)


@contextlib.asynccontextmanager
async def running(standin: StandIn, spec: Launch, command: Any) -> AsyncIterator[Bench]:
    """A bot that has answered its first command."""
    async with BotProcess(spec, standin.port) as bot:
        await bot.during(standin.ready("check", within=30))
        one = Bench(standin, bot, command)
        await one.send().answered(30)
        yield one


def people(standin: StandIn, tables: int) -> tuple[Any, list[Any], Any, list[Any]]:
    """A server, so many channels, a GM and the players."""
    guild = standin.add_guild("The Rim")
    places = [standin.add_channel(guild, f"table-{number}") for number in range(tables)]
    gm = standin.add_member(guild, "gina")
    players = [standin.add_member(guild, f"player-{number}") for number in range(PLAYERS)]
    return guild, places, gm, players


@contextlib.asynccontextmanager
async def bare() -> AsyncIterator[Bench]:
    """The bare bot."""
    async with StandIn() as standin:
        guild, places, _, players = people(standin, 1)

        def command(number: int) -> Slash:
            return Slash(guild, places[0], players[number % PLAYERS], "check", OPTIONS)

        async with running(standin, launch("tests.loopback.bare_bot:main"), command) as one:
            yield one


#: Given the number of a command at its table, how it is called and what is said with it.
Said = Callable[[int], tuple[str, Mapping[str, Any]]]


def plain_check(number: int) -> tuple[str, Mapping[str, Any]]:
    """Return the check that every bot is asked for."""
    return "check", OPTIONS


@contextlib.asynccontextmanager
async def full(
    folder: Path,
    *,
    tables: int = 1,
    live: bool = True,
    name: str = "",
    env: Mapping[str, str] | None = None,
    cast: Cast = EBB,
    said: Said = plain_check,
    evidence: Evidence | None = None,
    server: ServerAddress | None = None,
) -> AsyncIterator[Bench]:
    """Run the real bot. With `live`, each command is rolled and settled at once; otherwise it waits
    for the GM.

    The database is a file in the folder, or on a *server*. `name` names the file, `env` is added to
    the environment of the process. `evidence` is what every command has to leave in the journal; by
    default a check that was rolled, or proposed.
    """
    path = folder / f"{name or ('live' if live else 'propose')}-{cast.system}-{tables}.db"
    where = server or path
    spec = launch_bot(path, **(env or {}))
    if server is not None:
        spec = dataclasses.replace(spec, env={**spec.env, "STORYGUIDE_DATABASE": server.dsn})
    async with StandIn() as standin:
        guild, places, gm, players = people(standin, tables)
        await furnish(
            where,
            str(guild.id),
            [str(place.id) for place in places],
            (str(gm.id), gm.name),
            [(str(player.id), player.name) for player in players],
            live=live,
            cast=cast,
        )

        def command(number: int) -> Slash:
            return Slash(
                guild, places[number % tables], players[number % PLAYERS], *said(number // tables)
            )

        async with running(standin, spec, command) as one:
            yield one
            await _require_evidence(one, where, evidence or (ROLLED if live else PROPOSED))


async def _require_evidence(one: Bench, where: Where, evidence: Evidence) -> None:
    """Raise RuntimeError unless every command left the evidence in the journal and was answered in
    public.
    """
    sent = [item for item in one.standin.interactions if item.state != "none"]
    answered = [item for item in sent if item.response is not None and not item.response.ephemeral]
    events = await _events_by_request(where, evidence.action)
    wrong = [item for item in sent if evidence.text not in events.get(str(item.id), "")]
    if wrong or len(answered) != len(sent):
        texts = [item.response.texts() for item in wrong[:1] if item.response is not None]
        log = one.bot.log()[-2000:]
        raise RuntimeError(
            f"{len(wrong)} of {len(sent)} commands were not carried out: {texts}\n{log}"
        )


async def _events_by_request(where: Where, action: str) -> dict[str, str]:
    def work(connection: Statements) -> dict[str, str]:
        query = "SELECT request_id, events FROM journal WHERE kind = ?"
        return dict(connection.execute(query, (action,)).fetchall())

    store = await SqlStore.open(where, reading=True)
    try:
        return await store.database.read(work)
    finally:
        await store.close()


def disk(path: Path, rate: float, seconds: float) -> tuple[float, float]:
    """How long writing as much as a command does and waiting for the disk takes, at that rate: p50
    and p99, in ms.
    """
    took: list[float] = []
    with path.open("wb", buffering=0) as file:
        file.write(bytes(100 * COMMIT_BYTES))
        os.fsync(file.fileno())
        start = time.monotonic()
        for number in range(int(rate * seconds)):
            time.sleep(max(0.0, start + number / rate - time.monotonic()))
            file.seek(number % 100 * COMMIT_BYTES)
            begun = time.perf_counter()
            file.write(bytes(COMMIT_BYTES))
            os.fdatasync(file.fileno())
            took.append(1000 * (time.perf_counter() - begun))
    path.unlink()
    took.sort()
    return percentile(took, 0.50), percentile(took, 0.99)


async def live_check(folder: Path, plan: Plan) -> Figures:
    """The check that is rolled in its own command, in turns with the bare bot."""
    rows: dict[str, tuple[list[float], list[float]]] = {
        key: ([], []) for key in ("cpu", "p50", "p99", "speed")
    }
    last: tuple[list[float], list[float]] = ([], [])
    told: tuple[list[float], list[float]] = ([], [])
    late = unanswered = 0
    flushes: list[tuple[float, float]] = []
    async with bare() as theirs, full(folder) as ours:
        for number in range(plan.rounds):
            for which, one in ((1, theirs), (0, ours)):
                closed = await throughput(one, plan.commands, warm_up=plan.warm_up)
                paced = await latency(one, plan.rate, plan.seconds)
                rows["cpu"][which].append(closed.cpu_ms)
                rows["speed"][which].append(closed.per_second)
                rows["p50"][which].append(paced.p50_ms)
                rows["p99"][which].append(paced.p99_ms)
                unanswered += closed.unacknowledged + paced.unacknowledged
                if number < plan.bursts:
                    flood = await burst(one, plan.burst)
                    last[which].append(flood.last_s)
                    told[which].append(flood.told_s)
                    late += 0 if which else flood.late
            flushes.append(await asyncio.to_thread(disk, folder / "disk", plan.rate, plan.seconds))
    figures = {key: pair(mine, bares) for key, (mine, bares) in rows.items()}
    return Figures(
        figures["cpu"],
        figures["p50"],
        figures["p99"],
        figures["speed"],
        late,
        max(last[0]),
        max(last[1]),
        max(told[0]),
        max(told[1]),
        unanswered,
        (
            statistics.median(p50 for p50, _ in flushes),
            statistics.median(p99 for _, p99 in flushes),
        ),
    )


async def proposals(folder: Path, plan: Plan) -> Pair:
    """CPU per proposal that waits for the GM, in milliseconds, in turns with the bare bot."""
    return await _cpu(plan, full(folder, tables=_tables(plan, PROPOSALS_A_TABLE), live=False))


def _tables(plan: Plan, most: int) -> int:
    """How many tables there have to be, so that none gets more commands than that."""
    return -(-(plan.rounds * (plan.commands + plan.warm_up) + 1) // most)


async def _cpu(plan: Plan, bot: contextlib.AbstractAsyncContextManager[Bench]) -> Pair:
    ours: list[float] = []
    theirs: list[float] = []
    async with bare() as plain, bot as real:
        for _ in range(plan.rounds):
            theirs.append((await throughput(plain, plan.commands, warm_up=plan.warm_up)).cpu_ms)
            ours.append((await throughput(real, plan.commands, warm_up=plan.warm_up)).cpu_ms)
    return pair(ours, theirs)

"""Deadlines: a wake-up among many of them, and a thousand at once beside rolls of others."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import sqlite3
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.commands import Pair, launch_bot, pair, people, running
from benchmarks.size import SERVERS, multiply
from benchmarks.tables import PLAYERS, furnish
from bot.services.perform import perform
from bot.services.tables import Tables
from bot.storage.store import SqlStore
from rules.table.actions import Actor
from tests.loopback.bot_main import CLOCK
from tests.loopback.driver import Bench, Command, Slash, latency
from tests.loopback.models import Guild, User
from tests.loopback.server import StandIn
from tests.sample_table import propose

#: Time after which the GM is reminded of a proposal.
_DAY: Final = 24 * 60 * 60
#: How far off the waits of tables beyond the crowd are, in seconds.
_FAR: Final = 3650 * _DAY
#: Commands a second beside a crowd of deadlines, and what is rolled.
RATE: Final = 10.0
_DICE: Final = {"dice": "4d6kh3"}
#: Calls of the store a round.
_CALLS: Final = 20


@dataclass(frozen=True)
class WaitsPlan:
    """How many tables there are, with how many open waits each, and how many end at once.

    Each crowd of waits comes `gap` seconds after the one before, the first `lead` seconds after the
    start.
    """

    tables: int = 10_000
    waits: int = 5
    crowd: int = 1_000
    seconds: float = 8.0
    gap: int = 40
    lead: int = 30


QUICK: Final = WaitsPlan(tables=12, waits=2, crowd=6, seconds=0.5, gap=6, lead=12)


@dataclass(frozen=True)
class Waits:
    """What deadlines cost.

    `wake_ms` is a wake-up of the scheduler that finds nothing due, with the same at a single table
    as its peer. `found_ms` is how long the store takes to find the first hundred of a crowd.
    `roll_ms` compares the p50 of rolls beside a crowd with that of rolls alone. `acted_s` is when
    the last of a crowd was carried out, at most.
    """

    tables: int
    waits: int
    crowd: int
    wake_ms: Pair
    found_ms: float
    roll_ms: Pair
    acted_s: float
    unanswered: int


async def measure(folder: Path, plan: WaitsPlan) -> Waits:
    """Measure the store's queries first, then the bot on the same database."""
    first = int(time.time()) + _DAY
    one, path = folder / "one-table.db", folder / "waits.db"
    async with StandIn() as alone, StandIn() as standin:
        await _build(alone, one, dataclasses.replace(plan, tables=1, crowd=1), first)
        command = await _build(standin, path, plan, first)
        wake, found = await _time_queries(one, path, first)
        rolls, acted, unanswered = await _time_rolls(standin, path, command, plan, first)
    return Waits(plan.tables, plan.waits, plan.crowd, wake, found, rolls, acted, unanswered)


# --- the database ---------------------------------------------------------------------------------


async def _build(standin: StandIn, path: Path, plan: WaitsPlan, first: int) -> Command:
    """Make the tables, and one without waits at which others roll; return its command."""
    guild, (place, pattern), gm, players = people(standin, 2)
    named = [(str(player.id), player.name) for player in players]
    leader = (str(gm.id), gm.name)
    await furnish(path, str(guild.id), [str(place.id)], leader, named, live=True)
    await furnish(path, str(guild.id), [str(pattern.id)], leader, named, live=False, npcs=1)
    deadlines = await _open_waits(path, str(pattern.id), plan, first)
    multiply(path, str(pattern.id), _places(standin, guild, [gm, *players], plan))
    _keep_deadlines(path, deadlines, plan.crowd)
    return lambda number: Slash(guild, place, players[number % PLAYERS], "roll", _DICE)


def _places(
    standin: StandIn, guild: Guild, members: list[User], plan: WaitsPlan
) -> list[tuple[str, str]]:
    """Return servers and places of the copies; those of the crowd are real channels."""
    guilds = [guild]
    for number in range(1, SERVERS):
        guilds.append(standin.add_guild(f"Rim {number}"))
        for user in members:
            standin.add_member(guilds[-1], user)
    bound: list[tuple[str, str]] = []
    for number in range(plan.tables - 1):
        server = guilds[number % SERVERS]
        is_real = number < plan.crowd - 1
        place = standin.add_channel(server, f"zone-{number}").id if is_real else standin.ids.next()
        bound.append((str(server.id), str(place)))
    return bound


async def _open_waits(path: Path, place: str, plan: WaitsPlan, first: int) -> list[int]:
    """Open proposals at a table, of which the GM is reminded one gap apart; return when."""
    store = await SqlStore.open(path)
    try:
        tables = Tables(store)
        await tables.start()
        table_id = tables.places.table_id(place)
        assert table_id is not None
        ends: list[int] = []
        for number in range(plan.waits):
            time_of_end = first + number * plan.gap
            action = propose(Actor(f"p{2 + number}"), at=time_of_end - _DAY)
            await perform(tables, table_id, action.replace(place=place), f"{place}:{number}")
            ends.append(time_of_end)
        outs = await store.unsent_rows(table_id)
        await store.mark_done([(out.id, first, None) for out in outs])
    finally:
        await store.close()
    return ends


def _keep_deadlines(path: Path, deadlines: list[int], crowd: int) -> None:
    """Drop later reminders, and put those of all tables beyond the crowd far off."""
    marks = ", ".join("?" * len(deadlines))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"DELETE FROM due WHERE at NOT IN ({marks})", deadlines)
        for (count,) in connection.execute("SELECT COUNT(*) FROM due GROUP BY table_id"):
            assert count == len(deadlines), "a table has other waits"
        connection.execute(
            "UPDATE due SET at = at + ? WHERE table_id NOT IN"
            " (SELECT DISTINCT table_id FROM due ORDER BY table_id LIMIT ?)",
            (_FAR, crowd),
        )


# --- the store ------------------------------------------------------------------------------------


async def _time_queries(one: Path, many: Path, first: int) -> tuple[Pair, float]:
    """Return what an idle wake-up takes beside one table alone, and how soon a crowd is found."""
    stores = [await SqlStore.open(path) for path in (many, one)]
    try:

        async def wake(store: SqlStore) -> None:
            assert not await store.due_waits(first - 1)
            assert await store.next_due() == first

        async def find(store: SqlStore) -> None:
            assert await store.due_waits(first)

        times = [await _milliseconds(wake, store) for store in stores]
        found = statistics.median(await _milliseconds(find, stores[0]))
    finally:
        for store in stores:
            await store.close()
    return pair(*times), found


async def _milliseconds(
    call: Callable[[SqlStore], Awaitable[None]], store: SqlStore
) -> list[float]:
    await call(store)
    took: list[float] = []
    for _ in range(_CALLS):
        begun = time.perf_counter()
        await call(store)
        took.append(1000 * (time.perf_counter() - begun))
    return took


# --- the bot --------------------------------------------------------------------------------------


async def _time_rolls(
    standin: StandIn, path: Path, command: Command, plan: WaitsPlan, first: int
) -> tuple[Pair, float, int]:
    """Return the p50 of rolls beside crowds and alone, the latest deadline, and what got no answer.

    The bot's clock is ahead, so that the first crowd comes soon after the start.
    """
    clock = path.with_suffix(".clock")
    begin = time.time() + plan.lead
    clock.write_text(str(int(first - begin)))
    beside: list[float] = []
    alone: list[float] = []
    unanswered, latest = 0, 0.0
    async with running(standin, launch_bot(path, **{CLOCK: str(clock)}), command) as bot:
        for number in range(plan.waits):
            due = begin + number * plan.gap
            quiet = await latency(bot, RATE, plan.seconds, warm_up=2)
            if time.time() > due:
                raise RuntimeError("the crowd came before the rolls without it were over")
            await asyncio.sleep(due - time.time())
            crowded = await latency(bot, RATE, plan.seconds, warm_up=0)
            latest = max(latest, await _all_acted(path, first + number * plan.gap, bot) - due)
            alone.append(quiet.p50_ms)
            beside.append(crowded.p50_ms)
            unanswered += quiet.unacknowledged + crowded.unacknowledged
    _require_evidence(path, plan)
    return pair(beside, alone), latest, unanswered


async def _all_acted(path: Path, due: int, bot: Bench) -> float:
    """Wait until no deadline is left that has ended; return the time of that."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for _ in range(1200):
            query = "SELECT COUNT(*) FROM due WHERE at <= ? AND tries = 0"
            ((left,),) = connection.execute(query, (due,))
            if not left:
                return time.time()
            await asyncio.sleep(0.05)
    raise RuntimeError(f"deadlines were not acted on\n{bot.bot.log()[-2000:]}")


def _require_evidence(path: Path, plan: WaitsPlan) -> None:
    """Raise RuntimeError unless each deadline of the crowd is in the journal."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        ((acted,),) = connection.execute("SELECT COUNT(*) FROM journal WHERE kind = 'Due'")
    if acted != plan.crowd * plan.waits:
        raise RuntimeError(f"{acted} deadlines were carried out, not {plan.crowd * plan.waits}")

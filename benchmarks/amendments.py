"""Rolls of others beside a GM who amends an old entry, against the same rolls with nobody there."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.commands import Pair, launch_bot, pair, people
from benchmarks.tables import GM, furnish, mark_all_said
from bot.services.loaded_table import Table
from bot.services.perform import perform
from bot.services.tables import Tables
from bot.storage.store import SqlStore
from rules.table.actions import Action, Actor, RollDice
from tests.loopback.driver import percentile, undisturbed
from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel, Guild, User
from tests.loopback.process import BotProcess
from tests.loopback.server import StandIn
from tests.sample_table import answer, by, newest, propose, roll

#: Later entries of the amended one. Each amendment in the measurement adds two, itself and its
#: undo, and 500 are allowed.
ENTRIES: Final = 460
#: Most amendments in flight in all rounds together, for the same reason.
_MAX_AMENDMENTS: Final = 18
#: Rolls of others a second. Of a hundred rolls the p99 would be the latest.
RATE: Final = 30.0
#: Every so many entries a player's check is proposed, answered and rolled; the others are rolls.
_STRIDE: Final = 8


@dataclass(frozen=True)
class Amended:
    """Figures of amendments beside others' rolls."""

    #: Later entries of the amended one.
    entries: int
    #: Lateness of others' rolls at another table, beside amendments and alone.
    p50_ms: Pair
    p99_ms: Pair
    #: Milliseconds from the command to its preview, for each later entry, with nobody beside.
    preview_ms: float
    #: Milliseconds from the press to its answer, for each later entry, with nobody beside.
    commit_ms: float
    #: Previews and amendments that were made beside the rolls.
    amended: int


@dataclass(frozen=True)
class _Place:
    """A bot with two tables: one is amended, and others roll at the other."""

    standin: StandIn
    guild: Guild
    amended: Channel
    other: Channel
    gm: User
    players: list[User]
    #: Number of the entry that is amended.
    entry: int

    def send(self, place: Channel, user: User, command: str, **options: Any) -> Interaction:
        return self.standin.emit_slash(self.guild, place, user, command, options)

    async def preview(self, difficulty: int) -> Interaction:
        change = f"difficulty: {difficulty}"
        sent = self.send(self.amended, self.gm, "gm amend", entry=self.entry, change=change)
        return await sent.answered(60)

    async def confirm(self, shown: Interaction) -> Interaction:
        """Carry out what a preview shows. Raises RuntimeError if it shows no amendment."""
        assert shown.response is not None
        ids = shown.response.custom_ids()
        button = next((id for id in ids if id.startswith("sg:amend-do:")), None)
        if button is None:
            raise RuntimeError(f"no preview: {shown.response.texts()}")
        pressed = self.standin.emit_component(shown.response, self.gm, button)

        def is_done() -> bool:
            texts = [text for message in pressed.messages for text in message.texts()]
            return "Corrected" in "\n".join(texts)

        await pressed.until(is_done, 60)
        return pressed

    async def amend(self, difficulty: int) -> tuple[float, float]:
        """Amend the entry and undo that; return the seconds until the preview and the outcome."""
        begun = time.monotonic()
        shown = await self.preview(difficulty)
        seen = time.monotonic()
        await self.confirm(shown)
        done = time.monotonic()
        undone = await self.send(self.amended, self.gm, "gm undo").answered(60)
        assert undone.response is not None
        if "Undone" not in "".join(undone.response.texts()):
            raise RuntimeError(f"not undone: {undone.response.texts()}")
        return seen - begun, done - seen


async def measure(
    folder: Path, *, entries: int = ENTRIES, seconds: float = 6.0, rounds: int = 3
) -> Amended:
    """Measure others' rolls alone and beside amendments, in turns."""
    p50: tuple[list[float], list[float]] = ([], [])
    p99: tuple[list[float], list[float]] = ([], [])
    amended = 0
    async with _open(folder, entries) as place:
        await place.preview(9)  # starts the worker process
        previewed, committed = await place.amend(9)
        for _ in range(rounds):
            for beside in (False, True):
                stop = asyncio.Event()
                most = _MAX_AMENDMENTS // rounds if beside else 0
                amending = asyncio.create_task(_amend_on(place, most, stop))
                late = await _roll_on(place, seconds)
                stop.set()
                amended += await amending
                p50[beside].append(1000 * percentile(late, 0.50))
                p99[beside].append(1000 * percentile(late, 0.99))
    return Amended(
        entries,
        pair(p50[True], p50[False]),
        pair(p99[True], p99[False]),
        1000 * previewed / entries,
        1000 * committed / entries,
        amended,
    )


async def _amend_on(place: _Place, most: int, stop: asyncio.Event) -> int:
    """Preview again and again until told to stop, and amend up to *most* times."""
    done = 0
    while most and not stop.is_set():
        if done < most:
            await place.amend(9 + done % 5)
        else:
            await place.preview(9)
        done += 1
    return done


async def _roll_on(place: _Place, seconds: float) -> list[float]:
    """Let others roll for so long; return how late they were answered, in order."""

    async def roll(number: int) -> float:
        user = place.players[number % len(place.players)]
        sent = place.send(place.other, user, "roll", dice="1d20")
        with contextlib.suppress(TimeoutError):
            await sent.answered(10)
        return time.monotonic() - sent.emitted

    with undisturbed():
        end = time.monotonic() + seconds
        rolling: list[asyncio.Task[float]] = []
        while time.monotonic() < end:
            rolling.append(asyncio.create_task(roll(len(rolling))))
            await asyncio.sleep(1 / RATE)
        return sorted(await asyncio.gather(*rolling))


@contextlib.asynccontextmanager
async def _open(folder: Path, entries: int) -> AsyncIterator[_Place]:
    """Run a bot that has answered a first roll at each table."""
    path = folder / "amended.db"
    async with StandIn(expiry=60.0) as standin:
        guild, (amended, other), gm, players = people(standin, 2)
        await furnish(
            path,
            str(guild.id),
            [str(amended.id), str(other.id)],
            (str(gm.id), gm.name),
            [(str(player.id), player.name) for player in players],
            live=False,
        )
        entry = await _lengthen(path, str(amended.id), len(players), entries)
        async with BotProcess(launch_bot(path), standin.port) as bot:
            await bot.during(standin.ready("roll", within=30))
            place = _Place(standin, guild, amended, other, gm, players, entry)
            for channel in (amended, other):
                await place.send(channel, gm, "roll", dice="1d20").answered(30)
            yield place


async def _lengthen(path: Path, place: str, players: int, entries: int) -> int:
    """Play so many entries after a GM's answer; return the number of that answer's entry."""
    store = await SqlStore.open(path)
    try:
        tables = Tables(store)
        await tables.start()
        table_id = tables.places.table_id(place)
        assert table_id is not None
        table = await tables.get(table_id)
        first = table.revision + 2
        # The check of the amended answer stays open; closed ones leave the table one day.
        await _do(tables, table, propose(Actor("p2")))
        await _do(tables, table, answer(newest(table.state), GM, difficulty="7"))
        number = 0
        while table.revision < first + entries:
            who = Actor(f"p{2 + number % players}")
            if number % _STRIDE:
                await _do(tables, table, RollDice(**by(who), dice="4d6kh3", reason="up the roof"))
            else:
                await _check(tables, table, who)
            number += 1
        await mark_all_said(tables, table)
    finally:
        await store.close()
    return first


async def _check(tables: Tables, table: Table, who: Actor) -> None:
    """Propose a check, answer it as the GM, and roll it."""
    await _do(tables, table, propose(who))
    await _do(tables, table, answer(newest(table.state), GM, difficulty="7"))
    await _do(tables, table, roll(newest(table.state), who))


async def _do(tables: Tables, table: Table, action: Action) -> None:
    """Carry an action out now, in the table's place."""
    (place,) = await tables.store.places_of_table(table.id)
    action = action.replace(place=place, at=int(time.time()))
    await perform(tables, table.id, action, f"play:{table.revision}")

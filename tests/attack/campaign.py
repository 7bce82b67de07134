"""A table after years of play, and others who roll beside what reads all of it.

A short stretch is played, and its rows are copied until the journal is long.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.commands import OPTIONS
from bot.services.perform import perform
from bot.services.tables import Tables
from bot.storage.store import SqlStore
from bot.storage.upkeep import SNAPSHOT_EACH
from rules.table.actions import Action, Actor, Begin, RollDice
from tests.attack.siege import ATTACKERS, NPCS, RATE, WORST, Felt, Siege, open_siege
from tests.loopback.interactions import COMMAND, Interaction
from tests.loopback.models import Message, User

#: So many entries are played; of these the copies are made.
STRETCH = 80
#: How long anything may keep all the others from their turn, in milliseconds of the processor's,
#: whoever else uses it.
HELD = 50
#: Seconds between an answer and asking again.
PAUSE = 0.2


async def lengthen(path: Path, place: str, players: int, entries: int) -> None:
    """Give the table of a place so many entries more, by these players, p2 and on; what was said is
    said.
    """
    store = await SqlStore.open(path)
    try:
        tables = Tables(store)
        await tables.start()
        table_id = tables.places.table_id(place)
        assert table_id is not None
        first = (await tables.get(table_id)).revision
        for number in range(min(STRETCH, entries)):
            who, now = Actor(f"p{2 + number % players}"), int(time.time())
            action: Action = RollDice(
                who=who, place=place, at=now, dice="4d6kh3", reason="over the roof"
            )
            if number % 8 == 0:
                action = Begin(who=who, place=place, at=now, kind="check", values=dict(OPTIONS))
            await perform(tables, table_id, action, f"stretch:{number}")
        await store.mark_done([(out.id, 1, "1/2") for out in await store.unsent_rows(table_id)])
    finally:
        await store.close()
    _copy(path, table_id, first, (entries - 1) // STRETCH)


def _copy(path: Path, table_id: int, after: int, times: int) -> None:
    """Copy everything that belongs to the entries after this one so many times, and put it behind
    them.
    """
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TEMP TABLE copy (n INTEGER PRIMARY KEY)")
        connection.executemany(
            "INSERT INTO copy VALUES (?)", [(number,) for number in range(1, times + 1)]
        )
        (step, length) = connection.execute(
            "SELECT MAX(id), MAX(seq) - ? FROM journal WHERE table_id = ?", (after, table_id)
        ).fetchone()
        mine = f"(SELECT id FROM journal WHERE table_id = {table_id} AND seq > {after})"
        made = {
            "journal": {
                "id": f"id + n * {step}",
                "seq": f"seq + n * {length}",
                "request_id": "request_id || ':' || n",
            },
            "before_part": {"journal_id": f"journal_id + n * {step}"},
            "outbox": {"id": "NULL", "journal_id": f"journal_id + n * {step}"},
        }
        where = {
            "journal": f"id IN {mine}",
            "before_part": f"journal_id IN {mine}",
            "outbox": f"journal_id IN {mine}",
        }
        for name, changed in made.items():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            values = ", ".join(changed.get(column, f'"{column}"') for column in columns)
            connection.execute(
                f"CREATE TEMP TABLE of_{name} AS SELECT * FROM {name} WHERE {where[name]}"
            )
            connection.execute(f"INSERT INTO {name} SELECT {values} FROM copy CROSS JOIN of_{name}")
        connection.execute(
            "UPDATE game_table SET revision = (SELECT MAX(seq) FROM journal WHERE table_id = ?1),"
            " head = (SELECT request_id FROM journal WHERE table_id = ?1 ORDER BY seq DESC "
            "LIMIT 1) WHERE id = ?1",
            (table_id,),
        )


@dataclass(frozen=True)
class Found:
    """How late the others were, p99 in seconds, alone and beside a command; and how it was
    acknowledged.

    `held`: the longest that anything kept all the others from their turn, in milliseconds of the
    processor's.
    """

    what: str
    alone: float
    beside: float
    acknowledged: float
    asked: int
    held: float

    def __str__(self) -> str:
        ratio = self.beside / self.alone
        return (
            f"{self.what}: others {self.alone * 1000:.0f} -> {self.beside * 1000:.0f} ms "
            f"({ratio:.2f}),"
            f" held for {self.held:.0f} ms at most,"
            f" acknowledged within {self.acknowledged * 1000:.0f} ms, asked {self.asked} times"
        )


@dataclass(frozen=True)
class Years:
    """What was found beside a journal of so many entries; memory is the most of the bot's process,
    in MiB.
    """

    entries: int
    found: Sequence[Found]
    #: How late what one player did was acknowledged, in seconds, while another asked for the worst
    #: odds.
    walked: Mapping[str, float]
    memory_mb: float


def p99(late: Sequence[float]) -> float:
    return late[min(len(late) - 1, int(len(late) * 0.99))]


def memory(siege: Siege, what: str = "VmHWM") -> float:
    """The most that the bot's process has taken, in MiB."""
    text = Path(f"/proc/{siege.bot.pid}/status").read_text()
    return next(
        int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(f"{what}:")
    )


def verify(siege: Siege, message: Message, who: User | None = None) -> Interaction:
    """`Verify this roll` of a message."""
    builder = siege.standin._builder
    command = builder.world.commands[None][3, "Verify this roll"]
    data = {
        "id": command["id"],
        "name": "Verify this roll",
        "type": 3,
        "target_id": str(message.id),
        "resolved": {"messages": {str(message.id): message.payload()}},
    }
    return siege.standin.emit(
        builder.build(COMMAND, siege.place, who or siege.gm, data, name="Verify this roll")
    )


async def files(sent: Interaction, within: float) -> list[str]:
    """The files of an export, once all are there."""

    def there() -> bool:
        message = sent.response
        return (
            sent.state == "answered"
            and message is not None
            and "Writing" not in "".join(message.texts())
        )

    await sent.until(there, within)
    assert sent.response is not None and sent.response.attachments, (
        sent.response and sent.response.texts()
    )
    return [each.filename for message in sent.messages for each in message.attachments]


async def export_table(siege: Siege, send: Callable[[], Interaction]) -> Interaction:
    sent = send()
    await files(sent, 600)
    return sent


Ask = Callable[[], Awaitable[Interaction]]


@dataclass(frozen=True)
class Course:
    """So many rolls a second by others for so long; how late they are alone. `holds` tells what
    held a thread.
    """

    alone: float
    rate: float
    seconds: float
    holds: Path

    def found(self, what: str, felt: Felt, begun: float, asked: Sequence[Interaction]) -> Found:
        """What came of asking since it had begun."""
        lines = [line.split() for line in self.holds.read_text().splitlines()]
        held = max((float(took) for at, took in lines if float(at) >= begun), default=0.0)
        late = max(each.ack_latency or 99.0 for each in asked)
        return Found(what, self.alone, p99(felt.late), late, len(asked), held)


async def beside(siege: Siege, what: str, ask: Ask, course: Course) -> Found:
    """Ask again and again for so long; how late the others were."""
    asked: list[Interaction] = []
    begun = time.monotonic()
    stop = asyncio.Event()

    async def go_on() -> None:
        while not stop.is_set():
            asked.append(await ask())
            await asyncio.sleep(PAUSE)

    asking = asyncio.create_task(go_on())
    felt = await siege.stand(_roll(siege), seconds=course.seconds, rate=course.rate, attackers=0)
    stop.set()
    await asking
    return course.found(what, felt, begun, asked)


async def years(
    folder: Path, entries: int, seconds: float, rounds: int = 1, *, rate: float = RATE
) -> Years:
    """Ask for everything that reads a journal of so many entries, for so many seconds each; then
    walk so often.
    """
    path, holds = folder / "siege.db", folder / "holds"

    async def prepare(path: Path, place: str) -> None:
        await lengthen(path, place, ATTACKERS + 4, entries)

    async with open_siege(folder, prepare=prepare, LOOPBACK_HOLDS=str(holds)) as siege:
        await wait_for_snapshot(path, entries)
        rolled = await siege.send(siege.gm, "roll", {"dice": "1d20"}).answered(10)
        await siege.send(siege.gm, "table fair rotate").answered(10)
        assert rolled.response is not None
        message = rolled.response
        left = iter(range(2 + ATTACKERS + 4 + 1, NPCS))

        async def show() -> Interaction:
            return await siege.send(siege.gm, "table fair show", {"entry": 20}).answered(60)

        async def undo() -> Interaction:
            return await siege.send(siege.gm, "gm undo", {"entry": next(left, 20)}).answered(60)

        async def dear_undo() -> Interaction:
            return await siege.send(siege.gm, "gm undo", {"entry": 3, "dependents": True}).answered(
                60
            )

        async def again() -> Interaction:
            sent = await verify(siege, message).answered(60)
            assert "Verified" in "".join(text for each in sent.messages for text in each.texts())
            return sent

        player = siege.players[0]
        asks: dict[str, Ask] = {
            "/table fair show entry": show,
            "/gm undo entry": undo,
            "/gm undo of what too much builds on": dear_undo,
            "Verify this roll": again,
            "/gm export full": lambda: export_table(
                siege, lambda: siege.send(siege.gm, "gm export", {"what": "full", "journal": True})
            ),
            "/gm export players": lambda: export_table(
                siege,
                lambda: siege.send(siege.gm, "gm export", {"what": "players", "journal": True}),
            ),
            "/privacy export": lambda: export_table(
                siege, lambda: siege.send(player, "privacy export")
            ),
        }
        alone = [
            await siege.stand(_roll(siege), seconds=seconds, rate=rate, attackers=0)
            for _ in range(2)
        ]
        course = Course(max(p99(each.late) for each in alone), rate, seconds, holds)
        found = [await beside(siege, what, ask, course) for what, ask in asks.items()]
        walked = await walk(siege, path, message, rounds)
        found.append(await forgotten(siege, course))
        await check_scrubbed(path, entries)
        return Years(entries, found, walked, memory(siege))


async def walk(siege: Siege, path: Path, message: Message, rounds: int) -> dict[str, float]:
    """One player plays on while somebody else asks for the worst odds; `message` is a roll that can
    be verified.

    How late each kind of thing was acknowledged at worst, in seconds.
    """
    player, other = siege.players[0], siege.attackers[0]
    with closing(sqlite3.connect(path)) as connection:
        found = "SELECT seq FROM journal WHERE kind = 'RollDice' ORDER BY seq LIMIT ?"
        dice = [seq for (seq,) in connection.execute(found, (rounds,))]
    late = dict[str, float]()
    stop = asyncio.Event()

    async def odds() -> None:
        number = 0
        while not stop.is_set():
            await siege.send(other, "odds", {"dice": WORST[number % len(WORST)]}).answered(60)
            number += 1

    async def one(what: str, sent: Interaction, said: str) -> None:
        await sent.answered(60)
        text = "\n".join(text for each in sent.messages for text in each.texts())
        assert said in text, (what, text)
        late[what] = max(late.get(what, 0.0), sent.ack_latency or 99.0)

    async def export() -> None:
        sent = await export_table(siege, lambda: siege.send(player, "privacy export"))
        late["/privacy export"] = max(late.get("/privacy export", 0.0), sent.ack_latency or 99.0)

    asking = asyncio.create_task(odds())
    for number in range(rounds):
        await one("/roll", siege.send(player, "roll", {"dice": "4d6kh3"}), "4d6kh3")
        proposed = siege.send(player, "check", {**OPTIONS, "approach": f"by way {number}"})
        await one("/check", proposed, "by way")
        await one("/table undo", siege.send(player, "table undo"), "Undone")
        exporting = asyncio.create_task(export())
        shown = siege.send(player, "table fair show", {"entry": dice[number]})
        await one("/table fair show", shown, f"Where #{dice[number]} came from")
        await one("Verify this roll", verify(siege, message, player), "Verified")
        await exporting
    stop.set()
    await asking
    return late


async def wait_for_snapshot(path: Path, entries: int) -> None:
    """Wait until the bot has kept a snapshot of a long journal: what was copied before cannot be
    carried out again.
    """
    for _ in range(200):
        with closing(sqlite3.connect(path)) as connection:
            if entries < SNAPSHOT_EACH or connection.execute("SELECT 1 FROM snapshot").fetchone():
                return
        await asyncio.sleep(0.1)
    raise AssertionError("there is no snapshot")


def _roll(siege: Siege) -> Callable[..., Interaction]:
    return lambda user, number: siege.send(user, "roll", {"dice": "1d6"})


async def forgotten(siege: Siege, course: Course) -> Found:
    """`/privacy delete` of somebody who did a lot, and what goes on after it."""
    player = siege.players[-1]
    asked = await siege.send(player, "privacy delete").answered(10)
    assert asked.response is not None
    begun = time.monotonic()
    pressed = siege.standin.emit_component(asked.response, player, "sg:forget:yes")
    felt = await siege.stand(_roll(siege), seconds=course.seconds, rate=course.rate, attackers=0)
    await pressed.answered(10)
    return course.found("/privacy delete", felt, begun, [pressed])


async def check_scrubbed(path: Path, entries: int) -> None:
    """In the end nothing of it is in the file."""
    if entries < STRETCH:
        return
    for _ in range(2400):
        with closing(sqlite3.connect(path)) as connection:
            if not connection.execute("SELECT COUNT(*) FROM scrub").fetchone()[0]:
                left = (
                    "SELECT COUNT(*) FROM journal WHERE actor = 'p11' AND instr(action, "
                    "'over the roof')"
                )
                assert connection.execute(left).fetchone()[0] == 0
                other = (
                    "SELECT COUNT(*) FROM journal WHERE actor = 'p2' AND instr(action, "
                    "'over the roof')"
                )
                assert connection.execute(other).fetchone()[0] > 0
                return
        await asyncio.sleep(0.5)
    raise AssertionError("it is still being scrubbed")

"""What reads a campaign of years, asked for again and again beside others who roll: nobody notices."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.storage.upkeep import SNAPSHOT_EACH
from tests.attack.campaign import STRETCH, lengthen
from tests.attack.siege import ATTACKERS, NPCS, Siege, besieged
from tests.loopback.interactions import COMMAND, Interaction
from tests.loopback.models import Message
from tests.profiles import nightly

pytestmark = pytest.mark.slow

#: How many entries the journal has.
LENGTHS = (10, 10_000, 400_000) if nightly() else (10, 10_000)
#: Seconds for each command, and in which an export has to be there for each entry.
SECONDS = 20.0 if nightly() else 3.0
#: How many times as late others may be answered meanwhile; what a busy machine does to three seconds of it, in seconds.
SLOWER, NOISE = 1.5, 0.25
#: Seconds between an answer and asking again.
PAUSE = 0.2
#: In which everything is acknowledged, in seconds; and the memory of the bot's process, in MiB.
AT_ONCE, MEMORY = 1.0, 150


@dataclass(frozen=True)
class Found:
    """How late the others were, p99 in seconds, alone and beside a command; and how it was acknowledged."""

    what: str
    alone: float
    beside: float
    acknowledged: float
    asked: int

    def __str__(self) -> str:
        ratio = self.beside / self.alone
        return (
            f"{self.what}: others {self.alone * 1000:.0f} -> {self.beside * 1000:.0f} ms ({ratio:.2f}),"
            f" acknowledged within {self.acknowledged * 1000:.0f} ms, asked {self.asked} times"
        )


def p99(late: Sequence[float]) -> float:
    return late[min(len(late) - 1, int(len(late) * 0.99))]


def memory(siege: Siege, what: str = "VmHWM") -> float:
    """The most that the bot's process has taken, in MiB."""
    text = Path(f"/proc/{siege.bot.pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(f"{what}:"))


def verify(siege: Siege, message: Message) -> Interaction:
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
    return siege.standin.emit(builder.build(COMMAND, siege.place, siege.gm, data, name="Verify this roll"))


async def files(sent: Interaction, within: float) -> list[str]:
    """The files of an export, once all are there."""

    def there() -> bool:
        message = sent.response
        return sent.state == "answered" and message is not None and "Writing" not in "".join(message.texts())

    await sent.until(there, within)
    assert sent.response is not None and sent.response.attachments, sent.response and sent.response.texts()
    return [each.filename for message in sent.messages for each in message.attachments]


async def exported(siege: Siege, send: Callable[[], Interaction]) -> Interaction:
    sent = send()
    await files(sent, 600)
    return sent


Ask = Callable[[], Awaitable[Interaction]]


async def beside(siege: Siege, what: str, ask: Ask, alone: float) -> Found:
    """Ask again and again for `SECONDS`; how late the others were."""
    asked: list[Interaction] = []
    stop = asyncio.Event()

    async def go_on() -> None:
        while not stop.is_set():
            asked.append(await ask())
            await asyncio.sleep(PAUSE)

    asking = asyncio.create_task(go_on())
    felt = await siege.stand(_roll(siege), seconds=SECONDS, attackers=0)
    stop.set()
    await asking
    late = max(each.ack_latency or 99.0 for each in asked)
    return Found(what, alone, p99(felt.late), late, len(asked))


@pytest.mark.parametrize("entries", LENGTHS)
async def test_nobody_notices_how_long_a_journal_is(tmp_path: Path, entries: int) -> None:
    async def prepare(path: Path, place: str) -> None:
        await lengthen(path, place, ATTACKERS + 4, entries)

    async with besieged(tmp_path, prepare=prepare) as siege:
        await kept(tmp_path / "siege.db", entries)
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
            return await siege.send(siege.gm, "gm undo", {"entry": 3, "dependents": True}).answered(60)

        async def again() -> Interaction:
            sent = await verify(siege, message).answered(60)
            assert sent.response is not None and "Verified" in sent.response.texts()[0], sent.response.texts()
            return sent

        player = siege.players[0]
        asks: dict[str, Ask] = {
            "/table fair show entry": show,
            "/gm undo entry": undo,
            "/gm undo of what too much builds on": dear_undo,
            "Verify this roll": again,
            "/gm export full": lambda: exported(
                siege, lambda: siege.send(siege.gm, "gm export", {"what": "full", "journal": True})
            ),
            "/gm export players": lambda: exported(
                siege, lambda: siege.send(siege.gm, "gm export", {"what": "players", "journal": True})
            ),
            "/privacy export": lambda: exported(siege, lambda: siege.send(player, "privacy export")),
        }
        alone = [await siege.stand(_roll(siege), seconds=SECONDS, attackers=0) for _ in range(2)]
        base = max(p99(each.late) for each in alone)
        found = [await beside(siege, what, ask, base) for what, ask in asks.items()]
        found.append(await forgotten(siege, base))
        print(*found, f"memory {memory(siege):.0f} MiB", sep="\n")
        slow = [str(each) for each in found if each.beside > each.alone * SLOWER + NOISE]
        assert slow == []
        assert [str(each) for each in found if each.acknowledged > AT_ONCE] == []
        assert memory(siege) <= MEMORY
        await scrubbed(siege, tmp_path / "siege.db", entries)


async def kept(path: Path, entries: int) -> None:
    """Wait until the bot has kept a snapshot of a long journal: what was copied before cannot be carried out again."""
    for _ in range(200):
        with closing(sqlite3.connect(path)) as connection:
            if entries < SNAPSHOT_EACH or connection.execute("SELECT 1 FROM snapshot").fetchone():
                return
        await asyncio.sleep(0.1)
    raise AssertionError("there is no snapshot")


def _roll(siege: Siege) -> Callable[..., Interaction]:
    return lambda user, number: siege.send(user, "roll", {"dice": "1d6"})


async def forgotten(siege: Siege, alone: float) -> Found:
    """`/privacy delete` of somebody who did a lot, and what goes on after it."""
    player = siege.players[-1]
    asked = await siege.send(player, "privacy delete").answered(10)
    assert asked.response is not None
    pressed = siege.standin.emit_component(asked.response, player, "sg:forget:yes")
    felt = await siege.stand(_roll(siege), seconds=SECONDS, attackers=0)
    await pressed.answered(10)
    return Found("/privacy delete", alone, p99(felt.late), pressed.ack_latency or 99.0, 1)


async def scrubbed(siege: Siege, path: Path, entries: int) -> None:
    """In the end nothing of it is in the file."""
    if entries < STRETCH:
        return
    for _ in range(2400):
        with closing(sqlite3.connect(path)) as connection:
            if not connection.execute("SELECT COUNT(*) FROM scrub").fetchone()[0]:
                left = "SELECT COUNT(*) FROM journal WHERE actor = 'p11' AND instr(action, 'over the roof')"
                assert connection.execute(left).fetchone()[0] == 0
                other = "SELECT COUNT(*) FROM journal WHERE actor = 'p2' AND instr(action, 'over the roof')"
                assert connection.execute(other).fetchone()[0] > 0
                return
        await asyncio.sleep(0.5)
    raise AssertionError("it is still being scrubbed")

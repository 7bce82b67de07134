"""Several processes of one bot on a PostgreSQL server, and the people who play meanwhile.

A `Fleet` keeps as many processes as there are shares, and a spare. A `Crowd` sends commands on the
Discord servers of every share without waiting for answers, and counts what came of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.presenters.control_ids import row_number, row_number_of
from bot.storage.location import ServerAddress
from tests.loopback.bot_main import HANG
from tests.loopback.interactions import Interaction
from tests.loopback.launch import TOKEN
from tests.loopback.models import Channel, Message, User
from tests.loopback.nursery import Nursery, Offspring
from tests.loopback.server import StandIn
from tests.storage.postgres_server import address
from tests.storage.server_proxy import Proxy
from tests.survival.edge_of_process import (
    SILENT,
    Rim,
    has_button,
    number,
    query_server,
)

#: Seconds that anything may take at most; a busy machine takes its time.
PATIENCE = 90.0
#: Seconds between two commands.
PACE = 0.05
#: Seconds after which a server gives up sessions whose packets are lost; of its own, 11.
SERVER_GIVES_UP = 1.0
#: Seconds after which a process that hangs loses its share; of its own, 20.
HANG_LIMIT = 8.0
#: Exit status of a process that has lost its share.
LOST_SHARE = 3
CHECK = {"skill": "Climbing", "attribute": "Fitness"}
#: Commands that write an entry whenever they are carried out.
WRITING = ("check", "roll", "private", "draw")


async def wait_for(condition: Callable[[], Any], what: str) -> None:
    """Wait for something that nobody announces. AssertionError if it does not come."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        await asyncio.sleep(0.02)


class Link:
    """A process's way to the database."""

    def __init__(self, address: ServerAddress) -> None:
        self.address = address


class Network:
    """The ways of all processes to the database; here they reach it themselves."""

    def __init__(self, address: ServerAddress) -> None:
        self._address = address

    async def add_link(self) -> Link:
        """Return the way of another process."""
        return Link(self._address)

    async def close(self) -> None:
        """Take everything down."""


class ProxyLink(Link):
    """A way through a proxy."""

    def __init__(self, proxy: Proxy, address: ServerAddress) -> None:
        super().__init__(address)
        self._proxy = proxy

    async def part(self) -> None:
        """Lose every packet from now on, until the server gives its sessions up."""
        self._proxy.part()
        await asyncio.sleep(SERVER_GIVES_UP)
        self._proxy.give_up_at_server()

    def heal(self) -> None:
        """Let everything through again."""
        self._proxy.heal()


class ProxyNetwork(Network):
    """A proxy for each process; of so many COMMITs, one is carried out without its answer."""

    def __init__(self, server: Path, schema: str) -> None:
        self._server = server
        self._schema = schema
        self._folder = Path(tempfile.mkdtemp(prefix="sg-net-"))
        self._proxies: list[Proxy] = []
        self._commits = 0
        #: After how many COMMITs an answer is swallowed; 0 swallows none.
        self.swallow_every = 0

    async def add_link(self) -> Link:
        folder = self._folder / str(len(self._proxies))
        folder.mkdir()
        proxy = Proxy(self._server, folder)
        proxy.swallows = self._swallows
        await proxy.start()
        self._proxies.append(proxy)
        return ProxyLink(proxy, address(self._schema, folder))

    def _swallows(self) -> bool:
        if not self.swallow_every:
            return False
        self._commits += 1
        return self._commits % self.swallow_every == self.swallow_every // 4

    @property
    def cuts(self) -> int:
        """Number of swallowed answers."""
        return sum(proxy.cuts for proxy in self._proxies)

    async def close(self) -> None:
        for proxy in self._proxies:
            proxy.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


class Fleet:
    """The processes of a bot: one for each share, and a spare that waits for a share."""

    def __init__(
        self,
        standin: StandIn,
        nursery: Nursery,
        folder: Path,
        shares: int,
        network: Network,
    ) -> None:
        self.standin = standin
        self.shares = shares
        self.network = network
        self._nursery = nursery
        self._folder = folder
        #: The way of each process to the database.
        self.links: dict[Offspring, Link] = {}
        #: All that run, in the order of their start.
        self.processes: list[Offspring] = []
        self.ended: list[Offspring] = []
        self._stopped = 0
        #: When a process was killed or stopped, by `time.time`.
        self.deaths: list[float] = []

    async def add(self) -> Offspring:
        """Start a process; it takes a free share, or waits for one."""
        link = await self.network.add_link()
        env = {
            "DISCORD_TOKEN": TOKEN,
            "STORYGUIDE_DATABASE": link.address.dsn,
            "STORYGUIDE_PROCESSES": str(self.shares),
            "STORYGUIDE_SHARDS": str(self.shares),
            "LOG_LEVEL": "INFO",
            HANG: str(HANG_LIMIT),
        }
        log = self._folder / f"process-{len(self.processes) + len(self.ended)}.log"
        process = await self._nursery.fork(self.standin.port, env, log)
        self.processes.append(process)
        self.links[process] = link
        return process

    async def start(self) -> None:
        """Start a process for each share and a spare, and wait until the shares are served."""
        for _ in range(self.shares + 1):
            await self.add()
        await self.served()

    def working(self) -> list[Offspring]:
        """Return the processes that have a share, are connected, and have recovered."""
        done = ("app.ready", "outbox.recovered")
        return [
            process
            for process in self.processes
            if process.running and all(word in process.output() for word in done)
        ]

    async def served(self) -> None:
        """Wait until every share has a process that works on it.

        A process that has lost its share meanwhile is replaced.
        """
        await self.served_by(self.processes)

    async def served_by(self, processes: Sequence[Offspring]) -> None:
        """Wait until these processes work on all shares."""
        every = {(shard, self.shares) for shard in range(self.shares)}
        end = time.monotonic() + PATIENCE
        while True:
            await self._replace_ended()
            working = [process for process in self.working() if process in processes]
            connected = every <= self.standin.gateway.shards_connected()
            if connected and len(working) >= self.shares:
                return
            assert time.monotonic() < end, "not every share has a process"
            await asyncio.sleep(0.02)

    async def _replace_ended(self) -> None:
        for _ in range(await self._retire_losers()):
            await self.add()

    async def _retire_losers(self) -> int:
        """Put aside the processes that ended because they lost their share, and count them."""
        ended = [process for process in self.processes if not process.running]
        for process in ended:
            status = await self.ended_by_itself(process)
            assert status == LOST_SHARE, f"status {status}\n{process.output()[-2000:]}"
            # The log tells the second; what was said in it may not be noted.
            found = re.search(r"(\S+)Z ERROR storage\.share-lost", process.output())
            assert found is not None, process.output()[-2000:]
            lost = datetime.fromisoformat(found[1]).replace(tzinfo=UTC).timestamp()
            self.deaths += [lost, lost + 0.4, lost + 0.8, lost + 1.2]
        return len(ended)

    def note_death(self) -> None:
        """Note that from now on something may be told and not be noted."""
        self.deaths.append(time.time())

    @property
    def has_lost_processes(self) -> bool:
        """True if a process ended before all others."""
        return bool(self.ended) and len(self.ended) > self._stopped

    async def kill(self, process: Offspring) -> None:
        """End a process by SIGKILL."""
        self.note_death()
        await process.kill()
        self._retire(process)

    def _retire(self, process: Offspring) -> None:
        self.processes.remove(process)
        self.ended.append(process)

    async def ended_by_itself(self, process: Offspring) -> int:
        """Return the exit status of a process that ends by itself."""
        status = await process.ended(PATIENCE)
        self._retire(process)
        return status

    async def stop(self) -> None:
        """Have every process end in order."""
        await self._retire_losers()
        for process in [*self.processes]:
            process.send_signal(signal.SIGTERM)
        self._stopped = len(self.processes)
        for process in [*self.processes]:
            status = await self.ended_by_itself(process)
            assert status == 0, f"status {status}\n{process.output()[-2000:]}"

    def outputs(self) -> str:
        """Return the end of all that every process has written."""
        return "\n".join(
            f"--- {process.log.name}\n{process.output()[-1500:]}"
            for process in (*self.ended, *self.processes)
        )


@dataclass
class Sent:
    """A command that was sent."""

    kind: str
    rim: Rim
    interaction: Interaction


@dataclass
class Tally:
    """Counts of one run; `problems` must be empty."""

    sent: int = 0
    #: Commands whose entry is in the journal.
    stored: int = 0
    #: Commands of a shard that no process was connected for.
    never_delivered: int = 0
    #: Commands that were delivered, and neither stored nor answered.
    unanswered: int = 0
    #: Texts of refusals where a command is always carried out.
    refused: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


class Crowd:
    """The people of several Discord servers, one for each shard or more, with three tables each."""

    def __init__(self, rims: Sequence[Rim], chance: random.Random) -> None:
        self.rims = rims
        self.standin = rims[0].standin
        self.chance = chance
        self.places: list[tuple[Rim, Channel]] = []
        self.sent: list[Sent] = []
        self._undoing: set[asyncio.Task[None]] = set()

    async def sit_down(self) -> None:
        """Set up the tables."""
        for rim in self.rims:
            for n in range(3):
                # In one channel of GMs the numbers of several tables' entries could not be told
                # apart.
                place = await rim.table(gm_room=n == 0)
                await rim.do(rim.gina, place, "gm settings", live=True)
                self.places.append((rim, place))

    def send(self) -> Sent:
        """Send the next command."""
        rim, place = self.chance.choice(self.places)
        who = self.chance.choice((rim.ana, rim.ben))
        draw = self.chance.random()
        said = f"try {len(self.sent)}"
        if draw < 0.5:
            return self._emit("check", rim, place, who, "check", **CHECK, approach=said)
        if draw < 0.7:
            return self._emit("roll", rim, place, who, "roll", dice="1d20")
        if draw < 0.8:
            options = {**CHECK, "approach": said, "visibility": "private"}
            return self._emit("private", rim, place, who, "check", **options)
        if draw < 0.9:
            return self._emit("draw", rim, place, who, "draw-card")
        asked = self._emit("ask", rim, place, rim.gina, "gm undo")
        task = asyncio.create_task(self._undo(asked))
        self._undoing.add(task)
        task.add_done_callback(self._undoing.discard)
        return asked

    def _emit(
        self, kind: str, rim: Rim, place: Channel, who: User, command: str, /, **options: Any
    ) -> Sent:
        sent = Sent(kind, rim, rim.emit(who, place, command, **options))
        self.sent.append(sent)
        return sent

    async def _undo(self, asked: Sent) -> None:
        """Press the button of the question before something is taken back."""
        if not asked.interaction.delivered:
            return
        with contextlib.suppress(TimeoutError):
            await asked.interaction.answered(PATIENCE)
        question = asked.interaction.response
        if question is not None and has_button(question, "Undo it"):
            rim = asked.rim
            pressed = rim.press(rim.gina, question, "Undo it")
            self.sent.append(Sent("undo", rim, pressed))

    async def play(self, count: int) -> None:
        """Send so many commands."""
        for _ in range(count):
            self.send()
            await asyncio.sleep(self.chance.uniform(0.0, 2 * PACE))

    def is_too_late(self) -> bool:
        """Return whether all commands are too old to be acknowledged."""
        assert self.standin.expiry is not None
        newest = max(sent.emitted for sent in self.standin.interactions)
        return time.monotonic() - newest > self.standin.expiry

    def accepted(self, count: int) -> int:
        """Return how many of the first commands have an acknowledgment that Discord has taken."""
        first = self.standin.interactions[:count]
        return sum(sent.ack_latency is not None for sent in first)

    def open(self, since: int = 0) -> list[Sent]:
        """Return the delivered commands without an answer, of those sent since."""
        return [
            each
            for each in self.sent[since:]
            if each.interaction.delivered and each.interaction.state != "answered"
        ]

    def unheard(self, since: int) -> list[Sent]:
        """Return the delivered commands that nobody tried to acknowledge, of those sent since."""
        return [each for each in self.open(since) if not each.interaction.attempts]

    async def settle(self) -> None:
        """Wait until all is told, with everybody looking at what they missed."""
        address = self.rims[0].server
        assert address is not None
        public = "SELECT 1 FROM outbox WHERE done_at IS NULL AND (kind <> 'reply' OR public = 1)"
        await wait_for(lambda: not query_server(address, public), "what is public is told")
        for task in [*self._undoing]:
            task.cancel()
        for rim, place in self.places:
            for who in (rim.gina, rim.ana, rim.ben):
                await self._look(rim, place, who)
        left = "SELECT kind, place, error FROM outbox WHERE done_at IS NULL"
        try:
            await wait_for(lambda: not query_server(address, left), "everything is told")
        except AssertionError as error:
            error.add_note(str(query_server(address, left)))
            raise

    @staticmethod
    async def _look(rim: Rim, place: Channel, who: User) -> None:
        """Use `/moves` until it is answered: a process may just have lost its share."""
        for _ in range(3):
            with contextlib.suppress(TimeoutError):
                await rim.emit(who, place, "moves").answered(PATIENCE / 3)
                return
        raise AssertionError("/moves is not answered")

    def count(self, *, killed: bool) -> Tally:
        """Count what came of the commands. With *killed*, processes that had some were killed."""
        tally = Tally(sent=len(self.sent))
        address = self.rims[0].server
        assert address is not None
        stored = dict(query_server(address, "SELECT request_id, seq FROM journal"))
        for each in self.sent:
            sent = each.interaction
            if str(sent.id) in stored:
                tally.stored += 1
                continue
            if not sent.delivered:
                tally.never_delivered += 1
            elif sent.state != "answered":
                tally.unanswered += 1
                if not killed:
                    tally.problems.append(f"{each.kind} was never answered")
            numbers = {number(message) for message in sent.messages} - {None}
            if numbers:
                shows = sent.callback_type != SILENT and each.kind in WRITING
                if shows and not self._repeats(each, stored):
                    tally.problems.append(f"{each.kind} was answered, and is not stored")
            elif each.kind in WRITING and sent.state == "answered":
                tally.refused[" / ".join(sent.response.texts() if sent.response else [])] += 1
        tally.problems += self._stored_problems(address)
        tally.problems += self._doubled()
        return tally

    def _repeats(self, command: Sent, stored: Mapping[str, int]) -> bool:
        """Return whether a command was answered with the result of an earlier one.

        That is so for a person who gives a command again whose answer never arrived.
        """
        asked = command.interaction
        shown = {number(message) for message in asked.messages} - {None}
        return any(
            earlier.kind == command.kind
            and (earlier.interaction.user, earlier.interaction.channel)
            == (asked.user, asked.channel)
            and earlier.interaction.state != "answered"
            and stored.get(str(earlier.interaction.id)) in shown
            for earlier in self.sent
        )

    def _stored_problems(self, address: ServerAddress) -> list[str]:
        found: list[str] = []
        for table, count, last in query_server(
            address, "SELECT table_id, COUNT(*), MAX(seq) FROM journal GROUP BY table_id"
        ):
            if count != last:
                found.append(f"table {table} has {count} entries up to {last}")
        for (table,) in query_server(
            address,
            "SELECT id FROM game_table WHERE revision <>"
            " (SELECT MAX(seq) FROM journal WHERE table_id = game_table.id)",
        ):
            found.append(f"table {table} has another revision than entries")
        for key, value in query_server(
            address, "SELECT key, value FROM note WHERE key LIKE 'left:%'"
        ):
            found.append(f"a server that is there is noted as left: {key} {value}")
        return found

    def _doubled(self) -> list[str]:
        """Return the rows of the outbox whose message stands twice."""
        standing: Counter[int] = Counter()
        for rim in self.rims:
            for channel in rim.guild.channels.values():
                for message in rim.said(channel):
                    standing.update(rows_of(message))
        return [f"row {row} stands {count} times" for row, count in standing.items() if count > 1]

    async def check(self) -> None:
        """Compare what was said and what is stored on every server. No process runs."""
        for rim in self.rims:
            seen = [each.interaction for each in self.sent if each.rim is rim]
            rim.check_said([sent for sent in seen if sent.callback_type != SILENT])
        await self.rims[0].check_files()


def rows_of(message: Message) -> set[int]:
    """Return the numbers of the rows of the outbox whose cards a message shows."""
    found = (row_number_of(item.get("id", 0)) for item in message.components)
    return {row_number(row) for row in found if row is not None}


@asynccontextmanager
async def open_fleet(
    folder: Path,
    shares: int,
    network: Network,
    stored_at: ServerAddress,
    chance: random.Random,
) -> AsyncIterator[tuple[Fleet, Crowd]]:
    """A fleet that is to be started, and a crowd on two Discord servers or one for each share.

    The checks read the database at *stored_at*.
    """
    async with StandIn() as standin, Nursery() as nursery:
        standin.gateway.shards, standin.gateway.max_concurrency = shares, 16
        fleet = Fleet(standin, nursery, folder, shares, network)
        rims = [Rim(standin, nursery, folder, (n % shares, shares)) for n in range(max(2, shares))]
        for rim in rims:
            rim.server, rim.deaths = stored_at, fleet.deaths
        try:
            yield fleet, Crowd(rims, chance)
        finally:
            for process in fleet.processes:
                await process.kill()
            await network.close()

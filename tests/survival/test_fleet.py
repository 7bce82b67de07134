"""Several processes on one PostgreSQL server while processes and servers die, hang or lose answers.

Whatever fails: no entry that somebody was told of is lost, and nothing is said twice. By day each
kind of failure is tried in a run of 30 commands. The profile `nightly` has every combination, 1,000
kills, and 20 promotions. `FLEET_COMMANDS` gives every run another number of commands.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.storage.location import ServerAddress
from tests.example_counts import nightly
from tests.loopback.nursery import Nursery
from tests.storage.postgres_server import PostgresServer, address
from tests.storage.server_proxy import Proxy
from tests.survival.fleet import (
    LOST_SHARE,
    Crowd,
    Fleet,
    Tally,
    open_fleet,
    wait_for,
)

#: Commands of a run.
COMMANDS = int(os.environ.get("FLEET_COMMANDS") or 30)
#: Of so many COMMITs one is carried out without its answer.
SWALLOWED = 20
#: Kills in turn of one run, and how many runs of them.
KILLS = 50 if nightly() else 2
KILL_RUNS = 20 if nightly() else 1
PROMOTIONS = 20 if nightly() else 1
#: Seconds that a server hangs.
HANG = (0.5, 6.0) if nightly() else (0.5, 2.5)


@dataclass
class Ground:
    """The fleet with its servers, and what has befallen them."""

    fleet: Fleet
    crowd: Crowd
    servers: list[PostgresServer]
    chance: random.Random
    #: Kinds of failures that have happened.
    faults: list[str] = field(default_factory=list)

    @property
    def primary(self) -> PostgresServer:
        """The server that is written to."""
        return self.servers[0]


Fault = Callable[[Ground], Awaitable[None]]


async def kill_process(ground: Ground) -> None:
    """Kill the process that has worked for longest; the spare takes its share over."""
    await ground.fleet.kill(ground.fleet.working()[0])
    await ground.fleet.add()


async def kill_server(ground: Ground) -> None:
    """Kill the postmaster and every backend, and start the server anew."""
    ground.fleet.note_death()
    await asyncio.to_thread(ground.primary.kill)
    await asyncio.sleep(ground.chance.uniform(0, 0.5))
    await asyncio.to_thread(ground.primary.start)


async def promote(ground: Ground) -> None:
    """Kill the primary and promote its replica; then the old primary becomes a replica."""
    old, new = ground.servers
    ground.fleet.note_death()
    await asyncio.to_thread(old.kill)
    await asyncio.to_thread(new.promote)
    ground.servers.reverse()
    if ground.faults.count("promote") + 1 < PROMOTIONS:
        await ground.fleet.served()
        await asyncio.to_thread(old.follow, new)


async def hang_server(ground: Ground) -> None:
    """Stop every process of the server for some seconds."""
    ground.fleet.note_death()
    ground.primary.freeze()
    try:
        before = len(ground.crowd.sent)
        await wait_for(lambda: ground.crowd.open(before), "a command that waits for the server")
        await asyncio.sleep(ground.chance.uniform(*HANG))
    finally:
        ground.primary.thaw()


async def freeze_process(ground: Ground) -> None:
    """Stop a process until the spare has its share; it wakes up, says nothing, and ends."""
    fleet, crowd = ground.fleet, ground.crowd
    victim = fleet.working()[0]
    fleet.note_death()
    victim.send_signal(signal.SIGSTOP)
    try:
        others = [process for process in fleet.processes if process is not victim]
        before = len(crowd.sent)
        await fleet.served_by(others)
        # What the spare has heard of is answered by it alone.
        await wait_for(lambda: not crowd.open(len(crowd.sent)), "answers")
        assert len(crowd.sent) >= before
    finally:
        victim.send_signal(signal.SIGCONT)
    assert await fleet.ended_by_itself(victim) == LOST_SHARE, victim.output()[-2000:]
    await fleet.add()


@dataclass(frozen=True)
class Mode:
    """Failures of a run in their order, and what the fleet runs on."""

    faults: tuple[Fault, ...] = ()
    shares: int = 2
    #: Whether the proxy swallows answers to COMMITs.
    doubt: bool = False
    #: Whether it is tried with every change.
    by_day: bool = True


MODES = {
    "apart": Mode(by_day=False),
    "apart+kill": Mode((kill_process, kill_process), by_day=False),
    "apart+server": Mode((kill_server, kill_server), by_day=False),
    "apart+kill+server": Mode((kill_process, kill_server, kill_process)),
    "apart+promote": Mode((promote,), by_day=False),
    "apart+promote+kill": Mode((kill_process, promote, kill_process)),
    "apart+stop": Mode((hang_server, hang_server)),
    "apart+doubt": Mode(doubt=True),
    "same+freeze": Mode((freeze_process,), shares=1),
}


@pytest.fixture
async def nursery() -> AsyncIterator[Nursery]:
    async with Nursery() as nursery:
        yield nursery


async def play_with_faults(ground: Ground, faults: list[Fault], commands: int) -> None:
    """Send the commands in equal parts, with a failure in the midst of each part but the last."""
    part = commands // (len(faults) + 1)
    for fault in faults:
        playing = asyncio.create_task(ground.crowd.play(part))
        begun = len(ground.crowd.sent) + ground.chance.randrange(1, max(2, part - 1))
        await wait_for(lambda at=begun: len(ground.crowd.sent) >= at, "commands")
        await asyncio.sleep(ground.chance.uniform(0, 0.05))
        await fault(ground)
        ground.faults.append(fault.__name__)
        await playing
        await ground.fleet.served()
    await ground.crowd.play(commands - part * len(faults))


async def run_mode(
    mode: Mode, faults: list[Fault], commands: int, folder: Path, nursery: Nursery, seed: str
) -> tuple[Ground, Tally, int]:
    """Play, stop the fleet, and check everything. Returns the counts, and the swallowed answers."""
    chance = random.Random(seed)
    servers = [PostgresServer()]
    proxy: Proxy | None = None
    try:
        servers[0].create_schema("bot")
        if promote in faults:
            servers.append(PostgresServer(initialize=False))
            servers[1].follow(servers[0])
        stored_at = address("bot", *(server.socket.parent for server in servers))
        reached_at = stored_at
        if mode.doubt:
            proxy = Proxy(servers[0].socket, folder)
            await proxy.start()
            reached_at = address("bot", proxy.folder)

        def reached() -> ServerAddress:
            return reached_at

        async with open_fleet(folder, nursery, mode.shares, reached, stored_at, chance) as (
            fleet,
            crowd,
        ):
            ground = Ground(fleet, crowd, servers, chance)
            await fleet.start()
            await crowd.sit_down()
            if proxy is not None:
                commits = iter(range(1, 1_000_000))
                proxy.swallows = lambda: next(commits) % SWALLOWED == 0
            try:
                await play_with_faults(ground, faults, commands)
                await fleet.served()
                if proxy is not None:
                    proxy.swallows = lambda: False
                await crowd.settle()
                await fleet.stop()
                tally = crowd.count(killed=fleet.has_lost_processes)
                assert tally.problems == []
                await crowd.check()
            except BaseException as error:
                error.add_note(fleet.outputs())
                raise
        return ground, tally, 0 if proxy is None else proxy.cuts
    finally:
        if proxy is not None:
            proxy.stop()
        for server in servers:
            server.remove()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MODES if nightly() or MODES[name].by_day])
async def test_nothing_is_lost_or_said_twice(name: str, tmp_path: Path, nursery: Nursery) -> None:
    mode = MODES[name]
    begun = time.monotonic()
    ground, tally, cuts = await run_mode(
        mode, [*mode.faults], COMMANDS, tmp_path, nursery, f"fleet {name}"
    )
    faults = ", ".join(ground.faults) or (f"{cuts} answers swallowed" if cuts else "none")
    print(f"{name}: {faults}; {tally}; {time.monotonic() - begun:.0f} s")
    assert not tally.refused
    assert tally.stored >= COMMANDS // 4, "there was play"
    assert bool(cuts) == mode.doubt

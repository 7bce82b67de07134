"""Fleets of processes on PostgreSQL, while processes and servers die, hang or lose answers.

Whatever fails: no entry that somebody was told of is lost, and nothing is said twice. By day each
kind of failure is tried in a run of 30 commands. The profile `nightly` has every combination, 1,000
kills, and 20 promotions. `FLEET_COMMANDS` gives every run another number of commands at least.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.example_counts import nightly
from tests.loopback.nursery import Offspring
from tests.storage.postgres_server import PostgresServer, address
from tests.survival.fleet import (
    LOST_SHARE,
    PACE,
    Crowd,
    Fleet,
    Network,
    ProxyLink,
    ProxyNetwork,
    Tally,
    open_fleet,
    wait_for,
)

#: Commands of a run.
COMMANDS = int(os.environ.get("FLEET_COMMANDS") or 30)
SCHEMA = "bot"
#: Of so many COMMITs one is carried out without its answer.
SWALLOWED = 20
#: Commands between two failures, where there are many.
BETWEEN = 6
#: Runs of kills at night, and kills of each.
KILL_RUNS, KILLS = 20, 50
PROMOTIONS = 20
#: Seconds that a server hangs.
HANG = (0.5, 6.0) if nightly() else (0.5, 2.5)


@dataclass
class Ground:
    """The fleet with its servers, and what has befallen them."""

    fleet: Fleet
    crowd: Crowd
    #: The server that is written to, and its replica if it has one.
    servers: list[PostgresServer]
    chance: random.Random
    #: Kinds of failures that have happened.
    faults: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    #: The commands among which a failure comes; to be set before it does.
    playing: asyncio.Task[None] = field(init=False)

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
    """Kill the primary and promote its replica; before another promotion they change roles."""
    old, new = ground.servers
    if promote.__name__ in ground.faults:
        await asyncio.to_thread(new.follow, old)
    ground.fleet.note_death()
    await asyncio.to_thread(old.kill)
    await asyncio.to_thread(new.promote)
    ground.servers.reverse()


async def hang_server(ground: Ground) -> None:
    """Stop every process of the server for some seconds."""
    ground.fleet.note_death()
    ground.primary.freeze()
    try:
        before = len(ground.crowd.sent)
        while not ground.crowd.open(before):
            ground.crowd.send()
            await asyncio.sleep(PACE)
        await asyncio.sleep(ground.chance.uniform(*HANG))
    finally:
        ground.primary.thaw()


async def freeze_process(ground: Ground) -> None:
    """Stop a process until the spare has its share; it wakes up, says nothing, and ends."""
    victim = ground.fleet.working()[0]
    ground.fleet.note_death()
    victim.send_signal(signal.SIGSTOP)
    try:
        await let_spare_work(ground, victim)
    finally:
        victim.send_signal(signal.SIGCONT)
    await end_without_share(ground, victim)


async def part_process(ground: Ground) -> None:
    """Cut a process off from the server, not from Discord, until the spare has its share."""
    victim = ground.fleet.working()[0]
    link = ground.fleet.links[victim]
    assert isinstance(link, ProxyLink)
    ground.fleet.note_death()
    await link.part()
    try:
        await let_spare_work(ground, victim)
    finally:
        link.heal()
    await end_without_share(ground, victim)


async def let_spare_work(ground: Ground, victim: Offspring) -> None:
    """Wait until the other processes have all shares and work on what they heard of.

    What the victim alone has heard of is too old to be acknowledged then. What it can still
    acknowledge it may announce, and the spare then tells without an answer.
    """
    fleet, crowd = ground.fleet, ground.crowd
    await fleet.served_by([process for process in fleet.processes if process is not victim])
    known = len(crowd.sent)
    await ground.playing
    await crowd.play(BETWEEN)
    await wait_for(lambda: not crowd.unheard(known), "acknowledgments by the spare")
    await wait_for(crowd.is_too_late, "the end of the time to answer")


async def end_without_share(ground: Ground, victim: Offspring) -> None:
    """Wait until a process that has lost its share ends, without having answered anything."""
    heard = len(ground.crowd.standin.interactions)
    before = ground.crowd.accepted(heard)
    assert await ground.fleet.ended_by_itself(victim) == LOST_SHARE, victim.output()[-2000:]
    assert ground.crowd.accepted(heard) == before
    await ground.fleet.add()


@dataclass(frozen=True)
class Mode:
    """Failures of a run in their order, and what the fleet runs on."""

    faults: tuple[Fault, ...] = ()
    shares: int = 2
    #: Whether the proxy swallows answers to COMMITs.
    doubt: bool = False
    #: Seconds between two shards that identify, as Discord demands.
    identify_pause: float = 0.0

    @property
    def is_prompt(self) -> bool:
        """True if no process comes back with commands that are too old to be answered."""
        return not {freeze_process, part_process} & {*self.faults}


BY_DAY = {
    "apart+kill+server": Mode((kill_process, kill_server, kill_process)),
    "apart+promote+kill": Mode((kill_process, promote, kill_process)),
    "apart+stop": Mode((hang_server, hang_server)),
    "apart+doubt": Mode(doubt=True),
    "same+freeze": Mode((freeze_process,), shares=1),
}
AT_NIGHT = {
    "apart": Mode(identify_pause=5.0),
    "apart+server": Mode((kill_server,) * 4),
    "apart+promote": Mode((promote,) * PROMOTIONS),
    "apart+net": Mode((part_process,) * 3),
    **{f"apart+kill {run}": Mode((kill_process,) * KILLS) for run in range(KILL_RUNS)},
}
MODES = BY_DAY | AT_NIGHT


async def play_with_faults(ground: Ground, mode: Mode, commands: int) -> None:
    """Send the commands in equal parts, with a failure in the midst of each part but the last."""
    crowd = ground.crowd
    part = commands // (len(mode.faults) + 1)
    for fault in mode.faults:
        ground.playing = asyncio.create_task(crowd.play(part))
        count = len(crowd.sent) + ground.chance.randrange(1, part - 1)
        await wait_for(lambda count=count: len(crowd.sent) >= count, "commands")
        await asyncio.sleep(ground.chance.uniform(0, 0.05))
        await fault(ground)
        ground.faults.append(fault.__name__)
        await ground.playing
        await ground.fleet.served()
    await crowd.play(part)
    await ground.fleet.served()


async def play_and_check(ground: Ground, mode: Mode, commands: int) -> Tally:
    """Play, have everybody told what they missed, stop the fleet, and compare everything."""
    fleet, crowd = ground.fleet, ground.crowd
    await fleet.start()
    await crowd.sit_down()
    if isinstance(fleet.network, ProxyNetwork) and mode.doubt:
        fleet.network.swallow_every = SWALLOWED
    await play_with_faults(ground, mode, commands)
    if isinstance(fleet.network, ProxyNetwork):
        fleet.network.swallow_every = 0
        ground.faults += ["swallow_answer"] * fleet.network.cuts
    await crowd.settle()
    await fleet.stop()
    tally = crowd.count(killed=fleet.has_lost_processes)
    assert tally.problems == []
    await crowd.check()
    routes = fleet.standin.unknown_routes
    assert [route for route in routes if "/pins/" not in route] == []
    return tally


async def run_mode(mode: Mode, commands: int, folder: Path, chance: random.Random) -> Ground:
    """Set servers and a fleet up for a mode, and play."""
    servers = [PostgresServer()]
    try:
        servers[0].create_schema(SCHEMA)
        if promote in mode.faults:
            servers.append(PostgresServer(initialize=False))
            servers[1].follow(servers[0])
        stored_at = address(SCHEMA, *(server.socket.parent for server in servers))
        network = Network(stored_at)
        if mode.doubt or part_process in mode.faults:
            network = ProxyNetwork(servers[0].socket, SCHEMA)
        async with open_fleet(folder, mode.shares, network, stored_at, chance) as (fleet, crowd):
            fleet.standin.gateway.identify_pause = mode.identify_pause
            if mode.is_prompt:
                fleet.standin.expiry = None  # A busy machine is late, and that is no loss.
            ground = Ground(fleet, crowd, servers, chance)
            try:
                ground.tally = await play_and_check(ground, mode, commands)
            except BaseException as error:
                error.add_note(fleet.outputs())
                raise
            return ground
    finally:
        for server in servers:
            server.remove()


@pytest.mark.slow
@pytest.mark.parametrize("name", MODES if nightly() else BY_DAY)
async def test_nothing_is_lost_or_said_twice(name: str, tmp_path: Path) -> None:
    mode = MODES[name]
    commands = max(COMMANDS, BETWEEN * len(mode.faults))
    ground = await run_mode(mode, commands, tmp_path, random.Random(f"fleet {name}"))
    tally, faults = ground.tally, Counter(ground.faults)
    print(f"{name}: {dict(faults)}; {tally}")
    # A command that is always carried out is refused only by a process cut off from the server.
    assert not tally.refused or part_process in mode.faults, tally.refused
    assert tally.stored >= commands // 4, "there was play"
    assert faults.total() >= len(mode.faults) + mode.doubt
    assert ground.fleet.standin.gateway.hasty == []

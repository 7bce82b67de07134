"""Whole commands over loopback sockets, beside a typical bot that does the same durable work.

The typical bot runs in two forms: as most bots are written, where overlapping commands share
transactions, and locked, where each command is atomic as ours are. A bot that answers a constant
runs beside them.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.commands import (
    OPTIONS,
    ROLLED,
    Evidence,
    Pair,
    Said,
    full,
    pair,
    people,
    plain_check,
    running,
)
from benchmarks.tables import (
    BARMORE,
    EBB,
    EGO,
    MASTERBOOK,
    MASTERBOOK_FIGHT,
    NPCS,
    PLAYERS,
    Cast,
    foe,
)
from tests.loopback.driver import Bench, Slash, throughput
from tests.loopback.launch import TOKEN
from tests.loopback.models import Channel, Guild, User
from tests.loopback.process import ROOT, launch
from tests.loopback.server import StandIn

APPROACH: Final = OPTIONS["approach"]


@dataclass(frozen=True)
class PeerPlan:
    """Size of a measurement."""

    rounds: int = 5
    #: Commands of one bot in a round, 16 at a time.
    commands: int = 400
    warm_up: int = 100


QUICK: Final = PeerPlan(rounds=1, commands=16, warm_up=4)


@dataclass(frozen=True)
class Workload:
    """One kind of command, sent to our bot and, with the options that they know, to its peers."""

    name: str
    cast: Cast
    said: Said
    evidence: Evidence = ROLLED
    #: Aim for the ratio to the unlocked typical bot. It is reported and not enforced.
    aim: float | None = None
    #: Most commands at one table.
    per_table: int | None = None


@dataclass(frozen=True)
class PeerFigures:
    """Milliseconds of CPU per command, ours against each peer."""

    workload: str
    aim: float | None
    unlocked: Pair
    locked: Pair
    bare: Pair


def _check(options: Mapping[str, Any]) -> Said:
    return lambda number: ("check", {**options, "approach": APPROACH})


def _attack(weapon: str) -> Said:
    def said(number: int) -> tuple[str, Mapping[str, Any]]:
        target = foe(1 + number % NPCS)
        return "attack", {"target": target, "weapon": weapon, "approach": APPROACH}

    return said


WORKLOADS: Final = (
    Workload(
        "/roll", EBB, lambda number: ("roll", {"dice": "2d6+3"}), Evidence("RollDice", '"totals"')
    ),
    Workload("live /check, EBB", EBB, plain_check, aim=1.0),
    Workload(
        "live /check, Barmore", BARMORE, _check({"skill": "Boats", "difficulty": "10"}), aim=1.0
    ),
    Workload("live /check, EGO", EGO, _check({"skill": "Stealth", "difficulty": "2"}), aim=1.0),
    Workload(
        "live /check, MasterBook",
        MASTERBOOK,
        _check({"skill": "Stealth", "difficulty": "11"}),
        aim=1.3,
    ),
    Workload("EGO's attack on an NPC", EGO, _attack("Sword, Long"), per_table=20 * NPCS),
    Workload(
        "MasterBook's attack on an NPC",
        MASTERBOOK_FIGHT,
        _attack("Knife"),
        aim=1.6,
        per_table=2 * NPCS,
    ),
)

#: Options of the peers' commands; they know no others.
_PEER_OPTIONS: Final = {
    "roll": {"dice"},
    "check": {*OPTIONS},
    "attack": {"target", "weapon", "approach"},
}


@dataclass(frozen=True)
class _Peer:
    """A running peer, which takes the commands of any workload."""

    bench: Bench
    guild: Guild
    place: Channel
    players: Sequence[User]

    def at_work(self, said: Said) -> Bench:
        """Return the peer with the commands of a workload."""

        def command(number: int) -> Slash:
            name, given = said(number)
            options = {key: value for key, value in given.items() if key in _PEER_OPTIONS[name]}
            return Slash(self.guild, self.place, self.players[number % PLAYERS], name, options)

        return replace(self.bench, command=command)


@contextlib.asynccontextmanager
async def _peer(target: str, **env: str) -> AsyncIterator[_Peer]:
    """Run a peer."""
    async with StandIn() as standin:
        guild, (place,), _, players = people(standin, 1)

        def command(number: int) -> Slash:
            return Slash(guild, place, players[number % PLAYERS], "check", OPTIONS)

        settings = {"DISCORD_TOKEN": TOKEN, "PYTHONPATH": str(ROOT)}
        async with running(standin, launch(target, env=settings | env), command) as bench:
            yield _Peer(bench, guild, place, players)


def _typical(folder: Path, *, locked: bool) -> contextlib.AbstractAsyncContextManager[_Peer]:
    path = folder / f"typical-{'locked' if locked else 'unlocked'}.db"
    env = {"TYPICAL_BOT_DATABASE": str(path), "TYPICAL_BOT_LOCKED": str(int(locked))}
    return _peer("tests.loopback.typical_bot:main", **env)


async def _measure(
    folder: Path, workload: Workload, plan: PeerPlan, peers: Sequence[Bench]
) -> PeerFigures:
    """Measure one workload: our bot and its peers in turns, round by round."""
    sent = plan.rounds * (plan.commands + plan.warm_up) + 1
    tables = 1 if workload.per_table is None else -(-sent // workload.per_table)
    columns: list[list[float]] = [[] for _ in range(1 + len(peers))]
    async with full(
        folder,
        tables=tables,
        cast=workload.cast,
        said=workload.said,
        evidence=workload.evidence,
    ) as ours:
        for _ in range(plan.rounds):
            for bot, column in zip((ours, *peers), columns, strict=True):
                closed = await throughput(bot, plan.commands, warm_up=plan.warm_up)
                column.append(closed.cpu_ms)
    mine, *others = columns
    unlocked, locked, bare = (pair(mine, other) for other in others)
    return PeerFigures(workload.name, workload.aim, unlocked, locked, bare)


async def measure(folder: Path, plan: PeerPlan | None = None) -> list[PeerFigures]:
    """Measure every workload; the peers run all the time."""
    async with (
        _typical(folder, locked=False) as unlocked,
        _typical(folder, locked=True) as locked,
        _peer("tests.loopback.bare_bot:main") as bare,
    ):
        figures: list[PeerFigures] = []
        for number, workload in enumerate(WORKLOADS):
            place = folder / f"peers-{number}"
            place.mkdir()
            peers = [
                unlocked.at_work(workload.said),
                locked.at_work(workload.said),
                bare.at_work(plain_check),
            ]
            figures.append(await _measure(place, workload, plan or PeerPlan(), peers))
        return figures

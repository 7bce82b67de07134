"""Rolls of others beside six people who ask for the dearest odds, against the same rolls with
nobody there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.commands import Pair, pair
from tests.attack.siege import ATTACKERS, WORST, open_siege
from tests.loopback.driver import percentile


@dataclass(frozen=True)
class Beside:
    """`p50_ms` with the same alone as its peer; `worst_s` how late one was answered; `asked` how
    many odds.
    """

    p50_ms: Pair
    worst_s: float
    asked: int


async def measure(folder: Path, *, seconds: float = 10.0, rounds: int = 3) -> Beside:
    """Alone and beside, in turns."""
    alone: list[float] = []
    beside: list[float] = []
    worst, asked = 0.0, 0
    async with open_siege(folder) as siege:
        for _ in range(rounds):
            for attackers, into in ((0, alone), (ATTACKERS, beside)):
                found = await siege.stand(
                    lambda user, number: siege.send(
                        user, "odds", {"dice": WORST[number % len(WORST)]}
                    ),
                    seconds=seconds,
                    attackers=attackers,
                )
                into.append(1000 * percentile(found.late, 0.5))
                asked += len(found.attacks)
                if attackers:
                    worst = max(worst, found.worst)
    return Beside(pair(beside, alone), worst, asked)

"""What a slow disk does to `/check`: waiting commands share commits, so that it costs latency and
little else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.commands import full
from tests.loopback.bot_main import FLUSH
from tests.loopback.driver import latency, throughput

#: How long a disk may take to have a commit, in milliseconds: a good SSD, an ordinary one, a hard
#: disk.
FLUSHES = (0, 1, 5, 20)
#: From here on each commit has to carry so many commands, unless the processor is too slow for
#: that.
SLOW_MS = 20
SHARED = 4


@dataclass(frozen=True)
class FlushPlan:
    """How much is measured of each; `window` commands are under way at a time for the speed."""

    commands: int = 600
    window: int = 64
    rate: float = 100.0
    seconds: float = 3.0
    warm_up: int = 100
    #: How long the disk takes, in milliseconds, each time.
    flushes: tuple[int, ...] = FLUSHES


QUICK = FlushPlan(commands=60, seconds=0.3, warm_up=10, flushes=(0, SLOW_MS))


@dataclass(frozen=True)
class Flush:
    """With commits that take `flush_ms` longer; `undelayed` is the speed without that."""

    flush_ms: int
    per_second: float
    undelayed: float
    p50_ms: float
    p99_ms: float
    unanswered: int

    @property
    def alone(self) -> float:
        """Commands a second if each had a commit of its own."""
        return 1000 / self.flush_ms if self.flush_ms else float("inf")

    @property
    def asked(self) -> float | None:
        """How many a second there have to be, where the disk is slow and not only the processor:
        shared commits.
        """
        if self.flush_ms < SLOW_MS:
            return None
        return min(SHARED * self.alone, self.undelayed / 2)


async def measure(folder: Path, plan: FlushPlan) -> list[Flush]:
    """One after the other, each with a bot and a database of its own."""
    found: list[Flush] = []
    for milliseconds in plan.flushes:
        async with full(
            folder, name=f"flush-{milliseconds}", env={FLUSH: str(milliseconds)}
        ) as one:
            speed = await throughput(one, plan.commands, window=plan.window, warm_up=plan.warm_up)
            paced = await latency(one, plan.rate, plan.seconds)
        found.append(
            Flush(
                milliseconds,
                speed.per_second,
                found[0].per_second if found else speed.per_second,
                paced.p50_ms,
                paced.p99_ms,
                speed.unacknowledged + paced.unacknowledged,
            )
        )
    return found

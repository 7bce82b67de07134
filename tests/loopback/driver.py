"""Load driver: runs a stand-in and a bot process, and measures the bot.

    async with bench(launch("tests.loopback.bare_bot:main"), check_command) as b:
        print(await throughput(b, 3000), await latency(b, 100, 10), await burst(b, 2000))

``python -m tests.loopback.driver`` measures the bare bot. Only the bot's CPU time is counted; the
stand-in runs in this process, on another core if there is one.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import math
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .interactions import Interaction, all_done
from .models import Channel, Guild, User
from .process import BotProcess, Launch, launch
from .server import StandIn


class Slash(NamedTuple):
    """Arguments of one ``emit_slash``."""

    guild: Guild
    channel: Channel
    user: User
    command: str
    options: Mapping[str, Any]
    path: Sequence[str] = ()


# given the number of the command, what to send
Command = Callable[[int], Slash]
# builds the guilds, channels and users, and returns the command to send
Prepare = Callable[[StandIn], Command]


@dataclass(frozen=True)
class Throughput:
    """Closed loop. ``cpu_ms`` is the bot's user and system time per command, ``cpu_share`` of one
    core.
    """

    commands: int
    window: int
    seconds: float
    per_second: float
    cpu_ms: float
    cpu_share: float
    unacknowledged: int


@dataclass(frozen=True)
class Latency:
    """Open loop. Milliseconds from the scheduled moment to the acknowledgment."""

    rate: float
    commands: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    cpu_ms: float
    unacknowledged: int


@dataclass(frozen=True)
class Burst:
    """All at once. ``late`` were not acknowledged within 3 s; ``last_s`` is when the last was
    attempted.

    ``told_s`` is when the last of those acknowledged was answered, which may come later.
    ``unattempted`` had not even been attempted when the wait ended.
    """

    commands: int
    late: int
    last_s: float
    told_s: float
    p50_s: float
    cpu_ms: float
    unattempted: int


@dataclass(frozen=True)
class Bench:
    """A running stand-in with a connected bot."""

    standin: StandIn
    bot: BotProcess
    command: Command
    counter: list[int] = field(default_factory=lambda: [0])

    def send(self) -> Interaction:
        """Emit the next command."""
        self.counter[0] += 1
        slash = self.command(self.counter[0])
        return self.standin.emit_slash(*slash)


@contextlib.asynccontextmanager
async def bench(spec: Launch, prepare: Prepare, *, within: float = 30.0) -> AsyncIterator[Bench]:
    """Start stand-in and bot, and wait until the bot answers the command; RuntimeError if it does
    not.
    """
    async with StandIn() as standin:
        command = prepare(standin)
        async with BotProcess(spec, standin.port) as bot:
            root = command(0).command.split()[0]
            try:
                await bot.during(standin.ready(root, within=within))
                one = Bench(standin, bot, command)
                await one.send().answered(within)
            except TimeoutError as error:
                raise RuntimeError(
                    f"the bot does not answer /{root}: {error}\n{bot.log()}"
                ) from error
            yield one


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Keep this process's garbage collector, whose pauses would look like the bot's, out of a
    measurement.

    It collects nothing before: among thousands of tests that takes half a second each time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def throughput(
    b: Bench, commands: int, *, window: int = 16, warm_up: int = 300
) -> Throughput:
    """Send ``commands`` after a warm-up, with ``window`` of them under way at any time."""
    await _closed_loop(b, warm_up, window)
    with undisturbed():
        cpu, start = b.bot.cpu_seconds(), time.monotonic()
        missing = await _closed_loop(b, commands, window)
        seconds = time.monotonic() - start
        # the bot still reads the last answers after their acknowledgment is seen here
        await asyncio.sleep(0.05)
        used = b.bot.cpu_seconds() - cpu
    return Throughput(
        commands,
        window,
        seconds,
        commands / seconds,
        1000 * used / max(1, commands),
        used / seconds,
        missing,
    )


async def _closed_loop(b: Bench, commands: int, window: int) -> int:
    left = commands
    missing = 0

    async def worker() -> None:
        nonlocal left, missing
        while left > 0:
            left -= 1
            try:
                await b.send().acknowledged(10.0)
            except TimeoutError:
                missing += 1

    await asyncio.gather(*(worker() for _ in range(window)))
    return missing


async def latency(
    b: Bench, rate: float = 100.0, seconds: float = 10.0, *, warm_up: int = 100
) -> Latency:
    """Send at a fixed rate, whether or not earlier commands have been acknowledged."""
    await _closed_loop(b, warm_up, 4)
    sent: list[tuple[float, Interaction]] = []
    with undisturbed():
        cpu = b.bot.cpu_seconds()
        start = time.monotonic() + 0.05
        for number in range(int(rate * seconds)):
            due = start + number / rate
            await _sleep_until(due)
            sent.append((due, b.send()))
        await all_done([item for _, item in sent], lambda item: item.state != "none", 5.0)
        await asyncio.sleep(0.05)
        used = b.bot.cpu_seconds() - cpu
    took = sorted(
        1000 * (item.emitted + item.ack_latency - due)
        for due, item in sent
        if item.ack_latency is not None
    )
    return Latency(
        rate,
        len(sent),
        percentile(took, 0.50),
        percentile(took, 0.99),
        took[-1] if took else float("inf"),
        1000 * used / max(1, len(sent)),
        len(sent) - len(took),
    )


async def _sleep_until(due: float) -> None:
    # the event loop's timers are a millisecond coarse, as long as the bot takes to answer
    await asyncio.sleep(max(0.0, due - time.monotonic() - 0.0015))
    while time.monotonic() < due:  # noqa: ASYNC110 - there is nothing but the clock to wait for
        await asyncio.sleep(0)


async def burst(b: Bench, commands: int = 2000, *, warm_up: int = 100, wait: float = 60.0) -> Burst:
    """Send all at once and wait at most ``wait`` seconds until each has been tried once."""
    await _closed_loop(b, warm_up, 4)
    with undisturbed():
        cpu, start = b.bot.cpu_seconds(), time.monotonic()
        sent = [b.send() for _ in range(commands)]
        # refused attempts (too late) count for the time of the last, so acknowledgment alone is
        # not awaited
        await all_done(sent, lambda item: bool(item.attempts), wait)
        accepted = [item for item in sent if item.state != "none"]
        await all_done(accepted, lambda item: item.state == "answered", wait)
        told = time.monotonic() - start
        used = b.bot.cpu_seconds() - cpu
    tried = sorted(item.attempts[0].at for item in sent if item.attempts)
    on_time = sum(1 for item in sent if item.ack_latency is not None and item.ack_latency <= 3.0)
    return Burst(
        commands,
        commands - on_time,
        tried[-1] if tried else float("inf"),
        told,
        percentile(tried, 0.50),
        1000 * used / max(1, commands),
        commands - len(tried),
    )


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the ordered values lie (nearest rank); inf for none."""
    if not ordered:
        return float("inf")
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def check_command(standin: StandIn) -> Command:
    """One guild, four channels, twenty users who take turns to send ``/check``."""
    guild = standin.add_guild("Load")
    channels = [standin.add_channel(guild, f"table-{number}") for number in range(4)]
    users = [standin.add_member(guild, f"player-{number}") for number in range(20)]
    options = {"skill": "stealth", "difficulty": "hard", "modifier": 2}

    def command(number: int) -> Slash:
        return Slash(
            guild, channels[number % len(channels)], users[number % len(users)], "check", options
        )

    return command


async def report(
    spec: Launch, prepare: Prepare, *, commands: int = 3000, seconds: float = 10.0
) -> None:
    """Run all three measurements and print them."""
    async with bench(spec, prepare) as b:
        print(await throughput(b, commands))
        print(await latency(b, 100.0, seconds))
        print(await burst(b, 2000))
        if b.standin.unknown_routes:
            print("unknown routes:", b.standin.unknown_routes)


if __name__ == "__main__":
    asyncio.run(report(launch(*(sys.argv[1:] or ["tests.loopback.bare_bot:main"])), check_command))

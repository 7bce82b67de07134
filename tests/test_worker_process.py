"""What is done in a process of its own: one thing at a time, and whatever becomes of that
process.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest

from bot.worker_process import _START_SCRIPT, MAX_WAITING_USERS, WorkerFailed, WorkerProcess
from rules.core.dice.odds_summary import summarize_odds
from rules.core.errors import Impossible, InvalidInput


@pytest.fixture
async def aside() -> AsyncIterator[WorkerProcess]:
    made = WorkerProcess()
    yield made
    await made.close()


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(Impossible) as caught:
        yield
    assert caught.value.code == code


def gone(pid: int | None) -> bool:
    assert pid is not None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def test_it_works_elsewhere_and_hands_back_what_comes_of_it(aside: WorkerProcess) -> None:
    assert aside.pid is None, "nothing is begun before it is needed"
    assert await aside.run(os.getpid) == aside.pid != os.getpid()
    found = await aside.run_for(1, summarize_odds, "2d6", (20,))
    assert (found.totals, found.lowest, found.highest, found.mean) == (11, 2, 12, 7)
    assert os.getpriority(os.PRIO_PROCESS, aside.pid or 0) > 0, "the bot comes first"


async def test_a_refusal_comes_back_as_it_is(aside: WorkerProcess) -> None:
    with pytest.raises(InvalidInput) as caught:
        await aside.run(summarize_odds, "2d", (20,))
    assert (caught.value.code, caught.value.params["column"]) == ("dice-unreadable", 1)
    with pytest.raises(TypeError) as fault:
        await aside.run(summarize_odds)
    assert "bot/worker_process.py" in fault.value.__notes__[0], "where it went wrong is told"


async def test_a_process_that_died_is_replaced(aside: WorkerProcess) -> None:
    first = await aside.run(os.getpid)
    os.kill(first, signal.SIGKILL)
    await asyncio.sleep(0.1)
    second = await aside.run(os.getpid)
    assert second != first
    with pytest.raises(WorkerFailed):
        await aside.run(os.kill, second, signal.SIGKILL)
    assert await aside.run(os.getpid) not in (first, second)


async def test_what_overruns_its_time_is_ended() -> None:
    aside = WorkerProcess(limit=3)
    pid = await aside.run(os.getpid)
    start = time.monotonic()
    with pytest.raises(WorkerFailed):
        await aside.run(time.sleep, 120)
    assert 2.5 < time.monotonic() - start < 30 and gone(pid)
    assert await aside.run(os.getpid) != pid
    await aside.close()


async def test_one_thing_a_person_and_so_many_people(aside: WorkerProcess) -> None:
    first = asyncio.create_task(aside.run_for(1, time.sleep, 0.5))
    await asyncio.sleep(0)
    with refused("still-working"):
        await aside.run_for(1, os.getpid)
    others = [
        asyncio.create_task(aside.run_for(number, os.getpid))
        for number in range(2, MAX_WAITING_USERS + 1)
    ]
    await asyncio.sleep(0)
    with refused("many-working"):
        await aside.run_for(MAX_WAITING_USERS + 1, os.getpid)
    await asyncio.gather(first, *others)
    assert await aside.run_for(1, os.getpid) == aside.pid


async def test_short_things_wait_for_one_long_one_at_most(aside: WorkerProcess) -> None:
    await aside.run(os.getpid)
    long = [asyncio.create_task(aside.run_for(number, time.sleep, 1)) for number in range(5)]
    await asyncio.sleep(0.05)
    start = time.monotonic()
    await aside.run(os.getpid)
    assert time.monotonic() - start < 2.5
    for each in long:
        each.cancel()


@pytest.mark.parametrize("busy", [False, True])
async def test_it_ends_with_the_bot(busy: bool) -> None:
    aside = WorkerProcess()
    pid = await aside.run(os.getpid)
    work = asyncio.create_task(aside.run(time.sleep, 60)) if busy else None
    await asyncio.sleep(0.05)
    start = time.monotonic()
    await aside.close()
    assert time.monotonic() - start < 5 and gone(pid)
    if work is not None:
        with pytest.raises(WorkerFailed):
            await work
    with pytest.raises(WorkerFailed):
        await aside.run(os.getpid)


@pytest.mark.parametrize("idle", [False, True])
async def test_what_takes_minutes_yields_more_than_what_somebody_waits_for(idle: bool) -> None:
    aside = WorkerProcess(idle=idle)
    niceness = await aside.run(os.getpriority, os.PRIO_PROCESS, 0)
    assert niceness == min(os.getpriority(os.PRIO_PROCESS, 0) + 5, 19)
    if hasattr(os, "SCHED_IDLE"):
        assert (await aside.run(os.sched_getscheduler, 0) == os.SCHED_IDLE) is idle
    await aside.close()


async def test_a_share_that_is_refused_keeps_nothing_from_being_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuses = "import os\ndef refuses(*_): raise PermissionError\nos.sched_setscheduler = refuses\n"
    monkeypatch.setattr("bot.worker_process._START_SCRIPT", refuses + _START_SCRIPT)
    aside = WorkerProcess(once=True)
    assert await aside.run(os.getpid) != os.getpid()
    await aside.close()

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
def refuse(code: str) -> Iterator[None]:
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
    # Wait until it has ended, and leave it to the bot to notice.
    await asyncio.to_thread(os.waitid, os.P_PID, first, os.WEXITED | os.WNOWAIT)
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
    with refuse("still-working"):
        await aside.run_for(1, os.getpid)
    others = [
        asyncio.create_task(aside.run_for(number, os.getpid))
        for number in range(2, MAX_WAITING_USERS + 1)
    ]
    await asyncio.sleep(0)
    with refuse("many-working"):
        await aside.run_for(MAX_WAITING_USERS + 1, os.getpid)
    await asyncio.gather(first, *others)
    assert await aside.run_for(1, os.getpid) == aside.pid


async def test_short_things_wait_for_one_long_one_at_most(aside: WorkerProcess) -> None:
    await aside.run(os.getpid)
    long = [asyncio.create_task(aside.run_for(number, time.sleep, 1)) for number in range(5)]
    await asyncio.sleep(0.05)
    await aside.run(os.getpid)
    assert sum(each.done() for each in long) <= 1
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
    assert time.monotonic() - start < 30 and gone(pid)
    if work is not None:
        with pytest.raises(WorkerFailed):
            await work
    with pytest.raises(WorkerFailed):
        await aside.run(os.getpid)


def _is_idle(pid: int) -> bool:
    """Return whether a process gets only what nobody else wants; True where no system has that."""
    return not hasattr(os, "SCHED_IDLE") or os.sched_getscheduler(pid) == os.SCHED_IDLE


async def test_what_somebody_waits_for_yields_to_the_bot(aside: WorkerProcess) -> None:
    niceness = await aside.run(os.getpriority, os.PRIO_PROCESS, 0)
    assert niceness == min(os.getpriority(os.PRIO_PROCESS, 0) + 5, 19)
    assert aside.pid is not None
    assert not hasattr(os, "SCHED_IDLE") or not _is_idle(aside.pid)


async def test_what_takes_minutes_yields_to_everybody() -> None:
    """Seen from outside: on a busy machine the process gets nothing done."""
    aside = WorkerProcess(idle=True)
    asked = asyncio.create_task(aside.run(time.sleep, 60))
    for _ in range(3000):
        if aside.pid is not None and _is_idle(aside.pid):
            break
        await asyncio.sleep(0.01)
    assert aside.pid is not None and _is_idle(aside.pid)
    aside.stop()
    with pytest.raises(WorkerFailed):
        await asked
    await aside.close()


async def test_a_share_that_is_refused_keeps_nothing_from_being_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuses = "import os\ndef refuses(*_): raise PermissionError\nos.sched_setscheduler = refuses\n"
    monkeypatch.setattr("bot.worker_process._START_SCRIPT", refuses + _START_SCRIPT)
    aside = WorkerProcess(once=True)
    assert await aside.run(os.getpid) != os.getpid()
    await aside.close()

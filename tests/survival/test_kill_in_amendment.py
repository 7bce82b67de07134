"""kill -9 at every step of an amendment: it is there or not, never half, and is told once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from bot.services.amend_requests import MAX_ENTRIES_HERE
from tests.example_counts import nightly
from tests.loopback.models import Channel
from tests.survival.edge_of_process import PATIENCE, Rim, during, has_button, open_rim
from tests.survival.test_kills import ALWAYS, CLIMB, Act, Flow, begin, boundaries, killed_at, roll


async def amending(rim: Rim, place: Channel, later: int = 1) -> Act:
    """Gina's correction of her answer to Ana's roll, with the last button left to press.

    *later* other rolls follow; with many, the worker process works the amendment out.
    """
    await rim.do(rim.ana, place, "check", **CLIMB)
    await rim.settled()
    panel = await rim.click(rim.gina, rim.with_button(place, "Answer"), "Answer")
    panel = await rim.choose(rim.gina, panel, "Difficulty", "Tricky")
    await rim.press(rim.gina, panel, "Call for a roll").answered(PATIENCE)
    await rim.settled()
    entry = _last_entry(rim)
    await roll(rim, place)
    await rim.settled()
    for _ in range(later):
        await rim.do(rim.ben, place, "roll", dice="2d6")
    await rim.settled()
    change = "difficulty: 30"
    preview = (await rim.do(rim.gina, place, "gm amend", entry=entry, change=change)).response
    assert preview is not None
    # While the worker process starts, the answer is only announced.
    await rim.wait(lambda: has_button(preview, "Change it"))
    return lambda: rim.press(rim.gina, preview, "Change it")


async def is_told_once(rim: Rim, place: Channel) -> None:
    """There is one entry, one line about it in the channel, and the check is against 30."""
    entries = rim.query(
        "SELECT seq FROM journal WHERE kind = ? AND table_id ="
        " (SELECT table_id FROM place WHERE id = ?)",
        "Amend",
        str(place.id),
    )
    assert len(entries) == 1
    texts = _texts(rim, place)
    assert sum("Corrected:" in text for text in texts) == 1, texts
    assert await _difficulties(rim, place) == ["30"]


async def _difficulties(rim: Rim, place: Channel) -> list[str]:
    """Return the difficulty of each check of the table in this place."""
    ((table_id,),) = rim.query("SELECT table_id FROM place WHERE id = ?", str(place.id))
    state = await rim.state(table_id)
    return [check.data.ruling.difficulty for check in state.checks.values()]


def _texts(rim: Rim, place: Channel) -> list[str]:
    return ["\n".join(message.texts()).replace("\xa0", " ") for message in rim.said(place)]


def _last_entry(rim: Rim) -> int:
    """Return the number of the newest entry of the newest table."""
    ((number,),) = rim.query("SELECT seq FROM journal ORDER BY id DESC LIMIT 1")
    return int(number)


@pytest.mark.slow
async def test_killed_at_every_step_of_an_amendment(tmp_path: Path) -> None:
    flow = Flow(amending, is_told_once)
    async with open_rim(tmp_path) as rim:
        await rim.start()
        await rim.table()
        steps = await boundaries(rim, flow)
        assert {event for event, _ in steps} >= ALWAYS
        for event, count in steps:
            if count == 1 or nightly():
                with during(f"amendment, {event} {count}"):
                    await killed_at(rim, flow, event, count)
        await rim.stop()
        await rim.check_files()


@pytest.mark.slow
async def test_an_amendment_that_was_cut_off_can_be_undone(tmp_path: Path) -> None:
    """After a death between the commit and the messages, an undo puts the check back."""
    flow = Flow(amending, is_told_once)
    async with open_rim(tmp_path) as rim:
        await rim.start()
        place, act = await begin(rim, flow)
        rim.order("table.committed", 1)
        act()
        await rim.died()
        await rim.start()
        await rim.settled()
        assert await _difficulties(rim, place) == ["30"]
        await rim.do(rim.gina, place, "gm undo")
        await rim.settled()
        assert await _difficulties(rim, place) == ["Tricky"]
        assert sum("Corrected:" in text for text in _texts(rim, place)) == 1
        await rim.stop()
        await rim.check_files()


# --- in the worker process ------------------------------------------------------------------------


@contextmanager
def held(worker: int) -> Iterator[None]:
    """Hold a process, so that its work is under way until the end."""
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        if _is_running(worker):
            os.kill(worker, signal.SIGCONT)


def _children(pid: int) -> list[int]:
    """Return the processes that a process has started, whichever of its threads did."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (thread / "children").read_text().split())
    return found


def _is_running(pid: int) -> bool:
    """Return whether a process is there, and no corpse that nobody has taken note of."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def _amendments(rim: Rim) -> int:
    return len(rim.query("SELECT seq FROM journal WHERE kind = ?", "Amend"))


@asynccontextmanager
async def work_under_way(rim: Rim, act: Act) -> AsyncIterator[int]:
    """Press the last button while the worker process is held, with the work in its hands.

    Yields its pid.
    """
    bot = rim.bot
    assert bot is not None
    (worker,) = _children(bot.pid)
    with held(worker):
        await act().acknowledged(PATIENCE)
        # The bot has handed the work over, and waits.
        await asyncio.sleep(0.3)
        assert _amendments(rim) == 0 and _is_running(worker)
        yield worker


async def press_until_done(rim: Rim, act: Act) -> None:
    """Press the last button again as long as it is refused; a busy machine may be too slow once."""
    for _ in range(3):
        sent = act()
        await rim.wait(lambda: _amendments(rim) == 1 or bool(sent.followups))  # noqa: B023
        if _amendments(rim):
            return
    raise AssertionError("the amendment was refused three times")


@pytest.mark.slow
async def test_killed_while_the_worker_process_works(tmp_path: Path) -> None:
    """The table is as before, no process is left, and the same button carries it out."""
    async with open_rim(tmp_path) as rim:
        await rim.start()
        place = await rim.table()
        act = await amending(rim, place, later=MAX_ENTRIES_HERE)
        before = await _difficulties(rim, place)
        async with work_under_way(rim, act) as worker:
            await rim.kill()
        await rim.wait(lambda: not _is_running(worker))
        await rim.start()
        await rim.settled()
        assert _amendments(rim) == 0 and await _difficulties(rim, place) == before
        await press_until_done(rim, act)
        await rim.settled()
        await is_told_once(rim, place)
        await rim.stop()
        await rim.check_files()

"""After an outage of Discord what waits is sent as soon as Discord takes something again."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from bot.delivery import retries
from bot.delivery.retries import Retries
from bot.storage.store import SqlStore
from tests.discord.test_refused_messages import calls
from tests.discord.world import DAY, World, private

#: Seconds between two early tries.
INTERVAL = 0.3


def break_down(world: World, times: int, status: int = 503) -> None:
    """Have Discord fail for the next messages in the channel."""
    path = f"/channels/{world.zone.id}/messages"
    world.env.inject_error("POST", path, status=status, message="Trouble", times=times)


async def unsent_call(world: World, times: int) -> None:
    """A check whose call to roll Discord does not take."""
    await world.table(step_in_minutes=0, answer_hours=60 * 24)
    await world.propose(skill="Climbing")
    call = world.newest("Answer")
    break_down(world, times)
    await world.rule(call)
    assert calls(world) == 0


@pytest.fixture
def slow_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "SEND_RETRY_DELAYS", (DAY, DAY))


@pytest.mark.usefixtures("slow_retries")
async def test_the_first_answer_sets_it_going(world: World) -> None:
    await unsent_call(world, 1)
    await world.ben.slash(world.zone, "roll", dice="d6")
    await world.env.settle()
    assert calls(world) == 1
    await world.env.advance_time(3 * DAY)
    assert calls(world) == 1


@pytest.mark.usefixtures("slow_retries")
async def test_a_connection_that_is_back_while_a_failure_is_noted_loses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = SqlStore.mark_failed

    async def slow(store: SqlStore, row: int, error: str) -> None:
        world.bot.outbox.retry_waiting()
        for _ in range(20):
            await asyncio.sleep(0)
        await note(store, row, error)

    monkeypatch.setattr(SqlStore, "mark_failed", slow)
    await world.table(step_in_minutes=0, answer_hours=60 * 24)
    await world.propose(skill="Climbing")
    call = world.newest("Answer")
    break_down(world, 1)
    await world.rule(call)
    assert calls(world) == 1


@pytest.mark.usefixtures("slow_retries")
async def test_a_connection_that_is_there_again_sets_it_going(world: World) -> None:
    await unsent_call(world, 1)
    world.bot.dispatch("resumed")
    for _ in range(500):
        await world.env.settle()
        if calls(world):
            break
        await asyncio.sleep(0.01)
    assert calls(world) == 1


@pytest.mark.usefixtures("slow_retries")
async def test_early_tries_are_few_and_count_for_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    early, times = Retries._retry_early, list[float]()

    def noted(box: Retries) -> None:
        times.append(asyncio.get_running_loop().time())
        early(box)

    monkeypatch.setattr(Retries, "_retry_early", noted)
    monkeypatch.setattr(retries, "EARLY_RETRY_INTERVAL", INTERVAL)
    await unsent_call(world, 1000)
    for _ in range(5):
        await world.ben.slash(world.zone, "roll", dice="d6")
    assert len(times) > 1
    gaps = [later - first for first, later in pairwise(times)]
    assert min(gaps) >= INTERVAL - 0.01, gaps
    count = len(times)
    await world.env.advance_time(DAY / 2)
    assert len(times) == count, "nothing was taken meanwhile"
    world.env.backend.faults.clear()
    await world.env.advance_time(DAY / 2)
    assert calls(world) == 1, "the next try is due when it was before"


@pytest.mark.usefixtures("slow_retries")
async def test_what_was_given_up_in_an_outage_goes_too(world: World) -> None:
    await unsent_call(world, 3)
    await world.env.advance_time(2 * DAY)
    assert calls(world) == 0
    await world.ben.slash(world.zone, "roll", dice="d6")
    await world.env.settle()
    assert calls(world) == 1
    await world.env.advance_time(3 * DAY)
    assert calls(world) == 1


@pytest.mark.parametrize("pressed", [False, True])
async def test_a_rate_limit_is_told_as_what_it_is(
    world: World, pressed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    world.env.inject_error("POST", "/interactions/*", status=429, message="Slow down")
    if pressed:
        done = await world.press(world.gina, world.newest("Answer"), "Answer")
    else:
        done = await world.ben.slash(world.zone, "table show")
    assert "Discord asks me to wait" in private(done)
    assert "unexpected" not in private(done)
    events = {record.getMessage(): record.levelname for record in caplog.records}
    assert events["interactions.rate-limited"] == "WARNING"
    assert not {"router.failed", "command.failed"} & set(events)

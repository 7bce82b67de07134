"""The scheduler: what is due at many tables, and a table that takes long."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, cast

import pytest

from bot import scheduler as scheduling
from bot.delivery.outbox import Outbox
from bot.scheduler import MOST_TABLES, Scheduler
from bot.services.perform import ActionResult, perform
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable
from rules.table.actions import Action, Due, PauseTable
from rules.table.state import DAY
from tests.sample_table import ANN, BEN, GM, NOON, House, Session, by, make_session, propose

TABLES, CHECKS = 34, 10


class Sent:
    """An outbox that only notes what it's given."""

    def __init__(self) -> None:
        self.done: list[ActionResult] = []

    def dispatch(self, done: ActionResult) -> None:
        self.done.append(done)


async def open_tables(house: House, count: int) -> list[Session]:
    """Tables in one process, each at a place of its own."""
    tables = await house.enter()
    sessions: list[Session] = []
    for number in range(count):
        sessions.append(await make_session(house, tables, place=f"{300 + number}"))
    return sessions


def make_scheduler(tables: Tables, sent: Sent, now: int) -> Scheduler:
    return Scheduler(tables, cast("Outbox", sent), lambda: now)


async def due_count(tables: Tables, now: int) -> int:
    return len(await tables.store.due_waits(now, 10**6))


@pytest.mark.slow
async def test_a_thousand_waits_are_carried_out_in_order_at_each_table(house: House) -> None:
    sessions = await open_tables(house, TABLES)
    tables = sessions[0].tables
    for session in sessions:
        for number in range(CHECKS):
            await session.do(propose(ANN if number % 2 else BEN, at=NOON + number))
    now = NOON + 6 * DAY
    assert await due_count(tables, now) == TABLES * CHECKS * 3
    sent = Sent()
    scheduler = make_scheduler(tables, sent, now)
    slow = sessions[0]
    table = await tables.get(slow.table_id)
    async with table.lock:
        running = asyncio.create_task(scheduler.start())
        for _ in range(1200):
            if await due_count(tables, now) == CHECKS * 3:
                break
            await asyncio.sleep(0.05)
        assert not running.done()
        waiting = {table_id for table_id, _, _ in await tables.store.due_waits(now, 10**6)}
        assert waiting == {slow.table_id}, "the slow table holds up no other"
    await running
    assert await due_count(tables, now) == 0
    # Each check's last reminder counts, in the order in which they came due.
    told = Counter(done.table.id for done in sent.done)
    assert told == {session.table_id: CHECKS for session in sessions}
    for session in sessions:
        rows = await tables.store.entries(session.table_id, limit=1000)
        waits = [row.action for row, _ in rows if row.kind == "Due"]
        assert [f'"c{number}.' in wait for number, wait in enumerate(waits, 1)] == [True] * CHECKS
    await scheduler.close()


async def test_no_more_tables_than_allowed_are_worked_on_at_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = await open_tables(house, MOST_TABLES + 4)
    for session in sessions:
        await session.do(PauseTable(**by(GM), until=NOON + DAY))
    now, most = 0, 0

    async def counted(*args: Any) -> ActionResult:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        done = await perform(*args)
        now -= 1
        return done

    monkeypatch.setattr(scheduling, "perform", counted)
    tables = sessions[0].tables
    scheduler = make_scheduler(tables, Sent(), NOON + DAY)
    await scheduler.start()
    assert 1 < most <= MOST_TABLES
    assert await due_count(tables, NOON + DAY) == 0
    for session in sessions:
        assert (await session.state()).settings.pause is None
    await scheduler.close()


async def test_a_fault_at_one_table_and_a_lost_store_hold_up_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = await open_tables(house, 3)
    for session in sessions:
        await session.do(PauseTable(**by(GM), until=NOON + DAY))
    faulty, lost, good = sessions
    tables = good.tables

    async def stumble(at: Tables, table_id: int, action: Action, *args: Any) -> ActionResult:
        assert isinstance(action, Due)
        if table_id == faulty.table_id:
            raise RuntimeError("a fault")
        if table_id == lost.table_id:
            raise StorageUnavailable("locked", "a test")
        return await perform(at, table_id, action, *args)

    with monkeypatch.context() as broken:
        broken.setattr(scheduling, "perform", stumble)
        scheduler = make_scheduler(tables, Sent(), NOON + DAY)
        await scheduler.start()
        await scheduler.close()
    assert (await good.state()).settings.pause is None
    left = {table_id for table_id, _, _ in await tables.store.due_waits(NOON + 2 * DAY, 10)}
    assert left == {faulty.table_id, lost.table_id}
    scheduler = make_scheduler(tables, Sent(), NOON + 2 * DAY)
    await scheduler.start()
    await scheduler.close()
    assert await due_count(tables, NOON + 2 * DAY) == 0

"""Writes that fail among others: nobody is told what did not last, and nothing is built on it."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from contextlib import closing

import pytest

from bot.services.perform import ActionResult, perform
from bot.services.replay import replay
from bot.storage.errors import StaleTable, StorageUnavailable
from bot.storage.row_records import EntryRow, NewEntry, OutboxRow, WrittenEntry
from bot.storage.store import SqlStore, Store
from rules.core.errors import RulesError
from rules.table.actions import Action, Actor, ChangeSettings, Undo
from rules.table.checks.available_moves import available_moves
from rules.table.state import TableState
from tests.sample_table import ANN, BEN, GM, House, Session, answer, by, open_game, propose, roll


class Faulty(SqlStore):
    """A store that fails, as `faults` say for each request: before anything is written, or just
    after.
    """

    def __init__(self, store: Store) -> None:
        assert isinstance(store, SqlStore)
        super().__init__(store._db)
        self.faults: dict[str, str] = {}
        self.failed: list[str] = []

    def append(self, table_id: int, revision: int, entry: NewEntry) -> asyncio.Future[WrittenEntry]:
        fault = self.faults.pop(entry.request_id, None)
        if fault is None:
            return asyncio.ensure_future(super().append(table_id, revision, entry))
        self.failed.append(entry.request_id)
        return asyncio.ensure_future(self._fail(fault, table_id, revision, entry))

    async def _fail(
        self, fault: str, table_id: int, revision: int, entry: NewEntry
    ) -> WrittenEntry:
        if fault == "after":
            await super().append(table_id, revision, entry)
        await asyncio.sleep(0)
        raise StorageUnavailable("unknown", fault)


@pytest.fixture
def faulty(session: Session) -> Faulty:
    session.tables.store = faulty = Faulty(session.tables.store)
    return faulty


async def whole(session: Session) -> TableState:
    """The state, which is also what the journal makes of it and what a new process finds."""
    # A table that hears of a failure reads itself anew with the next action.
    with pytest.raises(RulesError):
        await perform(session.tables, session.table_id, propose(skill="Flying"), "none")
    state = await session.state()
    assert await replay(session.tables.store, session.table_id) == state
    await session.restart()
    assert await session.state() == state
    return state


async def all_at_once(
    session: Session, deeds: dict[str, Action]
) -> dict[str, ActionResult | BaseException]:
    results = await asyncio.gather(
        *(
            perform(session.tables, session.table_id, action, name)
            for name, action in deeds.items()
        ),
        return_exceptions=True,
    )
    return dict(zip(deeds, results, strict=True))


def ideas(*names: str) -> dict[str, Action]:
    return {name: propose(approach=name) for name in names}


def approaches(state: TableState) -> list[str]:
    return sorted(check.approach for check in state.checks.values())


async def test_one_that_fails_before_it_is_written_takes_no_other_along(
    session: Session, faulty: Faulty
) -> None:
    faulty.faults = {"b": "before"}
    results = await all_at_once(session, ideas("a", "b", "c", "d"))
    assert isinstance(results["b"], StorageUnavailable)
    assert all(isinstance(results[name], ActionResult) for name in "acd")
    assert approaches(await whole(session)) == ["a", "c", "d"]


async def test_one_whose_success_is_not_heard_of_is_not_done_twice(
    session: Session, faulty: Faulty
) -> None:
    faulty.faults = {"b": "after"}
    results = await all_at_once(session, ideas("a", "b", "c", "d"))
    assert isinstance(results["b"], StorageUnavailable)
    assert all(isinstance(results[name], ActionResult) for name in "acd")
    again = await perform(session.tables, session.table_id, propose(approach="b"), "b")
    assert again.repeated
    assert approaches(await whole(session)) == ["a", "b", "c", "d"]


async def test_what_was_built_on_a_failure_is_decided_anew(
    session: Session, faulty: Faulty
) -> None:
    """The roll stands on an answer that did not last: there is nothing to roll."""
    check = await session.proposed()
    await session.do(propose(BEN))
    answered = answer(check)
    faulty.faults = {"answer": "before"}
    first = asyncio.create_task(perform(session.tables, session.table_id, answered, "answer"))
    await asyncio.sleep(0)
    later = roll((await session.state()).checks[check.id])
    results = await all_at_once(session, {"roll": later, "other": propose(BEN)})
    with pytest.raises(StorageUnavailable):
        await first
    assert isinstance(results["roll"], RulesError)
    assert isinstance(results["other"], ActionResult)
    state = await whole(session)
    assert state.checks[check.id] == check
    assert await session.tables.store.find_request("roll") is None


async def test_a_request_that_comes_twice_among_others(session: Session) -> None:
    deeds = [(name, propose(approach=name)) for name in ("a", "b", "b", "c", "b", "d")]
    results = await asyncio.gather(
        *(perform(session.tables, session.table_id, action, name) for name, action in deeds)
    )
    repeated = [(name, result.repeated) for (name, _), result in zip(deeds, results, strict=True)]
    assert sorted(repeated) == [
        ("a", False),
        ("b", False),
        ("b", True),
        ("b", True),
        ("c", False),
        ("d", False),
    ]
    assert len({result.seq for result in results}) == 4
    assert approaches(await whole(session)) == ["a", "b", "c", "d"]


async def test_a_full_disk_in_the_middle(session: Session, house: House) -> None:
    store = session.tables.store
    assert isinstance(store, SqlStore)

    async def limit(pages: int) -> None:
        await store._db.read(
            lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").close()
        )

    before, state = house.rows(), await session.state()
    await limit(1)  # SQLite takes the present size then
    deeds: dict[str, Action] = {f"i{n}": propose(approach=f"{n}" * 900) for n in range(6)}
    results = await all_at_once(session, deeds)
    for _ in range(8):  # until the pages that are free are used up
        deeds = {f"{name}'": action for name, action in deeds.items()}
        if any(isinstance(result, StorageUnavailable) for result in results.values()):
            break
        before, state = house.rows(), await session.state()
        results = await all_at_once(session, deeds)
    assert {getattr(result, "reason", None) for result in results.values()} == {"full"}
    assert house.rows() == before
    await limit(100_000)
    assert not (await session.do(propose(BEN, approach="room"))).repeated
    assert set(approaches(await whole(session))) == {*approaches(state), "room"}


async def test_actions_that_follow_one_another_share_a_commit(session: Session) -> None:
    store = session.tables.store
    assert isinstance(store, SqlStore)
    seen: list[str] = []
    await store._db.read(lambda connection: connection.set_trace_callback(seen.append))
    results = await all_at_once(session, ideas(*(f"i{number}" for number in range(30))))
    await store._db.read(lambda connection: connection.set_trace_callback(None))
    assert all(isinstance(result, ActionResult) for result in results.values())
    assert seen.count("COMMIT") <= 3
    assert [result.seq for result in results.values() if isinstance(result, ActionResult)] == list(
        range(4, 34)
    )


async def test_nobody_waits_for_a_refusal(session: Session) -> None:
    """What a refusal takes to be certain, a commit and two reads, it takes beside what
    others do.
    """
    room, order = asyncio.Event(), list[str]()
    store = session.tables.store
    assert isinstance(store, SqlStore)

    class Slow(SqlStore):
        async def find_request(
            self, request_id: str
        ) -> tuple[EntryRow, tuple[OutboxRow, ...]] | None:
            await room.wait()
            return await super().find_request(request_id)

    session.tables.store = Slow(store._db)

    async def refused() -> None:
        with pytest.raises(RulesError):
            await perform(session.tables, session.table_id, propose(skill="Flying"), "none")
        order.append("refused")

    waiting = asyncio.create_task(refused())
    await asyncio.sleep(0)
    for name, action in ideas("one", "two").items():
        await perform(session.tables, session.table_id, action, name)
        order.append(name)
    room.set()
    await waiting
    assert order == ["one", "two", "refused"]
    session.tables.store = store
    assert approaches(await whole(session)) == ["one", "two"]


async def test_nobody_is_told_before_it_is_on_disk(session: Session, house: House) -> None:
    async def act(name: str) -> bool:
        await perform(session.tables, session.table_id, propose(approach=name), name)
        with closing(sqlite3.connect(house.path)) as connection:
            return bool(
                connection.execute("SELECT 1 FROM journal WHERE request_id = ?", (name,)).fetchone()
            )

    assert all(await asyncio.gather(*(act(f"i{number}") for number in range(20))))


def any_action(state: TableState, who: Actor, chance: random.Random) -> Action:
    """A roll or an answer that is due, an undo, a new name or a new proposal."""
    legal = [
        move for move in available_moves(open_game(state, who)) if move.prompt in ("rule", "ready")
    ]
    if legal and chance.random() < 0.7:
        move = chance.choice(legal)
        check = state.checks[move.check]
        return answer(check) if move.prompt == "rule" else roll(check, who)
    if who is not GM:
        return propose(who)
    return (
        Undo(**by(GM))
        if chance.random() < 0.3
        else ChangeSettings(**by(GM), values={"name": f"{chance.random()}"})
    )


@pytest.mark.parametrize("seed", range(5))
async def test_crowds_with_failures_second_processes_and_people_who_give_up(
    session: Session, house: House, faulty: Faulty, seed: int
) -> None:
    """Whatever happens: what was acknowledged is in the journal once, and the table is what the
    journal says.
    """
    chance = random.Random(seed)
    other = await house.enter()
    told: set[str] = set()
    known: list[tuple[Action, str]] = []

    async def act(request_id: str, who: Actor) -> None:
        tables = other if chance.random() < 0.15 else session.tables
        action = any_action((await tables.get(session.table_id)).state, who, chance)
        if known and chance.random() < 0.1:
            action, request_id = chance.choice(known)
        elif chance.random() < 0.2:
            faulty.faults[request_id] = chance.choice(("before", "after"))
        known.append((action, request_id))
        working = asyncio.ensure_future(perform(tables, session.table_id, action, request_id))
        if chance.random() < 0.1:
            for _ in range(chance.randrange(6)):
                await asyncio.sleep(0)
            working.cancel()
        try:
            await working
        except (RulesError, StorageUnavailable, StaleTable, asyncio.CancelledError):
            return
        told.add(request_id)

    for turn in range(25):
        crowd = [chance.choice((GM, ANN, BEN)) for _ in range(chance.randrange(1, 12))]
        await asyncio.gather(*(act(f"{turn}.{number}", who) for number, who in enumerate(crowd)))
    assert faulty.failed
    state = await whole(session)
    rows = [row for row, _ in await session.tables.store.entries(session.table_id)]
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    requests = [row.request_id for row in rows]
    assert len(told) > 10
    assert told <= set(requests)
    assert len(requests) == len(set(requests))
    for check in state.checks.values():
        assert check.actor in state.characters

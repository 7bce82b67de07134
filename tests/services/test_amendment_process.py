"""Amendments in the worker process: others go on meanwhile, and the table is held for none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.services import amend_requests
from bot.services.amend_requests import MAX_ENTRIES_HERE, past_entry
from bot.services.replay import replay
from bot.services.tables import Tables
from bot.worker_process import WorkerFailed, WorkerProcess
from rules.core.errors import Impossible, Outdated
from rules.table.actions import Award, ChangeSettings, RollDice, Undo
from rules.table.state import DAY
from tests.amending import amend, previewed
from tests.replayed_entries import replay_entries
from tests.sample_table import ANN, BEN, GM, Session, answer, by, make_session, newest, roll

Work = Callable[..., Any]


@pytest.fixture
async def worker() -> AsyncIterator[WorkerProcess]:
    made = WorkerProcess()
    yield made
    await made.close()


@pytest.fixture
def always_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short journals go to the worker process, too."""
    monkeypatch.setattr(amend_requests, "MAX_ENTRIES_HERE", 0)


async def _answered(session: Session) -> tuple[int, str]:
    """The number of the GM's answer to a check that was rolled, and the check's id."""
    check = await session.proposed()
    done = await session.do(answer(check, difficulty="7"))
    await session.do(roll(newest(done.state)))
    return done.seq, check.id


async def _roll_on(session: Session, count: int = 1) -> None:
    for _ in range(count):
        await session.do(RollDice(**by(BEN), dice="2d6"))


def _aside(tables: Tables, before: Work, after: Work) -> list[str]:
    """Have work done here, with something that happens before and after it; return its names."""
    names: list[str] = []

    async def run(person: int, work: Work, *given: Any) -> Any:
        names.append(work.__name__)
        await before()
        result = work(*given)
        await after()
        return result

    tables.aside_for = run
    return names


async def _nothing() -> None:
    pass


async def test_the_process_comes_to_the_same(session: Session, worker: WorkerProcess) -> None:
    """A long amendment is worked out in the other process, with what it would be here."""
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    entry, check = await _answered(session)
    await _roll_on(session, MAX_ENTRIES_HERE)
    here, found_here = await previewed(session, entry, values={"difficulty": "30"})
    session.tables.aside_for = worker.run_for
    there, found = await previewed(session, entry, values={"difficulty": "30"})
    assert worker.pid is not None, "it was worked out there"
    assert (here, found_here) == (there, found)
    before = await session.state()
    done = await session.do(there)
    assert done.state.checks[check].data.ruling.difficulty == "30"
    for key, part in before.parts():
        if key not in ("counters", f"check:{check}") and not key.startswith("character:"):
            assert dict(done.state.parts())[key] is part, "only what differs is written"
    store = session.tables.store
    assert await replay(store, session.table_id) == await session.state()
    await session.do(Undo(**by(GM), entry=done.seq))
    await amend(session, first.seq, undo=True)
    assert await replay(store, session.table_id) == await session.state()


async def test_new_dice_of_the_process_are_journaled(
    session: Session, worker: WorkerProcess, always_aside: None
) -> None:
    """Draws in the other process count in the entry, so that they can be verified."""
    session.tables.aside_for = worker.run_for
    entry, _ = await _answered(session)
    await session.do(RollDice(**by(BEN), dice="2d6"))
    done = await amend(session, entry, values={"difficulty": "30"})
    row = await session.tables.store.entry_at(session.table_id, done.seq)
    assert row is not None and row.draws == 0
    assert await replay(session.tables.store, session.table_id) == await session.state()


async def test_an_entry_comes_back_whole(session: Session, always_aside: None) -> None:
    """The panel gets the entry with the tables before and after it, as a replay has them."""
    names = _aside(session.tables, _nothing, _nothing)
    entry, _ = await _answered(session)
    await session.do(ChangeSettings(**by(GM), values={"answer_time": DAY * 2}))
    table = await session.tables.get(session.table_id)
    found = await past_entry(session.tables, table, GM, entry)
    again = await replay_entries(session.tables.store, session.table_id, entry)
    assert found == again[0] and names == ["read_past_entry"]


async def test_others_act_while_it_is_worked_out(session: Session, always_aside: None) -> None:
    """The table isn't held: a roll in the middle is carried out at once, and kept."""
    entry, check = await _answered(session)
    action, _ = await previewed(session, entry, values={"difficulty": "30"})
    left = [1]

    async def act() -> None:
        if left and left.pop():
            await asyncio.wait_for(_roll_on(session), 30)

    names = _aside(session.tables, _nothing, act)
    done = await session.do(action)
    assert names == ["resolve_past", "resolve_past"], "worked out again, after the roll"
    assert done.state.checks[check].data.ruling.difficulty == "30"
    rows = await session.tables.store.entries(session.table_id)
    assert [row.kind for row, _ in rows][-2:] == ["RollDice", "Amend"]
    assert await replay(session.tables.store, session.table_id) == await session.state()


async def test_a_table_that_never_rests_is_left_as_it_is(
    session: Session, always_aside: None
) -> None:
    entry, check = await _answered(session)
    action, _ = await previewed(session, entry, values={"difficulty": "30"})
    names = _aside(session.tables, _nothing, lambda: _roll_on(session))
    with pytest.raises(Outdated, match="amend-busy"):
        await session.do(action)
    assert len(names) == 3
    assert (await session.state()).checks[check].data.ruling.difficulty == "Routine"
    _aside(session.tables, _nothing, _nothing)
    await session.do(action)  # the preview holds still: nothing of it has changed


async def test_what_was_previewed_stays_so_while_others_roll(session: Session) -> None:
    """An entry that comes out the same makes no other amendment; one that doesn't makes one."""
    check = await session.proposed()
    entry = (await session.do(answer(check, difficulty="7"))).seq
    action, _ = await previewed(session, entry, values={"difficulty": "30"})
    await _roll_on(session, 2)
    again, _ = await previewed(session, entry, values={"difficulty": "30"})
    assert again.preview == action.preview
    await session.do(roll(newest(await session.state())))
    with pytest.raises(Outdated, match="amend-changed"):
        await session.do(action)


async def test_a_process_that_fails_changes_nothing(session: Session, always_aside: None) -> None:
    entry, _ = await _answered(session)
    action, _ = await previewed(session, entry, values={"difficulty": "30"})
    before = await session.state()

    async def fail(person: int, work: Work, *given: Any) -> Any:
        raise WorkerFailed("EOFError")

    session.tables.aside_for = fail
    with pytest.raises(Impossible, match="amend-failed"):
        await session.do(action)
    assert await session.state() is before


async def test_one_at_a_time_for_each_gm(
    session: Session, worker: WorkerProcess, always_aside: None
) -> None:
    entry, _ = await _answered(session)
    session.tables.aside_for = worker.run_for
    both = [previewed(session, entry, undo=True), previewed(session, entry, undo=True)]
    results = await asyncio.gather(*both, return_exceptions=True)
    refused = [result for result in results if isinstance(result, BaseException)]
    assert [str(error).partition(" ")[0] for error in refused] == ["still-working"]


async def test_a_table_that_another_process_changed_is_read_anew(
    session: Session, always_aside: None
) -> None:
    """The amendment meets what is stored, not what this process remembers."""
    entry, check = await _answered(session)
    other = await session.house.enter()
    elsewhere = Session(session.house, other, session.table_id)
    elsewhere._requests = 5000
    await elsewhere.do(RollDice(**by(ANN), dice="1d6"))
    done = await amend(session, entry, values={"difficulty": "30"})
    assert done.state.checks[check].data.ruling.difficulty == "30"
    assert await replay(session.tables.store, session.table_id) == await session.state()


@pytest.mark.parametrize("system", ["barmore", "ego", "masterbook"])
async def test_every_system_works_there(
    system: str, worker: WorkerProcess, always_aside: None, session: Session
) -> None:
    """What the other process hands back can be sent: parts and events of every system."""
    from tests.sample_table import barmore_character, ego_character, masterbook_character

    sheets = {
        "barmore": barmore_character,
        "ego": ego_character,
        "masterbook": masterbook_character,
    }
    there = await make_session(
        session.house, session.tables, place="300", system=system, character=sheets[system]
    )
    first = await there.do(ChangeSettings(**by(GM, place="300"), values={"answer_time": DAY * 2}))
    await there.do(RollDice(**by(BEN, place="300"), dice="2d6"))
    there.tables.aside_for = worker.run_for
    done = await amend(there, first.seq, undo=True)
    assert done.state.settings.answer_time != DAY * 2
    assert await replay(there.tables.store, there.table_id) == await there.state()

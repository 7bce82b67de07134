"""Luck from the journal: final public rolls alone, without those undone or amended."""

from __future__ import annotations

import pytest

from bot.services import luck as reading
from bot.services.luck import table_luck
from rules.table.actions import Due, RollDice, Undo
from rules.table.check import Visibility
from rules.table.checks.prompt_times import pending_waits
from rules.table.readable_places import NOWHERE, ReadablePlaces
from tests.amending import amend
from tests.sample_table import ANN, BEN, CLOCK, GM, NOON, PLACE, Session, answer, by, newest, roll

HERE = ReadablePlaces(frozenset({PLACE}))


async def counted(session: Session, readable: ReadablePlaces = HERE) -> dict[str, int]:
    """How many rolls of each participant count."""
    table = await session.tables.get(session.table_id)
    found = await table_luck(session.tables, table, readable)
    assert (found.everybody is None) == (not found.people)
    return {one.person: one.rolls for one in found.people}


async def finish(session: Session) -> None:
    """Let the clock answer whatever still waits for an answer with a default."""
    for _ in range(5):
        checks = (await session.state()).checks.values()
        waits = [wait for check in checks for wait in pending_waits(check)]
        wait = next((wait for wait in waits if wait.default is not None), None)
        if wait is None:
            return
        await session.do(Due(**by(CLOCK, at=wait.due), wait=wait.id))


async def test_a_check_counts_once_it_is_final(session: Session) -> None:
    check = await session.rolled()
    assert check.is_open and await counted(session) == {}
    await finish(session)
    assert await counted(session) == {"p2": 2}
    assert await counted(session, NOWHERE) == {}
    await session.restart()
    assert await counted(session) == {"p2": 2}


@pytest.mark.parametrize("visibility", ["private", "blind"])
async def test_private_and_blind_checks_dont_count(
    session: Session, visibility: Visibility
) -> None:
    await session.rolled(visibility=visibility)
    await session.do(RollDice(**by(ANN), dice="2d6", visibility=visibility))
    await finish(session)
    assert await counted(session) == {}


async def test_undone_rolls_dont_count(session: Session) -> None:
    await session.do(RollDice(**by(BEN), dice="2d6"))
    check = await session.answered()
    rolled = await session.do(roll(check))
    await finish(session)
    assert await counted(session) == {"p2": 2, "p3": 1}
    await session.do(Undo(**by(GM), entry=rolled.seq, all_dependents=True))
    assert await counted(session) == {"p3": 1}


async def test_amended_rolls_dont_count(session: Session) -> None:
    check = await session.proposed()
    answered = await session.do(answer(check, difficulty="7"))
    await session.do(roll(newest(answered.state)))
    await finish(session)
    await session.do(RollDice(**by(BEN, at=NOON), dice="2d6"))
    assert await counted(session) == {"p2": 2, "p3": 1}
    await amend(session, answered.seq, values={"difficulty": "30"})
    assert await counted(session) == {"p3": 1}


async def test_a_long_journal_is_read_in_pages(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        await session.do(RollDice(**by(ANN), dice="2d6"))
    await session.rolled()
    await finish(session)
    whole = await counted(session)
    assert whole == {"p2": 7}
    monkeypatch.setattr(reading, "_PAGE", 2)
    assert await counted(session) == whole
    monkeypatch.setattr(reading, "MAX_ENTRIES", 1)
    assert sum((await counted(session)).values()) <= 2

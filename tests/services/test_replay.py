"""Folding the journal again gives the stored table."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from bot.services.replay import ReplayImpossible, replay
from bot.storage import codec
from rules.core.errors import NotFound
from rules.table.actions import ChangeSettings, ImportCharacter, Undo
from rules.table.state import TableState
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    House,
    Session,
    answer,
    by,
    choose,
    ebb_character,
    newest,
    roll,
)


async def stored_rows(session: Session) -> TableState:
    row = await session.tables.store.load_table(session.table_id)
    assert row is not None
    return codec.read_state(row.system, row.id, row.parts)


async def test_a_whole_evening(session: Session) -> None:
    first = await session.rolled(ANN)
    await session.do(choose(first, "react", "reroll"))
    await session.rolled(BEN, hidden=True, difficulty="13")
    await session.do(ChangeSettings(**by(GM), values={"reveal": "degree", "step_in_time": 0}))
    await session.rolled(BEN, hidden=True, difficulty="9")
    await session.do(Undo(**by(GM)))
    await session.do(roll(newest(await session.state()), BEN))
    await session.do(Undo(**by(GM), entry=4, all_dependents=True))
    await session.do(ImportCharacter(**by(GM), data=ebb_character("Rat"), npc=True))
    again = await replay(session.tables.store, session.table_id)
    assert again == await session.state() == await stored_rows(session)
    assert list(again.checks) == ["c2", "c3"]


async def test_an_undo_in_the_journal_gives_back_what_it_gave_back(session: Session) -> None:
    check = await session.answered()
    done = await session.do(roll(check))
    await session.do(Undo(**by(GM), entry=done.seq))
    again = newest(await replay(session.tables.store, session.table_id))
    assert (again.stage, again.data) == ("ready", check.data)


async def test_forgotten_checks_come_back_the_same(session: Session) -> None:
    """More checks than a table keeps, with restarts between them: which ones go does not depend on
    those.
    """
    for number in range(45):
        check = await session.proposed()
        if number != 8:
            await session.do(answer(check, kind="free"))
        if number % 20 == 19:
            await session.restart()
    state = await session.state()
    assert len(state.checks) == 25
    assert list(state.checks)[:3] == ["c9", "c22", "c23"]
    assert state.checks["c9"].is_open
    assert (
        await replay(session.tables.store, session.table_id) == state == await stored_rows(session)
    )


async def test_other_rules_are_refused(session: Session, house: House) -> None:
    done = await session.do(roll(await session.answered()))
    await house.close()
    with closing(sqlite3.connect(house.path)) as connection, connection:
        connection.execute("UPDATE journal SET rules_version = 99 WHERE seq = ?", (done.seq,))
    await session.restart()
    with pytest.raises(ReplayImpossible, match="99") as caught:
        await replay(session.tables.store, session.table_id)
    assert caught.value.seq == done.seq


async def test_a_journal_with_a_gap_in_its_dice_is_refused(session: Session, house: House) -> None:
    done = await session.do(roll(await session.answered()))
    await house.close()
    with closing(sqlite3.connect(house.path)) as connection, connection:
        connection.execute("UPDATE journal SET draws = draws + 1 WHERE seq = ?", (done.seq,))
    await session.restart()
    with pytest.raises(ReplayImpossible) as caught:
        await replay(session.tables.store, session.table_id)
    assert caught.value.seq == done.seq


async def test_no_such_table(session: Session) -> None:
    with pytest.raises(NotFound):
        await replay(session.tables.store, 99)

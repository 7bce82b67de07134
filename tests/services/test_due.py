"""The clock's list: what runs out when, kept in step with the table."""

from __future__ import annotations

import pytest

from rules.core.errors import Outdated
from rules.table.actions import Actor, AskBack, ChangeSettings, Due, Settle, Spend, Undo, Withdraw
from rules.table.state import DAY, HOUR, SYSTEM
from tests.builders import ANN, GM, NOON, House, Session, answer, by, newest, propose, roll, waits

CLOCK = Actor(SYSTEM)


async def listed(session: Session) -> dict[str, int]:
    """What the store lists, which is what the state waits for."""
    rows = {wait: at for _, wait, at in await session.tables.store.due(10**12)}
    state = await session.state()
    assert rows == {name: wait.due for name, wait in waits(state).items() if wait.due is not None}
    assert await session.tables.store.next_due() == min(rows.values(), default=None)
    return rows


async def test_the_list_follows_a_check(session: Session) -> None:
    assert await listed(session) == {}
    challenge = newest((await session.do(propose(at=NOON))).state)
    assert await listed(session) == {"c1.1": NOON + DAY}
    asked = AskBack(**by(GM, at=NOON + 1), challenge="c1", revision=challenge.revision, question="How high?")
    challenge = newest((await session.do(asked)).state)
    assert await listed(session) == {"c1.2": NOON + 1 + DAY}
    challenge = newest((await session.do(answer(challenge, at=NOON + 2))).state)
    assert await listed(session) == {"c1.3": NOON + 2 + DAY}
    challenge = newest((await session.do(roll(challenge, at=NOON + 3))).state)
    assert await listed(session) == {"c1.4": NOON + 3 + DAY}
    spend = Spend(**by(ANN, at=NOON + 4), challenge="c1", revision=challenge.revision, what="reroll")
    challenge = newest((await session.do(spend)).state)
    assert await listed(session) == {"c1.5": NOON + 3 + DAY}
    await session.do(Settle(**by(ANN), challenge="c1", revision=challenge.revision))
    assert await listed(session) == {}


async def test_the_list_follows_the_settings(session: Session) -> None:
    await session.proposed()
    rolled = await session.rolled()
    window = {f"c2.{rolled.revision}": NOON + DAY}
    await session.do(ChangeSettings(**by(GM), remind_after=HOUR))
    assert await listed(session) == {"c1.1": NOON + HOUR, **window}
    await session.do(ChangeSettings(**by(GM), remind_after=0))
    assert await listed(session) == window
    await session.do(ChangeSettings(**by(GM), window=0))
    assert await listed(session) == window
    await session.rolled()
    assert await listed(session) == window
    await session.do(ChangeSettings(**by(GM), remind_after=2 * HOUR))
    assert await listed(session) == {"c1.1": NOON + 2 * HOUR, **window}
    await session.do(Undo(**by(GM)))
    assert await listed(session) == window
    await session.do(ChangeSettings(**by(GM), name="Swamps"))
    assert await listed(session) == window


async def test_the_list_follows_what_is_taken_back(session: Session) -> None:
    challenge = await session.proposed()
    await session.do(Undo(**by(ANN)))
    assert await listed(session) == {}
    challenge = await session.proposed()
    await session.do(Withdraw(**by(ANN), challenge=challenge.id, revision=challenge.revision))
    assert await listed(session) == {}
    await session.do(Undo(**by(GM, at=NOON + 9)))
    assert await listed(session) == {"c2.3": NOON + 9 + DAY}


async def test_the_list_outlives_the_process(session: Session) -> None:
    await session.rolled()
    before = await listed(session)
    await session.restart()
    assert await listed(session) == before != {}


async def test_each_new_time_is_told(session: Session) -> None:
    told: list[int] = []
    session.tables.on_due = told.append
    challenge = await session.answered()
    await session.do(roll(challenge, at=NOON + 7))
    assert told == [NOON + DAY, NOON + DAY, NOON + 7 + DAY]


async def test_a_reminder_does_not_settle_and_a_window_does(session: Session) -> None:
    challenge = await session.proposed()
    early = Due(**by(CLOCK, at=NOON + DAY - 1), wait="c1.1")
    with pytest.raises(Outdated, match="not-yet-due"):
        await session.do(early)
    done = await session.do(Due(**by(CLOCK, at=NOON + DAY), wait="c1.1"))
    assert newest(done.state) == challenge
    assert [out.kind for out in done.outs] == ["post", "mark"]
    await session.tables.store.drop_due(session.table_id, "c1.1")
    assert await session.tables.store.due(10**12) == ()
    rolled = await session.rolled()
    wait = f"{rolled.id}.{rolled.revision}"
    done = await session.do(Due(**by(CLOCK, at=NOON + DAY), wait=wait))
    assert newest(done.state).status == "settled"
    assert await session.tables.store.due(10**12) == ()
    with pytest.raises(Outdated, match="wait-over"):
        await session.do(Due(**by(CLOCK, at=NOON + DAY), wait=wait))


async def test_oldest_first_and_no_more_than_asked_for(session: Session, house: House) -> None:
    for number in (3, 1, 2):
        await session.do(propose(at=NOON + number))
    store = session.tables.store
    assert [wait for _, wait, _ in await store.due(10**12)] == ["c2.1", "c3.1", "c1.1"]
    assert [wait for _, wait, _ in await store.due(10**12, limit=2)] == ["c2.1", "c3.1"]
    assert [wait for _, wait, _ in await store.due(NOON + DAY + 1)] == ["c2.1"]
    assert len(house.rows("due")["due"]) == 3

"""The clock's list: what runs out when, kept in step with the table."""

from __future__ import annotations

import pytest

from rules.core.errors import Outdated
from rules.registry import read_only_game
from rules.table.actions import ChangeSettings, Due, Undo
from rules.table.check import PASS
from rules.table.state import DAY, HOUR
from rules.table.waits.silence import silence_waits
from tests.sample_table import (
    ANN,
    CLOCK,
    GM,
    NOON,
    House,
    Session,
    answer,
    by,
    choose,
    make_session,
    newest,
    propose,
    roll,
    waits,
)


@pytest.fixture
async def session(house: House) -> Session:
    """A table that waits for everybody, so that dice stay open."""
    return await make_session(house)


async def listed_waits(session: Session) -> dict[str, tuple[int, ...]]:
    """What the store lists, which is what the state waits for: check, number and prompt, with when
    the clock reminds and answers.
    """
    rows = {wait: at for _, wait, at in await session.tables.store.due_waits(10**12)}
    state = await session.state()
    listed = {name: wait.due for name, wait in waits(state).items()}
    assert rows == listed | silence_waits(read_only_game(state))
    assert await session.tables.store.next_due() == min(rows.values(), default=None)
    found: dict[str, tuple[int, ...]] = {}
    for each in waits(state).values():
        name = ".".join(each.id.split(".")[:3])
        found[name] = (*found.get(name, ()), each.due)
    return found


def steps(since: int, length: int = DAY) -> tuple[int, ...]:
    """When somebody is reminded of what the clock never answers."""
    return since + length, since + 2 * length, since + 4 * length


def half(since: int, length: int = DAY) -> tuple[int, int]:
    """When somebody is reminded of what the clock answers, and when it does."""
    return since + length // 2, since + length


async def test_the_list_follows_a_check(session: Session) -> None:
    assert await listed_waits(session) == {}
    check = newest((await session.do(propose(at=NOON))).state)
    assert await listed_waits(session) == {"c1.1.rule": steps(NOON)}
    asked = choose(check, "rule", "ask", GM, at=NOON + 1, question="How high?")
    check = newest((await session.do(asked)).state)
    assert await listed_waits(session) == {"c1.2.reply": steps(NOON + 1)}
    check = newest((await session.do(answer(check, at=NOON + 2))).state)
    assert await listed_waits(session) == {"c1.3.ready": steps(NOON + 2)}
    check = newest((await session.do(roll(check, at=NOON + 3))).state)
    assert await listed_waits(session) == {"c1.4.react": half(NOON + 3)}
    check = newest((await session.do(choose(check, "react", "reroll", at=NOON + 4))).state)
    ((_, times),) = (await listed_waits(session)).items()
    assert times == half(NOON + 3), "spending does not put the end off"
    await session.do(choose(check, "react", PASS))
    assert await listed_waits(session) == {}


async def test_the_list_follows_the_settings(session: Session) -> None:
    await session.proposed()
    await session.rolled()
    window = {"c2.3.react": half(NOON)}
    await session.do(ChangeSettings(**by(GM), values={"answer_time": HOUR}))
    assert await listed_waits(session) == {"c1.1.rule": steps(NOON, HOUR), **window}
    await session.do(ChangeSettings(**by(GM), values={"step_in_time": 2 * HOUR}))
    assert await listed_waits(session) == {
        "c1.1.rule": steps(NOON, HOUR),
        "c2.3.react": half(NOON, 2 * HOUR),
    }
    await session.do(Undo(**by(GM)))
    assert await listed_waits(session) == {"c1.1.rule": steps(NOON, HOUR), **window}
    await session.do(ChangeSettings(**by(GM), values={"name": "Swamps"}))
    assert await listed_waits(session) == {"c1.1.rule": steps(NOON, HOUR), **window}


async def test_nobody_gets_less_than_an_hours_notice_of_a_new_time(session: Session) -> None:
    """Neither by new settings nor by their undo; what was reminded of counts."""
    await session.proposed()
    await session.rolled()
    late = NOON + 20 * HOUR
    await session.do(ChangeSettings(**by(GM, at=late), values={"step_in_time": 2 * HOUR}))
    # Half of the old time is over; the last hour has no room for another reminder.
    assert (await listed_waits(session))["c2.3.react"] == (NOON + 12 * HOUR, late + HOUR)
    await session.do(ChangeSettings(**by(GM, at=late), values={"answer_time": HOUR}))
    assert (await listed_waits(session))["c1.1.rule"] == (late + HOUR,)
    longer = await session.do(
        ChangeSettings(**by(GM, at=late), values={"answer_time": 3 * DAY, "step_in_time": 3 * DAY})
    )
    found = await listed_waits(session)
    assert found["c2.3.react"] == (NOON + 12 * HOUR, NOON + 3 * DAY)
    assert found["c1.1.rule"] == steps(NOON, 3 * DAY)
    later = NOON + 2 * DAY
    await session.do(Undo(**by(GM, at=later), entry=longer.seq))
    assert (await listed_waits(session))["c2.3.react"][-1] == later + HOUR
    assert (await listed_waits(session))["c1.1.rule"] == (later + HOUR,)


async def test_the_list_follows_what_is_taken_back(session: Session) -> None:
    await session.proposed()
    await session.do(Undo(**by(ANN)))
    assert await listed_waits(session) == {}
    check = await session.proposed()
    await session.do(choose(check, "own", "withdraw"))
    assert await listed_waits(session) == {}
    await session.do(Undo(**by(GM, at=NOON + 9)))
    assert await listed_waits(session) == {"c2.3.rule": steps(NOON + 9)}


async def test_the_list_outlives_the_process(session: Session) -> None:
    await session.rolled()
    before = await listed_waits(session)
    await session.restart()
    assert await listed_waits(session) == before != {}


async def test_each_new_time_is_told(session: Session) -> None:
    told: list[int] = []
    session.tables.on_due = told.append
    check = await session.answered()
    await session.do(roll(check, at=NOON + 7))
    silence = NOON + 7 * DAY
    assert sorted(told) == sorted([*steps(NOON), *steps(NOON), *half(NOON + 7), silence])


async def test_a_reminder_does_not_settle_and_the_clocks_answer_does(session: Session) -> None:
    check = await session.proposed()
    store = session.tables.store
    for wait, due in {each.id: each.due for each in waits(await session.state()).values()}.items():
        with pytest.raises(Outdated, match="not-yet-due"):
            await session.do(Due(**by(CLOCK, at=due - 1), wait=wait))
        done = await session.do(Due(**by(CLOCK, at=due), wait=wait))
        assert newest(done.state) == check
        assert [out.kind for out in done.outs] == ["mark", "card", "call"]
        await store.drop_due(session.table_id, wait)
    assert await store.due_waits(NOON + 6 * DAY) == ()
    rolled = await session.rolled()
    *_, wait = [
        each.id
        for each in waits(await session.state()).values()
        if each.id.startswith(f"{rolled.id}.")
    ]
    done = await session.do(Due(**by(CLOCK, at=NOON + DAY), wait=wait))
    assert not newest(done.state).is_open
    assert await store.due_waits(NOON + 6 * DAY) == ()
    with pytest.raises(Outdated, match="wait-over"):
        await session.do(Due(**by(CLOCK, at=NOON + DAY), wait=wait))


async def test_oldest_first_and_no_more_than_asked_for(session: Session, house: House) -> None:
    for number in (3, 1, 2):
        await session.do(propose(at=NOON + number))
    store = session.tables.store

    async def due(until: int, **most: int) -> list[str]:
        return [wait.partition(".")[0] for _, wait, _ in await store.due_waits(until, **most)]

    assert (await due(10**12))[:3] == ["c2", "c3", "c1"]
    assert await due(10**12, limit=2) == ["c2", "c3"]
    assert await due(NOON + DAY + 1) == ["c2"]
    assert len(house.rows("due")["due"]) == 10, "three each, and the silence of the GMs"

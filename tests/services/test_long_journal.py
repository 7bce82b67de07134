"""A journal that has become long: how far undo reaches, what is found by key, what is folded from a
snapshot.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import pytest

from bot.services import replay as replaying
from bot.services import undo
from bot.services.replay import ReplayImpossible, recompute_events, replay, replay_events
from bot.storage import codec
from bot.storage.upkeep import UndoRetention
from rules.core.errors import Impossible, NotPermitted
from rules.table.actions import (
    ChangePerson,
    ChangeSettings,
    ForgetPerson,
    ImportCharacter,
    RollDice,
    Undo,
)
from tests.sample_table import ANN, BEN, GM, House, Session, by, ebb_character, propose
from tests.storage.stores import tidy_all

#: Nothing is too young to leave.
LATER = UndoRetention(10**11, entries=10)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes a thousand entries takes twenty."""
    monkeypatch.setattr("bot.storage.upkeep.SNAPSHOT_EACH", 20)
    monkeypatch.setattr("bot.storage.upkeep._TRIM_BATCH", 5)


async def rolls(session: Session, count: int) -> list[int]:
    return [(await session.do(RollDice(**by(ANN), dice="1d20"))).seq for _ in range(count)]


async def switch_often(session: Session, count: int) -> list[int]:
    """The numbers of entries that change the same part."""
    done = [
        ChangeSettings(**by(GM), values={"step_in_time": number % 7}) for number in range(count)
    ]
    return [(await session.do(each)).seq for each in done]


# --- undo -----------------------------------------------------------------------------------------


async def test_an_old_entry_is_taken_back_without_reading_what_came_after(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    consequences = await session.do(ImportCharacter(**by(GM), data=ebb_character("Rat"), npc=True))
    await rolls(session, 40)
    read: list[int] = []
    touching = session.tables.store.entries_touching

    async def noted(*args: object) -> Sequence[object]:
        found = await touching(*args) or ()  # pyright: ignore[reportArgumentType]
        read.extend(row.seq for row, _ in found)
        return found

    monkeypatch.setattr(session.tables.store, "entries_touching", noted)
    monkeypatch.setattr(session.tables.store, "entries", None)
    await session.do(Undo(**by(GM), entry=consequences.seq))
    assert read == []
    assert "Rat" not in [each.name for each in (await session.state()).characters.values()]


async def test_others_get_their_turn_while_much_is_taken_back(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo, "_ENTRIES_PER_TURN", 5)
    first, *_ = await switch_often(session, 40)
    read, since, most = codec.read_events, 0, 0

    def reads(text: str) -> Any:
        nonlocal since, most
        since += 1
        most = max(most, since)
        return read(text)

    async def turns() -> None:
        nonlocal since
        while True:
            since = 0
            await asyncio.sleep(0)

    monkeypatch.setattr("bot.services.undo.codec.read_events", reads)
    turning = asyncio.create_task(turns())
    await session.do(Undo(**by(GM), entry=first, all_dependents=True))
    turning.cancel()
    assert 0 < most <= 5


async def test_what_made_a_part_again_depends_on_who_made_it_first(session: Session) -> None:
    """Also an entry that only made parts is found by them."""
    consequences = await session.do(ImportCharacter(**by(GM), data=ebb_character("Rat"), npc=True))
    proposed = await session.do(propose(GM, as_="Rat"))
    with pytest.raises(Impossible) as refused:
        await session.do(Undo(**by(GM), entry=consequences.seq))
    assert refused.value.params["others"] == (f"#{proposed.seq}",)


async def test_more_than_can_be_looked_at_is_refused(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.undo.MAX_LATER_ENTRIES", 5)
    first, *rest = await switch_often(session, 8)
    for all_of_them in (False, True):
        with pytest.raises(Impossible) as refused:
            await session.do(Undo(**by(GM), entry=first, all_dependents=all_of_them))
        assert (refused.value.code, refused.value.params["most"]) == ("undo-too-many", 5)
    await session.do(Undo(**by(GM), entry=rest[-3], all_dependents=True))


async def test_a_player_takes_back_nothing_from_long_ago(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.undo.UNDO_REACH", 5)
    mine = await session.do(ChangePerson(**by(BEN), plain=True))
    await rolls(session, 10)
    with pytest.raises(NotPermitted, match="not-yours-to-undo"):
        await session.do(Undo(**by(BEN), entry=mine.seq))


async def test_earlier_forms_leave_where_undo_reaches_no_more(session: Session) -> None:
    numbers = await switch_often(session, 30)
    store = session.tables.store
    await tidy_all(store, UndoRetention(10**11, entries=10_000))
    await tidy_all(store, UndoRetention(0, entries=10))
    assert await store.kept_from(session.table_id) == 1, "too few entries, or too young"
    await tidy_all(store, LATER)
    first = await store.kept_from(session.table_id)
    revision = (await session.tables.get(session.table_id)).revision
    assert revision - 10 - 5 < first <= revision - 10
    rows = await store.entries(session.table_id)
    assert [row.seq for row, keys in rows if not keys] == list(range(1, first))
    for entry in (2, first - 1):
        with pytest.raises(Impossible) as refused:
            await session.do(Undo(**by(GM), entry=entry, all_dependents=True))
        assert (refused.value.code, refused.value.params["first"]) == ("undo-too-old", first)
    await session.do(Undo(**by(GM), entry=first, all_dependents=True))
    assert (await session.state()).settings.step_in_time == (numbers.index(first) - 1) % 7
    assert await replay(store, session.table_id) == await session.state()


# --- snapshots ------------------------------------------------------------------------------------


async def test_a_roll_is_recomputed_from_the_snapshot_before_it(
    session: Session, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, wanted = session.tables.store, list[int]()
    for _ in range(3):
        wanted += await rolls(session, 30)
        await tidy_all(store)
    snapshots = sorted(seq for _, seq, _ in house.rows("snapshot")["snapshot"])
    assert len(snapshots) == 3
    last = wanted[-1]
    row = await store.entry_at(session.table_id, last)
    assert row is not None
    told = codec.read_events(row.events)
    assert await replay_events(store, session.table_id, [last], most=31) == {last: told}
    with pytest.raises(ReplayImpossible, match="more than 5 entries"):
        await replay_events(store, session.table_id, [last], most=5)
    found, reason = await asyncio.to_thread(
        recompute_events, house.path, session.table_id, [wanted[40], last]
    )
    assert (found.keys(), reason) == ({wanted[40], last}, "")
    assert codec.read_events(found[last]) == told


async def test_what_is_taken_back_from_before_a_snapshot_starts_at_an_earlier_one(
    session: Session,
) -> None:
    store = session.tables.store
    first, *_ = await switch_often(session, 1)
    await rolls(session, 30)
    await tidy_all(store)
    await session.do(Undo(**by(GM), entry=first))
    last = (await rolls(session, 1))[0]
    assert last in await replay_events(store, session.table_id, [last])
    with pytest.raises(ReplayImpossible, match="more than 20"):
        await replay_events(store, session.table_id, [last], most=20)
    assert await replay(store, session.table_id, last) == await session.state()


async def test_after_somebody_was_forgotten_a_snapshot_lets_later_rolls_be_verified(
    session: Session,
) -> None:
    store = session.tables.store
    (before,) = await rolls(session, 1)
    await switch_often(session, 25)
    await tidy_all(store)
    await session.do(ForgetPerson(**by(BEN)))
    await tidy_all(store)
    (after,) = await rolls(session, 1)
    assert after in await replay_events(store, session.table_id, [after])
    with pytest.raises(ReplayImpossible, match="deleted at their wish"):
        await replay_events(store, session.table_id, [before])
    assert await replay(store, session.table_id, after) == await session.state()


async def test_others_get_their_turn_while_a_journal_is_folded(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "_ENTRIES_PER_TURN", 1)
    last = (await rolls(session, 30))[-1]
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count())
    await replay_events(session.tables.store, session.table_id, [last])
    counting.cancel()
    assert turns >= 30


# --- forgetting -----------------------------------------------------------------------------------


async def test_scrubbing_goes_on_where_it_was_cut_off(
    session: Session, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.storage.redaction._BATCH", 2)
    for number in range(20):
        await session.do(
            RollDice(**by((ANN, BEN)[number % 2]), dice="1d6", reason=f"words of {number % 2}")
        )
    await session.do(ForgetPerson(**by(ANN)))
    steps = 0
    while await session.tables.store.tidy(session.table_id, UndoRetention(0)):
        steps += 1
        shown = str(await session.tables.store.entries(session.table_id))
        assert "words of 0" not in shown and "words of 1" in shown
        await session.restart()  # as after a crash
    assert steps > 8
    assert "words of 0" not in str(house.rows()) and "words of 1" in str(house.rows())
    with closing(sqlite3.connect(house.path)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM scrub").fetchone() == (0,)

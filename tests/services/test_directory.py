"""Participants keep their numbers."""

from __future__ import annotations

import re
import sqlite3
from contextlib import AsyncExitStack, closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.services import tables as module
from bot.services.directory import Directory, new_id
from bot.storage.row_records import Member, TableRow
from rules.table.actions import Actor, ChangePerson, RollDice
from tests.sample_table import BEN, House, Session, by, make_session, propose

users = st.integers(1, 6).map(str)


@given(st.lists(st.tuples(users, st.sampled_from(("Ann", "Ben"))), max_size=20), st.integers(0, 20))
def test_a_user_is_the_same_participant_for_ever(
    seen: list[tuple[str, str]], stored_after: int
) -> None:
    directory = Directory()
    first: dict[str, str] = {}
    for number, (user, name) in enumerate(seen):
        if number == stored_after:
            directory.mark_saved(directory.unsaved_members())
            assert directory.unsaved_members() == ()
            directory = Directory(
                [Member(key, known, directory.name(key)) for known, key in first.items()]
            )
        key = directory.ensure_participant(user, name)
        assert first.setdefault(user, key) == key
        assert (directory.user(key), directory.name(key)) == (user, name)
    assert sorted(first.values()) == [f"p{number + 1}" for number in range(len(first))]


def test_an_id_tells_nobody_how_many_came_before() -> None:
    found = [new_id(Directory([Member("p1", "501", "Gia")])) for _ in range(1000)]
    assert len({*found}) == 1000
    assert all(re.fullmatch("p[2-9a-hjkmnp-z]{8}", each) for each in found)


def test_somebody_who_is_gone() -> None:
    directory = Directory([Member("p1", "501", "Gia")])
    assert (directory.user("p2"), directory.name("p2")) == (None, "p2")


def test_a_new_name_waits_to_be_stored() -> None:
    directory = Directory([Member("p1", "501", "Gia")])
    directory.ensure_participant("501", "Gia")
    assert directory.unsaved_members() == ()
    old = Member("p1", "501", "Georgia")
    directory.ensure_participant("501", "Georgia")
    assert directory.unsaved_members() == (old,)
    directory.ensure_participant("501", "Giorgia")
    directory.mark_saved([old])
    assert directory.unsaved_members() == (Member("p1", "501", "Giorgia"),)


def test_what_is_unsaved_gives_way_to_what_is_stored() -> None:
    stored = [Member("p1", "501", "Gia"), Member("p2", "502", "Ann")]
    unsaved = [
        Member("p1", "501", "Georgia"),  # a new name
        Member("p2", "503", "Ben"),  # another has the number
        Member("p3", "502", "Ann"),  # known by another number
        Member("p4", "504", "Cora"),
    ]
    directory = Directory(stored, unsaved)
    assert directory.unsaved_members() == (unsaved[0], unsaved[3])
    assert [directory.user(f"p{number}") for number in range(1, 5)] == ["501", "502", None, "504"]
    assert directory.ensure_participant("503", "Ben") == "p5"


async def test_numbers_and_names_outlive_the_process(session: Session) -> None:
    table = await session.tables.get(session.table_id)
    cora = table.directory.ensure_participant("504", "Cora")
    table.directory.ensure_participant("503", "Benjamin")
    await session.do(propose(BEN))
    await session.restart()
    directory = (await session.tables.get(session.table_id)).directory
    assert directory.ensure_participant("504", "Cora") == cora == "p4"
    assert [directory.name(f"p{number}") for number in range(1, 5)] == [
        "Gia",
        "Ann",
        "Benjamin",
        "Cora",
    ]
    assert directory.unsaved_members() == ()


async def test_a_number_is_not_lost_when_other_tables_crowd_the_memory(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody new was given a number; before they act the table would have left the memory."""
    monkeypatch.setattr(module, "MAX_LOADED_TABLES", 1)
    tables = await house.enter()
    session = await make_session(house, tables)
    directory = (await tables.get(session.table_id)).directory
    cora = directory.ensure_participant("504", "Cora")
    others = [await make_session(house, tables, place=str(place)) for place in (301, 302)]
    assert tables.get_if_loaded(others[0].table_id) is None
    await session.do(RollDice(**by(Actor(cora)), dice="d6"))
    for other in others:
        await other.proposed()
    assert tables.get_if_loaded(session.table_id) is None
    directory = (await tables.get(session.table_id)).directory
    assert directory.user(cora) == "504"


async def test_who_only_looked_keeps_no_table_in_memory_for_ever(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LOADED_TABLES", 1)
    tables = await house.enter()
    session = await make_session(house, tables)
    (await tables.get(session.table_id)).directory.ensure_participant("504", "Cora")
    monkeypatch.setattr("bot.services.loaded_table.UNSAVED_ID_LIFETIME", -1.0)
    await make_session(house, tables, place="301")
    assert tables.get_if_loaded(session.table_id) is None


async def test_what_is_loaded_last_stays_where_all_others_are_in_use(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LOADED_TABLES", 1)
    tables = await house.enter()
    first, second = [await make_session(house, tables, place=str(place)) for place in (301, 302)]
    pinned = await tables.get(first.table_id)
    async with pinned.lock:
        found = await tables.get(second.table_id)
        assert await tables.get(second.table_id) is found
    await tables.get(first.table_id)


async def test_a_table_that_cannot_be_read_keeps_nobody_from_their_others(house: House) -> None:
    tables = await house.enter()
    session, other = [await make_session(house, tables, place=str(place)) for place in (301, 302)]
    for each in (session, other):
        await each.do(ChangePerson(**by(BEN), plain=True))
    with closing(sqlite3.connect(house.path)) as connection:
        connection.execute("UPDATE part SET body = '{' WHERE table_id = ?", (session.table_id,))
        connection.commit()
    tables = await house.restart()
    found, unread = await tables.memberships(None, "503")
    assert ([table.id for table, _ in found], unread) == ([other.table_id], 1)


async def test_tables_in_use_are_loaded_once_and_found_by_name_however_many_there_are(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LOADED_TABLES", 20)
    tables = await house.enter()
    sessions = [await make_session(house, tables, place=str(300 + number)) for number in range(21)]
    tables = await house.restart()
    loaded: list[int] = []
    load = tables.store.load_table

    async def noted(table_id: int) -> TableRow | None:
        loaded.append(table_id)
        return await load(table_id)

    monkeypatch.setattr(tables.store, "load_table", noted)
    async with AsyncExitStack() as stack:
        for each in sessions:
            await stack.enter_async_context((await tables.get(each.table_id)).lock)
        for _ in range(3):
            for number, each in enumerate(sessions):
                table = await tables.get(each.table_id)
                assert table is tables.get_if_loaded(each.table_id)
                assert tables.places.table_id(str(300 + number)) == table.id
            known, unread = await tables.memberships(None, "503")
            assert ([table.id for table, _ in known], unread) == (
                [each.table_id for each in sessions],
                0,
            )
        assert sorted(loaded) == sorted(each.table_id for each in sessions)
        assert tables.count == 21
    # When they are free again they may go.
    await make_session(house, tables, place="400")
    assert tables.count == 20

"""Where a table is played: bound and given back, by one process or several."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.services.history import recent_entries
from bot.services.perform import perform
from bot.storage.errors import StorageUnavailable
from rules.core.errors import Impossible, NotFound, RulesError
from rules.table.actions import ChangePlaces, Undo
from tests.sample_table import GM, GM_PLACE, PLACE, House, Session, by, make_session


async def refusal(session: Session, **options: Any) -> str:
    with pytest.raises(RulesError) as refused:
        await session.do(ChangePlaces(**by(GM), **options))
    return refused.value.code


async def test_places_are_bound_and_given_back(session: Session) -> None:
    tables = session.tables
    await session.do(ChangePlaces(**by(GM), bind="201"))
    assert tables.places.table_id("201") == session.table_id
    assert sorted(tables.places.places_of(session.table_id)) == [PLACE, "201"]
    await session.do(ChangePlaces(**by(GM), unbind=PLACE))
    assert tables.places.table_id(PLACE) is None
    await session.restart()
    assert session.tables.places.places_of(session.table_id) == ("201",)


async def test_what_cannot_be_bound_or_given_back(session: Session, house: House) -> None:
    other = await make_session(house, session.tables, place="300")
    assert await refusal(session, bind=PLACE) == "place-bound"
    assert await refusal(session, bind="300") == "place-taken"
    assert await refusal(session, bind=GM_PLACE) == "place-is-gm-channel"
    assert await refusal(session, unbind="300") == "not-a-place"
    assert await refusal(session, unbind=PLACE) == "last-place"
    assert session.tables.places.places_of(other.table_id) == ("300",)


async def test_it_is_journalled_and_not_taken_back(session: Session) -> None:
    done = await session.do(ChangePlaces(**by(GM), bind="201"))
    with pytest.raises(NotFound, match="nothing-to-undo"):
        await session.do(Undo(**by(GM), entry=done.seq))
    (row, entry), *_ = await recent_entries(session.tables, session.table_id, 1)
    assert (row.kind, entry.parts) == ("ChangePlaces", frozenset())


async def test_the_last_two_places_are_not_given_back_at_once(session: Session) -> None:
    await session.do(ChangePlaces(**by(GM), bind="201"))
    results = await asyncio.gather(
        *(session.do(ChangePlaces(**by(GM), unbind=place)) for place in (PLACE, "201")),
        return_exceptions=True,
    )
    assert isinstance(results[1], Impossible)
    assert results[1].code == "last-place"
    assert session.tables.places.places_of(session.table_id) == ("201",)


async def test_the_same_request_again_is_told_again(session: Session) -> None:
    action = ChangePlaces(**by(GM), bind="201")
    first = await perform(session.tables, session.table_id, action, "one")
    again = await perform(session.tables, session.table_id, action, "one")
    assert (again.repeated, again.seq) == (True, first.seq)
    await session.restart()
    again = await perform(session.tables, session.table_id, action, "one")
    assert (again.repeated, again.seq) == (True, first.seq)


async def test_two_processes_agree_on_who_has_a_place(session: Session, house: House) -> None:
    other_tables = await house.enter()
    other = await make_session(house, other_tables, place="300")
    await session.do(ChangePlaces(**by(GM), bind="201"))
    assert other_tables.places.table_id("201") is None, "nobody has told it"
    assert await refusal(other, bind="201") == "place-taken"
    assert await other_tables.places.find("201") == session.table_id
    await session.do(ChangePlaces(**by(GM), unbind="201"))
    await other.do(ChangePlaces(**by(GM), bind="201"))
    assert await refusal(session, bind="201") == "place-taken"


async def test_two_processes_want_a_place_at_the_same_moment(
    session: Session, house: House
) -> None:
    other = await make_session(house, await house.enter(), place="300")
    results = await asyncio.gather(
        *(each.do(ChangePlaces(**by(GM), bind="201")) for each in (session, other)),
        return_exceptions=True,
    )
    (refused,) = [each for each in results if isinstance(each, Exception)]
    assert isinstance(refused, Impossible)
    assert refused.code == "place-taken"
    assert await session.tables.places.find("201") == await other.tables.places.find("201")


async def test_a_write_that_fails_binds_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*args: object) -> None:
        raise StorageUnavailable("full", "x")

    with monkeypatch.context() as patch:
        patch.setattr(session.tables.store, "append", fail)
        with pytest.raises(StorageUnavailable):
            await session.do(ChangePlaces(**by(GM), bind="201"))
    assert session.tables.places.table_id("201") is None
    await session.do(ChangePlaces(**by(GM), bind="201"))
    assert session.tables.places.table_id("201") == session.table_id


async def test_a_table_reads_its_own_places_and_not_everybodys(
    session: Session, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = await house.enter()
    action = ChangePlaces(**by(GM), bind="201")
    await perform(elsewhere, session.table_id, action, "bound elsewhere")

    async def everything() -> dict[str, int]:
        raise AssertionError("every place was read")

    monkeypatch.setattr(session.tables.store, "place_tables", everything)
    await session.tables.refresh(await session.tables.get(session.table_id))
    assert session.tables.places.places_of(session.table_id) == (PLACE, "201")
    assert session.tables.places.table_id("201") == session.table_id

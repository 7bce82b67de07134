"""Forgetting people: their numbers, what is taken back afterwards, and what happens when the disk
fails.
"""

from __future__ import annotations

import asyncio

import pytest

from bot.services.directory import Directory
from bot.services.perform import perform
from bot.services.replay import ReplayImpossible, replay
from bot.storage import codec
from bot.storage.errors import StorageUnavailable
from bot.storage.row_records import Member
from rules.core.errors import Impossible, NotFound, Outdated
from rules.table.actions import (
    Award,
    ChangeGms,
    ChangePerson,
    ChangeSettings,
    ForgetPerson,
    RollDice,
    Undo,
)
from rules.table.events import DiceRolled
from tests.amending import amend
from tests.sample_table import ANN, BEN, GM, GUILD, House, Session, by, make_session, propose
from tests.storage.stores import tidy_all


def test_a_directory_forgets() -> None:
    directory = Directory([Member("p1", "501", "Gia"), Member("p4", "504", " Ann")])
    assert directory.participants_named("ann") == ("p4",)
    directory.forget("p4")
    directory.forget("p9")
    assert (directory.known_participant("504"), directory.user("p4"), directory.participants()) == (
        None,
        None,
        ("p1",),
    )
    again = directory.ensure_participant("504", "Ann")
    directory.forget(again)
    assert directory.unsaved_members() == ()
    assert directory.ensure_participant("505", "Ben") not in ("p1", again)


async def test_reasons_of_corrections_are_gone(session: Session, house: House) -> None:
    await session.do(ChangeGms(**by(GM), add=BEN.id))
    entry = (await session.do(Award(**by(GM), kind="fate", amount=1))).seq
    await amend(session, entry, BEN, values={"amount": 2}, reason="bens own reason")
    other = (await session.do(Award(**by(GM), kind="fate", amount=1))).seq
    await amend(session, other, values={"amount": 3}, reason="reason of the gm")
    await session.do(ForgetPerson(**by(BEN)))
    shown = str([row for row, _ in await session.tables.store.entries(session.table_id)])
    assert "bens own reason" not in shown and "reason of the gm" in shown
    await tidy_all(session.tables.store)
    text = str(house.rows())
    assert "bens own reason" not in text and "reason of the gm" in text


async def test_what_was_typed_is_gone_and_the_table_goes_on(session: Session, house: House) -> None:
    await session.rolled(ANN, note="annas gm says")
    await session.do(propose(ANN, approach="annas own words"))
    await session.do(propose(BEN, approach="bens own words"))
    done = await session.do(ForgetPerson(**by(ANN)))
    assert "annas own words" not in str(done.state)
    shown = str([row for row, _ in await session.tables.store.entries(session.table_id)])
    assert "annas own words" not in shown and "bens own words" in shown and "annas gm says" in shown
    await tidy_all(session.tables.store)
    text = str(house.rows())
    assert "annas own words" not in text and "'Ann'" not in text and "'502'" not in text
    assert "bens own words" in text and "annas gm says" in text
    for _ in range(2):
        directory = (await session.tables.get(session.table_id)).directory
        assert directory.user("p2") is None
        await session.restart()
    table = await session.tables.get(session.table_id)
    assert table.directory.ensure_participant("502", "Ann") == "p4"
    assert await session.tables.memberships(GUILD, "502") == ([], 0)


async def test_what_was_typed_between_dice_goes_and_the_dice_stay(
    session: Session, house: House
) -> None:
    await session.do(RollDice(**by(ANN), dice="2d6 [annas own words] + 1 [and more]"))
    await session.do(RollDice(**by(BEN), dice="1d6 [bens own words]"))
    await session.do(ForgetPerson(**by(ANN)))
    await tidy_all(session.tables.store)
    text = str(house.rows())
    assert "annas own words" not in text and "and more" not in text and "bens own words" in text
    events = [
        codec.read_events(row.events)
        for row, _ in await session.tables.store.entries(session.table_id)
    ]
    rolled = [each.text for told in events for each in told if isinstance(each, DiceRolled)]
    assert rolled == ["2d6 + 1", "1d6 [bens own words]"]


async def test_undo_stops_there(session: Session) -> None:
    first = await session.do(ChangeSettings(**by(GM), values={"live": True}))
    gone = await session.do(ForgetPerson(**by(ANN)))
    for entry in (first.seq, gone.seq):
        with pytest.raises(Impossible) as refused:
            await session.do(Undo(**by(GM), entry=entry))
        assert (refused.value.code, refused.value.params["first"]) == (
            "undo-redacted",
            gone.seq + 1,
        )
    with pytest.raises(NotFound, match="nothing-to-undo"):
        await session.do(Undo(**by(GM)))
    later = await session.do(ChangeSettings(**by(GM), values={"live": False}))
    await session.restart()
    await session.do(Undo(**by(GM), entry=later.seq))
    assert (await session.state()).settings.live
    with pytest.raises(Impossible):
        await session.do(Undo(**by(GM), entry=first.seq, all_dependents=True))


async def test_replay_says_why_not(session: Session) -> None:
    done = await session.do(ForgetPerson(**by(ANN)))
    await session.do(ChangeSettings(**by(GM), values={"live": True}))
    with pytest.raises(ReplayImpossible, match="deleted at their wish") as caught:
        await replay(session.tables.store, session.table_id)
    assert caught.value.seq == done.seq


async def test_the_same_request_forgets_once(session: Session) -> None:
    action = ForgetPerson(**by(ANN))
    done = await perform(session.tables, session.table_id, action, "forget")
    await session.restart()
    again = await perform(session.tables, session.table_id, action, "forget")
    assert (again.repeated, again.seq) == (True, done.seq)


async def test_somebody_who_acts_meanwhile_is_not_brought_back(session: Session) -> None:
    forgets = asyncio.create_task(session.do(ForgetPerson(**by(ANN))))
    acts = asyncio.create_task(session.do(ChangePerson(**by(ANN), plain=True)))
    found = await asyncio.gather(forgets, acts, return_exceptions=True)
    assert isinstance(found[1], Outdated), found
    assert str(found[1]) == "person-forgotten"
    assert "p2" not in (await session.state()).people


async def test_a_write_that_fails_forgets_nobody(
    session: Session, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, rows = await session.state(), house.rows()

    def fail(*args: object) -> None:
        raise StorageUnavailable("full", "no room")

    with monkeypatch.context() as broken:
        broken.setattr("bot.storage.journal_writer.redact_person", fail)
        with pytest.raises(StorageUnavailable):
            await session.do(ForgetPerson(**by(ANN)))
    table = await session.tables.get_committed(session.table_id)
    assert (table.state, table.redacted, table.directory.user("p2")) == (before, 0, "502")
    assert house.rows() == rows
    await session.do(ForgetPerson(**by(ANN)))


async def test_whoever_only_looked_is_overlooked(session: Session) -> None:
    directory = (await session.tables.get(session.table_id)).directory
    directory.ensure_participant("600", "Carl")
    session.tables.forget_unsaved("another", "600")
    assert directory.known_participant("600") is not None
    session.tables.forget_unsaved(GUILD, "600")
    session.tables.forget_unsaved(GUILD, "502")
    assert (directory.known_participant("600"), directory.known_participant("502")) == (None, "p2")
    assert directory.unsaved_members() == ()


async def test_a_server_is_dropped_with_what_is_in_memory(house: House) -> None:
    tables = await house.enter()
    session = await make_session(house, tables)
    await make_session(house, tables, place="201")
    assert await tables.drop_guild(GUILD) == 2
    assert tables.places.places_of(session.table_id) == ()
    assert tables.get_if_loaded(session.table_id) is None
    with pytest.raises(NotFound):
        await session.do(ChangeSettings(**by(GM), values={"live": True}))
    await tidy_all(tables.store)
    assert all(not rows for name, rows in house.rows().items() if name != "note")
    assert isinstance((await make_session(house, tables)).table_id, int)

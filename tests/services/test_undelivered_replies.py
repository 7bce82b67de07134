"""An answer that never came: whoever asks again is shown the first result."""

from __future__ import annotations

import pytest

from bot.services.history import entry_and_events, journal_ids
from bot.services.outbox_plan import ReplyTo
from bot.services.perform import ActionResult
from bot.storage.row_records import OutboxRow
from rules.core.errors import Outdated
from rules.table.actions import ChangeSettings, Undo
from tests.sample_table import ANN, BEN, GM, NOON, Session, by, newest, propose, roll

REPLY = ReplyTo(False, "token")


async def hold(session: Session, done: ActionResult) -> OutboxRow:
    """The answer to `done` did not get through."""
    assert done.reply is not None
    await session.tables.unsaid.hold(done.reply)
    return done.reply


@pytest.mark.parametrize("restart", [False, True])
async def test_the_same_again_shows_the_first_result(session: Session, restart: bool) -> None:
    first = await session.do(propose(ANN), reply=REPLY)
    out = await hold(session, first)
    if restart:
        await session.restart()
        await session.tables.unsaid.hold(
            next(row for row in await session.tables.store.unsent_rows() if row.id == out.id)
        )
    again = await session.do(propose(ANN, at=NOON + 60), reply=ReplyTo(False, "other"))
    assert (again.repeated, again.seq, again.events) == (True, first.seq, first.events)
    assert again.reply == out
    assert list((await session.state()).checks) == ["c1"]
    session.tables.unsaid.mark_delivered(out)
    more = await session.do(propose(ANN, at=NOON + 120), reply=REPLY)
    assert not more.repeated
    assert list(more.state.checks) == ["c1", "c2"]


async def test_a_roll_is_not_rolled_again(session: Session) -> None:
    check = await session.answered()
    first = await session.do(roll(check), reply=REPLY)
    out = await hold(session, first)
    again = await session.do(roll(check), reply=REPLY)
    assert (again.repeated, again.events) == (True, first.events)
    session.tables.unsaid.mark_delivered(out)
    with pytest.raises(Outdated):
        await session.do(roll(check), reply=REPLY)


async def test_another_action_is_another_action(session: Session) -> None:
    await hold(session, await session.do(propose(ANN), reply=REPLY))
    for action in (
        propose(ANN, approach="by the stairs"),
        propose(BEN),
        propose(ANN).replace(place="201"),
        propose(ANN, modifier=1),
    ):
        assert not (await session.do(action, reply=REPLY)).repeated
    assert len((await session.state()).checks) == 5


async def test_the_role_list_does_not_make_it_another(session: Session) -> None:
    await hold(session, await session.do(propose(ANN), reply=REPLY))
    assert (await session.do(propose(ANN.replace(roles=("77",))), reply=REPLY)).repeated


async def test_an_undo_is_not_done_again(session: Session) -> None:
    """What it took back was found out when it was done; asking again asks for the same."""
    await session.proposed()
    await session.proposed()
    first = await session.do(Undo(**by(GM)), reply=REPLY)
    await hold(session, first)
    again = await session.do(Undo(**by(GM)), reply=REPLY)
    assert (again.repeated, again.seq) == (True, first.seq)
    assert list((await session.state()).checks) == ["c1"]


@pytest.mark.parametrize("held_first", [True, False])
async def test_what_was_undone_is_not_shown_any_more(session: Session, held_first: bool) -> None:
    first = await session.do(propose(ANN), reply=REPLY)
    if held_first:
        await hold(session, first)
    await session.do(Undo(**by(GM)))
    if not held_first:
        await hold(session, first)
    assert session.tables.unsaid.replies_for(session.table_id, "p2") == ()
    again = await session.do(propose(ANN), reply=REPLY)
    assert not again.repeated
    assert newest(again.state).id == "c2"


async def test_what_is_held_is_listed_once_and_in_order(session: Session) -> None:
    outs = [
        await hold(session, await session.do(propose(ANN, modifier=number), reply=REPLY))
        for number in (1, 2)
    ]
    await session.tables.unsaid.hold(outs[0])
    assert session.tables.unsaid.replies_for(session.table_id, "p2") == tuple(outs)
    assert session.tables.unsaid.replies_for(session.table_id, "p3") == ()
    session.tables.unsaid.mark_delivered(outs[0])
    session.tables.unsaid.mark_delivered(outs[0])
    assert session.tables.unsaid.replies_for(session.table_id, "p2") == (outs[1],)


async def test_what_belongs_to_nobody_is_not_held(session: Session) -> None:
    done = await session.do(propose(ANN), reply=REPLY)
    (card,) = [out for out in done.outs if out.kind == "card"]
    await session.tables.unsaid.hold(card)
    await session.tables.unsaid.hold(card.replace(person="p3", journal_id=999))
    assert (
        session.tables.unsaid.replies_for(session.table_id, "p2")
        == session.tables.unsaid.replies_for(session.table_id, "p3")
        == ()
    )


async def test_the_entry_behind_an_answer(session: Session) -> None:
    done = await session.do(ChangeSettings(**by(GM), values={"name": "Swamps"}), reply=REPLY)
    assert done.reply is not None
    found = await entry_and_events(session.tables, done.reply)
    assert found is not None
    row, events = found
    assert (row.seq, row.kind, events) == (done.seq, "ChangeSettings", done.events)
    assert await journal_ids(session.tables, session.table_id, [done.seq]) == [done.journal_id]

"""Notices and wishes: planned once, found by share, forgotten with their user."""

from __future__ import annotations

from pathlib import Path

from bot.storage.database import Database
from bot.storage.row_records import Member, NewNotice
from bot.storage.share import Share
from bot.storage.store import SqlStore, Store
from tests.storage.stores import new_entry, new_table

GIA, ANN = "501", "502"


def nudge(key: str = "a", user: str = GIA, at: int = 100) -> NewNotice:
    """A direct message to be sent."""
    return NewNotice(key, user, "nudge", at, table_id=1)


async def test_a_notice_is_planned_once(store: Store) -> None:
    await store.plan_notices([nudge("a", at=100), nudge("b", at=50)])
    await store.plan_notices([nudge("a", at=1)])
    assert [row.key for row in await store.due_notices(100)] == ["b", "a"]
    assert [row.key for row in await store.due_notices(60)] == ["b"]
    assert await store.next_notice() == 50


async def test_a_sent_notice_is_over(store: Store) -> None:
    await store.plan_notices([nudge("a"), nudge("b", ANN)])
    (row, other) = await store.due_notices(100)
    await store.address_notice(row.id, "900", loud=False)
    await store.mark_notice(row.id, 120, "900/1")
    await store.put_off_notice(other.id, 500, "Forbidden")
    assert await store.next_notice() == 500
    sent = (await store.notices_named(["a"]))["a"]
    assert (sent.place, sent.loud, sent.sent_at, sent.message) == ("900", False, 120, "900/1")
    put_off = await store.notice(other.id)
    assert put_off is not None
    assert (put_off.attempts, put_off.error) == (1, "Forbidden")
    await store.drop_old_notices(121)
    assert await store.notices_named(["a", "b"]) == {"b": put_off}


async def test_the_budget_counts_loud_notices_that_were_sent(store: Store) -> None:
    sent = [nudge(f"s{number}").replace(sent_at=10 * number) for number in range(4)]
    silent = nudge("quiet").replace(sent_at=20, loud=False)
    await store.plan_notices([*sent, silent, nudge("open"), nudge("ann", ANN)])
    assert await store.count_loud_notices(GIA, 10) == 3
    assert await store.count_notices("nudge", 0) == 5
    assert await store.count_notices("test", 0) == 0
    (dropped,) = [row for row in await store.due_notices(100) if row.key == "open"]
    await store.mark_notice(dropped.id, 30, None, "over")
    assert await store.count_loud_notices(GIA, 10) == 3


async def test_wishes_are_forgotten_with_the_notices(store: Store) -> None:
    await store.save_preference(GIA, '{"zone":"Europe/Berlin"}')
    await store.save_preference(GIA, '{"zone":"Asia/Tokyo"}')
    await store.save_preference(ANN, "{}")
    await store.plan_notices([nudge("a"), nudge("b", ANN)])
    assert await store.preferences([GIA, "7"]) == {GIA: '{"zone":"Asia/Tokyo"}'}
    assert await store.preferences([]) == {}
    await store.forget_user_notices(GIA)
    assert await store.preferences([GIA, ANN]) == {ANN: "{}"}
    assert await store.user_notices(GIA) == ()
    assert [row.key for row in await store.user_notices(ANN)] == ["b"]


async def test_a_forgotten_member_keeps_no_notice_of_the_table(store: Store) -> None:
    (written,) = await store.create_table(
        new_table(), new_entry("open", members=(Member("p1", GIA, "Gia"),))
    )
    here = nudge("here").replace(table_id=written.table_id)
    elsewhere = nudge("elsewhere").replace(table_id=written.table_id + 1)
    await store.plan_notices([here, elsewhere, here.replace(key="ann", user=ANN)])
    await store.append(written.table_id, 1, new_entry("forget", forgets="p1"))
    assert [row.key for row in await store.user_notices(GIA)] == ["elsewhere"]
    assert [row.key for row in await store.user_notices(ANN)] == ["ann"]


async def test_a_deleted_server_keeps_no_notice(store: Store) -> None:
    (written,) = await store.create_table(new_table(), new_entry("open"))
    await store.plan_notices([nudge().replace(table_id=written.table_id)])
    await store.drop_guild("100")
    assert await store.user_notices(GIA) == ()


async def test_notices_belong_to_the_share_of_their_user(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "store.db")
    store = SqlStore(database)
    users = [str(number << 22) for number in range(4)]
    await store.plan_notices([nudge(user, user) for user in users])
    database.share = Share(1, 2)
    assert [row.user for row in await store.due_notices(100)] == [users[1], users[3]]
    await store.close()


async def test_no_question_about_notices_reads_all_of_them(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "store.db")
    store = SqlStore(database)
    told: list[str] = []
    await database.read(lambda connection: connection.set_trace_callback(told.append))
    await store.plan_notices([nudge()])
    await store.preferences([GIA])
    await store.notices_named(["a"])
    await store.notice(1)
    await store.user_notices(GIA)
    await store.next_notice()
    await store.due_notices(5)
    await store.count_loud_notices(GIA, 5)
    await store.count_notices("test", 5)
    await store.address_notice(1, "1", loud=True)
    await store.mark_notice(1, 5, None)
    await store.put_off_notice(1, 5, "x")
    await store.drop_old_notices(5)
    await store.forget_user_notices(GIA)
    await database.read(lambda connection: connection.set_trace_callback(None))
    asked = [sql for sql in told if sql.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE"))]
    assert len(asked) > 12
    for sql in asked:
        plan = await database.read(
            lambda connection, sql=sql: connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
        )
        steps = [step for *_, step in plan if step.startswith("SCAN")]
        assert steps in ([], ["SCAN notice USING INDEX notice_open"]), sql
    await store.close()

"""What every store keeps to, whatever is behind it."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from bot.storage.codec import PART_VERSION
from bot.storage.errors import DuplicateRequest, StaleTable
from bot.storage.row_records import (
    AwaitedParty,
    LiveMessages,
    Member,
    OutboxRow,
    PanelRow,
    TableRow,
    WrittenEntry,
)
from bot.storage.store import Store
from tests.storage.stores import Keeper, new_entry, new_out, new_table

GIA, ANN = Member("p1", "501", "Gia"), Member("p2", "502", "Ann")


async def open_table(store: Store, place: str = "200") -> int:
    """A new table with one entry."""
    return (await store.create_table(new_table(place), new_entry(f"open {place}")))[0].table_id


async def everything(store: Store, table_id: int) -> tuple[object, ...]:
    """All that the store tells of a table."""
    row = await store.load_table(table_id)
    entries = await store.entries(table_id)
    before = await store.parts_before([entry.id for entry, _ in entries])
    return (
        row,
        entries,
        before,
        await store.unsent_rows(),
        await store.due_waits(10**12),
        await store.place_tables(),
    )


async def load_table(store: Store, table_id: int) -> TableRow:
    row = await store.load_table(table_id)
    assert row is not None
    return row.replace(parts=tuple(sorted(row.parts)))


# --- tables and entries ---------------------------------------------------------------------------


async def test_an_empty_store(store: Store) -> None:
    assert await store.place_tables() == {}
    assert await store.load_table(1) is None
    assert await store.find_request("x") is None
    assert await store.entries(1) == ()
    assert await store.parts_before([]) == {}
    assert await store.unsent_rows() == await store.unsent_rows(1) == ()
    assert await store.topic_messages(1, ["c1"]) == await store.topic_messages(1, []) == ()
    assert await store.entry_messages([1]) == await store.entry_messages([]) == ()
    assert await store.entry(1) is None
    assert await store.outbox_row(1) is None
    assert await store.next_due() is None
    assert await store.due_waits(10**12) == ()
    assert await store.load_panel("x") is None
    assert await store.note("x") is None


async def test_a_new_table_is_there_after_a_restart(keeper: Keeper) -> None:
    store = await keeper.open()
    entry = new_entry("open", members=(GIA,), parts={"settings": '"s"', "counters": "{}"})
    (written,) = await store.create_table(new_table(), entry)
    assert (written.seq, written.outs) == (1, ())
    store = await keeper.reopen()
    assert await store.place_tables() == {"200": written.table_id}
    row = await load_table(store, written.table_id)
    assert (row.guild, row.system, row.rules_version, row.revision, row.created_at) == (
        "100",
        "ebb",
        1,
        1,
        1000,
    )
    assert row.parts == (("counters", PART_VERSION, "{}"), ("settings", PART_VERSION, '"s"'))
    assert row.members == (GIA,)
    seeds = [
        (seed.stream, seed.seed, seed.commitment, seed.started_at, seed.revealed_at)
        for seed in row.seeds
    ]
    assert seeds == [
        ("public", b"p" * 32, "hash of p", 1000, None),
        ("secret", b"s" * 32, "hash of s", 1000, None),
    ]


async def test_an_entry_is_there_with_all_that_belongs_to_it(keeper: Keeper) -> None:
    store = await keeper.open()
    table_id = await open_table(store)
    parties = (AwaitedParty("p2", (("own", 1), ("react", 2)), "first"), AwaitedParty(None))
    entry = new_entry(
        "second",
        at=1005,
        actor="p2",
        kind="Roll",
        draws=3,
        revealed=True,
        parts={"settings": '"new"', "check:c1": '"c"'},
        due_on=(("c1.1", 2000),),
        members=(GIA, ANN),
        outs=(
            new_out(kind="reply", person="p2", token="secret", public=False),
            new_out(topic="c1", events=(0, 1), parties=parties, turn=3),
        ),
    )
    written = await store.append(table_id, 1, entry)
    assert (written.table_id, written.seq) == (table_id, 2)
    store = await keeper.reopen()
    row = await load_table(store, table_id)
    assert (row.revision, row.members) == (2, (GIA, ANN))
    assert row.parts == (("check:c1", PART_VERSION, '"c"'), ("settings", PART_VERSION, '"new"'))
    found = await store.find_request("second")
    assert found == (await store.entry(written.journal_id), written.outs)
    assert found is not None
    kept = found[0]
    for name in (
        "request_id",
        "at",
        "actor",
        "kind",
        "action",
        "events",
        "rules_version",
        "draws",
        "revealed",
    ):
        assert (name, getattr(kept, name)) == (name, getattr(entry, name))
    assert (kept.id, kept.table_id, kept.seq, kept.undone_by) == (
        written.journal_id,
        table_id,
        2,
        None,
    )
    assert await store.parts_before([written.journal_id]) == {
        written.journal_id: {"settings": (PART_VERSION, '"open 200"'), "check:c1": None}
    }
    assert await store.due_waits(3000) == ((table_id, "c1.1", 2000),)
    reply, post = written.outs
    assert await store.unsent_rows() == await store.unsent_rows(table_id) == (reply, post)
    assert (
        await store.outbox_row(post.id)
        == post
        == OutboxRow(
            post.id,
            written.journal_id,
            table_id,
            "post",
            "200",
            None,
            True,
            (0, 1),
            "c1",
            None,
            1005,
            parties=parties,
            turn=3,
        )
    )
    assert (reply.token, reply.public, reply.person) == ("secret", False, "p2")


async def test_a_part_that_is_gone_is_gone_and_can_be_brought_back(store: Store) -> None:
    table_id = await open_table(store)
    await store.append(table_id, 1, new_entry("a", parts={"check:c1": '"one"'}))
    gone = await store.append(table_id, 2, new_entry("b", parts={"check:c1": None}))
    assert [key for key, _, _ in (await load_table(store, table_id)).parts] == ["settings"]
    assert await store.parts_before([gone.journal_id]) == {
        gone.journal_id: {"check:c1": (PART_VERSION, '"one"')}
    }
    again = await store.append(table_id, 3, new_entry("c", parts={"check:c1": '"two"'}))
    assert await store.parts_before([again.journal_id]) == {again.journal_id: {"check:c1": None}}
    assert ("check:c1", PART_VERSION, '"two"') in (await load_table(store, table_id)).parts


async def test_a_request_is_carried_out_once(store: Store) -> None:
    table_id = await open_table(store)
    other = await open_table(store, "300")
    await store.append(table_id, 1, new_entry("same", outs=(new_out(),)))
    before = await everything(store, table_id), await everything(store, other)
    entry = new_entry(
        "same", members=(ANN,), due_on=(("c1.1", 5),), outs=(new_out(),), parts={"x": "1"}
    )
    with pytest.raises(DuplicateRequest):
        await store.append(table_id, 2, entry)
    with pytest.raises(DuplicateRequest):
        await store.append(other, 1, entry)
    with pytest.raises(DuplicateRequest):
        await store.create_table(new_table("400"), entry)
    assert (await everything(store, table_id), await everything(store, other)) == before


async def test_a_stale_revision_is_refused(store: Store) -> None:
    table_id = await open_table(store)
    await store.append(table_id, 1, new_entry("a"))
    before = await everything(store, table_id)
    for revision in (0, 1, 3):
        with pytest.raises(StaleTable):
            await store.append(
                table_id, revision, new_entry("b", outs=(new_out(),), members=(ANN,))
            )
    with pytest.raises(StaleTable):
        await store.append(table_id + 1, 0, new_entry("b"))
    assert await everything(store, table_id) == before
    assert (await store.append(table_id, 2, new_entry("b"))).seq == 3


async def test_an_entry_follows_the_one_it_was_made_for(store: Store) -> None:
    """The number alone does not do: another may have come in under it."""
    table_id = await open_table(store)
    assert (await load_table(store, table_id)).head == "open 200"
    await store.append(table_id, 1, new_entry("theirs", after="open 200"))
    before = await everything(store, table_id)
    with pytest.raises(StaleTable):
        await store.append(table_id, 2, new_entry("mine, second", after="mine, first"))
    assert await everything(store, table_id) == before
    await store.append(table_id, 2, new_entry("mine", after="theirs"))
    assert (await load_table(store, table_id)).head == "mine"


async def test_writes_keep_the_order_in_which_they_were_asked_for(store: Store) -> None:
    table_id = await open_table(store)
    names = ["open 200", *(f"e{number}" for number in range(150))]
    waiting = [
        store.append(table_id, number, new_entry(name, after=before))
        for number, (before, name) in enumerate(pairwise(names), start=1)
    ]
    assert [(await one).seq for one in waiting] == list(range(2, 152))
    assert [entry.request_id for entry, _ in await store.entries(table_id)] == names


async def test_a_place_is_bound_once(store: Store) -> None:
    table_id = await open_table(store)
    before = await everything(store, table_id)
    with pytest.raises(StaleTable):
        await store.create_table(new_table("200"), new_entry("late"))
    assert await everything(store, table_id) == before
    assert await store.load_table(table_id + 1) is None
    assert await store.find_request("late") is None


async def test_a_table_and_what_fills_it_come_together_or_not_at_all(keeper: Keeper) -> None:
    store = await keeper.open()
    entries = (
        new_entry("open", members=(GIA,), parts={"settings": '"s"'}),
        new_entry("fill", after="open", parts={"settings": '"t"', "character:k1": '"c"'}),
    )
    first, second = await store.create_table(new_table(), *entries)
    assert (first.table_id, first.seq, second.seq) == (second.table_id, 1, 2)
    before = await everything(store, first.table_id)
    for place, request in (("200", "new"), ("300", "fill")):
        with pytest.raises((StaleTable, DuplicateRequest)):
            await store.create_table(new_table(place), new_entry(f"to {place}"), new_entry(request))
    store = await keeper.reopen()
    assert await everything(store, first.table_id) == before
    assert await store.place_tables() == {"200": first.table_id}
    assert await store.find_request("to 300") is None
    row = await load_table(store, first.table_id)
    assert (row.revision, row.head) == (2, "fill")
    assert [text for _, _, text in row.parts] == ['"c"', '"t"']
    journal = [entry.id for entry, _ in await store.entries(first.table_id)]
    assert (await store.parts_before(journal))[journal[1]] == {
        "settings": (PART_VERSION, '"s"'),
        "character:k1": None,
    }


async def test_the_people_of_a_server_by_name(store: Store) -> None:
    await store.create_table(new_table(), new_entry("a", members=(GIA,)))
    await store.create_table(
        new_table("300"), new_entry("b", members=(Member("p1", GIA.user, "Gigi"),))
    )
    await store.create_table(
        new_table("400", guild="7"), new_entry("c", members=(Member("p1", "9", "Far"),))
    )
    assert await store.user_names("100") == ((GIA.user, "Gia"), (GIA.user, "Gigi"))
    assert await store.user_names("8") == ()


async def test_places_come_and_go_with_an_entry(keeper: Keeper) -> None:
    store = await keeper.open()
    table_id, other = await open_table(store), await open_table(store, "300")
    await store.append(table_id, 1, new_entry("a", places=(("201", True), ("202", True)), parts={}))
    await store.append(
        table_id, 2, new_entry("b", places=(("200", False), ("203", True)), parts={})
    )
    store = await keeper.reopen()
    assert await store.place_tables() == {
        "201": table_id,
        "202": table_id,
        "203": table_id,
        "300": other,
    }
    assert await store.bound_places(("300", "201", "200", "999")) == {"201": table_id, "300": other}
    assert await store.bound_places(()) == {}
    await store.append(other, 1, new_entry("c", places=(("200", True),), parts={}))
    assert (await store.place_tables())["200"] == other


async def test_a_place_of_another_table_is_neither_bound_nor_given_back(store: Store) -> None:
    table_id, other = await open_table(store), await open_table(store, "300")
    before = await everything(store, table_id), await everything(store, other)
    wrong = (
        (("300", True),),
        (("300", False),),
        (("200", True),),
        (("299", False),),
        (("201", True), ("300", True)),
    )
    for places in wrong:
        with pytest.raises(StaleTable):
            await store.append(table_id, 1, new_entry("x", places=places, outs=(new_out(),)))
    assert (await everything(store, table_id), await everything(store, other)) == before


async def test_messages_near_reach_back_at_the_own_table_past_others_rows(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.storage.store._NEAR_ROWS", 1)
    (own,) = await store.create_table(new_table(), new_entry("open"))
    (other,) = await store.create_table(new_table("300"), new_entry("open 300"))
    early = await store.append(own.table_id, 1, new_entry("early", outs=(new_out(),)))
    await store.mark_done([(early.outs[0].id, 5, "200/77")])
    busy = await store.append(
        other.table_id, 1, new_entry("busy", outs=tuple(new_out(place="300") for _ in range(5)))
    )
    await store.mark_done([(busy.outs[0].id, 5, "300/78")])
    late = await store.append(own.table_id, 2, new_entry("late", outs=(new_out(),)))
    assert await store.messages_near(late.outs[0]) == {"77"}


async def test_places_of_a_table_and_rows_by_number(store: Store) -> None:
    (own,) = await store.create_table(new_table(), new_entry("open"))
    await store.create_table(new_table("300"), new_entry("open 300"))
    bound = new_entry("bind", outs=(new_out(), new_out()), places=(("100", True),))
    first, second = (await store.append(own.table_id, 1, bound)).outs
    assert await store.places_of_table(own.table_id) == ("100", "200")
    found = await store.outbox_rows([second.id, first.id, second.id + 1000])
    assert [row.id for row in found] == [first.id, second.id]
    assert await store.outbox_rows([]) == ()


async def test_two_tables_that_want_one_place_at_the_same_moment(store: Store) -> None:
    tables = [await open_table(store), await open_table(store, "300")]
    asked = [
        store.append(each, 1, new_entry(f"{each}", places=(("201", True),))) for each in tables
    ]
    first, second = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(first, WrittenEntry)
    assert isinstance(second, StaleTable)
    assert (await store.place_tables())["201"] == tables[0]
    assert (await load_table(store, tables[1])).revision == 1


async def test_entries_from_a_number_on_and_the_last_few(store: Store) -> None:
    table_id = await open_table(store)
    await open_table(store, "300")
    for number in range(1, 6):
        await store.append(
            table_id, number, new_entry(f"e{number}", parts={f"k{number}": "1", "settings": "2"})
        )

    async def numbers(**options: int) -> list[int]:
        return [entry.seq for entry, _ in await store.entries(table_id, **options)]

    assert await numbers() == [1, 2, 3, 4, 5, 6]
    assert await numbers(since=4) == [4, 5, 6]
    assert await numbers(limit=2) == [5, 6]
    assert await numbers(since=6, limit=5) == [6]
    assert await numbers(since=7) == []
    assert (await store.entries(table_id, since=6))[0][1] == {"k5", "settings"}


async def test_a_name_changes_and_a_user_stays(store: Store) -> None:
    table_id = await open_table(store)
    await store.append(table_id, 1, new_entry("a", members=(GIA, ANN)))
    await store.append(table_id, 2, new_entry("b", members=(ANN.replace(name="Anna"),)))
    assert set((await load_table(store, table_id)).members) == {GIA, ANN.replace(name="Anna")}


async def test_undone_entries_are_marked_and_no_longer_said(store: Store) -> None:
    table_id = await open_table(store)
    other = await open_table(store, "300")
    said = await store.append(table_id, 1, new_entry("a", outs=(new_out(), new_out(token="t"))))
    kept = await store.append(table_id, 2, new_entry("b", outs=(new_out(),)))
    await store.append(other, 1, new_entry("c", outs=(new_out(),)))
    await store.mark_done([(said.outs[0].id, 1500, "200/1")])
    undo = await store.append(
        table_id, 3, new_entry("d", kind="Undo", at=2000, undoes=(2,), outs=(new_out(),))
    )
    marks = {entry.seq: entry.undone_by for entry, _ in await store.entries(table_id)}
    assert marks == {1: None, 2: undo.seq, 3: None, 4: None}
    assert [entry.undone_by for entry, _ in await store.entries(other)] == [None, None]
    assert [out.journal_id for out in await store.unsent_rows(table_id)] == [
        kept.journal_id,
        undo.journal_id,
    ]
    assert len(await store.unsent_rows(other)) == 1
    first, second = [await store.outbox_row(out.id) for out in said.outs]
    assert first is not None
    assert second is not None
    assert (first.done_at, first.message, first.error) == (1500, "200/1", None)
    assert (second.done_at, second.message, second.error) == (2000, None, "undone")
    assert second.token is None


# --- many at once ---------------------------------------------------------------------------------


async def test_many_writes_at_once_all_arrive(store: Store) -> None:
    tables = [await open_table(store, str(place)) for place in range(20)]

    async def write(table_id: int) -> list[WrittenEntry]:
        entries = [new_entry(f"{table_id} {n}", outs=(new_out(), new_out())) for n in range(1, 11)]
        return [await store.append(table_id, n, entry) for n, entry in enumerate(entries, start=1)]

    written = await asyncio.gather(*map(write, tables))
    assert [[one.seq for one in rows] for rows in written] == [list(range(2, 12))] * 20
    assert len({one.journal_id for rows in written for one in rows}) == 200
    for one in (rows[-1] for rows in written):
        found = await store.find_request(f"{one.table_id} 10")
        assert found is not None
        assert (found[0].id, found[1]) == (one.journal_id, one.outs)
    for table_id in tables:
        assert (await load_table(store, table_id)).revision == 11


async def test_one_that_fails_harms_no_other(store: Store) -> None:
    """Refused ones, and one that cannot be written at all, among good ones that share their
    commit.
    """
    tables = [await open_table(store, str(place)) for place in range(12)]
    await store.append(tables[0], 1, new_entry("known"))
    work = [
        store.append(table_id, 1, new_entry(f"good {table_id}", outs=(new_out(),)))
        for table_id in tables[1:]
    ]
    work[3:3] = [
        store.append(tables[0], 1, new_entry("stale", outs=(new_out(),))),
        store.append(tables[0], 2, new_entry("known", outs=(new_out(),))),
        store.append(
            tables[0], 2, new_entry("no text", parts={"a": "1", "b": "\ud800"}, outs=(new_out(),))
        ),
        store.append(tables[0], 2, new_entry("too big", outs=(new_out(),), at=1 << 70)),
    ]
    results = await asyncio.gather(*work, return_exceptions=True)
    kinds = [type(result) for result in results if isinstance(result, BaseException)]
    assert kinds == [StaleTable, DuplicateRequest, UnicodeEncodeError, OverflowError]
    assert sum(isinstance(result, WrittenEntry) for result in results) == 11
    assert (await load_table(store, tables[0])).revision == 2
    assert [key for key, _, _ in (await load_table(store, tables[0])).parts] == ["settings"]
    assert len(await store.unsent_rows()) == 11
    for request_id in ("stale", "no text", "too big"):
        assert await store.find_request(request_id) is None


async def test_one_of_two_wins_a_revision(keeper: Keeper) -> None:
    """Whether they share a connection or not."""
    stores = [await keeper.open(), await keeper.open()]
    table_id = await open_table(stores[0])
    for round_number in range(1, 6):
        results = await asyncio.gather(
            *(
                store.append(
                    table_id, round_number, new_entry(f"{round_number} {number} {id(store)}")
                )
                for number in range(3)
                for store in stores
            ),
            return_exceptions=True,
        )
        assert sorted(type(result).__name__ for result in results) == ["StaleTable"] * 5 + [
            "WrittenEntry"
        ]
    assert [entry.seq for entry, _ in await stores[0].entries(table_id)] == list(range(1, 7))


async def test_what_is_closed_was_written(keeper: Keeper) -> None:
    """Closing waits for what is being written."""
    store = await keeper.open()
    tables = [await open_table(store, str(place)) for place in range(5)]
    tasks = [
        asyncio.ensure_future(store.append(table_id, 1, new_entry(f"last {table_id}")))
        for table_id in tables
    ]
    await asyncio.sleep(0)
    store = await keeper.reopen()
    assert [result.seq for result in await asyncio.gather(*tasks)] == [2] * 5
    for table_id in tables:
        assert (await load_table(store, table_id)).revision == 2


# --- the outbox -----------------------------------------------------------------------------------


async def said_rows(store: Store, table_id: int) -> tuple[OutboxRow, ...]:
    entry = new_entry(
        "say",
        outs=(
            new_out(kind="reply", token="secret", person="p2", public=False),
            new_out(topic="c1"),
            new_out(topic="c2"),
            new_out(kind="stub", person="p2", public=False, topic="c1"),
        ),
    )
    return (await store.append(table_id, 1, entry)).outs


async def test_what_was_said_is_done_and_the_token_forgotten(store: Store) -> None:
    table_id = await open_table(store)
    reply, first, second, stub = await said_rows(store, table_id)
    await store.mark_failed(reply.id, "10062")
    failed = await store.outbox_row(reply.id)
    assert failed == reply.replace(attempts=1, error="10062")
    await store.mark_done([(reply.id, 1500, None), (first.id, 1501, "200/77")])
    assert await store.outbox_row(reply.id) == reply.replace(attempts=1, done_at=1500, token=None)
    assert await store.outbox_row(first.id) == first.replace(done_at=1501, message="200/77")
    assert await store.unsent_rows(table_id) == (second, stub)
    await store.mark_done([])


async def test_live_messages_come_with_their_calls_and_the_last_sent_row(store: Store) -> None:
    table_id = await open_table(store)
    other = await open_table(store, "300")
    nothing = LiveMessages((), (), None)
    entry = new_entry(
        "say",
        outs=(
            new_out(kind="card", topic="card:c1"),
            new_out(kind="call", topic="call:c1"),
            new_out(kind="card", topic="card:c1"),
            new_out(kind="card", topic="card:c2"),
            new_out(kind="card", topic="card:c1"),
        ),
    )
    card, call, edit, another, unsent = (await store.append(table_id, 1, entry)).outs

    async def live(table: int = table_id) -> LiveMessages:
        return await store.live_messages(table, "card:c1", "call:c1")

    assert await live() == nothing
    await store.mark_done(
        [(row.id, 1500, f"200/{row.id}") for row in (card, call, another)] + [(edit.id, 1500, None)]
    )
    sent = await store.outbox_rows([card.id, call.id, edit.id])
    assert await live() == LiveMessages(sent[:1], sent[1:2], sent[2])
    assert await live(other) == nothing
    await store.mark_failed(unsent.id, "50001")
    await store.mark_done([], [card.id, call.id])
    assert await live() == LiveMessages((), (), sent[2]), "closed messages were still sent"
    await store.forget_messages()
    assert await live() == nothing


async def test_messages_are_found_by_topic_and_by_entry_until_they_are_closed(store: Store) -> None:
    table_id = await open_table(store)
    other = await open_table(store, "300")
    reply, first, second, stub = await said_rows(store, table_id)
    assert await store.topic_messages(table_id, ["c1", "c2"]) == ()
    await store.mark_done([(row.id, 1500, f"200/{row.id}") for row in (reply, first, second, stub)])

    async def topics(*names: str) -> list[int]:
        return [out.id for out in await store.topic_messages(table_id, names)]

    assert await topics("c1") == [first.id, stub.id]
    last = await store.last_sent_row(table_id, "c1")
    assert last == await store.outbox_row(stub.id)
    assert await store.last_sent_row(table_id, "c3") is None
    assert await store.last_sent_row(other, "c1") is None
    assert await topics("c1", "c2") == [first.id, second.id, stub.id]
    assert await store.topic_messages(other, ["c1"]) == ()
    entry = [out.id for out in await store.entry_messages([first.journal_id, 999])]
    assert entry == [reply.id, first.id, second.id, stub.id]
    assert await store.entry_topics([first.journal_id, 999]) == ("c1", "c2")
    await store.mark_done([], [first.id, second.id])
    assert await topics("c1", "c2") == [stub.id]
    closed = await store.outbox_row(first.id)
    assert closed is not None
    assert closed.closed
    await store.forget_messages()
    assert await store.last_sent_row(table_id, "c1") is None
    assert await topics("c1", "c2") == []
    assert await store.entry_messages([first.journal_id]) == ()
    gone = await store.outbox_row(stub.id)
    assert gone is not None
    assert (gone.message, gone.done_at) == (None, 1500)


# --- the clock's list, panels, notes --------------------------------------------------------------


async def test_the_clocks_list(store: Store) -> None:
    one, two = await open_table(store), await open_table(store, "300")
    await store.append(one, 1, new_entry("a", due_on=(("c1.1", 50), ("c2.1", 30))))
    await store.append(two, 1, new_entry("b", due_on=(("c1.1", 40),)))
    assert await store.next_due() == 30
    assert await store.due_waits(29) == ()
    assert await store.due_waits(50) == ((one, "c2.1", 30), (two, "c1.1", 40), (one, "c1.1", 50))
    assert await store.due_waits(50, limit=1) == ((one, "c2.1", 30),)
    await store.append(
        one, 2, new_entry("c", due_off=("c2.1", "c9.9"), due_on=(("c1.1", 60), ("c3.1", 70)))
    )
    assert await store.due_waits(99) == ((two, "c1.1", 40), (one, "c1.1", 60), (one, "c3.1", 70))
    await store.drop_due(one, "c1.1")
    await store.drop_due(one, "c1.1")
    assert await store.due_waits(99) == ((two, "c1.1", 40), (one, "c3.1", 70))


async def test_a_wait_that_failed_is_put_off(store: Store) -> None:
    """A minute, then twice as long each time, an hour at most; anew once the table gives it another
    end.
    """
    table = await open_table(store)
    await store.append(table, 1, new_entry("a", due_on=(("c1.1", 50), ("c2.1", 60))))
    offs: list[int] = []
    for _ in range(80):
        await store.put_off(table, "c1.1", 1000)
        (at,) = [at for _, wait, at in await store.due_waits(10**12) if wait == "c1.1"]
        offs.append(at - 1000)
    assert offs == [60, 120, 240, 480, 960, 1920, *[3600] * 74]
    assert await store.due_waits(1000) == ((table, "c2.1", 60),)
    await store.append(table, 2, new_entry("b", due_on=(("c1.1", 70),)))
    await store.put_off(table, "c1.1", 1000)
    assert (table, "c1.1", 1060) in await store.due_waits(1060)
    await store.put_off(table, "c9.9", 1000)


async def test_panels(keeper: Keeper) -> None:
    store = await keeper.open()
    panel = PanelRow("x1", None, "501", "check", '{"a":1}', 100)
    await store.save_panel(panel)
    await store.save_panel(panel.replace(id="x2", at=200))
    await store.save_panel(panel.replace(body='{"a":2}', at=150))
    store = await keeper.reopen()
    assert await store.load_panel("x1") == panel.replace(body='{"a":2}', at=150)
    await store.drop_panels(200)
    assert await store.load_panel("x1") is None
    assert await store.load_panel("x2") == panel.replace(id="x2", at=200)


async def test_notes(keeper: Keeper) -> None:
    store = await keeper.open()
    await store.set_note("digest", "one")
    await store.set_note("digest", "two — 2")
    store = await keeper.reopen()
    assert (await store.note("digest"), await store.note("other")) == ("two — 2", None)

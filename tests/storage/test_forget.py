"""What every store does with people who want to be forgotten, and with servers that are gone."""

from __future__ import annotations

import json

from bot.storage.row_records import Member, PanelRow
from bot.storage.store import Store
from tests.storage.stores import Keeper, new_entry, new_out, new_table, tidy_all

GIA, ANN = Member("p1", "501", "Gia"), Member("p2", "502", "Ann")


def check(by: str, owner: str, *more: tuple[str, str]) -> list[object]:
    """A stored event about a check with typed texts in it: an idea, what the GM noted, and `more`
    of others.
    """
    typed = ((owner, "over the roof"), ("p1", "slippery"), *more)
    blocks = [{"t": "quote", "text": text, "by": who} for who, text in typed]
    return ["CheckChanged", {"check": "c1", "step": "chosen", "blocks": blocks, "by": by}]


async def open_table(store: Store, place: str = "200", guild: str = "100") -> int:
    entry = new_entry(f"open {place}", members=(GIA, ANN), actor="p1")
    return (await store.create_table(new_table(place, guild=guild), entry))[0].table_id


async def test_who_is_known_where(keeper: Keeper) -> None:
    store = await keeper.open()
    first, second = await open_table(store), await open_table(store, "201")
    await open_table(store, "300", "other")
    store = await keeper.reopen()
    assert await store.memberships("100", "502") == ((first, "p2"), (second, "p2"))
    assert await store.memberships("100", "999") == await store.memberships("none", "502") == ()


async def test_what_somebody_did(store: Store) -> None:
    table_id = await open_table(store)
    await store.append(table_id, 1, new_entry("a", actor="p2"))
    await store.append(table_id, 2, new_entry("b", actor="p1"))
    await store.append(table_id, 3, new_entry("c", actor="p2"))
    assert [row.request_id for row in await store.page(table_id, 0, actor="p2")] == ["a", "c"]
    assert [row.request_id for row in await store.page(table_id, 2, actor="p2")] == ["c"]
    assert await store.page(table_id, 0, actor="p9") == ()


async def test_somebody_is_forgotten_with_what_they_typed(keeper: Keeper) -> None:
    store = await keeper.open()
    table_id = await open_table(store)
    other = await open_table(store, "201")
    mine = new_entry(
        "mine",
        actor="p2",
        action='{"approach":"over the roof"}',
        events=json.dumps([check("p2", "p2")]),
        outs=(new_out(person="p2", kind="reply", public=False), new_out()),
    )
    await store.append(table_id, 1, mine)
    answer = new_entry(
        "answer", actor="p1", action='{"note":"slippery"}', events=json.dumps([check("p1", "p2")])
    )
    await store.append(table_id, 2, answer)
    theirs = new_entry("theirs", actor="p3", events=json.dumps([check("p3", "p3")]))
    await store.append(table_id, 3, theirs)
    for table, user in ((table_id, "502"), (table_id, "501"), (other, "502")):
        await store.save_panel(PanelRow(f"{table}-{user}", table, user, "check", "{}", 1000))
    await store.append(
        table_id, 4, new_entry("forget", kind="ForgetPerson", actor="p2", forgets="p2")
    )
    store = await keeper.reopen()
    for _ in range(2):  # at once, and when it is out of the file
        await _forgotten(store, table_id)
        await tidy_all(store)
    entries = {entry.request_id: entry for entry, _ in await store.entries(table_id)}
    keys = {entry.request_id: changed for entry, changed in await store.entries(table_id)}
    assert keys["mine"] == {"settings"}, "which parts an entry changed is still known"
    before = await store.parts_before([entry.id for entry in entries.values()])
    assert all(text is None for parts in before.values() for text in parts.values())
    assert [(out.person, out.kind) for out in await store.unsent_rows(table_id)] == [(None, "post")]
    panels = [await store.load_panel(f"{table}-{user}") is not None for table, user in (
        (table_id, "502"), (table_id, "501"), (other, "502"),
    )]  # fmt: skip
    assert panels == [False, True, True]
    assert await store.memberships("100", "502") == ((other, "p2"),)


async def _forgotten(store: Store, table_id: int) -> None:
    """What the journal shows once `p2` is forgotten."""
    row = await store.load_table(table_id)
    assert row is not None
    assert (row.members, row.redacted_seq) == ((GIA,), 5)
    entries = {entry.request_id: entry for entry, _ in await store.entries(table_id)}
    assert entries["mine"].action == "{}"
    assert entries["answer"].action == '{"note":"slippery"}', "what the GM wrote is the GM's"
    for name in ("mine", "answer"):
        assert "over the roof" not in entries[name].events
        assert "slippery" in entries[name].events
    assert "over the roof" in entries["theirs"].events
    assert entries["forget"].action == '{"a":1}'


async def test_what_somebody_did_together_with_others_is_forgotten_as_well(store: Store) -> None:
    table_id = await open_table(store)
    told = [
        check("p3", "p3", ("p2", "with a crowbar"), ("p3", "by hand"), ("p1", "by shouting")),
        ["BoardChanged", {"step": "turn", "place": "200", "by": "p3", "doing": "climbs the wall"}],
    ]
    await store.append(table_id, 1, new_entry("roll", actor="p3", events=json.dumps(told)))
    await store.append(table_id, 2, new_entry("forget", actor="p2", forgets="p2"))
    (events,) = [
        entry.events for entry, _ in await store.entries(table_id) if entry.request_id == "roll"
    ]
    assert "with a crowbar" not in events and "climbs the wall" not in events
    assert "by hand" in events and "by shouting" in events and "over the roof" in events


async def test_what_a_gm_wrote_goes_with_the_gm(store: Store) -> None:
    table_id = await open_table(store)
    told = [
        check("p1", "p2"),
        [
            "Notice",
            {
                "what": "character-added",
                "by": "p1",
                "params": {"name": "Iwo"},
                "note": "n",
                "lines": [{"code": "x"}],
            },
        ],
    ]
    await store.append(table_id, 1, new_entry("answer", actor="p1", events=json.dumps(told)))
    await store.append(
        table_id, 2, new_entry("roll", actor="p2", events=json.dumps([check("p2", "p2")]))
    )
    await store.append(table_id, 3, new_entry("forget", actor="p1", forgets="p1"))
    events = [entry.events for entry, _ in await store.entries(table_id)]
    assert "slippery" not in "".join(events) and '"x"' not in "".join(events)
    assert "over the roof" in events[2], "the proposal is the player's"


async def test_a_panel_is_dropped(store: Store) -> None:
    await store.save_panel(PanelRow("a", None, "501", "check", "{}", 1000))
    await store.drop_panel("a")
    await store.drop_panel("b")
    assert await store.load_panel("a") is None


async def test_a_server_is_dropped_whole(keeper: Keeper) -> None:
    store = await keeper.open()
    gone = [await open_table(store), await open_table(store, "201")]
    kept = await open_table(store, "300", "other")
    for table_id in (*gone, kept):
        entry = new_entry(f"more {table_id}", outs=(new_out(),), due_on=(("c1.1", 2000),))
        await store.append(table_id, 1, entry)
        await store.save_panel(PanelRow(f"p{table_id}", table_id, "501", "check", "{}", 1000))
    assert sorted(await store.drop_guild("100")) == gone
    store = await keeper.reopen()
    assert await store.place_tables() == {"300": kept}
    assert [await store.load_table(table_id) for table_id in gone] == [None, None]
    assert [out.table_id for out in await store.unsent_rows()] == [kept]
    assert [table_id for table_id, _, _ in await store.due_waits(10**12)] == [kept]
    assert await store.find_request("open 200") is None
    assert (
        await store.load_panel(f"p{gone[0]}") is None
        and await store.load_panel(f"p{kept}") is not None
    )
    assert await store.drop_guild("100") == ()

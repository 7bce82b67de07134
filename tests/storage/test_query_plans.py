"""However much is stored, nothing that is asked reads all of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.storage.database import Database
from bot.storage.row_records import PanelRow
from bot.storage.store import SqlStore
from bot.storage.upkeep import UndoRetention
from tests.storage.stores import new_entry, new_out, new_table

#: What reads the whole of something, because it wants all there is: every place, every server, all
#: that is unsaid. The first wait is the first row of an index, unless it is another share's.
WHOLE = {
    "SCAN place USING COVERING INDEX place_table",
    "SCAN game_table USING COVERING INDEX game_table_guild",
    "SCAN outbox USING INDEX outbox_open",
    "SCAN due USING COVERING INDEX due_at",
}
#: The rows that a statement brings along.
BROUGHT = ("SCAN ends", "SCAN sent", "SCAN wanted", "SCAN CONSTANT ROW", "SCAN 2 CONSTANT ROWS")


async def test_nothing_is_found_by_reading_everything(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "store.db")
    store = SqlStore(database)
    told: list[str] = []
    await database.read(lambda connection: connection.set_trace_callback(told.append))
    (written,) = await store.create_table(new_table(), new_entry("open"))
    table, out = written.table_id, new_out()
    entry = await store.append(table, 1, new_entry("one", outs=(out,)))
    row = entry.outs[0].id
    (second,) = await store.create_table(new_table("300"), new_entry("open another"))
    await asyncio.gather(
        store.append(table, 2, new_entry("two")),
        store.append(second.table_id, 1, new_entry("two at once")),
    )
    await store.place_tables()
    await store.bound_places(["200"])
    await store.places_of_table(table)
    await store.guild_systems()
    await store.memberships("100", "7")
    await store.memberships(None, "7")
    await store.user_names("100")
    await store.load_table(table)
    await store.find_request("one")
    await store.page(table, 0, until=2, limit=2)
    await store.page(table, 0, actor="p1")
    await store.entries(table, since=1, limit=2)
    await store.entries_at(table, [1, 2])
    await store.entries_touching(table, {"settings": 0}, 5)
    await store.kept_from(table)
    await store.snapshot(table, 2)
    await store.tidy(table, UndoRetention(0))
    await store.parts_before([1, 2])
    await store.unsent_rows()
    await store.unsent_rows(table)
    await store.topic_messages(table, ["c1"])
    await store.live_messages(table, "c1", "c2")
    await store.last_sent_row(table, "c1")
    await store.entry_ids_on_topic(entry.outs[0])
    await store.mark_done([], [row])
    await store.outbox_row(row)
    await store.outbox_rows([row])
    await store.messages_near(entry.outs[0])
    await store.entry_messages([1])
    await store.entry_topics([1])
    await store.entry(1)
    await store.entry_at(table, 1)
    await store.mark_done([(row, 1, "1/2")])
    await store.mark_failed(row, "x")
    await store.next_due()
    await store.due_waits(5)
    await store.put_off(table, "c1.1", 5)
    await store.drop_due(table, "c1.1")
    await store.save_panel(PanelRow("a", table, "7", "k", "{}", 1))
    await store.load_panel("a")
    await store.drop_panel("a")
    await store.drop_panels(5)
    await database.read(lambda connection: connection.set_trace_callback(None))
    asked = [sql for sql in told if sql.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE"))]
    assert len(asked) > 30
    assert any("AS ends" in sql for sql in asked)
    scanned: dict[str, str] = {}
    for sql in asked:
        plan = await database.read(
            lambda connection, sql=sql: connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
        )
        for *_, step in plan:
            if step.startswith("SCAN") and not step.startswith(BROUGHT):
                scanned[step] = sql
    assert scanned.keys() <= WHOLE, scanned
    assert scanned.keys() == WHOLE, "what is allowed is needed"
    await store.close()

"""Entries of a journal as a replay makes them."""

from __future__ import annotations

from bot.services.past_entries import PastEntry
from bot.services.replay import EarlierEntryNeeded, read_rows, replay_rows
from bot.storage.store import Store


async def replay_entries(store: Store, table_id: int, start: int) -> tuple[PastEntry, ...]:
    """Replay the journal and return the entries from *start* on, oldest first.

    They begin earlier if one of them refers to an earlier entry.
    """
    table = await store.load_table(table_id)
    assert table is not None
    first = start
    while True:
        journal = await read_rows(store, table, first)
        try:
            return replay_rows(journal, start)
        except EarlierEntryNeeded as earlier:
            first = earlier.seq

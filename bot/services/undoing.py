"""Taking entries of the journal back: which ones that takes along, and what was there before them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.services.entries import entry_of
from bot.services.table import Table
from bot.storage import codec
from bot.storage.store import Store
from rules.core.errors import Impossible, NotFound
from rules.registry import look
from rules.table.actions import Undo
from rules.table.outcome import Outcome
from rules.table.state import SYSTEM, Part
from rules.table.undo import check_undo, deed, restore, stranded, told

#: How far back an undo looks for the last entry it may take back.
UNDO_REACH = 200


async def undone(store: Store, table: Table, action: Undo) -> tuple[Outcome, Undo]:
    """What is left of the entries meant, and the action with their numbers. Raises as `check_undo`."""
    if action.entry is not None and not 1 <= action.entry <= table.revision:
        raise NotFound("nothing-to-undo", field="entry", value=action.entry, nearest=())
    if action.entry is not None and action.entry <= table.redacted:
        raise Impossible("undo-redacted", entry=action.entry, first=table.redacted + 1)
    since = max(1, table.revision - UNDO_REACH, table.redacted + 1)
    since = since if action.entry is None else action.entry
    rows = await store.entries(table.id, since=since)
    entries = [entry_of(row, keys) for row, keys in rows]
    ids = {row.seq: row.id for row, _ in rows}
    at = {row.seq: row.at for row, _ in rows}
    homeless: frozenset[str] = frozenset()
    while True:
        numbers = check_undo(
            table.state,
            action.who,
            entries,
            action.entry,
            all_dependents=action.all_dependents,
            stranded=homeless,
        )
        stored = await store.before([ids[number] for number in numbers])
        earlier = [_read_parts(table, stored.get(ids[number], {})) for number in numbers]
        found = stranded(look(table.state), earlier)
        if found <= homeless:
            break
        homeless |= found
    events = {row.seq: (row.kind, codec.read_events(row.events)) for row, _ in rows if row.seq in numbers}
    audience = told([event for _, each in events.values() for event in each], action.who.id)
    # Everybody is told only of what everybody knew: that there was a secret entry is bad enough.
    kinds = tuple(
        kind if not audience.everyone or told(each, "").everyone else ""
        for kind, each in (events[number] for number in numbers)
    )
    deeds = tuple([deed(events[number][1]) for number in numbers])
    action = replace(action, entries=numbers, kinds=kinds, deeds=deeds)
    private: dict[str, list[int]] = {}
    for row, _ in sorted(rows, key=lambda found: -found[0].seq):
        mine = row.seq in numbers and row.actor not in (SYSTEM, action.who.id)
        if mine and not audience.everyone and not told(events[row.seq][1], "").everyone:
            private.setdefault(row.actor, []).append(row.seq)
    times = [at[number] for number in numbers]
    return restore(look(table.state), action, earlier, audience, private, times), action


def _read_parts(table: Table, stored: Mapping[str, tuple[int, str] | None]) -> dict[str, Part | None]:
    key = table.state.settings.system
    return {
        name: None if text is None else codec.read_part(key, table.id, name, *text)
        for name, text in stored.items()
    }

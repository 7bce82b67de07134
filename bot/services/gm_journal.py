"""The journal as GMs read it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from bot.services.history import recent_entries
from bot.services.readers import Reader
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.row_records import EntryRow
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.actions import Unsay
from rules.table.blocks import Ref
from rules.table.checks.access import cast_of
from rules.table.events import CheckChanged, Event, Notice, Said
from rules.table.journal.undo import is_undoable
from rules.table.permissions import require_gm
from rules.table.state import AnyCharacter, TableState

#: An entry of the journal, as presenters know it.
JournalEntry = EntryRow

#: Most entries that are searched for entries about one character.
CHARACTER_LOG_REACH = 1000
#: Entries that are read before other tasks get a turn.
_ENTRIES_PER_TURN = 20


class LogEntry(Record):
    """Journal entry with its events."""

    row: EntryRow
    events: tuple[Event, ...]
    #: A GM may undo the entry.
    undoable: bool


async def read_log(
    tables: Tables, reader: Reader, count: int, character: AnyCharacter | None = None
) -> tuple[LogEntry, ...]:
    """Return the last *count* entries, oldest first. NotPermitted("gm-only") for all but GMs.

    With *character*, only entries about that character, among the last `CHARACTER_LOG_REACH`.
    """
    table = reader.table
    require_gm(table.state, reader.actor)
    rows = await recent_entries(
        tables, table.id, count if character is None else CHARACTER_LOG_REACH
    )
    entries: list[LogEntry] = []
    for number, (row, entry) in enumerate(reversed(rows)):
        if number % _ENTRIES_PER_TURN == 0:
            await asyncio.sleep(0)  # lets other tasks run
        events = codec.read_events(row.events)
        if character is None or _concerns(table.state, character, entry.parts, events):
            entries.append(LogEntry(row, events, is_undoable(entry) and row.seq > table.redacted))
        if len(entries) == count:
            break
    return await _without_deleted_words(tables, table.id, entries[::-1])


async def _without_deleted_words(
    tables: Tables, table_id: int, entries: Iterable[LogEntry]
) -> tuple[LogEntry, ...]:
    """Return entries without the words that their players have deleted; a GM's undo deletes none.

    What players delete is gone for every reader.
    """
    entries = tuple(entries)
    deletions: set[int] = set()
    for entry in entries:
        if entry.row.undone_by is not None and _says_something(entry):
            deletions.add(entry.row.undone_by)
    if not deletions:
        return entries
    rows = await tables.store.entries_at(table_id, sorted(deletions))
    by_player = {row.seq for row, _ in rows if row.kind == Unsay.__name__}
    kept: list[LogEntry] = []
    for entry in entries:
        if entry.row.undone_by in by_player and _says_something(entry):
            events = tuple(event for event in entry.events if not isinstance(event, Said))
            entry = entry.replace(events=events)
        kept.append(entry)
    return tuple(kept)


def _says_something(entry: LogEntry) -> bool:
    return any(isinstance(event, Said) for event in entry.events)


def _concerns(
    state: TableState, character: AnyCharacter, parts: frozenset[str], events: Iterable[Event]
) -> bool:
    if f"character:{character.id}" in parts:
        return True
    for key in parts:
        check = state.checks.get(key.removeprefix("check:"))
        if check is not None and character.id in cast_of(read_only_game(state), check):
            return True
    # Checks that are long over are known by the name that their events give.
    return any(
        (
            isinstance(event, CheckChanged)
            and Ref(name=character.name) in (event.actor, event.target)
        )
        or (isinstance(event, Notice) and character.id in event.characters)
        for event in events
    )

"""Entries that GMs can amend: the last ones, those of a check, and those behind a message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bot.services.journal_entries import undo_entry
from bot.services.loaded_table import Table
from bot.services.past_entries import PastEntry
from bot.services.readers import Reader
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.row_records import EntryRow, OutboxRow
from rules.core.errors import NotFound, Outdated
from rules.table.actions import CallForRolls, Choose
from rules.table.amendments.limits import is_amendable_kind
from rules.table.checks.odds import DIFFICULTY_KEY
from rules.table.events import CheckChanged
from rules.table.journal.undo import is_undoable
from rules.table.roll_calls.roll_call import roll_call_key, roll_calls

#: Most entries of one check that are read.
_MOST: Final = 200


def amendable_rows(table: Table, rows: Iterable[tuple[EntryRow, frozenset[str]]]) -> list[EntryRow]:
    """Return those of these entries that can be amended, the newest first."""
    found: list[EntryRow] = []
    for row, keys in rows:
        undoable = is_undoable(undo_entry(row, keys))
        if undoable and is_amendable_kind(row.kind) and row.seq > table.redacted:
            found.append(row)
    return sorted(found, key=lambda row: -row.seq)


async def related_entries(tables: Tables, table: Table, number: int) -> list[EntryRow]:
    """Return the amendable entries of an entry's check, the newest first, or the entry alone."""
    known = await tables.store.entries_at(table.id, [number])
    if not known:
        return []
    ((row, _),) = known
    events = codec.read_events(row.events)
    checks = {event.check for event in events if isinstance(event, CheckChanged)}
    return await _entries_touching(tables, table, checks, number)


async def entries_of_checks(tables: Tables, table: Table, ids: Iterable[str]) -> list[EntryRow]:
    """Return the amendable entries of the checks with these ids, the newest first."""
    return await _entries_touching(tables, table, ids)


async def difficulty_entry(tables: Tables, table: Table, entry: PastEntry) -> int | None:
    """Return the number of the call in which the difficulty of a roll stands.

    None for an entry that is no choice in a check of a call for rolls with a difficulty, and if
    that call can't be amended.
    """
    if not isinstance(entry.action, Choose):
        return None
    for call in roll_calls(table.state):
        if entry.action.check not in call.checks or DIFFICULTY_KEY not in call.ruling:
            continue
        parts = {roll_call_key(call.id): 0}
        touching = await tables.store.entries_touching(table.id, parts, _MOST)
        numbers = [row.seq for row, _ in touching or () if row.kind == CallForRolls.__name__]
        known = await tables.store.entries_at(table.id, numbers)
        return next((row.seq for row in amendable_rows(table, known)), None)
    return None


async def _entries_touching(
    tables: Tables, table: Table, ids: Iterable[str], *others: int
) -> list[EntryRow]:
    """Return the amendable entries of the checks with these ids, and those numbered *others*.

    The newest comes first.
    """
    parts = {f"check:{id}": 0 for id in ids}
    touching = await tables.store.entries_touching(table.id, parts, _MOST) if parts else None
    numbers = {*others, *(row.seq for row, _ in touching or ())}
    entries = await tables.store.entries_at(table.id, sorted(numbers))
    return amendable_rows(table, entries)


async def entry_of_message(tables: Tables, reader: Reader, row: OutboxRow) -> int:
    """Return the number of the newest entry that a message shows and that the reader may see.

    Raises NotFound("no-entry-in-message").
    """
    newest = 0
    for key in await tables.store.entry_ids_on_topic(row):
        entry = await tables.store.entry(key)
        if entry is None or entry.undone_by is not None:
            continue
        if await reader.shown_events(entry, codec.read_events(entry.events)):
            newest = max(newest, entry.seq)
    if not newest:
        raise no_entry_error()
    return newest


async def require_told(tables: Tables, reader: Reader, number: int) -> None:
    """Require that the reader was told of an entry. Raises Outdated("unknown-control")."""
    entry = await tables.store.entry_at(reader.table.id, number)
    if entry is None or entry.undone_by is not None:
        raise Outdated("unknown-control")
    if not await reader.shown_events(entry, codec.read_events(entry.events)):
        raise Outdated("unknown-control")


def no_entry_error() -> NotFound:
    """Return the error for a message that shows no entry of a table."""
    return NotFound("no-entry-in-message", field="message", value=None, nearest=())

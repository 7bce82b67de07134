"""Corrections that a reader was told of: how many there are, and where their new dice come from."""

from __future__ import annotations

from typing import Final

from bot.services.readers import Reader
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.redaction import REDACTED_ACTION
from bot.storage.row_records import EntryRow
from rules.core.record import Record
from rules.table.actions import Amend
from rules.table.events import Amended

#: Most corrections that are counted, the newest.
MOST: Final = 100


class CorrectionCount(Record):
    """Corrections that a reader was told of, with those that are undone."""

    count: int = 0
    #: Those that rolled new dice.
    rolled: int = 0
    undone: int = 0
    #: There may be older ones.
    more: bool = False


async def count_corrections(tables: Tables, reader: Reader) -> CorrectionCount:
    """Return how many of a table's corrections the reader was told of.

    Undone ones count, as a GM who corrects, undoes and corrects again gets other new dice.
    """
    rows = await tables.store.last_entries(reader.table.id, kind=Amend.__name__, limit=MOST)
    count = rolled = undone = 0
    for row in rows:
        told = await _told_corrections(reader, row)
        if not told:
            continue
        count += 1
        rolled += any(event.rolled for event in told)
        undone += row.undone_by is not None
    return CorrectionCount(count, rolled, undone, len(rows) == MOST)


async def corrected_entry_with_dice(reader: Reader, row: EntryRow) -> int | None:
    """Return an entry to which a correction may have given new dice; None for any other entry.

    It is the last one with another result, as far as the reader was told. A late choice that was
    let in by a correction draws for a key of its own.
    """
    if row.kind != Amend.__name__ or row.action == REDACTED_ACTION:
        return None
    action = codec.read_action(row.kind, row.action)
    told = [event for event in await _told_corrections(reader, row) if event.rolled]
    if not told or (isinstance(action, Amend) and action.late is not None):
        return None
    entries = [entry for event in told for entry in event.entries]
    rolled = [entry.seq for entry in entries if entry.verdict is not None and not entry.gone]
    return max(rolled, default=entries[-1].seq)


async def _told_corrections(reader: Reader, row: EntryRow) -> list[Amended]:
    """Return what the reader was told of an entry as a correction: openly, in a scene, in private.

    The list is empty if that was nothing.
    """
    events = await reader.shown_events(row, codec.read_events(row.events))
    return [event for event in events if isinstance(event, Amended)]

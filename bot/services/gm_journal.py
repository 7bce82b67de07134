"""The journal as the GMs read it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from bot.services.history import journal
from bot.services.loaded_table import Table
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.row_records import EntryRow
from rules.core.record import Record
from rules.registry import look
from rules.table.blocks import Ref
from rules.table.checks.access import cast_of
from rules.table.events import CheckChanged, Event, Notice
from rules.table.state import AnyCharacter, TableState
from rules.table.undo import undoable

#: An entry of the journal, as presenters know it.
JournalEntry = EntryRow

#: How far back entries about one character are looked for.
REACH = 1000
#: So many are read at a time.
_AT_ONCE = 20


class Logged(Record):
    """An entry of the journal with what happened, and whether it can be taken back."""

    row: EntryRow
    events: tuple[Event, ...]
    undoable: bool


async def read_log(
    tables: Tables, table: Table, count: int, character: AnyCharacter | None = None
) -> tuple[Logged, ...]:
    """The last `count` entries, or those of the last `REACH` about one character; oldest first."""
    rows = await journal(tables, table.id, count if character is None else REACH)
    found: list[Logged] = []
    for number, (row, entry) in enumerate(reversed(rows)):
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)  # others get their turn
        events = codec.read_events(row.events)
        if character is None or _concerns(table.state, character, entry.parts, events):
            found.append(Logged(row, events, undoable(entry) and row.seq > table.redacted))
        if len(found) == count:
            break
    return tuple(reversed(found))


def _concerns(
    state: TableState, character: AnyCharacter, parts: frozenset[str], events: Iterable[Event]
) -> bool:
    if f"character:{character.id}" in parts:
        return True
    for key in parts:
        check = state.checks.get(key.removeprefix("check:"))
        if check is not None and character.id in cast_of(look(state), check):
            return True
    # Checks that are long over are known by the name that their events give.
    return any(
        (isinstance(event, CheckChanged) and Ref(name=character.name) in (event.actor, event.target))
        or (isinstance(event, Notice) and character.id in event.characters)
        for event in events
    )

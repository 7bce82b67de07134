"""Answer times of a table, read from its journal: how long players and GMs take."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from bot.services.loaded_table import Table
from bot.services.story import INLINE_ENTRIES, entry_before
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.redaction import REDACTED_ACTION
from bot.storage.row_records import EntryRow
from rules.core.record import Record
from rules.table.actions import Action, Actor, Due
from rules.table.gm_office import deputies
from rules.table.state import DAY, Part, TableState
from rules.table.waits.answer_times import (
    CHARACTER,
    PARTS_READ,
    AnswerTimes,
    Past,
    PastAction,
    PersonTimes,
    joined_times,
    last_absences,
    present_past,
    read_times,
    summarize_times,
    without_contents,
)

#: Days of the journal that count, unless fewer are asked for.
DAYS_MAX: Final = 30
#: Most entries that are read, the newest.
MAX_ENTRIES: Final = 20_000
#: Entries that are read at once: by the bot itself, and by the worker process.
_PAGE_HERE: Final = 50
_PAGE_ASIDE: Final = 500

#: Parts as they were before an entry, as they are stored: version and text.
_StoredParts = Mapping[str, tuple[int, str] | None]


class _Page(Record):
    """Entries of a table in a row, the newest first, with the parts before each."""

    system: str
    table_id: int
    rows: tuple[tuple[EntryRow, _StoredParts], ...]


async def answer_times(
    tables: Tables, table: Table, at: int, days: int = DAYS_MAX
) -> tuple[PersonTimes, ...]:
    """Return the answer times of everybody at a table in the last *days* before *at*.

    Answers and deadlines of these days count, also to waits that began earlier. The
    times tell of private checks too: show a participant's only to that participant and the GMs.
    """
    # The journal is read back from this state; while it is read, the table may go on.
    last, state, gms = table.revision, without_contents(table.state), _leaders(table.state)
    past = present_past(table.state, at)
    first = max(await entry_before(tables, table, at - days * DAY), last - MAX_ENTRIES)
    aside = last - first > INLINE_ENTRIES
    pages: list[AnswerTimes] = []
    while last > first:
        after = max(first, last - (_PAGE_ASIDE if aside else _PAGE_HERE))
        page = await _read_page(tables, table, after, last)
        if aside:
            times, past = await tables.aside(times_in_page, state, past, page)
        else:
            times, past = times_in_page(state, past, page)
            await asyncio.sleep(0)  # lets other tasks run
        pages.append(times)
        last = after
    pages.append(AnswerTimes(absences=last_absences(past)))
    return summarize_times(joined_times(pages), gms)


def _leaders(state: TableState) -> tuple[str, ...]:
    """Return the GMs and deputies; none if a role makes GMs, as its members aren't known."""
    return () if state.settings.gm_roles else (*state.settings.gms, *deputies(state))


async def _read_page(tables: Tables, table: Table, after: int, last: int) -> _Page:
    store = tables.store
    rows = await store.page(table.id, after, until=last, limit=last - after)
    stored = await store.parts_before([row.id for row in rows])
    read: list[tuple[EntryRow, _StoredParts]] = []
    for row in reversed(rows):
        parts = stored.get(row.id, {})
        wanted = {key: part for key, part in parts.items() if key.startswith(PARTS_READ)}
        events = row.events if row.kind == Due.__name__ else "[]"
        read.append((row.replace(events=events), wanted))
    return _Page(table.state.settings.system, table.id, tuple(read))


def times_in_page(state: TableState, past: Past, page: _Page) -> tuple[AnswerTimes, Past]:
    """Return the answer times in a page of entries; runs in the worker process for long spans."""
    actions = [_past_action(page, row, parts) for row, parts in page.rows]
    return read_times(state, past, actions)


def _past_action(page: _Page, row: EntryRow, stored: _StoredParts) -> PastAction:
    if row.action == REDACTED_ACTION:
        action = Action(who=Actor(row.actor), place=row.place, at=row.at)
    else:
        action = codec.read_action(row.kind, row.action)
    parts: dict[str, Part | None] = {}
    owners: dict[str, str | None] = {}
    for key, part in stored.items():
        if key.startswith(CHARACTER):
            if part is not None:
                owner = codec.read_owner(page.table_id, key, part[1])
                owners[key.removeprefix(CHARACTER)] = owner
            continue
        parts[key] = None
        if part is not None:
            version, text = part
            parts[key] = codec.read_part(page.system, page.table_id, key, version, text)
    events = codec.read_events(row.events)
    return PastAction(action, events, parts, owners, undone=row.undone_by is not None)


def times_of(times: Sequence[PersonTimes], person: str) -> PersonTimes:
    """Return the times of a participant; empty ones if there are none."""
    for person_times in times:
        if person_times.person == person:
            return person_times
    return PersonTimes(person)

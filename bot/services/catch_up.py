"""Spans of the story: since a reader was last here, since a time, since a session began."""

from __future__ import annotations

import re
from typing import Final

from bot.services.loaded_table import Table
from bot.services.outbox_plan import event_place
from bot.services.readers import Reader
from bot.services.story import entry_before
from bot.services.tables import Tables
from bot.storage import codec
from rules.core.errors import NotFound
from rules.core.record import Record
from rules.table.actions import Session
from rules.table.events import BoardChanged, Notice
from rules.table.times.duration import OffsetAt, parse_since

#: Seconds without an open act after which a call offers its player the story since then.
AWAY_AFTER: Final = 3 * 24 * 60 * 60
#: Most entries of a participant that are searched for an open act, the newest.
_RECENT: Final = 100
#: Most sessions that are searched for one by its number, the newest.
_SESSIONS: Final = 200
_SESSION: Final = re.compile(r"(?:last |this )?session(?: #?([0-9]{1,6}))?")
_SESSION_BEGINS: Final = ("session-begins", "session-begins-gms")
#: Entries that are looked at one by one where the times are close to each other.
_NEAR: Final = 200


class Span(Record):
    """Part of a table's journal."""

    #: Number of the last entry before it.
    after: int
    #: Its beginning in seconds since 1970; None: the beginning of the table.
    since: int | None = None


def _note_key(reader: Reader) -> str:
    return f"seen:{reader.table.id}:{reader.actor.id}"


async def span_since_last_here(tables: Tables, reader: Reader) -> Span:
    """Return the span since the reader's last entry, or since the last catch-up if that is later.

    It begins with the table for a reader who has never been here.
    """
    table = reader.table
    rows = await tables.store.last_entries(table.id, actor=reader.actor.id)
    after, since = (rows[0].seq, rows[0].at) if rows else (0, None)
    seen, _, at = (await tables.store.note(_note_key(reader)) or "").partition(" ")
    # A restored copy may be older than the note.
    if seen and after <= int(seen) <= table.revision:
        after, since = int(seen), max(int(at), since or 0)
    return Span(after, since)


async def mark_caught_up(tables: Tables, reader: Reader, last: int) -> None:
    """Record that the reader was shown the story up to entry number `last`."""
    await tables.store.set_note(_note_key(reader), f"{last} {reader.at}")


async def forget_catch_up(tables: Tables, table_id: int, person: str) -> None:
    """Delete what is kept about the catch-ups of a participant."""
    await tables.store.drop_note(f"seen:{table_id}:{person}")


async def typed_span(tables: Tables, table: Table, text: str, at: int, offset_at: OffsetAt) -> Span:
    """Return the span that begins when a text says: a time, or a session.

    Raises NotFound("no-such-session"), and otherwise as `parse_since`.
    """
    session = _SESSION.fullmatch(text.strip().casefold())
    if session is not None:
        return await _span_of_session(tables, table, int(session[1]) if session[1] else None)
    since = parse_since(text, "since", at, offset_at)
    return Span(await last_entry_before(tables, table, since), since)


async def last_entry_before(tables: Tables, table: Table, time: int) -> int:
    """Return the number of the last entry before a time; 0 if there is none."""
    after = await entry_before(tables, table, time)
    rows = await tables.store.page(table.id, after, limit=_NEAR)
    for row in rows:
        if row.at >= time:
            break
        after = row.seq
    return after


async def _span_of_session(tables: Tables, table: Table, number: int | None) -> Span:
    """Return the span from the beginning of a session on; without a number, of the last one.

    Raises NotFound("no-such-session").
    """
    rows = await tables.store.last_entries(table.id, kind=Session.__name__, limit=_SESSIONS)
    for row in rows:
        if row.undone_by is not None:
            continue
        for event in codec.read_events(row.events):
            if not isinstance(event, Notice) or event.what not in _SESSION_BEGINS:
                continue
            if number in (None, event.params.get("number")):
                return Span(row.seq - 1, row.at)
    raise NotFound("no-such-session", field="since", value=number, nearest=())


async def has_been_away(tables: Tables, table: Table, person: str, place: str, at: int) -> bool:
    """Return whether a participant has openly done nothing in a place for `AWAY_AFTER` before *at*.

    Only what everybody there was told of counts: a message in the place shows the answer.
    """
    rows = await tables.store.last_entries(table.id, actor=person, limit=_RECENT)
    for row in rows:
        if row.at > at:
            continue
        if row.at < at - AWAY_AFTER:
            return True
        for event in codec.read_events(row.events):
            # A player's steps on the board are open, though only the answer says them in words.
            is_open = event.audience.is_open or isinstance(event, BoardChanged)
            if is_open and event_place(event, row.place) == place:
                return False
    return 0 < len(rows) < _RECENT

"""Entries that a process knows a server to hold, by which an older state is noticed.

A replica may take over that lacks the last commits, or the server may be restored under the bot.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from bot.storage.connection import Connection, Statements
from bot.storage.high_water_mark import UPSERT_NOTE, dropped_entry
from bot.storage.row_records import NewEntry, WrittenEntry

log = logging.getLogger("storyguide.storage")

#: The note of the timeline that the server was in when a bot last saw all its entries there.
TIMELINE_KEY = "timeline"


class SavedEntries:
    """The highest journal entry that this process knows to be saved, with its request."""

    def __init__(self) -> None:
        self._last = (0, "")

    def learn(self, connection: Statements) -> None:
        """Take the highest entry that is there as saved, whichever process wrote it.

        A process that dies together with the server can't notice the loss of its own entries.
        """
        row = connection.execute(
            "SELECT id, request_id FROM journal ORDER BY id DESC LIMIT 1"
        ).fetchone()
        if row is not None:
            self._last = (row[0], row[1])

    def add(self, entries: Iterable[tuple[NewEntry, WrittenEntry]]) -> None:
        """Note entries whose commit was acknowledged."""
        for new, written in entries:
            self._last = max(self._last, (written.journal_id, new.request_id))

    def are_lost(self, connection: Statements) -> bool:
        """Return whether the highest entry is gone, and was not deleted on purpose.

        Another process may have given its number anew, so the request counts, too.
        """
        entry_id, request_id = self._last
        row = connection.execute(
            "SELECT request_id FROM journal WHERE id = ?", (entry_id,)
        ).fetchone()
        if row is not None:
            return row[0] != request_id
        return dropped_entry(connection) < entry_id


def current_timeline(connection: Connection) -> int | None:
    """Return the timeline of the server's log; None if the role may not see it.

    The name of the log's present file begins with it. The checkpoint's timeline follows only some
    time after a promotion.
    """
    try:
        row = connection.execute("SELECT pg_walfile_name(pg_current_wal_lsn())").fetchone()
    except connection.Error:
        return None
    return int(row[0][:8], 16)


def noted_timeline(connection: Statements) -> int | None:
    """Return the timeline that was noted; None without a note."""
    row = connection.execute("SELECT value FROM note WHERE key = ?", (TIMELINE_KEY,)).fetchone()
    return int(row[0]) if row else None


def note_timeline(connection: Connection) -> None:
    """Note the server's timeline: what a bot saved before is there, or counts as lost."""
    timeline = current_timeline(connection)
    if timeline is not None:
        connection.execute(UPSERT_NOTE, (TIMELINE_KEY, str(timeline)))


def watch_timeline(connection: Connection) -> None:
    """Note the timeline at the first start; log at a later one that it has changed.

    The note then stays, so that `doctor` tells until the operator has said what happened.
    """
    noted, current = noted_timeline(connection), current_timeline(connection)
    if noted is None:
        note_timeline(connection)
    elif current is not None and current != noted:
        log.warning("storage.timeline-changed", extra={"count": current})

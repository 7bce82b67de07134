"""Upkeep of tables in small steps, each a short transaction, so that no answer waits for it.

Texts that participants wanted forgotten are scrubbed first. Then a snapshot of a table's parts is
kept from time to time, from which its journal can be replayed. At last the earlier parts that no
undo reaches are deleted.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Final

from bot.storage.connection import Connection
from bot.storage.redaction import scrub
from bot.storage.share import OF_SHARE, WHOLE, Share, share_values, table_of_share
from rules.core.record import Record

#: A table's parts as they are stored: key, version and text.
Parts = tuple[tuple[str, int, str], ...]

#: Entries between two snapshots.
SNAPSHOT_EACH: Final = 1000
#: Condition of a table that needs a snapshot: many entries since the last one, or none since texts
#: were deleted.
_SNAPSHOT_DUE: Final = "(revision >= snapshot_seq + ? OR redacted_seq > snapshot_seq)"
#: Entries whose earlier parts are deleted in one step: some 500 rows.
_TRIM_BATCH: Final = 150


class UndoRetention(Record):
    """The reach of undo: so many days or so many entries, whichever is more."""

    #: Seconds since 1970.
    now: int
    days: int = 90
    entries: int = 2000

    @property
    def cutoff(self) -> int:
        """Time before which entries are out of reach, if enough entries follow."""
        return self.now - self.days * 24 * 3600


def untidy_tables(
    connection: Connection, keep: UndoRetention, share: Share = WHOLE
) -> tuple[int, ...]:
    """Return the tables of a share at which there is something to do."""
    own = share_values(share)
    rows = connection.execute(
        f"SELECT table_id FROM scrub WHERE {table_of_share('scrub')} "
        "UNION SELECT id FROM game_table "
        f"WHERE {_SNAPSHOT_DUE} AND {OF_SHARE} UNION SELECT id FROM game_table "
        f"WHERE kept_from + ? <= revision - ? AND {OF_SHARE} AND EXISTS (SELECT 1 FROM journal "
        "WHERE journal.table_id = game_table.id AND seq = kept_from + ? - 1 AND at < ?)",
        (
            *own,
            SNAPSHOT_EACH,
            *own,
            _TRIM_BATCH,
            keep.entries,
            *own,
            _TRIM_BATCH,
            keep.cutoff,
        ),
    )
    return tuple(table_id for (table_id,) in rows)


def tidy_tables(connection: Connection, units: Sequence[tuple[int, UndoRetention]]) -> list[bool]:
    """Do one step at each of these tables; return for each whether there may be more to do."""
    return [_tidy(connection, table_id, keep) for table_id, keep in units]


def _tidy(connection: Connection, table_id: int, keep: UndoRetention) -> bool:
    """Do the first step that is due at a table; return whether there was one."""
    return (
        scrub(connection, table_id)
        or _snapshot(connection, table_id)
        or _trim_earlier_parts(connection, table_id, keep)
    )


def _snapshot(connection: Connection, table_id: int) -> bool:
    """Keep a snapshot of the parts if one is due; return whether it was."""
    row = connection.execute(
        f"SELECT revision FROM game_table WHERE {_SNAPSHOT_DUE} AND id = ?",
        (SNAPSHOT_EACH, table_id),
    ).fetchone()
    if row is None:
        return False
    keep_snapshot(connection, table_id)
    return True


def keep_snapshot(connection: Connection, table_id: int) -> None:
    """Keep a snapshot of the present parts of a table."""
    row = connection.execute("SELECT revision FROM game_table WHERE id = ?", (table_id,)).fetchone()
    assert row is not None
    parts = connection.execute(
        "SELECT key, schema_version, body FROM part WHERE table_id = ?", (table_id,)
    ).fetchall()
    body = zlib.compress(json.dumps(parts, ensure_ascii=False).encode())
    connection.execute(
        "INSERT INTO snapshot (table_id, seq, body) VALUES (?, ?, ?)"
        " ON CONFLICT (table_id, seq) DO UPDATE SET body = excluded.body",
        (table_id, *row, body),
    )
    connection.execute("UPDATE game_table SET snapshot_seq = revision WHERE id = ?", (table_id,))


def snapshot_parts(body: bytes) -> Parts:
    """Return the parts in a snapshot."""
    rows = json.loads(zlib.decompress(body))
    return tuple((key, version, text) for key, version, text in rows)


def _trim_earlier_parts(connection: Connection, table_id: int, keep: UndoRetention) -> bool:
    """Delete the earlier parts of the oldest entries if undo no longer reaches them."""
    row = connection.execute(
        "SELECT kept_from + ?1 FROM game_table WHERE id = ?2 AND kept_from + ?1 <= revision - ?3 "
        "AND EXISTS (SELECT 1 FROM journal WHERE journal.table_id = ?2 "
        "AND seq = kept_from + ?1 - 1 AND at < ?4)",
        (_TRIM_BATCH, table_id, keep.entries, keep.cutoff),
    ).fetchone()
    if row is None:
        return False
    with connection.overwriting():  # `scrub` can't find them later
        connection.execute(
            "DELETE FROM before_part WHERE journal_id IN"
            " (SELECT id FROM journal WHERE table_id = ?1 AND seq >= ?2 - ?3 AND seq < ?2)",
            (table_id, *row, _TRIM_BATCH),
        )
    connection.execute("UPDATE game_table SET kept_from = ? WHERE id = ?", (*row, table_id))
    return True

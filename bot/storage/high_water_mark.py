"""A small file beside the database that notes its highest journal entry, to detect lost entries.

Deleting a server's journal is no loss: it leaves its highest entry behind in the database.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from bot.storage.connection import Statements

#: End of the file's name.
MARK_SUFFIX: Final = "-seen"
#: The note that a restored copy bears until the next start.
RESTORED_KEY: Final = "restored"
#: The note that a rescued copy bears: the loss of the database's files.
RESCUED_KEY: Final = "rescued"
#: The note of the entries that an older copy lacks, so that it counts as restored only once.
_LACKED: Final = "lacked"
#: The note of the highest entry that was deleted on purpose.
_DROPPED: Final = "dropped"
#: Write a note, whether or not there is one of that key.
UPSERT_NOTE: Final = (
    "INSERT INTO note (key, value) VALUES (?, ?)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)


def mark_file(database: Path) -> Path:
    """Return the file that notes a database's highest entry."""
    return database.with_name(database.name + MARK_SUFFIX)


def marked_entry(database: Path) -> int:
    """Return the highest entry that a database has ever held; 0 if none is noted."""
    try:
        return int(mark_file(database).read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return 0


def raise_mark(database: Path, highest: int) -> None:
    """Note an entry, whole or not at all; a note that names a later one stays. Raises OSError."""
    if highest <= marked_entry(database):
        return
    file = mark_file(database)
    new = file.with_name(file.name + ".new")
    with new.open("w", encoding="ascii") as text:
        text.write(f"{highest}\n")
        text.flush()
        os.fsync(text.fileno())
    new.replace(file)


def highest_entry(connection: Statements) -> int:
    """Return the highest entry that the database holds, or held and deleted on purpose.

    0 without tables.
    """
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'journal'").fetchone() is None:
        return 0
    return stored_highest_entry(connection)


def stored_highest_entry(connection: Statements) -> int:
    """Return the highest entry of a database that has its tables, as `highest_entry` does."""
    (highest,) = connection.execute("SELECT COALESCE(MAX(id), 0) FROM journal").fetchone()
    return max(highest, dropped_entry(connection))


def dropped_entry(connection: Statements) -> int:
    """Return the highest entry that was deleted on purpose; 0 if none was."""
    row = connection.execute("SELECT value FROM note WHERE key = ?", (_DROPPED,)).fetchone()
    return int(row[0]) if row else 0


def keep_highest(connection: Statements) -> None:
    """Keep the highest entry in a note. Call it before entries are deleted on purpose.

    Both happen in one transaction.
    """
    connection.execute(UPSERT_NOTE, (_DROPPED, str(stored_highest_entry(connection))))


def note_older(connection: Statements, databases: Sequence[Path]) -> list[None]:
    """Note the database as restored, once, if it was replaced by an older copy by hand."""
    known = max(map(marked_entry, databases))
    if is_unnoticed_copy(connection, known):
        for row in ((RESTORED_KEY, ""), (_LACKED, str(known))):
            connection.execute(UPSERT_NOTE, row)
    return [None for _ in databases]


def is_unnoticed_copy(connection: Statements, known: int) -> bool:
    """Return whether a database lacks entry *known*, and no start has noted that yet."""
    if highest_entry(connection) >= known:
        return False
    row = connection.execute("SELECT value FROM note WHERE key = ?", (_LACKED,)).fetchone()
    return row is None or row[0] != str(known)


def loss_report(database: Path) -> str | None:
    """Return a line about what a database lacks and what to do.

    None if nothing is known to be gone, or the database cannot be read.
    """
    known = marked_entry(database)
    if not known:
        return None
    highest = 0
    if database.exists():
        uri = f"{database.absolute().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(uri, uri=True)) as connection:
                highest = highest_entry(connection)
        except sqlite3.Error:
            return None
    if highest >= known:
        return None
    present = f"its journal ends at entry {highest}" if highest else "no table is in it"
    return (
        f"{database} has lost what it held: it had at least {known} journal entries, and "
        f"now {present}. Stop the bot and restore the last backup with "
        "`python -m bot restore FILE`. "
        f"If it's meant to be so, delete {mark_file(database)}."
    )

"""A small file beside the database that notes its highest journal entry, so that a database that
lost some is known.

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

#: What the file's name ends with.
MARK_SUFFIX: Final = "-seen"
#: The note that a restored copy bears until the next start.
RESTORED_KEY: Final = "restored"
#: The note that a rescued copy bears: what became of the database's files.
RESCUED_KEY: Final = "rescued"
#: The note of how much an older copy was found to lack, so that it counts as restored once.
_LACKED: Final = "lacked"
#: The note of the highest entry that was deleted on purpose.
_DROPPED: Final = "dropped"
#: Write a note, whether or not there is one of that key.
UPSERT_NOTE: Final = (
    "INSERT INTO note (key, value) VALUES (?, ?)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)


def mark_file(database: Path) -> Path:
    """The file that notes what a database held."""
    return database.with_name(database.name + MARK_SUFFIX)


def marked_entry(database: Path) -> int:
    """The highest entry that a database is known to have held; 0 where nothing is noted."""
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
    """Call it before entries are deleted on purpose, in the same transaction."""
    connection.execute(UPSERT_NOTE, (_DROPPED, str(stored_highest_entry(connection))))


def note_older(connection: Statements, databases: Sequence[Path]) -> list[None]:
    """Where an older copy was put in the place of the database by hand, note it as
    restored, once.
    """
    known = max(map(marked_entry, databases))
    if is_unnoticed_copy(connection, known):
        for row in ((RESTORED_KEY, ""), (_LACKED, str(known))):
            connection.execute(UPSERT_NOTE, row)
    return [None for _ in databases]


def is_unnoticed_copy(connection: Statements, known: int) -> bool:
    """Return whether a database lacks entry *known*, and no start has noted that yet."""
    if highest_entry(connection) >= known:
        return False
    found = connection.execute("SELECT value FROM note WHERE key = ?", (_LACKED,)).fetchone()
    return found is None or found[0] != str(known)


def loss_report(database: Path) -> str | None:
    """Return a line about what a database lacks and what to do.

    None if nothing is known to be gone, or the database cannot be read.
    """
    known = marked_entry(database)
    if not known:
        return None
    there = 0
    if database.exists():
        try:
            with closing(
                sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
            ) as connection:
                there = highest_entry(connection)
        except sqlite3.Error:
            return None
    if there >= known:
        return None
    found = f"its journal ends at entry {there}" if there else "no table is in it"
    return (
        f"{database} has lost what it held: it had at least {known} journal entries, and "
        f"now {found}. Stop the bot and restore the last backup with `python -m bot restore FILE`. "
        f"If it's meant to be so, delete {mark_file(database)}."
    )

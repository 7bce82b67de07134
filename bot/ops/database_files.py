"""Looking at a database file from outside, also while the bot writes to it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from bot.storage.fingerprint import has_other_fingerprint, stored_fingerprint
from bot.storage.location import Where
from bot.storage.schema import LATEST_SCHEMA

#: How long a lock of the bot is waited for, in seconds.
LOCK_TIMEOUT: Final = 5.0
#: How many findings of a check are told.
MAX_FINDINGS: Final = 5


class OperationRefused(Exception):
    """It cannot be done; the text says why and what to do."""


def database_file(where: Where) -> Path:
    """Return the database's file. Refused for a server, whose own tools do the same."""
    if isinstance(where, Path):
        return where
    raise OperationRefused(
        f"{where} is no file: copy it and restore it with pg_basebackup or pgBackRest, as "
        "docs/servers.md says."
    )


def connect(path: Path, mode: str = "ro") -> sqlite3.Connection:
    """A connection of its own. `mode` is SQLite's: ro, rw or rwc. Raises sqlite3.Error."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=LOCK_TIMEOUT
    )


def schema_version(connection: sqlite3.Connection) -> int:
    """The schema that the file has; 0 for one that is no database of Storyguide's."""
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'game_table'").fetchone()
    return connection.execute("PRAGMA user_version").fetchone()[0] if there else 0


def integrity_problems(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the contents, in SQLite's words; empty when all is well. Reads the whole
    file.
    """
    found = [text for (text,) in connection.execute("PRAGMA integrity_check(5)") if text != "ok"]
    loose = connection.execute("PRAGMA foreign_key_check").fetchmany(MAX_FINDINGS)
    return found + [
        f"a row of {table} points to a missing row of {parent}" for table, _, parent, _ in loose
    ]


def require_sound(path: Path) -> None:
    """Refused unless the file is a whole database of Storyguide's that this release can use."""
    if not path.is_file():
        raise OperationRefused(f"No file at {path}.")
    try:
        connection = connect(path)
        try:
            schema = schema_version(connection)
            found = integrity_problems(connection)
            # SQLite reads zeros for what is missing of the last page.
            (page,) = connection.execute("PRAGMA page_size").fetchone()
            found += ["the file ends in the middle of a page"] if path.stat().st_size % page else []
            other = schema == LATEST_SCHEMA and has_other_fingerprint(
                connection, stored_fingerprint()
            )
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise OperationRefused(f"Can't read {path}: {error}.") from error
    if not schema:
        raise OperationRefused(f"{path} isn't a Storyguide database.")
    if schema > LATEST_SCHEMA:
        raise OperationRefused(
            f"{path} has schema {schema}; this release knows {LATEST_SCHEMA}. Update "
            "Storyguide first."
        )
    if other:
        raise OperationRefused(f"{path} comes from another release. Restore it with that one.")
    if found:
        raise OperationRefused(f"{path} is damaged: {'; '.join(found)}.")


def format_size(size: int) -> str:
    """A number of bytes to be read: `12.5 MiB`."""
    value = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{size} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError("unreachable")


def side_file(path: Path, suffix: str) -> Path:
    """The file next to a database that SQLite keeps (`-wal`, `-shm`, `-journal`)."""
    return path.with_name(path.name + suffix)

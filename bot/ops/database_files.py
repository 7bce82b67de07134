"""Database files as seen from outside the bot, also while the bot writes to them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from bot.storage.fingerprint import has_other_fingerprint, stored_fingerprint
from bot.storage.location import Where
from bot.storage.schema import LATEST_SCHEMA

#: Seconds to wait for a lock of the bot.
LOCK_TIMEOUT: Final = 5.0
#: Most findings of a check that are listed.
MAX_FINDINGS: Final = 5


class OperationRefused(Exception):
    """Refusal of an operation; its text says why, and what to do."""


def database_file(where: Where) -> Path:
    """Return the database's file.

    Raises OperationRefused for a server, which has tools of its own for copies.
    """
    if isinstance(where, Path):
        return where
    raise OperationRefused(
        f"{where} is no file: copy it and restore it with pg_basebackup or pgBackRest, as "
        "docs/servers.md says."
    )


def connect(path: Path, mode: str = "ro") -> sqlite3.Connection:
    """Open a connection. `mode` is SQLite's: ro, rw or rwc. Raises sqlite3.Error."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=LOCK_TIMEOUT
    )


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the schema of a file; 0 if it isn't a database of Storyguide."""
    table = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'game_table'").fetchone()
    return connection.execute("PRAGMA user_version").fetchone()[0] if table else 0


def integrity_problems(connection: sqlite3.Connection) -> list[str]:
    """Return what is wrong with the contents, in SQLite's words. This reads the whole file."""
    rows = connection.execute("PRAGMA integrity_check(5)")
    problems = [text for (text,) in rows if text != "ok"]
    orphans = connection.execute("PRAGMA foreign_key_check").fetchmany(MAX_FINDINGS)
    for table, _, parent, _ in orphans:
        problems.append(f"a row of {table} points to a missing row of {parent}")
    return problems


def require_sound(path: Path) -> None:
    """Check that a file is a whole database that this release can use.

    Raises OperationRefused if it isn't.
    """
    if not path.is_file():
        raise OperationRefused(f"No file at {path}.")
    try:
        connection = connect(path)
        try:
            schema = schema_version(connection)
            problems = integrity_problems(connection)
            # SQLite reads zeros for a missing part of the last page.
            (page,) = connection.execute("PRAGMA page_size").fetchone()
            if path.stat().st_size % page:
                problems.append("the file ends in the middle of a page")
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
    if problems:
        raise OperationRefused(f"{path} is damaged: {'; '.join(problems)}.")


def format_size(size: int) -> str:
    """Return a number of bytes in words: `12.5 MiB`."""
    value = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{size} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError("unreachable")


def side_file(path: Path, suffix: str) -> Path:
    """Return a file beside a database, such as SQLite's `-wal`, `-shm` and `-journal`."""
    return path.with_name(path.name + suffix)

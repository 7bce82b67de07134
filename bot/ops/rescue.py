"""Rescued copies of a database that lost its files under the running bot."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from bot.ops.backup import STAMP, copy_open_database, remove_database, sync_to_disk
from bot.ops.database_files import connect, format_size, side_file
from bot.ops.file_loss import LOSS_TEXTS, foreign_log, has_content, noted_rescue, noticed_loss
from bot.storage.file_watch import Loss
from bot.storage.high_water_mark import RESCUED_KEY
from bot.storage.instance_lock import is_locked

#: Text between the database's name and the time in the name of a rescued copy.
_RESCUED: Final = "-rescued-"
_RESCUED_NAME: Final = re.compile(r".*-rescued-\d{8}T\d{6}Z")


def rescue_copy(
    connection: sqlite3.Connection, database: Path, folder: Path, loss: Loss, now: float
) -> Path:
    """Copy all that an open connection reads to `<name>-rescued-<time>` in a folder.

    Return the copy, which bears a note of the loss. Raises sqlite3.Error or OSError, and leaves
    nothing of the copy then.
    """
    stamp = time.strftime(STAMP, time.gmtime(now))
    target = folder / f"{database.name}{_RESCUED}{stamp}"
    partial = side_file(target, ".partial")
    try:
        copy_open_database(connection, partial)
        with closing(connect(partial, "rw")) as copy, copy:
            copy.execute(
                "INSERT OR REPLACE INTO note (key, value) VALUES (?, ?)", (RESCUED_KEY, loss)
            )
        sync_to_disk(partial)
        partial.replace(target)
        sync_to_disk(folder)
    finally:
        remove_database(partial)
    return target


def rescued_copies(database: Path, *folders: Path) -> list[Path]:
    """Return the rescued copies of a database, beside it and in other folders, oldest first."""
    copies: set[Path] = set()
    for folder in (database.parent, *folders):
        for path in folder.glob(f"{database.name}{_RESCUED}*"):
            if _RESCUED_NAME.fullmatch(path.name):
                copies.add(path)
    return sorted(copies, key=lambda path: path.name)


# --- what `doctor` and the start say --------------------------------------------------------------


def loss_problem(database: Path, *folders: Path) -> str | None:
    """Return a line about the loss of a database's files and what to do; None for no loss."""
    loss = noticed_loss(database)
    if loss is None:
        return None
    opening = f"{database} {LOSS_TEXTS[loss]}, and the bot has stopped saving. "
    copies = rescued_copies(database, *folders)
    rescued = noted_rescue(database) or (copies[-1] if copies else None)
    if rescued is not None and rescued.exists():
        return (
            f"{opening}Everything is rescued in {rescued}. Stop the bot, run "
            f"`python -m bot restore {rescued}`, and start it again."
        )
    if is_locked(database):
        return (
            f"{opening}Leave it running: it holds everything and is copying it to a file "
            f"beside {database}. If its log says `rescue.failed`, make room there."
        )
    return (
        f"{opening}It ended before anything was rescued. Put {database} back with the -wal file "
        "that was beside it, or restore the last backup with `python -m bot restore FILE`."
    )


def rescued_findings(database: Path, *folders: Path) -> tuple[list[str], list[str]]:
    """Return problems and hints about the rescued copies.

    A copy is a problem if it holds entries that the database lacks, or cannot be read.
    """
    problems, hints = list[str](), list[str]()
    for copy in rescued_copies(database, *folders):
        opening = f"{copy} ({format_size(copy.stat().st_size)}) is a rescued copy: {database} "
        opening += LOSS_TEXTS.get(_noted_loss(copy), "was lost") + ". "
        try:
            missing = _journal_difference(copy, database)
        except sqlite3.Error as error:
            problems.append(
                f"{opening}It can't be compared with the database: {error}. Move it elsewhere."
            )
            continue
        if missing:
            problems.append(opening + _choice(database, copy, missing))
        else:
            hints.append(
                f"{opening}The database holds every entry that is in it. Move the copy elsewhere, "
                "or delete it."
            )
    return problems, hints


def unmerged_rescue(database: Path, *folders: Path) -> str | None:
    """Return a line that says why the bot must not start beside a rescued copy; None if it may.

    The bot must not start while the copy holds entries that the database lacks: every new entry
    would make the two differ more.
    """
    if is_locked(database):
        return None
    for copy in reversed(rescued_copies(database, *folders)):
        with suppress(sqlite3.Error):
            missing = _journal_difference(copy, database)
            if missing:
                return f"{copy} is a rescued copy. {_choice(database, copy, missing)}"
    return None


def _choice(database: Path, copy: Path, missing: int) -> str:
    """Return how many entries only the copy, and only the database, holds, and how to choose."""
    held = f"It holds {_count(missing)} that {database} lacks"
    try:
        newer = _journal_difference(database, copy)
    except sqlite3.Error:
        newer = 0
    if newer:
        held += f", and the database holds {_count(newer)} that the copy lacks"
    return (
        f"{held}. Stop the bot. To go on with the copy, run `python -m bot restore {copy}`, which "
        "keeps the database's file aside; to go on without it, move the copy elsewhere."
    )


def _count(entries: int) -> str:
    return "1 journal entry" if entries == 1 else f"{entries:,} journal entries"


#: Counts the journal entries of `main` that are not in `other`. Entries that `other` deleted on
#: purpose, with their table, do not count.
_DIFFERENCE: Final = """
SELECT COUNT(*) FROM main.journal AS mine
WHERE NOT EXISTS (
    SELECT 1 FROM other.journal AS theirs
    WHERE theirs.id = mine.id AND theirs.request_id = mine.request_id
) AND NOT (
    mine.id <= IFNULL((SELECT CAST(value AS INTEGER) FROM other.note WHERE key = 'dropped'), 0)
    AND NOT EXISTS (
        SELECT 1 FROM other.game_table AS place
        WHERE place.id = mine.table_id AND place.guild != ''
    )
)
"""


def _journal_difference(database: Path, other: Path) -> int:
    """Return how many journal entries of a database another one lacks. Raises sqlite3.Error."""
    if not has_content(database):
        return 0
    with closing(connect(database)) as connection:
        if not _has_journal(connection, "main"):
            return 0
        if has_content(other):
            connection.execute(
                "ATTACH DATABASE ? AS other", (f"{other.absolute().as_uri()}?mode=ro",)
            )
            if _has_journal(connection, "other"):
                return connection.execute(_DIFFERENCE).fetchone()[0]
        return connection.execute("SELECT COUNT(*) FROM journal").fetchone()[0]


def _has_journal(connection: sqlite3.Connection, schema: str) -> bool:
    tables = connection.execute(f"SELECT 1 FROM {schema}.sqlite_master WHERE name = 'journal'")  # noqa: S608 - our own text
    return tables.fetchone() is not None


def start_refusal(database: Path, *folders: Path) -> str | None:
    """Return a line that says why the bot must not start on a new or other file; None if it may.

    Beside an empty database SQLite deletes the log, which still holds entries of the lost database.
    With the log of another file SQLite spoils both.
    """
    if has_content(database):
        return None if is_locked(database) else _foreign_log_problem(database)
    copies = rescued_copies(database, *folders)
    if copies:
        return (
            f"{database} is missing, and {copies[-1]} holds what it had. Restore it with `python "
            f"-m bot restore {copies[-1]}`, or move it elsewhere to begin anew."
        )
    log = side_file(database.resolve(), "-wal")
    if has_content(log):
        return (
            f"{database} is missing, but its log {log} is there and holds what was saved last. Put "
            "the database back beside it, or move the log elsewhere to begin anew."
        )
    return None


def _foreign_log_problem(database: Path) -> str | None:
    log = foreign_log(database)
    if log is None:
        return None
    return (
        f"{log} is the log of another file than {database}, which was moved or replaced while the "
        "bot was running. The log holds what was saved last, and opening the two together would "
        f"spoil both. Keep both. Put the file that the bot had open back in the place of {database}"
        f", with the log beside it; or move the log elsewhere to go on with {database} as it is."
    )


def _noted_loss(copy: Path) -> str:
    try:
        with closing(connect(copy)) as connection:
            row = connection.execute(
                "SELECT value FROM note WHERE key = ?", (RESCUED_KEY,)
            ).fetchone()
    except sqlite3.Error:
        return ""
    return row[0] if row is not None else ""

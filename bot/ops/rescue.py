"""Rescue of a database whose files were moved, replaced or deleted under the running bot."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from bot.ops.backup import STAMP, copy_open_database, remove_database, sync_to_disk
from bot.ops.database_files import connect, format_size, side_file
from bot.ops.file_loss import LOSS_TEXTS, has_content, noted_rescue, noticed_loss
from bot.storage.file_watch import Loss
from bot.storage.high_water_mark import RESCUED_KEY, highest_entry
from bot.storage.instance_lock import is_locked

#: What stands between a database's name and the time in the name of a rescued copy.
_RESCUED: Final = "-rescued-"
_RESCUED_NAME: Final = re.compile(r".*-rescued-\d{8}T\d{6}Z")


def rescue_copy(
    connection: sqlite3.Connection, database: Path, folder: Path, loss: Loss, now: float
) -> Path:
    """Copy all that an open connection reads to `<name>-rescued-<time>` in a folder.

    Returns the copy, which bears a note of the loss. Raises sqlite3.Error or OSError; nothing is
    left of the copy then.
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
    """The rescued copies of a database beside it and in other folders, oldest first."""
    pattern = f"{database.name}{_RESCUED}*"
    found = [path for folder in (database.parent, *folders) for path in folder.glob(pattern)]
    return sorted(
        {path for path in found if _RESCUED_NAME.fullmatch(path.name)}, key=lambda path: path.name
    )


# --- what `doctor` and the start say --------------------------------------------------------------


def loss_problem(database: Path, *folders: Path) -> str | None:
    """Say what became of a database's files and what to do, in a line; None where nothing did."""
    loss = noticed_loss(database)
    if loss is None:
        return None
    told = f"{database} {LOSS_TEXTS[loss]}, and the bot has stopped saving. "
    copies = rescued_copies(database, *folders)
    rescued = noted_rescue(database) or (copies[-1] if copies else None)
    if rescued is not None and rescued.exists():
        return (
            f"{told}Everything is rescued in {rescued}. Stop the bot, run `python -m bot restore "
            f"{rescued}`, and start it again."
        )
    if is_locked(database):
        return (
            f"{told}Leave it running: it holds everything and is copying it to a file beside "
            f"{database}. If its log says `rescue.failed`, make room there."
        )
    return (
        f"{told}It ended before anything was rescued. Put {database} back with the -wal file that "
        "was beside it, or restore the last backup with `python -m bot restore FILE`."
    )


def rescued_findings(database: Path, *folders: Path) -> tuple[list[str], list[str]]:
    """Say what rescued copies lie there: those that hold more than the database, and others."""
    problems, hints = list[str](), list[str]()
    there = _highest(database)
    for copy in rescued_copies(database, *folders):
        told = f"{copy} ({format_size(copy.stat().st_size)}) is a rescued copy: {database} "
        told += LOSS_TEXTS.get(_noted_loss(copy), "was lost") + ". "
        if _highest(copy) > there:
            problems.append(
                f"{told}It holds more than the database does now. Stop the bot and run `python -m "
                f"bot restore {copy}`, or move the copy elsewhere if you don't want it."
            )
        else:
            hints.append(f"{told}The database has as much. Move the copy elsewhere, or delete it.")
    return problems, hints


def start_refusal(database: Path, *folders: Path) -> str | None:
    """Say why the bot must not start on a new database, in a line; None where it may.

    An empty database would make SQLite delete the log that still holds what a lost one had.
    """
    if has_content(database):
        return None
    copies = rescued_copies(database, *folders)
    if copies:
        return (
            f"{database} is missing, and {copies[-1]} holds what it had. Restore it with `python "
            f"-m bot restore {copies[-1]}`, or move it elsewhere to begin anew."
        )
    log = side_file(database.resolve(), "-wal")
    if log.exists() and log.stat().st_size:
        return (
            f"{database} is missing, but its log {log} is there and holds what was saved last. Put "
            "the database back beside it, or move the log elsewhere to begin anew."
        )
    return None


def _noted_loss(copy: Path) -> str:
    try:
        with closing(connect(copy)) as connection:
            row = connection.execute(
                "SELECT value FROM note WHERE key = ?", (RESCUED_KEY,)
            ).fetchone()
    except sqlite3.Error:
        return ""
    return row[0] if row is not None else ""


def _highest(database: Path) -> int:
    if not database.is_file():
        return 0
    try:
        with closing(connect(database)) as connection:
            return highest_entry(connection)
    except sqlite3.Error:
        return 0

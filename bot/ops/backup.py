"""Backups of the database, made while the bot runs, and restored while it doesn't."""

from __future__ import annotations

import calendar
import os
import re
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from bot.ops.database_files import OperationRefused, connect, format_size, require_sound, side_file
from bot.ops.file_loss import LOSS_TEXTS, foreign_log, noticed_loss
from bot.storage.high_water_mark import MARK_SUFFIX, RESCUED_KEY, RESTORED_KEY
from bot.storage.instance_lock import is_locked

_SIDE_SUFFIXES = ("-wal", "-shm", "-journal", MARK_SUFFIX)
#: Format of the time (UTC) in a copy's name, and a pattern that matches it.
STAMP: Final = "%Y%m%dT%H%M%SZ"
_TIME_PATTERN: Final = r"-(\d{8}T\d{6}Z)"
#: Seconds after which a partial copy counts as left behind by a killed process.
_STALE_PARTIAL_AGE: Final = 86_400


def back_up(database: Path, file: Path, *, force: bool = False) -> str:
    """Copy the database as it is at one moment, even while the bot writes, and check the copy.

    Return what to tell the operator. `file` appears only when it is whole. Raises OperationRefused
    if it exists already (unless `force`), and if the copy can't be made.
    """
    if not database.is_file():
        raise OperationRefused(f"No database at {database}.")
    if (loss := noticed_loss(database)) is not None:
        raise OperationRefused(
            f"No copy made: {database} {LOSS_TEXTS[loss]}. Run `python -m bot doctor`."
        )
    if file.exists() and file.samefile(database):
        raise OperationRefused(f"{file} is the database itself. Name another file.")
    if file.is_dir() or (file.exists() and not force):
        raise OperationRefused(
            f"{file} already exists. Name another file, or overwrite it with --force."
        )
    partial = side_file(file, ".partial")
    try:
        _copy(database, partial)
        require_sound(partial)
        partial.replace(file)
        sync_to_disk(file.parent)
    except (OSError, sqlite3.Error) as error:
        raise OperationRefused(f"No copy made: {error}.") from error
    finally:
        remove_database(partial)
    return (
        f"{file} is a complete copy ({format_size(file.stat().st_size)}). It contains "
        "secret seeds: keep it private."
    )


def back_up_into(database: Path, folder: Path, keep: int, now: float) -> str:
    """Make a copy in a folder, named by its time, and keep only the newest *keep* of this database.

    Raises OperationRefused as `back_up` does, and if the folder is missing: its disk may not be
    mounted.
    """
    if not folder.is_dir():
        raise OperationRefused(f"No folder at {folder}. Create it, or mount the disk it is on.")
    stamp = time.strftime(STAMP, time.gmtime(now))
    report = back_up(database, folder / f"{database.stem}-{stamp}{database.suffix}")
    removed = [path for _, path in copies_in(folder, database)[:-keep]]
    for at, path in copies_in(folder, database, ".partial"):
        if at < now - _STALE_PARTIAL_AGE:
            removed.append(path)
    try:
        for path in removed:
            remove_database(path)
    except OSError as error:
        raise OperationRefused(
            f"{report} But {error.filename} can't be removed: {error.strerror}."
        ) from error
    return f"{report} Removed {len(removed)} older." if removed else report


def back_up_if_due(database: str, folder: str, keep: int, every: float, now: float) -> float:
    """Make a copy if the newest is older than `every` seconds; return the seconds to the next.

    Raises OperationRefused as `back_up_into` does.
    """
    copies = copies_in(Path(folder), Path(database))
    remaining = copies[-1][0] + every - now if copies else 0.0
    if 0 < remaining <= every:
        return remaining
    back_up_into(Path(database), Path(folder), keep, now)
    return every


def copies_in(folder: Path, database: Path, suffix: str = "") -> list[tuple[float, Path]]:
    """Return the copies of a database with a time in their name, oldest first.

    The time is in seconds since 1970.
    """
    name = re.compile(
        re.escape(database.stem) + _TIME_PATTERN + re.escape(database.suffix + suffix)
    )
    copies: list[tuple[float, Path]] = []
    for path in folder.iterdir() if folder.is_dir() else ():
        match = name.fullmatch(path.name)
        if match:
            with suppress(ValueError):  # a file of another origin, whose digits are no time
                copies.append((calendar.timegm(time.strptime(match[1], STAMP)), path))
    return sorted(copies)


def restore_database(database: Path, file: Path) -> str:
    """Replace the database by a copy, and keep the old files under another name.

    Return what to tell the operator. Raises OperationRefused if the copy is damaged or from a later
    release, and while the bot has the database open.
    """
    if database.exists() and file.exists() and file.samefile(database):
        raise OperationRefused(f"{file} is the database itself. Name the copy.")
    require_sound(file)
    log = None if is_locked(database) else foreign_log(database)
    if log is not None:
        raise OperationRefused(
            f"Nothing restored: {log} is the log of another file than {database}. Keep it, but "
            "move it elsewhere first."
        )
    partial = side_file(database, ".restoring")
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        _copy(file, partial)
        require_sound(partial)
        _mark(partial)
        aside = _exchange(database, partial)
        sync_to_disk(database.parent)
    except (OSError, sqlite3.Error) as error:
        raise OperationRefused(f"Nothing restored: {error}.") from error
    finally:
        remove_database(partial)
    kept = f" The old one is kept as {aside}." if aside is not None else ""
    return f"{database} restored from {file}.{kept} Start the bot now."


def _mark(file: Path) -> None:
    """Mark a restored copy, so that the next start draws new seeds.

    Players know what came after the copy, revealed seeds included.
    """
    with closing(connect(file, "rw")) as connection:
        connection.execute(
            "INSERT OR REPLACE INTO note (key, value) VALUES (?, '')", (RESTORED_KEY,)
        )
        connection.execute("DELETE FROM note WHERE key = ?", (RESCUED_KEY,))
        connection.commit()
    sync_to_disk(file)


def _copy(source: Path, target: Path) -> None:
    """Make one consistent copy as a single file that only its owner can read."""
    with closing(connect(source)) as old:
        copy_open_database(old, target)


def copy_open_database(connection: sqlite3.Connection, target: Path) -> None:
    """Copy what a connection reads to a single file that only its owner can read.

    Raises sqlite3.Error or OSError, and leaves a partial copy then.
    """
    remove_database(target)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(connect(target, "rw")) as new:
        # All pages in one step: otherwise the copy would start over with every write of the bot.
        connection.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")
    sync_to_disk(target)


def _exchange(database: Path, new: Path) -> Path | None:
    """Put `new` in place; return the new name of the old database, None if there was none."""
    side_files = [suffix for suffix in _SIDE_SUFFIXES if side_file(database, suffix).exists()]
    if not database.exists() and not side_files:
        new.replace(database)
        return None
    aside = _free_name(database)
    holder = _lock_exclusively(database) if database.exists() else None
    try:
        if database.exists():
            _keep(database, aside)
        # SQLite must not take side files of the old database for those of the new one.
        for suffix in _SIDE_SUFFIXES:
            with suppress(FileNotFoundError):
                side_file(database, suffix).rename(side_file(aside, suffix))
        new.replace(database)
    finally:
        if holder is not None:
            holder.close()
    return aside


def _lock_exclusively(database: Path) -> sqlite3.Connection | None:
    """Lock the database for this process alone; return None if SQLite can't read it.

    Raises OperationRefused while another process has it open.
    """
    connection = connect(database, "rw")
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        # Another process that has it open in WAL mode holds a lock that blocks this change.
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        if "locked" in str(error) or "busy" in str(error):
            raise OperationRefused(
                f"{database} is in use. Stop the bot and Litestream, if you have it, then restore."
            ) from error
        return None
    except sqlite3.DatabaseError:
        connection.close()
        return None
    return connection


def _keep(database: Path, aside: Path) -> None:
    """Give the file a second name, so that there is one in its place at every moment."""
    try:
        os.link(database, aside)
    except OSError:
        database.rename(aside)


def _free_name(database: Path) -> Path:
    number = 1
    while side_file(database, f".before-restore-{number}").exists():
        number += 1
    return side_file(database, f".before-restore-{number}")


def remove_database(path: Path) -> None:
    """Remove a file with what SQLite keeps beside it. Raises OSError."""
    for suffix in ("", *_SIDE_SUFFIXES):
        with suppress(FileNotFoundError):
            side_file(path, suffix).unlink()


def sync_to_disk(path: Path) -> None:
    """Write a file, or the names in a folder, to the disk itself."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

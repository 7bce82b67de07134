"""Losses of a database's files under the running bot, as the bot notes them in its lock file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, get_args

from bot.ops.database_files import side_file
from bot.storage.file_watch import Loss
from bot.storage.instance_lock import is_locked, lock_lines

#: Beginnings of the lines that the running bot writes into its lock file.
_FILES_LINE: Final = "files "
_LOSS_LINE: Final = "lost "
_RESCUED_LINE: Final = "rescued "

#: Texts of the losses.
LOSS_TEXTS: Final[Mapping[str, str]] = {
    "moved": "was moved away while the bot was running",
    "replaced": "was replaced by another file while the bot was running",
    "deleted": "was deleted while the bot was running",
    "log-gone": "lost its log (the -wal or -shm file beside it) while the bot was running",
}


def files_line(identities: tuple[tuple[int, int], ...]) -> str:
    """Return the line of the lock file that says which files the bot has open."""
    return _FILES_LINE + " ".join(f"{device}:{inode}" for device, inode in identities)


def loss_lines(loss: Loss, rescued: Path | None) -> tuple[str, ...]:
    """Return the lines of the lock file that name the loss and the rescued copy."""
    lost = f"{_LOSS_LINE}{loss}"
    return (lost,) if rescued is None else (lost, f"{_RESCUED_LINE}{rescued}")


def noted_rescue(database: Path) -> Path | None:
    """Return the rescued copy that the bot noted."""
    for line in lock_lines(database):
        if line.startswith(_RESCUED_LINE):
            return Path(line.removeprefix(_RESCUED_LINE))
    return None


def has_content(file: Path) -> bool:
    """Return whether a file is there that is not empty."""
    return file.exists() and file.stat().st_size > 0


def noticed_loss(database: Path) -> Loss | None:
    """Return the loss of the files that the bot has open, or had open last; None for no loss.

    A loss is known if the bot noted it, or if another process can see it.
    """
    lines, running = lock_lines(database), is_locked(database)
    if not running and has_content(database):
        return None  # the file was put back, or another file took its place
    for loss in get_args(Loss):
        if f"{_LOSS_LINE}{loss}" in lines:
            return loss
    opened = _opened_files(lines)
    if not opened or not running:
        return None
    real = database.resolve()
    there = [_identity(side_file(real, suffix)) for suffix in ("", "-wal", "-shm")]
    if there[0] is None:
        return "moved"
    if there[0] != opened[0]:
        return "replaced"
    return "log-gone" if not set(opened) <= set(there) else None


def foreign_log(database: Path) -> Path | None:
    """Return the log that the last bot left, if the database is another file than the log's own.

    SQLite would write the log's pages into the other file, or ignore the log.
    """
    opened = _opened_files(lock_lines(database))
    if len(opened) < 2:
        return None
    real = database.resolve()
    for file in dict.fromkeys((real, database.absolute())):
        log = side_file(file, "-wal")
        if _identity(log) != opened[1] or not has_content(log):
            continue
        if file != real or _identity(real) not in (None, opened[0]):
            return log
    return None


def _opened_files(lines: list[str]) -> list[str]:
    """Return the identities of the database and its log, as the bot noted them."""
    for line in lines:
        if line.startswith(_FILES_LINE):
            return line.split()[1:]
    return []


def _identity(path: Path) -> str | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return f"{status.st_dev}:{status.st_ino}"

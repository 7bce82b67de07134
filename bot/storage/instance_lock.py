"""A database has one bot: two would both carry out what people say, and both post it.

The system frees the lock with the process, however that ends; copies, `doctor` and other readers
need none. It stands in a file of its own, because SQLite lets go of whatever a process has locked
in the database with its last connection, and is of SQLite's kind, so that it holds wherever that
one does: between containers on one volume, too.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from bot.storage.errors import StorageUnavailable

#: What the file's name ends with. It stays when the bot ends; deleting it frees nothing, and
#: nothing need be deleted.
LOCK_SUFFIX: Final = "-lock"
#: How many bytes of the holder's name are read.
_MAX_HOLDER_BYTES: Final = 200


class DatabaseInUse(Exception):
    """Another bot runs on the database: which, in words."""


class InstanceLock:
    """The lock that a bot holds. Its file says who holds it, and more for `doctor`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, *lines: str) -> None:
        """Write the name of this process and more lines into the file, unless the disk is full."""
        text = "\n".join((f"process {os.getpid()} on {socket.gethostname()}", *lines, ""))
        with suppress(OSError):
            self._file.seek(0)
            self._file.write(text.encode())
            self._file.truncate()


def lock_file(database: Path) -> Path:
    """The file that holds a database's lock."""
    path = database.resolve()
    return path.with_name(path.name + LOCK_SUFFIX)


def _lock_files(database: Path) -> tuple[Path, ...]:
    """Return the lock file, and the one beside a link: the link may be newer than the lock."""
    beside = database.absolute()
    files = (lock_file(database), beside.with_name(beside.name + LOCK_SUFFIX))
    return tuple(dict.fromkeys(files))


def is_locked(database: Path) -> bool:
    """Return whether another process holds a database's lock, without taking it.

    Linux alone tells that. Never called by the holder: closing the file would free its lock.
    """
    return any(map(_is_file_locked, _lock_files(database)))


def _is_file_locked(lock: Path) -> bool:
    if sys.platform != "linux":
        return False
    asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    try:
        with lock.open("rb") as file:
            kind: int = struct.unpack_from("h", fcntl.fcntl(file, fcntl.F_GETLK, asked))[0]
    except OSError:
        return False
    return kind != fcntl.F_UNLCK


def lock_lines(database: Path) -> list[str]:
    """Return what the bot that has or had the lock wrote beside its name.

    Never called by the holder: closing the file would free its lock.
    """
    lines = list[str]()
    for lock in _lock_files(database):
        with suppress(OSError):
            lines += lock.read_text("utf-8", "replace").splitlines()[1:]
    return lines


def _holder(file: BinaryIO) -> str:
    first, *_ = file.read(_MAX_HOLDER_BYTES).decode("utf-8", "replace").partition("\n")
    return first.strip() or "just starting"


@contextmanager
def hold_instance_lock(database: Path) -> Iterator[InstanceLock]:
    """Keep other bots off a database meanwhile. Raises DatabaseInUse or StorageUnavailable."""
    for linked in _lock_files(database)[1:]:
        if _is_file_locked(linked):
            with linked.open("rb") as held:
                raise DatabaseInUse(_holder(held))
    try:
        handle = os.open(lock_file(database), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        file = os.fdopen(handle, "r+b", buffering=0)
    except OSError as error:
        raise StorageUnavailable("unknown", str(error)) from error
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            raise DatabaseInUse(_holder(file)) from error
        except OSError as error:
            raise StorageUnavailable("unknown", str(error)) from error
        lock = InstanceLock(file)
        lock.write()
        yield lock

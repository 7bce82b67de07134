"""The lock that keeps a second bot off a database: both would act and post.

The system frees the lock when the process ends, in whatever way. Copies, `doctor` and other readers
need no lock. The lock has a file of its own, because SQLite frees all locks of a process on the
database with its last connection. It's of SQLite's kind, so it holds wherever SQLite's locks do,
between containers on one volume too.
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

#: End of the file's name. The file stays when the bot ends. Deleting it frees no lock.
LOCK_SUFFIX: Final = "-lock"
#: Most bytes of the holder's name that are read.
_MAX_HOLDER_BYTES: Final = 200


class DatabaseInUse(Exception):
    """A database on which another bot runs; the text names its process."""


class InstanceLock:
    """The lock of a running bot. Its file names the process, and has more lines for `doctor`."""

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
    """Return the file of a database's lock."""
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
    request = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    try:
        with lock.open("rb") as file:
            kind: int = struct.unpack_from("h", fcntl.fcntl(file, fcntl.F_GETLK, request))[0]
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

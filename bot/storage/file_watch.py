"""A watch over the files of an open database, which notices when its path leads elsewhere."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

#: Losses of the files: the database was moved, replaced or deleted, or its log (`-wal` or `-shm`)
#: is gone.
Loss = Literal["moved", "replaced", "deleted", "log-gone"]

#: The files beside a database that SQLite keeps as long as it is open.
_LOG_SUFFIXES: Final = ("-wal", "-shm")
#: Flag that opens a file for its identity alone, or 0 on a system without it. Closing such a handle
#: keeps SQLite's locks, while closing any other handle frees them.
_IDENTITY_ONLY: Final[int] = getattr(os, "O_PATH", 0)


class _HeldFile:
    """A file that was at a path when the watch began."""

    def __init__(self, path: Path) -> None:
        self.path = path
        status = path.stat()
        self._identity = (status.st_dev, status.st_ino)
        self._handle = os.open(path, _IDENTITY_ONLY) if _IDENTITY_ONLY else None

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode."""
        return self._identity

    def _status(self) -> os.stat_result | None:
        """Return the status of the file at the path, None without one. Raises OSError."""
        try:
            return self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def is_missing(self) -> bool:
        """Return whether nothing is at the path."""
        with suppress(OSError):
            return self._status() is None
        return False

    def is_in_place(self) -> bool:
        """Return whether the path leads to the file; True if the system does not tell."""
        try:
            status = self._status()
        except OSError:
            return True
        if status is None:
            return False
        identity = (status.st_dev, status.st_ino)
        if identity != self._identity and self._handle is not None:
            # Some file systems number a file anew while it is open.
            held = os.fstat(self._handle)
            self._identity = (held.st_dev, held.st_ino)
        return identity == self._identity

    def is_deleted(self) -> bool:
        """Return whether the file has no name any more; False where the system cannot tell."""
        return self._handle is not None and os.fstat(self._handle).st_nlink == 0

    def current_path(self) -> Path | None:
        """Return the present path of the file; None if it has none, or the system can't tell."""
        if self._handle is None:
            return None
        with suppress(OSError):
            path = Path(f"/proc/self/fd/{self._handle}").readlink()
            return path if path.exists() else None
        return None

    def close(self) -> None:
        """Let go of the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class FileWatch:
    """The files of a database that is open in WAL mode, held by their identity.

    A file that is written over or cut off in place keeps its identity and is not noticed. SQLite
    then reads what was written: entries may be lost and the database damaged.
    """

    def __init__(self, database: Path) -> None:
        self._path = database.absolute()
        # SQLite follows links, and keeps the log beside the file that they lead to.
        real = self._real = self._path.resolve()
        self._folder = _HeldFile(self._path.parent)
        self._file = _HeldFile(self._path)
        self._suffixes = tuple(
            suffix for suffix in _LOG_SUFFIXES if real.with_name(real.name + suffix).exists()
        )
        self._log = tuple(
            _HeldFile(real.with_name(real.name + suffix)) for suffix in self._suffixes
        )

    @property
    def identities(self) -> tuple[tuple[int, int], ...]:
        """Device and inode of the database and of each file of its log."""
        return tuple(held.identity for held in (self._file, *self._log))

    def loss(self) -> Loss | None:
        """Return the loss of the files; None while all of them are in place."""
        if not self._file.is_in_place():
            if not self._file.is_missing():
                return "replaced"
            return "deleted" if self._file.is_deleted() else "moved"
        if self._path.resolve() != self._real:
            # The next process would look for the log beside the file that the link leads to.
            return "moved"
        if all(held.is_in_place() for held in self._log):
            return None
        return "log-gone"

    def set_log_aside(self, name: Path) -> None:
        """Rename what is left of the log at its path, `<name>-wal` and so on. Raises OSError.

        SQLite would take it for the log of the next file at the database's path.
        """
        for held, suffix in zip(self._log, self._suffixes, strict=True):
            if held.is_in_place():
                held.path.rename(name.with_name(name.name + suffix))

    def folder(self) -> Path | None:
        """Return the present path of the database's folder; None if the system can't tell."""
        return self._folder.current_path()

    def close(self) -> None:
        """Stop watching."""
        for held in (self._folder, self._file, *self._log):
            held.close()

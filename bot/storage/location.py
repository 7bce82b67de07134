"""Location of the database: a file, or a server with one address.

An address holds a password. Its text in logs and messages is host and database alone.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bot.storage.instance_lock import InstanceLock, hold_instance_lock

#: Beginnings of a server's address.
SCHEMES: Final = ("postgresql://", "postgres://")
#: Beginning of the names of temporary files; the process's number follows.
SCRATCH_PREFIX: Final = "storyguide-"


#: Addresses that the bot does not take: of other schemes, mistyped, and in the driver's own form.
_OTHER_ADDRESS: Final = re.compile(r"[a-z][\w+.-]*://|postgres\w*:|(host|dbname|user)=", re.I)


class LocationError(ValueError):
    """A text that isn't the location of a database; the message says which forms are accepted."""


class ServerAddress:
    """The address of a PostgreSQL server and a database there."""

    def __init__(self, dsn: str) -> None:
        #: The whole address, with its password. Never log it.
        self.dsn = dsn

    def __str__(self) -> str:
        # Behind the last @ no password can stand, however it is written; options may hold one.
        after_password = self.dsn.partition("//")[2].rpartition("@")[2]
        hosts, _, database = re.split(r"[?&]", after_password)[0].partition("/")
        server = f"PostgreSQL on {hosts or 'this machine'}"
        return f"{server}, database {database}" if database else server

    def __repr__(self) -> str:
        return f"<{self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ServerAddress) and other.dsn == self.dsn

    def __hash__(self) -> int:
        return hash(self.dsn)


#: A file's path, or a server's address.
Where = Path | ServerAddress


def parse_where(text: str) -> Where:
    """Return the location that a text names: a server's address, or a path.

    Raises LocationError for an address of another form; it would be taken for a path, and shown
    with its password.
    """
    if text.startswith(SCHEMES):
        return ServerAddress(text)
    if _OTHER_ADDRESS.match(text):
        raise LocationError(
            "neither a file nor an address of the form postgresql://user:password@host/database"
        )
    return Path(text)


def absolute(where: Where) -> Where:
    """Return the location as a process in another folder names it."""
    return where.absolute() if isinstance(where, Path) else where


def scratch_folder(where: Where) -> tuple[Path, str]:
    """Return the folder for large temporary files, and what their names begin with.

    They are beside a file, where there is room for as much again. With a server they are in the
    system's temporary folder, named by process.
    """
    if isinstance(where, Path):
        return where.parent, where.name
    return Path(tempfile.gettempdir()), f"{SCRATCH_PREFIX}{os.getpid()}"


@contextmanager
def hold_location(where: Where) -> Iterator[InstanceLock | None]:
    """Keep other bots off a file meanwhile. Raises DatabaseInUse or StorageUnavailable.

    Of a server the writing session holds the lock: `SqlStore.open` raises DatabaseInUse.
    """
    if isinstance(where, Path):
        with hold_instance_lock(where) as lock:
            yield lock
    else:
        yield None

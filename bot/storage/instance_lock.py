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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from bot.storage.errors import StorageUnavailable

#: What the file's name ends with. It stays when the bot ends; deleting it frees nothing, and
#: nothing need be deleted.
LOCK_SUFFIX: Final = "-lock"
#: How many bytes of the holder's name are read.
_MAX_HOLDER_BYTES: Final = 200


class DatabaseInUse(Exception):
    """Another bot runs on the database: which, in words."""


@contextmanager
def hold_instance_lock(database: Path) -> Iterator[None]:
    """Keep other bots off a database meanwhile. Raises DatabaseInUse or StorageUnavailable."""
    path = database.resolve()
    try:
        file = path.with_name(path.name + LOCK_SUFFIX).open("a+b", buffering=0)
    except OSError as error:
        raise StorageUnavailable("unknown", str(error)) from error
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            file.seek(0)
            raise DatabaseInUse(
                file.read(_MAX_HOLDER_BYTES).decode("utf-8", "replace").strip() or "just starting"
            ) from error
        except OSError as error:
            raise StorageUnavailable("unknown", str(error)) from error
        with suppress(OSError):  # on a full disk it is held without a name
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        yield

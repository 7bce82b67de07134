"""Choice of the engine for a location."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bot.storage.bulk_rows import BulkRows
from bot.storage.database import Database
from bot.storage.file_rows import FileRows
from bot.storage.location import ServerAddress, Where, parse_where
from bot.storage.server_health import Pool
from bot.storage.write_batches import Engine

#: Advice on a missing driver.
INSTALL_DRIVER: Final = (
    "Install it: .venv/bin/python -m pip install --require-hashes -r requirements/server.txt"
)


class DriverMissing(Exception):
    """A server is named, and its driver is not installed."""


async def open_engine(
    where: Where | str, *, reading: bool = False, processes: int | None = None
) -> Engine:
    """Open or create the database and bring it to the latest schema. With *reading*, only read it.

    With *processes* on a server, be one of so many of a bot: take a share, and wait for a free one
    and for a server that is down. A file's bot holds `hold_location` instead.

    Raises SchemaTooNew, FingerprintMismatch, ServerTooOld, DatabaseInUse, DatabaseMoved,
    OtherProcessCount, DriverMissing, or StorageUnavailable if the database cannot be opened or
    written.
    """
    where = parse_where(where) if isinstance(where, str) else where
    if isinstance(where, ServerAddress):
        try:
            # Only a server needs its driver, which is an extra.
            from bot.storage.server_database import ServerDatabase
        except ImportError as error:
            raise DriverMissing(str(error)) from error
        return await ServerDatabase.open(where, reading=reading, processes=processes)
    return await Database.open(Path(where), reading=reading)


def has_driver() -> bool:
    """Return whether the driver for a server is installed."""
    return find_spec("psycopg") is not None


def pool_between(where: ServerAddress) -> Pool | None:
    """Return what stands between a bot's sessions and a server; None if the server is away."""
    try:
        import psycopg

        from bot.storage.server_session import find_pool
    except ImportError:
        return None
    try:
        return find_pool(where)
    except psycopg.Error:
        return None


def open_rows(where: Where, *, exclusive: bool = True, create: bool = False) -> BulkRows:
    """Open a database to move its rows; with *create*, also a file that is not there.

    With *exclusive*, keep bots off a server meanwhile; a file's caller holds `hold_location`.

    Raises DatabaseInUse, DriverMissing or PlaceUnavailable.
    """
    if isinstance(where, ServerAddress):
        try:
            # Only a server needs its driver, which is an extra.
            from bot.storage.server_rows import ServerRows
        except ImportError as error:
            raise DriverMissing(str(error)) from error
        return ServerRows.open(where, exclusive=exclusive)
    return FileRows.open(where, create=create)

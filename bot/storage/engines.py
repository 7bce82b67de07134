"""Choice of the engine for a location."""

from __future__ import annotations

from pathlib import Path

from bot.storage.database import Database
from bot.storage.location import ServerAddress, Where, parse_where
from bot.storage.write_batches import Engine


class DriverMissing(Exception):
    """A server is named, and its driver is not installed."""


async def open_engine(
    where: Where | str, *, reading: bool = False, processes: int | None = None
) -> Engine:
    """Open or create the database and bring it to the latest schema. With *reading*, only read it.

    With *sole* on a server, keep other bots off it, and wait for a server that is down. A file's
    bot holds `hold_location` instead.

    Raises SchemaTooNew, FingerprintMismatch, DatabaseInUse, DriverMissing, or StorageUnavailable
    if the database cannot be opened or written.
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

"""Readers of a database for figures: of a file beside the running bot, or of a server."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from bot.ops.database_files import OperationRefused, connect, schema_version, side_file
from bot.storage.connection import Statements
from bot.storage.engines import INSTALL_DRIVER, DriverMissing, open_engine
from bot.storage.errors import ServerTooOld, StorageUnavailable
from bot.storage.fingerprint import FingerprintMismatch
from bot.storage.location import ServerAddress, Where
from bot.storage.schema import LATEST_SCHEMA, SchemaTooNew
from bot.storage.write_batches import Engine

T = TypeVar("T")

_HAS_TABLES = (
    "SELECT 1 FROM information_schema.tables"
    " WHERE table_schema = current_schema() AND table_name = 'game_table'"
)


def read_database(where: Where, work: Callable[[Statements, int], T]) -> tuple[T, dict[str, float]]:
    """Return what `work` reads with a connection and the schema, and sizes in bytes by their names.

    Raises OperationRefused if there is no database, or if it can't be read.
    """
    if isinstance(where, ServerAddress):
        return asyncio.run(_read_server(where, work))
    return _read_file(where, work)


def _read_file(path: Path, work: Callable[[Statements, int], T]) -> tuple[T, dict[str, float]]:
    if not path.is_file():
        raise OperationRefused(f"No database at {path}.")
    try:
        with closing(connect(path)) as connection:
            schema = schema_version(connection)
            if not schema:
                raise OperationRefused(f"{path} isn't a Storyguide database.")
            result = work(connection, schema)
    except sqlite3.Error as error:
        raise OperationRefused(f"Can't read {path}: {error}.") from error
    wal = side_file(path, "-wal")
    log = wal.stat().st_size if wal.exists() else 0
    return result, {"database_bytes": path.stat().st_size, "log_bytes": log}


async def open_server(where: ServerAddress) -> Engine:
    """Open a server's database for reading. Raises OperationRefused with the reason."""
    try:
        return await open_engine(where, reading=True)
    except DriverMissing:
        refusal = f"{where}: the driver isn't installed. {INSTALL_DRIVER}"
    except ServerTooOld as error:
        refusal = f"{where}: the server is {error}."
    except SchemaTooNew as error:
        refusal = (
            f"{where} has schema {error.found}; this release knows {LATEST_SCHEMA}. "
            "Update Storyguide."
        )
    except FingerprintMismatch:
        refusal = f"{where} comes from another release. Use that one."
    except StorageUnavailable as error:
        refusal = f"{where} can't be read: {error.detail}."
    raise OperationRefused(refusal)


def has_tables(connection: Statements) -> bool:
    """Return whether a server's database holds Storyguide's tables."""
    return connection.execute(_HAS_TABLES).fetchone() is not None


async def _read_server(
    where: ServerAddress, work: Callable[[Statements, int], T]
) -> tuple[T, dict[str, float]]:
    engine = await open_server(where)
    try:
        if not await engine.read(has_tables):
            raise OperationRefused(f"{where} holds nothing yet; the bot creates it when it starts.")
        result = await engine.read(lambda connection: work(connection, LATEST_SCHEMA))
        return result, await engine.sizes()
    except StorageUnavailable as error:
        raise OperationRefused(f"{where} can't be read: {error.detail}.") from error
    finally:
        await engine.close()

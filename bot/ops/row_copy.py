"""Copies of all rows of a database, verified by a digest of each table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from bot.ops.database_files import OperationRefused
from bot.storage.bulk_rows import BulkRows, PlaceUnavailable, TableDigest
from bot.storage.engines import INSTALL_DRIVER, DriverMissing, open_rows
from bot.storage.fingerprint import FingerprintMismatch
from bot.storage.location import Where
from bot.storage.schema import LATEST_SCHEMA, SchemaTooNew, StoredTable, stored_tables

#: Seconds between two lines about a copy that goes on.
PROGRESS_INTERVAL: Final = 5.0

Tell = Callable[[str], None]
#: Rows and hash of each table, by its name.
Digests = dict[str, tuple[int, str]]
#: Texts of each kind of trouble.
_TROUBLE: Final = {
    "full": "the disk of {place} is full. Make room and run the command again.",
    "read-only": "{place} is read-only.",
    "unreachable": "{place} can't be reached: {detail}.",
    "damaged": "{place} is damaged or no database.",
    "locked": "{place} is locked by another program.",
}


class Progress:
    """Lines about a move that takes long."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._told = time.monotonic()

    def report(self, text: str) -> None:
        """Tell the operator, unless another line was told just before."""
        now = time.monotonic()
        if now - self._told >= PROGRESS_INTERVAL:
            self._told = now
            self._tell(text)


def copy_rows(source: BulkRows, target: BulkRows, progress: Progress) -> Digests:
    """Copy every row of one snapshot into empty tables; return the digests of the rows read."""
    digests: Digests = {}
    source.begin_snapshot()
    for table in stored_tables():
        digest = TableDigest()
        for page in source.pages(table):
            target.insert(table, page)
            digest.add(page)
            progress.report(f"{table.name}: {digest.rows:,} rows copied")
        digests[table.name] = digest.value()
    source.end_snapshot()
    return digests


def table_digests(rows: BulkRows, progress: Progress) -> Digests:
    """Return the digests of a database's tables in one snapshot."""
    rows.begin_snapshot()
    digests = {table.name: _digest(rows, table, progress) for table in stored_tables()}
    rows.end_snapshot()
    return digests


def _digest(rows: BulkRows, table: StoredTable, progress: Progress) -> tuple[int, str]:
    digest = TableDigest()
    for page in rows.pages(table):
        digest.add(page)
        progress.report(f"{table.name}: {digest.rows:,} rows compared")
    return digest.value()


def require_equal(copied: Digests, stored: Digests, target: BulkRows) -> None:
    """Raise OperationRefused if a table's stored rows differ from the copied ones."""
    different = sorted(name for name in copied if copied[name] != stored[name])
    if different:
        raise OperationRefused(
            f"{target.place} doesn't hold what was copied there: {', '.join(different)} differ."
        )


def copy_to_file(source: Where, file: Path, progress: Progress) -> tuple[str, int]:
    """Copy a database that a bot may use meanwhile to a new file.

    Return the source's name and the number of rows. Raises OperationRefused.
    """
    with ExitStack() as held, refusals("No copy made"):
        old = open_rows(source, exclusive=False)
        held.callback(old.close)
        require_form(old)
        new = open_rows(file, create=True)
        held.callback(new.close)
        new.create_tables()
        digests = copy_rows(old, new, progress)
        require_equal(digests, table_digests(new, progress), new)
    return old.place, sum(count for count, _ in digests.values())


def require_form(rows: BulkRows) -> None:
    """Refuse a database of another release: OperationRefused, or SchemaTooNew for a later one."""
    schema = rows.schema()
    if not schema:
        raise OperationRefused(f"{rows.place} isn't a Storyguide database.")
    if schema > LATEST_SCHEMA:
        raise SchemaTooNew(schema)
    if schema < LATEST_SCHEMA:
        raise OperationRefused(
            f"{rows.place} comes from an earlier release. Start the bot on it once, then move it."
        )
    if rows.has_other_form():
        raise OperationRefused(f"{rows.place} comes from another release. Use that one.")


@contextmanager
def refusals(opening: str) -> Iterator[None]:
    """Turn errors of databases and files into OperationRefused, with one sentence each."""
    try:
        yield
    except PlaceUnavailable as error:
        template = _TROUBLE.get(error.trouble.reason, "{place} can't be used: {detail}.")
        text = template.format(place=error.place, detail=error.trouble.detail)
        raise OperationRefused(f"{opening}: {text}") from error
    except DriverMissing as error:
        raise OperationRefused(
            f"{opening}: the driver for a PostgreSQL server isn't installed. {INSTALL_DRIVER}"
        ) from error
    except SchemaTooNew as error:
        raise OperationRefused(
            f"{opening}: a database comes from a later release (schema {error.found}; this one "
            f"knows {LATEST_SCHEMA}). Update Storyguide."
        ) from error
    except FingerprintMismatch as error:
        raise OperationRefused(
            f"{opening}: the target holds tables of another release. Name an empty one."
        ) from error
    except OSError as error:
        raise OperationRefused(f"{opening}: {error}.") from error

"""All rows of a database, read in pages and written in pages, whichever the engine.

Rows come in the order of their primary keys, texts in the order of their UTF-8 bytes: the order is
the same on both engines, whatever a server's collation.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from bot.storage.connection import Statements
from bot.storage.errors import StorageUnavailable
from bot.storage.move_notes import PLACE_NOTES
from bot.storage.schema import StoredTable

#: Rows in a page, and in one transaction of the target.
PAGE_ROWS: Final = 1000

Page = list[tuple[Any, ...]]


class PlaceUnavailable(Exception):
    """A database could not be read or written: its name without password, and why."""

    def __init__(self, place: str, trouble: StorageUnavailable) -> None:
        super().__init__(f"{place}: {trouble}")
        self.place = place
        self.trouble = trouble


class BulkRows(ABC):
    """A database whose rows are moved. Its methods raise PlaceUnavailable."""

    #: Name of the database without password.
    place: str

    @property
    @abstractmethod
    def connection(self) -> Statements:
        """The connection, outside a transaction unless a snapshot is open."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection, which frees its locks."""

    @abstractmethod
    def is_foreign(self) -> bool:
        """Return whether the database has tables, and none of Storyguide's."""

    @abstractmethod
    def schema(self) -> int:
        """Return the schema of Storyguide's tables; 0 without them."""

    @abstractmethod
    def has_other_form(self) -> bool:
        """Return whether tables of the latest schema hold rows in the form of another release."""

    @abstractmethod
    def create_tables(self) -> None:
        """Bring the database to the latest schema. Raises SchemaTooNew or FingerprintMismatch."""

    @abstractmethod
    def require_writable(self) -> None:
        """Raise PlaceUnavailable if nothing can be written."""

    @abstractmethod
    def begin_snapshot(self) -> None:
        """Read the database as it is now, until `end_snapshot`."""

    def end_snapshot(self) -> None:
        """Read the database as it becomes."""
        with self.errors():
            self.connection.execute("COMMIT").close()

    def pages(self, table: StoredTable) -> Iterator[Page]:
        """Yield a table's rows in pages, in the order of its key, without the place's own notes."""
        for page in self._all_pages(table):
            if table.name == "note":
                yield [row for row in page if row[0] not in PLACE_NOTES]
            else:
                yield page

    @abstractmethod
    def _all_pages(self, table: StoredTable) -> Generator[Page]:
        """Yield a table's rows in pages, in the order of its key."""

    @abstractmethod
    def insert(self, table: StoredTable, page: Page) -> None:
        """Insert rows in a transaction of their own."""

    @abstractmethod
    def delete_all(self) -> None:
        """Delete all rows but the place's own notes, in one transaction."""

    @abstractmethod
    def finish(self) -> None:
        """Number what comes next after the highest rows, and prepare for reading."""

    def note_timeline(self) -> None:  # noqa: B027 - a file has no timeline
        """Note the server's timeline as one in which nothing is missing unnoticed."""

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raise the driver's errors as PlaceUnavailable."""
        try:
            yield
        except Exception as error:
            trouble = self._as_storage_error(error)
            if trouble is None:
                raise
            raise PlaceUnavailable(self.place, trouble) from error

    @abstractmethod
    def _as_storage_error(self, error: Exception) -> StorageUnavailable | None:
        """Return a driver's error in the store's terms; None for other errors."""


class TableDigest:
    """Number and SHA-256 of a table's rows, in their order.

    A row counts as its text in Python, in which numbers, texts, bytes and None differ.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._hash = hashlib.sha256()

    def add(self, page: Iterable[Sequence[Any]]) -> None:
        """Add the next rows."""
        for row in page:
            self.rows += 1
            self._hash.update(f"{tuple(row)!r}\n".encode())

    def value(self) -> tuple[int, str]:
        """Return the number of rows and the hash."""
        return self.rows, self._hash.hexdigest()

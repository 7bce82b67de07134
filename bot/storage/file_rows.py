"""All rows of a SQLite file, for a move."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

from bot.storage.bulk_rows import PAGE_ROWS, BulkRows, Page, PlaceUnavailable
from bot.storage.database import has_table, prepare_file, storage_error
from bot.storage.errors import StorageUnavailable
from bot.storage.fingerprint import has_other_fingerprint, stored_fingerprint
from bot.storage.journal_writer import placeholders
from bot.storage.move_notes import PLACE_NOTES
from bot.storage.schema import StoredTable, stored_tables

#: Seconds that a lock of a program that reads the file is waited for.
_LOCK_TIMEOUT: Final = 5.0


class FileRows(BulkRows):
    """A SQLite file whose rows are moved. The caller keeps bots off it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.place = str(path)
        self._connection = connection

    @classmethod
    def open(cls, path: Path, *, create: bool) -> FileRows:
        """Open a file, with *create* also one that is not there. Raises PlaceUnavailable."""
        mode = "rwc" if create else "rw"
        uri = f"{path.absolute().as_uri()}?mode={mode}"
        try:
            connection = sqlite3.connect(uri, uri=True, timeout=_LOCK_TIMEOUT, isolation_level=None)
        except sqlite3.Error as error:
            raise PlaceUnavailable(str(path), storage_error(error)) from error
        return cls(path, connection)

    @property
    def connection(self) -> sqlite3.Connection:
        return self._connection

    def close(self) -> None:
        self._connection.close()

    def is_foreign(self) -> bool:
        with self.errors():
            sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' LIMIT 1"
            return not self.schema() and self._connection.execute(sql).fetchone() is not None

    def schema(self) -> int:
        with self.errors():
            if not has_table(self._connection, "game_table"):
                return 0
            version: int = self._connection.execute("PRAGMA user_version").fetchone()[0]
            return version

    def has_other_form(self) -> bool:
        with self.errors():
            return has_other_fingerprint(self._connection, stored_fingerprint())

    def create_tables(self) -> None:
        with self.errors():
            prepare_file(self._connection)

    def require_writable(self) -> None:
        with self.errors():
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("ROLLBACK")

    def begin_snapshot(self) -> None:
        with self.errors():
            self._connection.execute("BEGIN")
            self._connection.execute("SELECT 1 FROM note LIMIT 1").close()

    def _all_pages(self, table: StoredTable) -> Generator[Page]:
        columns, key = ", ".join(table.columns), ", ".join(table.key)
        with self.errors():
            cursor = self._connection.execute(f"SELECT {columns} FROM {table.name} ORDER BY {key}")
            while page := cursor.fetchmany(PAGE_ROWS):
                yield page

    def insert(self, table: StoredTable, page: Page) -> None:
        columns, marks = ", ".join(table.columns), placeholders(table.columns)
        self._in_transaction(
            lambda connection: connection.executemany(
                f"INSERT INTO {table.name} ({columns}) VALUES ({marks})", page
            ).close()
        )

    def delete_all(self) -> None:
        def delete(connection: sqlite3.Connection) -> None:
            for table in reversed(stored_tables()):
                if table.name != "note":
                    connection.execute(f"DELETE FROM {table.name}")
            kept = sorted(PLACE_NOTES)
            marks = placeholders(kept)
            connection.execute(f"DELETE FROM note WHERE key NOT IN ({marks})", kept)

        self._in_transaction(delete)

    def finish(self) -> None:
        """Move the log into the file. The next row of a file gets the number after the highest."""
        with self.errors():
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()

    def _in_transaction(self, work: Callable[[sqlite3.Connection], None]) -> None:
        with self.errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                work(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _as_storage_error(self, error: Exception) -> StorageUnavailable | None:
        return storage_error(error) if isinstance(error, sqlite3.Error) else None

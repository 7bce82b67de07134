"""All rows of a database on a PostgreSQL server, for a move."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Final

import psycopg

from bot.storage.bulk_rows import PAGE_ROWS, BulkRows, Page, PlaceUnavailable
from bot.storage.errors import StorageUnavailable
from bot.storage.high_water_mark import stored_highest_entry
from bot.storage.instance_lock import DatabaseInUse
from bot.storage.journal_writer import placeholders
from bot.storage.location import ServerAddress
from bot.storage.move_notes import PLACE_NOTES
from bot.storage.schema import StoredTable, stored_tables
from bot.storage.server_claim import exclude_bots
from bot.storage.server_history import note_timeline
from bot.storage.server_schema import has_form, prepare_schema, schema_version
from bot.storage.server_session import Session, connection_error, storage_error

#: Seconds in which a server frees the lock of a bot that was just killed.
_LOCK_PATIENCE: Final = 3.0
_LOCK_PAUSE: Final = 0.2


class ServerRows(BulkRows):
    """A database on a server whose rows are moved."""

    def __init__(self, address: ServerAddress, session: Session) -> None:
        self.place = str(address)
        self._session = session

    @classmethod
    def open(cls, address: ServerAddress, *, exclusive: bool) -> ServerRows:
        """Connect; with *exclusive*, keep all bots off meanwhile.

        Raises DatabaseInUse or PlaceUnavailable.
        """
        session = Session(address)
        try:
            session.open()
        except psycopg.Error as error:
            raise PlaceUnavailable(str(address), connection_error(error)) from None
        rows = cls(address, session)
        try:
            with rows.errors():
                # A sort of a large table takes longer than any statement of the bot.
                session.execute("SET statement_timeout = 0")
                session.execute("SET idle_in_transaction_session_timeout = 0")
            if exclusive:
                rows._exclude_bots()
        except BaseException:
            rows.close()
            raise
        return rows

    def _exclude_bots(self) -> None:
        end = time.monotonic() + _LOCK_PATIENCE
        with self.errors():
            while not exclude_bots(self._session):
                if time.monotonic() > end:
                    raise DatabaseInUse("another session holds its lock")
                time.sleep(_LOCK_PAUSE)

    @property
    def connection(self) -> Session:
        return self._session

    def close(self) -> None:
        self._session.close()

    def is_foreign(self) -> bool:
        if self.schema():
            return False
        names = [table.name for table in stored_tables()]
        marks = placeholders(names)
        sql = (
            "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema()"
            f" AND table_name IN ({marks}) LIMIT 1"
        )
        with self.errors():
            return self._session.execute(sql, names).fetchone() is not None

    def schema(self) -> int:
        with self.errors():
            row = self._session.execute("SELECT to_regclass('game_table') IS NOT NULL").fetchone()
            return schema_version(self._session) if row[0] else 0

    def has_other_form(self) -> bool:
        with self.errors():
            if has_form(self._session):
                return False
            return self._session.execute("SELECT 1 FROM game_table LIMIT 1").fetchone() is not None

    def create_tables(self) -> None:
        with self.errors():
            (encoding,) = self._session.execute("SHOW server_encoding").fetchone()
            if encoding != "UTF8":
                detail = f"its encoding is {encoding}; create the database with ENCODING 'UTF8'"
                raise PlaceUnavailable(self.place, StorageUnavailable("unknown", detail))
            prepare_schema(self._session)

    def require_writable(self) -> None:
        with self.errors():
            (reading,) = self._session.execute("SHOW transaction_read_only").fetchone()
        if reading == "on":
            raise PlaceUnavailable(self.place, StorageUnavailable("read-only", "a replica"))

    def begin_snapshot(self) -> None:
        with self.errors():
            self._session.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            self._session.execute("SELECT 1 FROM note LIMIT 1").fetchall()

    def _all_pages(self, table: StoredTable) -> Generator[Page]:
        key = ", ".join(
            f'{column} COLLATE "C"' if column in table.texts else column for column in table.key
        )
        # A name of its own: the driver prepares each FETCH for the columns of one table.
        name = f"rows_of_{table.name}"
        with self.errors():
            self._session.execute(
                f"DECLARE {name} NO SCROLL CURSOR FOR"
                f" SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY {key}"
            )
            while page := self._session.execute(f"FETCH {PAGE_ROWS} FROM {name}").fetchall():
                yield page
            self._session.execute(f"CLOSE {name}")

    def insert(self, table: StoredTable, page: Page) -> None:
        with self.errors():
            self._session.copy_rows(
                f"COPY {table.name} ({', '.join(table.columns)}) FROM STDIN", page
            )

    def delete_all(self) -> None:
        names = [table.name for table in stored_tables() if table.name != "note"]
        kept = sorted(PLACE_NOTES)
        marks = placeholders(kept)

        def delete(session: Session) -> None:
            session.execute(f"TRUNCATE {', '.join(names)}")
            session.execute(f"DELETE FROM note WHERE key NOT IN ({marks})", kept)

        self._in_transaction(delete)

    def finish(self) -> None:
        with self.errors():
            for table in stored_tables():
                if table.numbered is not None:
                    self._set_sequence(table.name, table.numbered)
                self._session.execute(f"ANALYZE {table.name}")

    def note_timeline(self) -> None:
        note_timeline(self._session)

    def _set_sequence(self, table: str, column: str) -> None:
        (highest,) = self._session.execute(
            f"SELECT COALESCE(MAX({column}), 0) FROM {table}"
        ).fetchone()
        if table == "journal":  # What was deleted on purpose counts as given.
            highest = stored_highest_entry(self._session)
        self._session.execute(
            "SELECT setval(pg_get_serial_sequence(?, ?), ?, false)", (table, column, highest + 1)
        )

    def _in_transaction(self, work: Callable[[Session], None]) -> None:
        with self.errors():
            self._session.execute("BEGIN IMMEDIATE")
            try:
                work(self._session)
                self._session.execute("COMMIT")
            except BaseException:
                if self._session.in_transaction:
                    self._session.execute("ROLLBACK")
                raise

    def _as_storage_error(self, error: Exception) -> StorageUnavailable | None:
        if not isinstance(error, psycopg.Error):
            return None
        # The whole text may quote a row, and rows hold secrets.
        primary = error.diag.message_primary or type(error).__name__
        return StorageUnavailable(storage_error(error).reason, primary)

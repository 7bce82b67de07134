"""The interface of a database connection that the storage functions use, whichever the engine.

SQL is written once for both engines. Values stand as `?`, or as `?1` where one value stands in
several places. `tests/gates/test_sql_dialect.py` names the words that only one engine knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Cursor(Protocol):
    """The rows that a statement returns. For a count of changed rows use `Connection.change`."""

    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def close(self) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...


class Statements(Protocol):
    """Something that executes statements: an engine's connection, or a plain one to a file."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        """Execute one statement. Raises the driver's `Error`."""
        ...


class Connection(Statements, Protocol):
    """A connection of the store, with what both engines can do."""

    @property
    def Error(self) -> type[Exception]:
        """Base class of the errors that the driver raises."""
        ...

    @property
    def IntegrityError(self) -> type[Exception]:
        """Error of a row that breaks a constraint."""
        ...

    @property
    def DataError(self) -> type[Exception]:
        """Error of a value that the engine cannot hold."""
        ...

    @property
    def in_transaction(self) -> bool:
        """True while a transaction is open."""
        ...

    def insert(self, sql: str, parameters: Sequence[Any], count: int, /) -> Sequence[int]:
        """Execute an INSERT of *count* rows, and return their ids, which grow from row to row."""
        ...

    def change(self, sql: str, parameters: Sequence[Any], /) -> int:
        """Execute an UPDATE or DELETE, and return how many rows it changed."""
        ...

    def overwriting(self) -> AbstractContextManager[None]:
        """Overwrite what is deleted meanwhile, where the engine can."""
        ...

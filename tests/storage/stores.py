"""The stores that the contract is tested on, and rows to put into them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bot.storage.database import Database
from bot.storage.row_records import NewEntry, NewOutboxRow, NewTable
from bot.storage.store import SqlStore, Store
from bot.storage.upkeep import UndoRetention
from tests.storage.postgres_server import schema_for, shared_server

Factory = Callable[[Path], Awaitable[Store]]


def file_of(store: SqlStore) -> Database:
    """Return the file below a store that has one."""
    assert store.file is not None
    return store.file


async def sqlite(folder: Path) -> Store:
    """SQLite on a file."""
    return await SqlStore.open(folder / "store.db")


async def postgres(folder: Path) -> Store:
    """PostgreSQL, in a schema of the folder's own."""
    server, schema = shared_server(), schema_for(folder)
    server.create_schema(schema)
    return await SqlStore.open(server.address(schema))


#: Another store is one more function here: given an empty folder of its own, it opens the same data
#: each time.
FACTORIES: tuple[Factory, ...] = (sqlite, postgres)


class Keeper:
    """Opens a store, as often as a test likes, and closes what is open."""

    def __init__(self, factory: Factory, folder: Path) -> None:
        self._factory = factory
        self._folder = folder
        self._open: list[Store] = []

    async def open(self) -> Store:
        """One more connection to the same data."""
        self._open.append(await self._factory(self._folder))
        return self._open[-1]

    async def reopen(self) -> Store:
        """As after a restart."""
        await self.close()
        return await self.open()

    async def close(self) -> None:
        while self._open:
            await self._open.pop().close()


async def tidy_all(store: Store, keep: UndoRetention | None = None) -> None:
    """Do all that the bot does when it is idle."""
    keep = keep or UndoRetention(0)
    while found := await store.untidy_tables(keep):
        for table_id in found:
            await store.tidy(table_id, keep)


def new_table(place: str = "200", **changes: Any) -> NewTable:
    """A table to be."""
    fields: dict[str, Any] = {
        "guild": "100",
        "system": "ebb",
        "rules_version": 1,
        "place": place,
        "seeds": (("public", b"p" * 32, "hash of p"), ("secret", b"s" * 32, "hash of s")),
    }
    return NewTable(**{**fields, **changes})


def new_entry(request_id: str, **changes: Any) -> NewEntry:
    """An entry that changes the settings and says so."""
    fields: dict[str, Any] = {
        "request_id": request_id,
        "at": 1000,
        "actor": "p1",
        "kind": "ChangeSettings",
        "action": '{"a":1}',
        "events": '[["X",{}]]',
        "rules_version": 1,
        "draws": 0,
        "revealed": False,
        "parts": {"settings": f'"{request_id}"'},
    }
    return NewEntry(**{**fields, **changes})


def new_out(**changes: Any) -> NewOutboxRow:
    """A public message."""
    fields: dict[str, Any] = {"kind": "post", "place": "200", "public": True, "events": (0,)}
    return NewOutboxRow(**{**fields, **changes})

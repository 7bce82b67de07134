"""Exports that may be long, written by the worker process into files that are sent in turn.

A short journal stands in the object itself. A longer one goes into compressed parts beside it, a
line of JSON for each entry. The database is only read, a page at a time, and never by the bot
itself.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from bot.services.loaded_table import Table
from bot.services.tables import Tables
from bot.services.transfer import (
    PublicTable,
    export_bytes,
    full_export,
    gm_entry,
    own_action,
    own_export,
    own_table,
    public_entry,
)
from bot.storage.journal import ENTRIES_PER_PAGE
from bot.storage.location import Where
from bot.storage.row_records import EntryRow
from bot.storage.store import SqlStore
from rules.core.record import Record
from rules.table.actions import Actor
from rules.table.readable_places import NOWHERE, ReadablePlaces

#: Bytes after which a part is closed: well below Discord's limit.
MAX_PART_BYTES: Final = 7 * 2**20
#: Most bytes of a journal that stands in the object itself.
MAX_INLINE_BYTES: Final = 2**20
#: Most parts of an export that is not too long.
MAX_PARTS: Final = 20
#: Compressed size of a journal as a share of its entries in the database, at worst.
_SHARE: Final = 1 / 6
#: Most entries of one read. During a read SQLite can't move its log into the database file.
_WINDOW: Final = 5000
#: Name of the file that holds the progress: the last entry read, and the last of all.
PROGRESS_FILE: Final = "progress"


class Export(Record):
    """Export to write: a table for a GM or for the players, or what is stored about a user."""

    what: Literal["full", "players", "own"]
    name: str
    #: Table id and participant id, one pair a table.
    tables: tuple[tuple[int, str], ...]
    roles: tuple[str, ...] = ()
    journal: bool = True
    #: In a file for the players: the places that every player can view.
    readable: ReadablePlaces = NOWHERE
    #: In a file about a user: the user's Discord id, for the wishes about notices.
    user: str = ""


class _Files:
    """Writer of an export's files: entries inside the object while they are few, else in parts."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._size = 0
        self._kept: list[tuple[list[Any], Any, bytes]] = []
        self._names: list[str] = []
        self._file: Any = None
        self._packed: gzip.GzipFile | None = None

    def add(self, inside: list[Any], entry: Any, line: Mapping[str, Any]) -> None:
        """Add an entry to the list `inside` of the object, or its line to a part."""
        text = json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        self._size += len(text)
        if self._size <= MAX_INLINE_BYTES:
            self._kept.append((inside, entry, text))
            return
        for _, _, kept in self._kept:
            self._write(kept)
        self._kept.clear()
        self._write(text)

    def _write(self, text: bytes) -> None:
        if self._packed is None:
            self._names.append(f"{self._name}-journal-{len(self._names) + 1}.jsonl.gz")
            self._file = (self._folder / self._names[-1]).open("wb")
            self._packed = gzip.GzipFile("", "wb", 6, self._file, 0)
        self._packed.write(text)
        if self._file.tell() >= MAX_PART_BYTES:
            self._close()

    def _close(self) -> None:
        if self._packed is not None:
            self._packed.close()
            self._file.close()
            self._packed = None

    def finish(self, data: Callable[[bool], dict[str, Any]]) -> list[str]:
        """Write the object and return the names of all files.

        `data` returns the object; its argument is whether the entries stand in it.
        """
        for inside, entry, _ in self._kept:
            inside.append(entry)
        self._close()
        name = f"{self._name}.json"
        (self._folder / name).write_bytes(export_bytes(data(not self._names)))
        return [name, *self._names]


def write_export(where: Where, folder: str, export: Export) -> list[str]:
    """Write the files of an export and return their names; runs in the worker process."""

    async def work() -> list[str]:
        store = await SqlStore.open(where, reading=True)
        try:
            return await _write(Tables(store), Path(folder), export)
        finally:
            await store.close()

    return asyncio.run(work())


async def _write(tables: Tables, folder: Path, export: Export) -> list[str]:
    sources = [(await tables.get(table_id), who) for table_id, who in export.tables]
    files = _Files(folder, export.name)
    if export.what == "own":
        wishes = (await tables.store.preferences((export.user,))).get(export.user)
        own: list[tuple[dict[str, Any], list[Any]]] = []
        for table, who in sources:
            actions: list[Any] = []
            own.append((own_table(table, who), actions))
            async for row in _rows(tables, table, folder, who):
                action = own_action(table, row)
                files.add(actions, action, {"table": table.state.settings.name, **action})
        return files.finish(
            lambda inside: own_export(
                [head | ({"actions": rows} if inside else {}) for head, rows in own],
                None if wishes is None else json.loads(wishes),
            )
        )
    ((table, who),) = sources
    actor, entries = Actor(who, export.roles), list[Any]()
    public = PublicTable(table)
    if export.journal:
        async for row in _rows(tables, table, folder):
            entry = (
                gm_entry(table, actor, row)
                if export.what == "full"
                else public_entry(table, row, export.readable)
            )
            if entry is not None:
                public.note_people_in(entry)
                files.add(entries, entry, entry)

    def data(inside: bool) -> dict[str, Any]:
        rows = entries if export.journal and inside else None
        return full_export(table, rows) if export.what == "full" else public.export(rows)

    return files.finish(data)


async def _rows(
    tables: Tables, table: Table, folder: Path, actor: str | None = None
) -> AsyncIterator[EntryRow]:
    """Yield a table's entries, or a participant's, and record the progress."""
    after = 0
    while after < table.revision:
        until = min(table.revision, after + _WINDOW)
        rows = await tables.store.page(table.id, after, until=until, actor=actor)
        for row in rows:
            yield row
        after = rows[-1].seq if len(rows) >= ENTRIES_PER_PAGE else until
        (folder / PROGRESS_FILE).write_text(f"{after} {table.revision}")


async def is_export_too_long(tables: Tables, found: Sequence[Table]) -> bool:
    """Return whether the journals of these tables would need more than `MAX_PARTS` files.

    The estimate goes by the last 100 entries of each.
    """
    size = 0.0
    for table in found:
        rows = await tables.store.entries(table.id, limit=100)
        sampled = sum(len(row.events) + len(row.action) for row, _ in rows)
        entry_size = sampled / max(1, len(rows))
        size += entry_size * table.revision
    return size * _SHARE > MAX_PART_BYTES * MAX_PARTS

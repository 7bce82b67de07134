"""Exports that may be long, written in a process of their own: files in a folder, which are sent
one by one.

A short journal stands in the object itself, as ever. A longer one is left out of it and goes into
parts beside it, compressed, a line of JSON for each entry. The database is only read, a page at a
time, and never by the bot itself.
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

#: A part is closed after so many bytes: well below what Discord takes.
MAX_PART_BYTES: Final = 7 * 2**20
#: So much of a journal stands in the object itself, in bytes.
MAX_INLINE_BYTES: Final = 2**20
#: So many files are sent at most.
MAX_PARTS: Final = 20
#: How small a journal becomes, at worst, as a share of what its entries take in the database.
_SHARE: Final = 1 / 6
#: So many entries are looked through at a time: while it reads, the log cannot be moved into the
#: file.
_WINDOW: Final = 5000
#: Where how far it is is noted.
PROGRESS_FILE: Final = "progress"


class Export(Record):
    """What is exported: a table for a GM or for the players, or what is kept about somebody at
    these tables.
    """

    what: Literal["full", "players", "own"]
    name: str
    tables: tuple[tuple[int, str], ...]
    roles: tuple[str, ...] = ()
    journal: bool = True
    #: In a file for the players: the places that every player can view.
    readable: ReadablePlaces = NOWHERE


class _Files:
    """Lines of JSON: kept while they are few, else written to parts; `data` is what they
    belong to.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._size = 0
        self._kept: list[tuple[list[Any], Any, bytes]] = []
        self._names: list[str] = []
        self._file: Any = None
        self._packed: gzip.GzipFile | None = None

    def add(self, inside: list[Any], entry: Any, line: Mapping[str, Any]) -> None:
        """An entry of the list `inside`, which is also told by a line of its own."""
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
        """Write the object too, which is told whether the entries stand in it; the names of all
        files.
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
    found = [(await tables.get(table_id), who) for table_id, who in export.tables]
    files = _Files(folder, export.name)
    if export.what == "own":
        own: list[tuple[dict[str, Any], list[Any]]] = []
        for table, who in found:
            actions: list[Any] = []
            own.append((own_table(table, who), actions))
            async for row in _rows(tables, table, folder, who):
                action = own_action(table, row)
                files.add(actions, action, {"table": table.state.settings.name, **action})
        return files.finish(
            lambda inside: own_export(
                [head | ({"actions": rows} if inside else {}) for head, rows in own]
            )
        )
    ((table, who),) = found
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
    """A table's entries, or one person's, up to now; how far it is is noted."""
    after = 0
    while after < table.revision:
        until = min(table.revision, after + _WINDOW)
        rows = await tables.store.page(table.id, after, until=until, actor=actor)
        for row in rows:
            yield row
        after = rows[-1].seq if len(rows) >= ENTRIES_PER_PAGE else until
        (folder / PROGRESS_FILE).write_text(f"{after} {table.revision}")


async def is_export_too_long(tables: Tables, found: Sequence[Table]) -> bool:
    """Whether the journals of these tables would become too many files, to judge by their last
    entries.
    """
    size = 0.0
    for table in found:
        rows = await tables.store.entries(table.id, limit=100)
        each = sum(len(row.events) + len(row.action) for row, _ in rows) / max(1, len(rows))
        size += each * table.revision
    return size * _SHARE > MAX_PART_BYTES * MAX_PARTS

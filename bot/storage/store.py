"""The store: everything the services ask of storage, as one narrow Protocol, and SQLite behind it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Awaitable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from bot.storage.codec import PART_VERSION
from bot.storage.database import Database
from bot.storage.errors import DuplicateRequest, Stale
from bot.storage.records import (
    EntryRow,
    Member,
    NewEntry,
    NewOut,
    NewTable,
    Out,
    PanelRow,
    SeedRow,
    TableRow,
    Written,
)


class Store(Protocol):
    """Durable tables. Every method raises StorageUnavailable when the storage itself fails."""

    async def close(self) -> None: ...

    async def place_tables(self) -> dict[str, int]:
        """Every bound place with its table."""
        ...

    async def load_table(self, table_id: int) -> TableRow | None: ...

    async def create_table(self, new: NewTable, entry: NewEntry) -> Written:
        """Raises DuplicateRequest, and Stale when the place was bound in the meantime."""
        ...

    def append(self, table_id: int, revision: int, entry: NewEntry) -> Awaitable[Written]:
        """Write one entry with all that belongs to it, in the order of these calls.

        The awaitable raises Stale or DuplicateRequest.
        """
        ...

    async def find_request(self, request_id: str) -> tuple[EntryRow, tuple[Out, ...]] | None: ...

    async def entries(
        self, table_id: int, *, since: int = 0, limit: int = 0
    ) -> tuple[tuple[EntryRow, frozenset[str]], ...]:
        """Entries from number `since` on with the keys they changed, oldest first; the last `limit` if > 0."""
        ...

    async def before(self, journal_ids: Sequence[int]) -> dict[int, dict[str, tuple[int, str] | None]]:
        """What each entry's changed parts were before it: version and text, None for new ones."""
        ...

    async def open_outs(self, table_id: int | None = None) -> tuple[Out, ...]:
        """What has not been said yet, oldest first."""
        ...

    async def topic_messages(self, table_id: int, topics: Sequence[str]) -> tuple[Out, ...]:
        """The messages sent on these topics whose buttons are still there, oldest first."""
        ...

    async def close_messages(self, rows: Sequence[int]) -> None:
        """Note that the buttons of these messages were taken off."""
        ...

    async def out(self, row: int) -> Out | None: ...

    async def entry_messages(self, journal_ids: Sequence[int]) -> tuple[Out, ...]: ...

    async def entry(self, journal_id: int) -> EntryRow | None: ...

    async def mark_done(self, rows: Iterable[tuple[int, int, str | None]]) -> None:
        """Note (row, time, message) as said; forgets the interaction's token."""
        ...

    async def mark_failed(self, row: int, error: str) -> None: ...

    async def forget_messages(self) -> None:
        """Drop all message references (they belong to a Discord that is gone)."""
        ...

    async def next_due(self) -> int | None: ...

    async def due(self, now: int, limit: int = 100) -> tuple[tuple[int, str, int], ...]:
        """Waits that have run out: table, wait, time."""
        ...

    async def drop_due(self, table_id: int, wait: str) -> None: ...

    async def save_panel(self, panel: PanelRow) -> None: ...

    async def load_panel(self, panel_id: str) -> PanelRow | None: ...

    async def drop_panels(self, before: int) -> None: ...

    async def note(self, key: str) -> str | None: ...

    async def set_note(self, key: str, value: str) -> None: ...


_OUT = (
    "id, journal_id, table_id, kind, place, person, public, events, topic, token,"
    " created_at, attempts, error, done_at, message, closed"
)
_ENTRY = (
    "id, table_id, seq, request_id, at, actor, kind, action, events,"
    " rules_version, draws, revealed, undone_by"
)


def _out(row: tuple[Any, ...]) -> Out:
    *head, public, events, topic, token, created_at, attempts, error, done_at, message, closed = row
    row_id, journal_id, table_id, kind, place, person = head
    told = tuple(json.loads(events))
    return Out(
        row_id,
        journal_id,
        table_id,
        kind,
        place,
        person,
        bool(public),
        told,
        topic,
        token,
        created_at,
        attempts,
        error,
        done_at,
        message,
        bool(closed),
    )


def _entry(row: tuple[Any, ...]) -> EntryRow:
    *head, revealed, undone_by = row
    row_id, table_id, seq, request_id, at, actor, kind, action, events, rules_version, draws = head
    return EntryRow(
        row_id,
        table_id,
        seq,
        request_id,
        at,
        actor,
        kind,
        action,
        events,
        rules_version,
        draws,
        bool(revealed),
        undone_by,
    )


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


class SqliteStore:
    """`Store` on one SQLite file."""

    def __init__(self, database: Database) -> None:
        self._db = database

    @classmethod
    async def open(cls, path: Path | str) -> SqliteStore:
        """Open or create the file; see `Database.open` for what it raises."""
        return cls(await Database.open(path))

    async def close(self) -> None:
        await self._db.close()

    async def place_tables(self) -> dict[str, int]:
        return dict(await self._rows("SELECT id, table_id FROM place"))

    async def load_table(self, table_id: int) -> TableRow | None:
        def work(connection: sqlite3.Connection) -> TableRow | None:
            head = connection.execute(
                "SELECT id, guild, system, rules_version, revision, created_at, head FROM game_table"
                " WHERE id = ?",
                (table_id,),
            ).fetchone()
            if head is None:
                return None
            parts = connection.execute(
                "SELECT key, schema_version, body FROM part WHERE table_id = ?", (table_id,)
            ).fetchall()
            members = connection.execute(
                "SELECT id, user, name FROM person WHERE table_id = ?", (table_id,)
            ).fetchall()
            seeds = connection.execute(
                "SELECT id, stream, seed, commitment, started_at, ended_at FROM seed WHERE table_id = ?"
                " ORDER BY id",
                (table_id,),
            ).fetchall()
            row_id, guild, system, rules_version, revision, created_at, last = head
            return TableRow(
                row_id,
                guild,
                system,
                rules_version,
                revision,
                created_at,
                tuple(parts),
                tuple(Member(*row) for row in members),
                tuple(SeedRow(*row) for row in seeds),
                last,
            )

        return await self._db.read(work)

    async def create_table(self, new: NewTable, entry: NewEntry) -> Written:
        def work(connection: sqlite3.Connection) -> Written:
            table_id = _insert(
                connection,
                "INSERT INTO game_table (guild, system, rules_version, revision, created_at)"
                " VALUES (?, ?, ?, 0, ?)",
                (new.guild, new.system, new.rules_version, entry.at),
            )
            try:
                connection.execute("INSERT INTO place (id, table_id) VALUES (?, ?)", (new.place, table_id))
            except sqlite3.IntegrityError:
                raise Stale from None
            connection.executemany(
                "INSERT INTO seed (table_id, stream, seed, commitment, started_at) VALUES (?, ?, ?, ?, ?)",
                [(table_id, stream, seed, commitment, entry.at) for stream, seed, commitment in new.seeds],
            )
            return _append(connection, table_id, 0, entry)

        return await self._db.write(work)

    def append(self, table_id: int, revision: int, entry: NewEntry) -> Awaitable[Written]:
        return self._db.write(lambda connection: _append(connection, table_id, revision, entry))

    async def find_request(self, request_id: str) -> tuple[EntryRow, tuple[Out, ...]] | None:
        def work(connection: sqlite3.Connection) -> tuple[EntryRow, tuple[Out, ...]] | None:
            row = connection.execute(
                f"SELECT {_ENTRY} FROM journal WHERE request_id = ?", (request_id,)
            ).fetchone()
            if row is None:
                return None
            outs = connection.execute(
                f"SELECT {_OUT} FROM outbox WHERE journal_id = ? ORDER BY id", (row[0],)
            ).fetchall()
            return _entry(row), tuple(map(_out, outs))

        return await self._db.read(work)

    async def entries(
        self, table_id: int, *, since: int = 0, limit: int = 0
    ) -> tuple[tuple[EntryRow, frozenset[str]], ...]:
        def work(connection: sqlite3.Connection) -> tuple[tuple[EntryRow, frozenset[str]], ...]:
            rows = connection.execute(
                f"SELECT {_ENTRY}, fresh FROM journal WHERE table_id = ? AND seq >= ? ORDER BY seq DESC LIMIT ?",
                (table_id, since, limit or -1),
            ).fetchall()
            found: list[tuple[EntryRow, frozenset[str]]] = []
            for *row, fresh in reversed(rows):
                changed = connection.execute("SELECT key FROM before_part WHERE journal_id = ?", (row[0],))
                keys = {key for (key,) in changed} | set(json.loads(fresh))
                found.append((_entry(tuple(row)), frozenset(keys)))
            return tuple(found)

        return await self._db.read(work)

    async def before(self, journal_ids: Sequence[int]) -> dict[int, dict[str, tuple[int, str] | None]]:
        found: dict[int, dict[str, tuple[int, str] | None]] = {}
        rows = await self._rows(
            "SELECT journal_id, key, schema_version, body FROM before_part"
            f" WHERE journal_id IN ({_marks(journal_ids)})",
            *journal_ids,
        )
        for journal_id, key, version, body in rows:
            found.setdefault(journal_id, {})[key] = None if body is None else (version, body)
        made = await self._rows(
            f"SELECT id, fresh FROM journal WHERE id IN ({_marks(journal_ids)}) AND fresh != '[]'",
            *journal_ids,
        )
        for journal_id, fresh in made:
            found.setdefault(journal_id, {}).update(dict.fromkeys(json.loads(fresh)))
        return found

    async def open_outs(self, table_id: int | None = None) -> tuple[Out, ...]:
        where = "" if table_id is None else " AND table_id = ?"
        args = () if table_id is None else (table_id,)
        rows = await self._rows(f"SELECT {_OUT} FROM outbox WHERE done_at IS NULL{where} ORDER BY id", *args)
        return tuple(map(_out, rows))

    async def topic_messages(self, table_id: int, topics: Sequence[str]) -> tuple[Out, ...]:
        rows = await self._rows(
            f"SELECT {_OUT} FROM outbox WHERE table_id = ? AND message IS NOT NULL AND closed = 0"
            f" AND topic IN ({_marks(topics)}) ORDER BY id",
            table_id,
            *topics,
        )
        return tuple(map(_out, rows))

    async def close_messages(self, rows: Sequence[int]) -> None:
        await self._change(f"UPDATE outbox SET closed = 1 WHERE id IN ({_marks(rows)})", *rows)

    async def out(self, row: int) -> Out | None:
        rows = await self._rows(f"SELECT {_OUT} FROM outbox WHERE id = ?", row)
        return _out(rows[0]) if rows else None

    async def entry_messages(self, journal_ids: Sequence[int]) -> tuple[Out, ...]:
        rows = await self._rows(
            f"SELECT {_OUT} FROM outbox WHERE message IS NOT NULL"
            f" AND journal_id IN ({_marks(journal_ids)}) ORDER BY id",
            *journal_ids,
        )
        return tuple(map(_out, rows))

    async def entry(self, journal_id: int) -> EntryRow | None:
        rows = await self._rows(f"SELECT {_ENTRY} FROM journal WHERE id = ?", journal_id)
        return _entry(rows[0]) if rows else None

    async def mark_done(self, rows: Iterable[tuple[int, int, str | None]]) -> None:
        values = json.dumps(list(rows))
        await self._change(
            "UPDATE outbox SET done_at = said.at, message = said.message, token = NULL, error = NULL"
            " FROM (SELECT value ->> 0 AS id, value ->> 1 AS at, value ->> 2 AS message FROM json_each(?))"
            " AS said WHERE outbox.id = said.id",
            values,
        )

    async def mark_failed(self, row: int, error: str) -> None:
        await self._change("UPDATE outbox SET attempts = attempts + 1, error = ? WHERE id = ?", error, row)

    async def forget_messages(self) -> None:
        await self._change("UPDATE outbox SET message = NULL, token = NULL WHERE message IS NOT NULL")

    async def next_due(self) -> int | None:
        rows = await self._rows("SELECT MIN(at) FROM due")
        return rows[0][0]

    async def due(self, now: int, limit: int = 100) -> tuple[tuple[int, str, int], ...]:
        rows = await self._rows(
            "SELECT table_id, id, at FROM due WHERE at <= ? ORDER BY at LIMIT ?", now, limit
        )
        return tuple((table_id, wait, at) for table_id, wait, at in rows)

    async def drop_due(self, table_id: int, wait: str) -> None:
        await self._change("DELETE FROM due WHERE table_id = ? AND id = ?", table_id, wait)

    async def save_panel(self, panel: PanelRow) -> None:
        await self._change(
            "INSERT INTO panel (id, table_id, user, kind, body, at) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET body = excluded.body, at = excluded.at",
            panel.id,
            panel.table_id,
            panel.user,
            panel.kind,
            panel.body,
            panel.at,
        )

    async def load_panel(self, panel_id: str) -> PanelRow | None:
        rows = await self._rows("SELECT id, table_id, user, kind, body, at FROM panel WHERE id = ?", panel_id)
        return PanelRow(*rows[0]) if rows else None

    async def drop_panels(self, before: int) -> None:
        await self._change("DELETE FROM panel WHERE at < ?", before)

    async def note(self, key: str) -> str | None:
        rows = await self._rows("SELECT value FROM note WHERE key = ?", key)
        return rows[0][0] if rows else None

    async def set_note(self, key: str, value: str) -> None:
        await self._change(
            "INSERT INTO note (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            key,
            value,
        )

    async def _rows(self, sql: str, *args: object) -> list[Any]:
        return await self._db.read(lambda connection: connection.execute(sql, args).fetchall())

    async def _change(self, sql: str, *args: object) -> None:
        await self._db.write(lambda connection: connection.execute(sql, args).close())


def _insert(connection: sqlite3.Connection, sql: str, values: Sequence[object]) -> int:
    """Insert one row; returns its id."""
    row = connection.execute(sql, values).lastrowid
    assert row is not None
    return row


def _append(connection: sqlite3.Connection, table_id: int, revision: int, entry: NewEntry) -> Written:
    seq = revision + 1
    moved = connection.execute(
        "UPDATE game_table SET revision = ?1, head = ?2 WHERE id = ?3 AND revision = ?4 AND ?5 IN ('', head)",
        (seq, entry.request_id, table_id, revision, entry.after),
    )
    if moved.rowcount != 1:
        raise Stale
    try:
        journal_id = _insert(
            connection,
            "INSERT INTO journal (table_id, seq, request_id, at, actor, kind, action, events,"
            " rules_version, draws, revealed, fresh) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                table_id,
                seq,
                entry.request_id,
                entry.at,
                entry.actor,
                entry.kind,
                entry.action,
                entry.events,
                entry.rules_version,
                entry.draws,
                entry.revealed,
                json.dumps([key for key in entry.parts if key in entry.fresh and key not in entry.untracked]),
            ),
        )
    except sqlite3.IntegrityError:
        raise DuplicateRequest from None
    for member in entry.members:
        connection.execute(
            "INSERT INTO person (table_id, id, user, name) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (table_id, id) DO UPDATE SET name = excluded.name",
            (table_id, member.id, member.user, member.name),
        )
    _write_parts(connection, table_id, journal_id, entry)
    for wait in entry.due_off:
        connection.execute("DELETE FROM due WHERE table_id = ? AND id = ?", (table_id, wait))
    for wait, at in entry.due_on:
        connection.execute(
            "INSERT OR REPLACE INTO due (table_id, id, at) VALUES (?, ?, ?)", (table_id, wait, at)
        )
    if entry.undoes:
        _undo_marks(connection, table_id, seq, entry)
    outs = tuple(_insert_out(connection, table_id, journal_id, entry.at, out) for out in entry.outs)
    return Written(table_id, journal_id, seq, outs)


def _write_parts(connection: sqlite3.Connection, table_id: int, journal_id: int, entry: NewEntry) -> None:
    """Keep what the parts were before, then write them; gone and changed ones are kept in one statement."""
    known = [key for key in entry.parts if key not in entry.fresh and key not in entry.untracked]
    if known:
        kept = connection.execute(
            "INSERT INTO before_part (journal_id, key, schema_version, body)"
            f" SELECT ?, key, schema_version, body FROM part WHERE table_id = ? AND key IN ({_marks(known)})",
            (journal_id, table_id, *known),
        ).rowcount
        if kept != len(known):
            # A part that was taken for known is new after all: it is noted as such.
            connection.executemany(
                "INSERT OR IGNORE INTO before_part (journal_id, key) VALUES (?, ?)",
                [(journal_id, key) for key in known],
            )
    gone: list[str] = []
    for key, text in entry.parts.items():
        if text is None:
            gone.append(key)
        else:
            connection.execute(
                "INSERT INTO part (table_id, key, schema_version, body) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (table_id, key) DO UPDATE"
                " SET body = excluded.body, schema_version = excluded.schema_version",
                (table_id, key, PART_VERSION, text),
            )
    if gone:
        connection.execute(
            f"DELETE FROM part WHERE table_id = ? AND key IN ({_marks(gone)})", (table_id, *gone)
        )


def _undo_marks(connection: sqlite3.Connection, table_id: int, seq: int, entry: NewEntry) -> None:
    """Mark the entries as taken back; what was not said of them yet is not said any more."""
    connection.execute(
        f"UPDATE journal SET undone_by = ? WHERE table_id = ? AND seq IN ({_marks(entry.undoes)})",
        (seq, table_id, *entry.undoes),
    )
    connection.execute(
        "UPDATE outbox SET done_at = ?, error = 'undone' WHERE done_at IS NULL AND journal_id IN"
        f" (SELECT id FROM journal WHERE table_id = ? AND seq IN ({_marks(entry.undoes)}))",
        (entry.at, table_id, *entry.undoes),
    )


def _insert_out(connection: sqlite3.Connection, table_id: int, journal_id: int, at: int, out: NewOut) -> Out:
    row = _insert(
        connection,
        "INSERT INTO outbox (journal_id, table_id, kind, place, person, public, events, topic, token,"
        " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            journal_id,
            table_id,
            out.kind,
            out.place,
            out.person,
            out.public,
            json.dumps(out.events),
            out.topic,
            out.token,
            at,
        ),
    )
    return Out(
        row,
        journal_id,
        table_id,
        out.kind,
        out.place,
        out.person,
        out.public,
        out.events,
        out.topic,
        out.token,
        at,
    )

"""Queries of the journal: by number, by key, and page by page; never all of it at once."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bot.storage.codec import decoder
from bot.storage.connection import Connection
from bot.storage.journal_writer import placeholders
from bot.storage.redaction import clean_entries
from bot.storage.row_records import AwaitedParty, EntryRow, OutboxRow
from bot.storage.upkeep import Parts, snapshot_parts
from bot.storage.write_batches import Engine

#: Entries of one page.
ENTRIES_PER_PAGE = 1000
#: Entries before another among which its interaction is searched. Entries of the clock lie between.
_NEAR = 50
#: The largest number that the file can hold.
MAX_INTEGER = 2**63 - 1
#: Beginning of the request id of an interaction.
_SNOWFLAKE = re.compile(r"\d{15,20}")

OUTBOX_COLUMNS = (
    "id, journal_id, table_id, kind, place, person, public, events, topic, token,"
    " created_at, attempts, error, done_at, message, closed, parties, turn"
)
_decode_parties = decoder(tuple[AwaitedParty, ...]).decode
_ENTRY = (
    "id, table_id, seq, request_id, at, actor, kind, action, events, rules_version, draws, "
    "revealed, undone_by, secret_draws, place"
)
#: The same columns without action and events, which are most of an entry.
_OUTLINE = _ENTRY.replace("action, events", "'', ''")


def read_outbox_row(row: tuple[Any, ...]) -> OutboxRow:
    """Return a row of the outbox from its columns."""
    *head, created_at, attempts, error, done_at, message, closed, parties, turn = row
    row_id, journal_id, table_id, kind, place, person, public, events, topic, token = head
    event_indexes = tuple(json.loads(events))
    return OutboxRow(
        row_id,
        journal_id,
        table_id,
        kind,
        place,
        person,
        bool(public),
        event_indexes,
        topic,
        token,
        created_at,
        attempts,
        error,
        done_at,
        message,
        bool(closed),
        _decode_parties(parties),
        turn,
    )


def _entry(row: tuple[Any, ...]) -> EntryRow:
    *head, revealed, undone_by, secret_draws, place = row
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
        secret_draws,
        place,
    )


def _entries(connection: Connection, sql: str, args: Sequence[object]) -> tuple[EntryRow, ...]:
    """Return entries of one table, without texts that are still to be removed from them."""
    entries = [_entry(row) for row in connection.execute(sql, args).fetchall()]
    return clean_entries(connection, entries) if entries else ()


def _with_changed_keys(
    connection: Connection, rows: Sequence[EntryRow]
) -> tuple[tuple[EntryRow, frozenset[str]], ...]:
    ids = [row.id for row in rows]
    sql = f"SELECT journal_id, key FROM before_part WHERE journal_id IN ({placeholders(ids)})"
    keys: dict[int, set[str]] = {}
    for journal_id, key in connection.execute(sql, ids).fetchall():
        keys.setdefault(journal_id, set()).add(key)
    return tuple((row, frozenset(keys.get(row.id, ()))) for row in rows)


class Journal:
    """The store's queries about journal entries, in SQL."""

    def __init__(self, database: Engine) -> None:
        self._db = database

    async def find_request(self, request_id: str) -> tuple[EntryRow, tuple[OutboxRow, ...]] | None:
        def work(connection: Connection) -> tuple[EntryRow, tuple[OutboxRow, ...]] | None:
            entries = _entries(
                connection, f"SELECT {_ENTRY} FROM journal WHERE request_id = ?", (request_id,)
            )
            if not entries:
                return None
            outs = connection.execute(
                f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE journal_id = ? ORDER BY id",
                (entries[0].id,),
            ).fetchall()
            return entries[0], tuple(map(read_outbox_row, outs))

        return await self._db.read(work)

    async def page(
        self,
        table_id: int,
        after: int,
        *,
        until: int | None = None,
        actor: str | None = None,
        limit: int = ENTRIES_PER_PAGE,
    ) -> tuple[EntryRow, ...]:
        mine = "" if actor is None else " AND actor = ?4"
        sql = (
            f"SELECT {_ENTRY} FROM journal WHERE table_id = ?1 AND seq > ?2 "
            f"AND seq <= COALESCE(?3, seq){mine} ORDER BY seq LIMIT {limit}"
        )
        args = (table_id, after, until) if actor is None else (table_id, after, until, actor)
        return await self._db.read(lambda connection: _entries(connection, sql, args))

    async def entries(
        self, table_id: int, *, since: int = 0, limit: int = ENTRIES_PER_PAGE
    ) -> tuple[tuple[EntryRow, frozenset[str]], ...]:
        sql = (
            f"SELECT {_ENTRY} FROM journal WHERE table_id = ? AND seq >= ? ORDER BY seq DESC "
            "LIMIT ?"
        )
        return await self._db.read(
            lambda connection: _with_changed_keys(
                connection, _entries(connection, sql, (table_id, since, limit))[::-1]
            )
        )

    async def last_entries(
        self, table_id: int, *, actor: str | None = None, kind: str | None = None, limit: int = 1
    ) -> tuple[EntryRow, ...]:
        sql = (
            f"SELECT {_ENTRY} FROM journal WHERE table_id = ?1 AND actor = COALESCE(?2, actor) "
            f"AND kind = COALESCE(?3, kind) ORDER BY seq DESC LIMIT {limit}"
        )
        args = (table_id, actor, kind)
        return await self._db.read(lambda connection: _entries(connection, sql, args))

    async def entries_at(
        self, table_id: int, numbers: Sequence[int]
    ) -> tuple[tuple[EntryRow, frozenset[str]], ...]:
        sql = (
            f"SELECT {_ENTRY} FROM journal WHERE table_id = ? AND seq IN ({placeholders(numbers)}) "
            "ORDER BY seq"
        )
        return await self._db.read(
            lambda connection: _with_changed_keys(
                connection, _entries(connection, sql, (table_id, *numbers))
            )
        )

    async def entries_touching(
        self, table_id: int, parts: Mapping[str, int], most: int
    ) -> tuple[tuple[EntryRow, frozenset[str]], ...] | None:
        later = (
            "SELECT journal_id FROM before_part WHERE table_id = ? AND key = ? AND journal_id > ?"
            " ORDER BY journal_id LIMIT ?"
        )

        def work(
            connection: Connection,
        ) -> tuple[tuple[EntryRow, frozenset[str]], ...] | None:
            touching: set[int] = set()
            for key, after in parts.items():
                rows = connection.execute(later, (table_id, key, after, most + 1))
                touching.update(row for (row,) in rows)
                if len(touching) > most:
                    return None
            ids = sorted(touching)
            sql = f"SELECT {_OUTLINE} FROM journal WHERE id IN ({placeholders(ids)}) ORDER BY id"
            return _with_changed_keys(
                connection, [_entry(row) for row in connection.execute(sql, ids)]
            )

        return await self._db.read(work)

    async def kept_from(self, table_id: int) -> int:
        rows = await self._rows("SELECT kept_from FROM game_table WHERE id = ?", table_id)
        return int(rows[0][0]) if rows else 1

    async def snapshot(self, table_id: int, before: int) -> tuple[int, Parts] | None:
        rows = await self._rows(
            "SELECT seq, body FROM snapshot WHERE table_id = ? AND seq < ? ORDER BY seq DESC "
            "LIMIT 1",
            table_id,
            before,
        )
        return (rows[0][0], snapshot_parts(rows[0][1])) if rows else None

    async def parts_before(
        self, journal_ids: Sequence[int]
    ) -> dict[int, dict[str, tuple[int, str] | None]]:
        parts: dict[int, dict[str, tuple[int, str] | None]] = {}
        rows = await self._rows(
            "SELECT journal_id, key, schema_version, body FROM before_part"
            f" WHERE journal_id IN ({placeholders(journal_ids)})",
            *journal_ids,
        )
        for journal_id, key, version, body in rows:
            parts.setdefault(journal_id, {})[key] = None if body is None else (version, body)
        return parts

    async def entry(self, journal_id: int) -> EntryRow | None:
        return await self._entry(f"SELECT {_ENTRY} FROM journal WHERE id = ?", journal_id)

    async def entry_at(self, table_id: int, seq: int) -> EntryRow | None:
        if seq > MAX_INTEGER:
            return None
        return await self._entry(
            f"SELECT {_ENTRY} FROM journal WHERE table_id = ? AND seq = ?", table_id, seq
        )

    async def rows_on_topic(self, table_id: int, topic: str) -> tuple[OutboxRow, ...]:
        sql = f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE table_id = ? AND topic = ? ORDER BY id"
        return tuple(map(read_outbox_row, await self._rows(sql, table_id, topic)))

    async def speech_row(self, table_id: int, message: int) -> OutboxRow | None:
        rows = await self._rows(
            f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE table_id = ? AND topic IS NOT NULL"
            " AND kind = 'say' AND message || '/' LIKE ? ORDER BY id LIMIT 1",
            table_id,
            f"%/{message}/%",
        )
        return read_outbox_row(rows[0]) if rows else None

    async def message_places(self, table_id: int) -> tuple[str, ...]:
        rows = await self._rows("SELECT DISTINCT place FROM journal WHERE table_id = ?", table_id)
        return tuple([place for (place,) in rows])

    async def has_acted_in(self, table_id: int, place: str, actor: str) -> bool:
        sql = "SELECT 1 FROM journal WHERE table_id = ? AND place = ? AND actor = ? LIMIT 1"
        return bool(await self._rows(sql, table_id, place, actor))

    async def last_interaction_id(self, journal_id: int) -> int:
        rows = await self._rows(
            "SELECT near.request_id FROM journal AS entry JOIN journal AS near "
            f"ON near.table_id = entry.table_id AND near.seq BETWEEN entry.seq - {_NEAR} "
            "AND entry.seq WHERE entry.id = ? ORDER BY near.seq DESC",
            journal_id,
        )
        for (request,) in rows:
            snowflake = _SNOWFLAKE.match(request)
            if snowflake is not None:
                return int(snowflake[0])
        return 0

    async def _entry(self, sql: str, *args: object) -> EntryRow | None:
        entries = await self._db.read(lambda connection: _entries(connection, sql, args))
        return entries[0] if entries else None

    async def _rows(self, sql: str, *args: object) -> list[Any]:
        return await self._db.read(lambda connection: connection.execute(sql, args).fetchall())

"""Writes journal entries with all that belongs to them: many at once cost little more than one.

Each statement takes the rows of all entries together. SQLite's thread gives the interpreter up for
every step of a statement, and getting it back is what costs most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final

import msgspec

from bot.storage.codec import PART_VERSION
from bot.storage.connection import Connection
from bot.storage.errors import DuplicateRequest, StaleTable
from bot.storage.redaction import redact_person
from bot.storage.row_records import NewEntry, NewTable, OutboxRow, WrittenEntry
from bot.storage.share import shard_key
from bot.storage.upkeep import keep_snapshot
from rules.core.record import Record

#: Most entries before an amendment that it can undo.
_AMENDED_BACK: Final = 600


class PendingEntry(Record):
    """An entry for a table that has to be at `revision` for it."""

    table_id: int
    revision: int
    entry: NewEntry


def placeholders(values: Sequence[object]) -> str:
    """Return `?,?,?` for as many values; for none `NULL`, which no value equals."""
    return ",".join("?" * len(values)) or "NULL"


def row_placeholders(rows: Sequence[tuple[object, ...]]) -> str:
    """Return `(?,?),(?,?)` for as many rows, which are all as long as the first."""
    return ",".join([f"({placeholders(rows[0])})"] * len(rows))


def _insert(connection: Connection, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows with one statement."""
    sql = f"INSERT INTO {into} VALUES {row_placeholders(rows)}"
    connection.execute(sql, [*chain.from_iterable(rows)])


def _insert_numbered(
    connection: Connection, into: str, rows: Sequence[tuple[Any, ...]]
) -> Sequence[int]:
    """Insert rows with one statement, and return their ids, which grow from row to row."""
    sql = f"INSERT INTO {into} VALUES {row_placeholders(rows)}"
    return connection.insert(sql, [*chain.from_iterable(rows)], len(rows))


def create_tables(
    connection: Connection, units: Sequence[tuple[NewTable, tuple[NewEntry, ...]]]
) -> list[list[WrittenEntry]]:
    """Open tables, each with its first entries. Raises StaleTable if a place is bound,
    and DuplicateRequest.
    """
    return [_create(connection, new, entries) for new, entries in units]


def _create(
    connection: Connection, new: NewTable, entries: tuple[NewEntry, ...]
) -> list[WrittenEntry]:
    entry = entries[0]
    (table_id,) = _insert_numbered(
        connection,
        "game_table (guild, shard_key, system, rules_version, revision, created_at)",
        [(new.guild, shard_key(new.guild), new.system, new.rules_version, 0, entry.at)],
    )
    try:
        connection.execute("INSERT INTO place (id, table_id) VALUES (?, ?)", (new.place, table_id))
    except connection.IntegrityError:
        raise StaleTable from None
    _insert(
        connection,
        "seed (table_id, stream, seed, commitment, started_at)",
        [(table_id, stream, seed, commitment, entry.at) for stream, seed, commitment in new.seeds],
    )
    return append_entries(
        connection, [PendingEntry(table_id, number, each) for number, each in enumerate(entries)]
    )


def append_entries(connection: Connection, units: Sequence[PendingEntry]) -> list[WrittenEntry]:
    """Write entries of any tables, in order.

    Raises StaleTable or DuplicateRequest if one does not fit. StaleTable also stands for a place
    that belongs to another table by now.
    """
    _move(connection, units)
    try:
        ids = _insert_numbered(
            connection,
            "journal (table_id, seq, request_id, at, actor, kind, action, events,"
            " rules_version, draws, revealed, secret_draws, place)",
            [_journal_row(unit) for unit in units],
        )
    except connection.IntegrityError:
        raise DuplicateRequest from None
    numbered = list(zip(ids, units, strict=True))
    for unit in units:
        for member in unit.entry.members:
            connection.execute(
                "INSERT INTO person (table_id, id, user_id, name) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (table_id, id) DO UPDATE SET name = excluded.name",
                (unit.table_id, member.id, member.user, member.name),
            )
    _write_parts(connection, numbered)
    _write_due(connection, units)
    for unit in units:
        _write_places(connection, unit)
        _write_seeds(connection, unit)
        if unit.entry.revives:
            _revive(connection, unit)
        if unit.entry.undoes:
            _mark_undone(connection, unit)
    written = _write_outs(connection, numbered)
    for unit in units:
        if unit.entry.forgets:
            redact_person(
                connection, unit.table_id, unit.entry.forgets, unit.revision + 1, unit.entry.at
            )
            keep_snapshot(connection, unit.table_id)
    return written


def _move(connection: Connection, units: Sequence[PendingEntry]) -> None:
    """Take each table on to its last new entry, if every entry follows the one it was made for."""
    ends: dict[int, tuple[PendingEntry, PendingEntry]] = {}
    for unit in units:
        if unit.table_id not in ends:
            ends[unit.table_id] = (unit, unit)
            continue
        first, last = ends[unit.table_id]
        if unit.revision != last.revision + 1 or unit.entry.after not in (
            "",
            last.entry.request_id,
        ):
            raise StaleTable
        ends[unit.table_id] = (first, unit)
    # In order of the tables, so that no two writers wait for each other.
    rows = [
        (table_id, first.revision, first.entry.after, last.revision + 1, last.entry.request_id)
        for table_id, (first, last) in sorted(ends.items())
    ]
    if len(rows) == 1:  # A command that comes alone: the statement for many costs it four times.
        sql = (
            "UPDATE game_table SET revision = ?4, head = ?5"
            " WHERE id = ?1 AND revision = ?2 AND ?3 IN ('', head)"
        )
    else:
        sql = (
            "UPDATE game_table SET revision = column4, head = column5"
            f" FROM (VALUES {row_placeholders(rows)}) AS ends"
            " WHERE id = column1 AND revision = column2 AND column3 IN ('', head)"
        )
    if connection.change(sql, [*chain.from_iterable(rows)]) != len(rows):
        raise StaleTable


def _journal_row(unit: PendingEntry) -> tuple[Any, ...]:
    entry = unit.entry
    return (
        unit.table_id,
        unit.revision + 1,
        entry.request_id,
        entry.at,
        entry.actor,
        entry.kind,
        entry.action,
        entry.events,
        entry.rules_version,
        entry.draws,
        int(entry.revealed),
        entry.secret_draws,
        entry.place,
    )


#: Most rows of one statement.
_ROWS_PER_STATEMENT: Final = 1000
#: A part of a table: table and key.
_Part = tuple[int, str]
#: A row of before_part: the entry, the part, and its version and text; None twice for one that was
#: not there.
_EarlierPartRow = tuple[int, int, str, int | None, str | None]


def _write_parts(connection: Connection, numbered: Iterable[tuple[int, PendingEntry]]) -> None:
    """Keep what the parts were before each entry, then write them as they are after the last."""
    latest: dict[_Part, str | None] = {}
    stored: dict[_Part, int] = {}
    kept: list[_EarlierPartRow] = []
    for journal_id, unit in numbered:
        entry = unit.entry
        for key, text in entry.parts.items():
            part = (unit.table_id, key)
            if key in entry.untracked:
                pass
            elif key in entry.fresh:
                kept.append((journal_id, *part, None, None))
            elif part in latest:
                old = latest[part]
                kept.append((journal_id, *part, None if old is None else PART_VERSION, old))
            else:
                stored[part] = journal_id
            latest[part] = text
    if stored:
        _copy_stored(connection, stored)
    for first in range(0, len(kept), _ROWS_PER_STATEMENT):
        _insert(
            connection,
            "before_part (journal_id, table_id, key, schema_version, body)",
            kept[first : first + _ROWS_PER_STATEMENT],
        )
    gone = [part for part, text in latest.items() if text is None]
    there = [(*part, PART_VERSION, text) for part, text in latest.items() if text is not None]
    for table_id, keys in _by_table(gone).items():
        connection.execute(
            f"DELETE FROM part WHERE table_id = ? AND key IN ({placeholders(keys)})",
            (table_id, *keys),
        )
    if there:
        connection.execute(
            "INSERT INTO part (table_id, key, schema_version, body)"
            f" VALUES {row_placeholders(there)}"
            " ON CONFLICT (table_id, key) DO UPDATE"
            " SET body = excluded.body, schema_version = excluded.schema_version",
            [*chain.from_iterable(there)],
        )


def _copy_stored(connection: Connection, stored: Mapping[_Part, int]) -> None:
    """Keep these parts as they are stored, each for its entry; NULL for parts that do not exist."""
    wanted = [(journal_id, *part) for part, journal_id in stored.items()]
    connection.execute(
        "INSERT INTO before_part (journal_id, table_id, key, schema_version, body)"
        " SELECT column1, column2, column3, part.schema_version, part.body"
        f" FROM (VALUES {row_placeholders(wanted)}) AS wanted LEFT JOIN part"
        " ON part.table_id = column2 AND part.key = column3",
        [*chain.from_iterable(wanted)],
    )


def _by_table(parts: Iterable[_Part]) -> dict[int, list[str]]:
    keys: dict[int, list[str]] = {}
    for table_id, key in parts:
        keys.setdefault(table_id, []).append(key)
    return keys


def _write_due(connection: Connection, units: Sequence[PendingEntry]) -> None:
    latest: dict[tuple[int, str], int | None] = {}
    for unit in units:
        latest.update({(unit.table_id, wait): None for wait in unit.entry.due_off})
        latest.update({(unit.table_id, wait): at for wait, at in unit.entry.due_on})
    over = [wait for wait, at in latest.items() if at is None]
    for wait in over:
        connection.execute("DELETE FROM due WHERE table_id = ? AND id = ?", wait)
    rows = [(*wait, at) for wait, at in latest.items() if at is not None]
    if rows:
        connection.execute(
            f"INSERT INTO due (table_id, id, at) VALUES {row_placeholders(rows)}"
            " ON CONFLICT (table_id, id) DO UPDATE SET at = excluded.at, tries = 0",
            [*chain.from_iterable(rows)],
        )


def _write_seeds(connection: Connection, unit: PendingEntry) -> None:
    """Retire the seed in use and begin with the new one; the entry itself draws nothing."""
    seq, at = unit.revision + 1, unit.entry.at
    for new in unit.entry.seeds:
        connection.execute(
            "UPDATE seed SET revealed_at = ?, ended_seq = ? WHERE table_id = ? AND stream = ? "
            "AND ended_seq IS NULL",
            (at if new.reveals else None, seq, unit.table_id, new.stream),
        )
        _insert(
            connection,
            "seed (table_id, stream, seed, commitment, started_at, started_seq)",
            [(unit.table_id, new.stream, new.seed, new.commitment, at, seq)],
        )


def _write_places(connection: Connection, unit: PendingEntry) -> None:
    """Bind places and give them back. Raises StaleTable if one is bound already, or is not this
    table's.
    """
    for place, bound in unit.entry.places:
        row = (place, unit.table_id)
        if not bound:
            sql = "DELETE FROM place WHERE id = ? AND table_id = ?"
            if not connection.change(sql, row):
                raise StaleTable
            continue
        try:
            connection.execute("INSERT INTO place (id, table_id) VALUES (?, ?)", row)
        except connection.IntegrityError:
            raise StaleTable from None


def _revive(connection: Connection, unit: PendingEntry) -> None:
    """Let the entries count again that an entry had undone which is undone itself now."""
    numbers = unit.entry.revives
    connection.execute(
        "UPDATE journal SET undone_by = NULL WHERE table_id = ?"
        f" AND seq >= ? AND seq < ? AND undone_by IN ({placeholders(numbers)})",
        (unit.table_id, min(numbers) - _AMENDED_BACK, max(numbers), *numbers),
    )


def _mark_undone(connection: Connection, unit: PendingEntry) -> None:
    """Mark the entries as taken back; what was not said of them yet is not said any more."""
    undoes = unit.entry.undoes
    connection.execute(
        f"UPDATE journal SET undone_by = ? WHERE table_id = ? AND seq IN ({placeholders(undoes)})",
        (unit.revision + 1, unit.table_id, *undoes),
    )
    connection.execute(
        "UPDATE outbox SET done_at = ?, token = NULL, error = 'undone' WHERE done_at IS NULL"
        " AND journal_id IN"
        f" (SELECT id FROM journal WHERE table_id = ? AND seq IN ({placeholders(undoes)}))",
        (unit.entry.at, unit.table_id, *undoes),
    )


def _numbers(values: Iterable[int]) -> str:
    """Return numbers as a JSON array."""
    return f"[{','.join(map(str, values))}]"


def _write_outs(
    connection: Connection, numbered: Sequence[tuple[int, PendingEntry]]
) -> list[WrittenEntry]:
    rows = [
        (
            journal_id,
            unit.table_id,
            out.kind,
            out.place,
            out.person,
            int(out.public),
            _numbers(out.events),
            out.topic,
            out.token,
            unit.entry.at,
            msgspec.json.encode(out.parties).decode(),
            out.turn,
        )
        for journal_id, unit in numbered
        for out in unit.entry.outs
    ]
    into = (
        "outbox (journal_id, table_id, kind, place, person, public, events, topic, token,"
        " created_at, parties, turn)"
    )
    row_ids = iter(_insert_numbered(connection, into, rows) if rows else ())
    done: list[WrittenEntry] = []
    for journal_id, unit in numbered:
        entry = unit.entry
        outs = tuple(
            OutboxRow(
                number,
                journal_id,
                unit.table_id,
                out.kind,
                out.place,
                out.person,
                out.public,
                out.events,
                out.topic,
                out.token,
                entry.at,
                parties=out.parties,
                turn=out.turn,
            )
            for number, out in zip(islice(row_ids, len(entry.outs)), entry.outs, strict=True)
        )
        done.append(WrittenEntry(unit.table_id, journal_id, unit.revision + 1, outs))
    return done

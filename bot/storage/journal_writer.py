"""Writes journal entries with all that belongs to them: many at once cost little more than one.

Each statement takes the rows of all entries together. SQLite's thread gives the interpreter up for
every step of a statement, and getting it back is what costs most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from bot.storage.codec import PART_VERSION
from bot.storage.errors import DuplicateRequest, StaleTable
from bot.storage.redaction import redact_person
from bot.storage.row_records import NewEntry, NewTable, OutboxRow, WrittenEntry
from rules.core.record import Record


class PendingEntry(Record):
    """An entry for a table that has to be at `revision` for it."""

    table_id: int
    revision: int
    entry: NewEntry


def placeholders(values: Sequence[object]) -> str:
    """`?,?,?` for as many values."""
    return ",".join("?" * len(values))


def _insert(connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]]) -> int:
    """Insert rows with one statement; returns the id of the first, the others follow it."""
    one = f"({placeholders(rows[0])})"
    values = ",".join([one] * len(rows))
    last = connection.execute(
        f"INSERT INTO {into} VALUES {values}", [*chain.from_iterable(rows)]
    ).lastrowid
    assert last is not None
    return last - len(rows) + 1


def create_tables(
    connection: sqlite3.Connection, units: Sequence[tuple[NewTable, tuple[NewEntry, ...]]]
) -> list[list[WrittenEntry]]:
    """Open tables, each with its first entries. Raises StaleTable if a place is bound,
    and DuplicateRequest.
    """
    return [_create(connection, new, entries) for new, entries in units]


def _create(
    connection: sqlite3.Connection, new: NewTable, entries: tuple[NewEntry, ...]
) -> list[WrittenEntry]:
    entry = entries[0]
    table_id = _insert(
        connection,
        "game_table (guild, system, rules_version, revision, created_at)",
        [(new.guild, new.system, new.rules_version, 0, entry.at)],
    )
    try:
        connection.execute("INSERT INTO place (id, table_id) VALUES (?, ?)", (new.place, table_id))
    except sqlite3.IntegrityError:
        raise StaleTable from None
    _insert(
        connection,
        "seed (table_id, stream, seed, commitment, started_at)",
        [(table_id, stream, seed, commitment, entry.at) for stream, seed, commitment in new.seeds],
    )
    return append_entries(
        connection, [PendingEntry(table_id, number, each) for number, each in enumerate(entries)]
    )


def append_entries(
    connection: sqlite3.Connection, units: Sequence[PendingEntry]
) -> list[WrittenEntry]:
    """Write entries of any tables, in order.

    Raises StaleTable or DuplicateRequest if one does not fit. StaleTable also stands for a place
    that belongs to another table by now.
    """
    _move(connection, units)
    try:
        first = _insert(
            connection,
            "journal (table_id, seq, request_id, at, actor, kind, action, events,"
            " rules_version, draws, revealed, secret_draws, place)",
            [_journal_row(unit) for unit in units],
        )
    except sqlite3.IntegrityError:
        raise DuplicateRequest from None
    numbered = list(enumerate(units, first))
    for unit in units:
        for member in unit.entry.members:
            connection.execute(
                "INSERT INTO person (table_id, id, user, name) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (table_id, id) DO UPDATE SET name = excluded.name",
                (unit.table_id, member.id, member.user, member.name),
            )
    _write_parts(connection, numbered)
    _write_due(connection, units)
    for unit in units:
        _write_places(connection, unit)
        _write_seeds(connection, unit)
        if unit.entry.undoes:
            _mark_undone(connection, unit)
    written = _write_outs(connection, numbered)
    for unit in units:
        if unit.entry.forgets:
            redact_person(
                connection, unit.table_id, unit.entry.forgets, unit.revision + 1, unit.entry.at
            )
    return written


def _move(connection: sqlite3.Connection, units: Sequence[PendingEntry]) -> None:
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
    for table_id, (first, last) in ends.items():
        moved = connection.execute(
            "UPDATE game_table SET revision = ?1, head = ?2"
            " WHERE id = ?3 AND revision = ?4 AND ?5 IN ('', head)",
            (last.revision + 1, last.entry.request_id, table_id, first.revision, first.entry.after),
        )
        if moved.rowcount != 1:
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


#: So many rows are written with one statement at most, where there may be many.
_ROWS_PER_STATEMENT: Final = 1000
#: A part of a table: table and key.
_Part = tuple[int, str]
#: A row of before_part: the entry, the part, and its version and text; None twice for one that was
#: not there.
_EarlierPartRow = tuple[int, int, str, int | None, str | None]


def _write_parts(
    connection: sqlite3.Connection, numbered: Iterable[tuple[int, PendingEntry]]
) -> None:
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
        kept += _copy_stored(connection, stored)
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
        values = ",".join(["(?,?,?,?)"] * len(there))
        connection.execute(
            f"INSERT INTO part (table_id, key, schema_version, body) VALUES {values}"
            " ON CONFLICT (table_id, key) DO UPDATE"
            " SET body = excluded.body, schema_version = excluded.schema_version",
            [*chain.from_iterable(there)],
        )


def _copy_stored(
    connection: sqlite3.Connection, stored: Mapping[_Part, int]
) -> list[_EarlierPartRow]:
    """Keep these parts as they are stored, each for its entry; rows for those that are not there
    after all.
    """
    wanted = [(journal_id, *part) for part, journal_id in stored.items()]
    values = ",".join(["(?,?,?)"] * len(wanted))
    # The cross join keeps SQLite to this order: each part is looked up, none is searched for.
    copied = connection.execute(
        "INSERT INTO before_part (journal_id, table_id, key, schema_version, body)"
        " SELECT wanted.column1, part.table_id, part.key, part.schema_version, part.body"
        f" FROM (VALUES {values}) AS wanted CROSS JOIN part"
        " ON part.table_id = wanted.column2 AND part.key = wanted.column3",
        [*chain.from_iterable(wanted)],
    )
    if copied.rowcount == len(wanted):
        return []
    there = "SELECT 1 FROM before_part WHERE journal_id = ? AND key = ?"
    return [
        (journal_id, table_id, key, None, None)
        for journal_id, table_id, key in wanted
        if connection.execute(there, (journal_id, key)).fetchone() is None
    ]


def _by_table(parts: Iterable[_Part]) -> dict[int, list[str]]:
    keys: dict[int, list[str]] = {}
    for table_id, key in parts:
        keys.setdefault(table_id, []).append(key)
    return keys


def _write_due(connection: sqlite3.Connection, units: Sequence[PendingEntry]) -> None:
    latest: dict[tuple[int, str], int | None] = {}
    for unit in units:
        latest.update({(unit.table_id, wait): None for wait in unit.entry.due_off})
        latest.update({(unit.table_id, wait): at for wait, at in unit.entry.due_on})
    over = [wait for wait, at in latest.items() if at is None]
    if over:
        connection.executemany("DELETE FROM due WHERE table_id = ? AND id = ?", over)
    rows = [(*wait, at) for wait, at in latest.items() if at is not None]
    if rows:
        connection.execute(
            "INSERT OR REPLACE INTO due (table_id, id, at) "
            f"VALUES {','.join(['(?,?,?)'] * len(rows))}",
            [*chain.from_iterable(rows)],
        )


def _write_seeds(connection: sqlite3.Connection, unit: PendingEntry) -> None:
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


def _write_places(connection: sqlite3.Connection, unit: PendingEntry) -> None:
    """Bind places and give them back. Raises StaleTable if one is bound already, or is not this
    table's.
    """
    for place, bound in unit.entry.places:
        row = (place, unit.table_id)
        if not bound:
            gone = connection.execute("DELETE FROM place WHERE id = ? AND table_id = ?", row)
            if gone.rowcount != 1:
                raise StaleTable
            continue
        try:
            connection.execute("INSERT INTO place (id, table_id) VALUES (?, ?)", row)
        except sqlite3.IntegrityError:
            raise StaleTable from None


def _mark_undone(connection: sqlite3.Connection, unit: PendingEntry) -> None:
    """Mark the entries as taken back; what was not said of them yet is not said any more."""
    undoes = unit.entry.undoes
    connection.execute(
        f"UPDATE journal SET undone_by = ? WHERE table_id = ? AND seq IN ({placeholders(undoes)})",
        (unit.revision + 1, unit.table_id, *undoes),
    )
    connection.execute(
        "UPDATE outbox SET done_at = ?, error = 'undone' WHERE done_at IS NULL AND journal_id IN"
        f" (SELECT id FROM journal WHERE table_id = ? AND seq IN ({placeholders(undoes)}))",
        (unit.entry.at, unit.table_id, *undoes),
    )


def _numbers(values: Iterable[int]) -> str:
    """A JSON array of numbers."""
    return f"[{','.join(map(str, values))}]"


def _write_outs(
    connection: sqlite3.Connection, numbered: Sequence[tuple[int, PendingEntry]]
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
        )
        for journal_id, unit in numbered
        for out in unit.entry.outs
    ]
    row_id = 0
    if rows:
        row_id = _insert(
            connection,
            "outbox (journal_id, table_id, kind, place, person, public, events, topic, "
            "token, created_at)",
            rows,
        )
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
            )
            for number, out in enumerate(entry.outs, row_id)
        )
        row_id += len(outs)
        done.append(WrittenEntry(unit.table_id, journal_id, unit.revision + 1, outs))
    return done

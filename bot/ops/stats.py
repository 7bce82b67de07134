"""Figures about what is kept: counts and sizes, no names and no texts."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bot.ops.database_files import OperationRefused, connect, format_size, schema_version, side_file

_COUNTS = (
    ("Tables", "SELECT COUNT(*) FROM game_table"),
    ("Servers", "SELECT COUNT(DISTINCT guild) FROM game_table"),
    ("People", "SELECT COUNT(DISTINCT user_id) FROM person"),
    ("Characters", "SELECT COUNT(*) FROM part WHERE key LIKE 'character:%'"),
    ("Journal entries", "SELECT COUNT(*) FROM journal"),
    ("Messages still to send", "SELECT COUNT(*) FROM outbox WHERE done_at IS NULL"),
    ("Deadlines", "SELECT COUNT(*) FROM due"),
    ("  that failed and are tried again", "SELECT COUNT(*) FROM due WHERE tries > 0"),
)

#: What a table holds: how many rows, and how large they are.
_TABLE_SIZE_QUERIES = (
    (
        "entries",
        "SELECT table_id, COUNT(*), SUM(LENGTH(action) + LENGTH(events)) FROM journal "
        "GROUP BY table_id",
    ),
    ("parts", "SELECT table_id, COUNT(*), SUM(LENGTH(body)) FROM part GROUP BY table_id"),
    (
        "undo history",
        "SELECT table_id, COUNT(*), TOTAL(LENGTH(body)) FROM before_part GROUP BY table_id",
    ),
    ("snapshots", "SELECT table_id, COUNT(*), SUM(LENGTH(body)) FROM snapshot GROUP BY table_id"),
)


def _tables(connection: sqlite3.Connection) -> list[str]:
    """What each table holds, the largest first; by number, without names."""
    held: dict[int, list[tuple[int, int]]] = {
        table_id: [(0, 0)] * len(_TABLE_SIZE_QUERIES)
        for (table_id,) in connection.execute("SELECT id FROM game_table")
    }
    for index, (_, sql) in enumerate(_TABLE_SIZE_QUERIES):
        for table_id, count, size in connection.execute(sql):
            held[table_id][index] = (count, int(size))
    largest = sorted(held.items(), key=lambda found: -sum(size for _, size in found[1]))
    lines: list[str] = []
    for table_id, found in largest:
        told = [
            f"{count:,} {what}"
            for (what, _), (count, _) in zip(_TABLE_SIZE_QUERIES, found, strict=True)
        ]
        lines.append(
            f"  {table_id}: {', '.join(told)}; {format_size(sum(size for _, size in found))}"
        )
    return lines


def database_stats(database: Path) -> list[str]:
    """What the database holds, line by line. Refused where there is none, or none that can
    be read.
    """
    if not database.is_file():
        raise OperationRefused(f"No database at {database}.")
    try:
        with closing(connect(database)) as connection:
            schema = schema_version(connection)
            if not schema:
                raise OperationRefused(f"{database} isn't a Storyguide database.")
            lines = [f"{name}: {connection.execute(sql).fetchone()[0]}" for name, sql in _COUNTS]
            by_system = connection.execute(
                "SELECT system, COUNT(*) FROM game_table GROUP BY system ORDER BY system"
            ).fetchall()
            tables = _tables(connection)
    except sqlite3.Error as error:
        raise OperationRefused(f"Can't read {database}: {error}.") from error
    lines[1:1] = [f"  {system}: {count}" for system, count in by_system]
    lines.append(f"Schema: {schema}")
    lines.append(f"Size: {format_size(database.stat().st_size)}")
    wal = side_file(database, "-wal")
    lines.append(f"Write-ahead log: {format_size(wal.stat().st_size if wal.exists() else 0)}")
    return [*lines, "By table:", *tables] if tables else lines

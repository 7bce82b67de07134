"""Counts and sizes of a database, without names and texts."""

from __future__ import annotations

from bot.ops.database_files import format_size
from bot.ops.database_reading import read_database
from bot.storage.connection import Statements
from bot.storage.location import Where

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

#: Queries for the number and the size of each table's rows, by what the rows are.
_TABLE_SIZE_QUERIES = (
    (
        "entries",
        "SELECT table_id, COUNT(*), SUM(LENGTH(action) + LENGTH(events)) FROM journal "
        "GROUP BY table_id",
    ),
    ("parts", "SELECT table_id, COUNT(*), SUM(LENGTH(body)) FROM part GROUP BY table_id"),
    (
        "undo history",
        "SELECT table_id, COUNT(*), COALESCE(SUM(LENGTH(body)), 0) FROM before_part "
        "GROUP BY table_id",
    ),
    ("snapshots", "SELECT table_id, COUNT(*), SUM(LENGTH(body)) FROM snapshot GROUP BY table_id"),
)


def _tables(connection: Statements) -> list[str]:
    """Return the contents of each table, the largest first; by number, without names."""
    # Counts of each kind of row, and the total size, by table.
    counts: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    for (table_id,) in connection.execute("SELECT id FROM game_table"):
        counts[table_id] = [0] * len(_TABLE_SIZE_QUERIES)
        sizes[table_id] = 0
    for index, (_, sql) in enumerate(_TABLE_SIZE_QUERIES):
        for table_id, count, size in connection.execute(sql):
            counts[table_id][index] = count
            sizes[table_id] += int(size)
    lines: list[str] = []
    for table_id in sorted(sizes, key=lambda table_id: -sizes[table_id]):
        parts: list[str] = []
        for (what, _), count in zip(_TABLE_SIZE_QUERIES, counts[table_id], strict=True):
            parts.append(f"{count:,} {what}")
        lines.append(f"  {table_id}: {', '.join(parts)}; {format_size(sizes[table_id])}")
    return lines


def database_stats(where: Where) -> list[str]:
    """Return the contents of a database, line by line.

    Raises OperationRefused if there is no database, or if it can't be read.
    """
    (lines, tables), sizes = read_database(where, _read)
    lines.append(f"Size: {format_size(int(sizes['database_bytes']))}")
    if "log_bytes" in sizes:
        lines.append(f"Write-ahead log: {format_size(int(sizes['log_bytes']))}")
    return [*lines, "By table:", *tables] if tables else lines


def _read(connection: Statements, schema: int) -> tuple[list[str], list[str]]:
    """Return lines about the whole database, and lines about its tables."""
    lines = [f"{name}: {connection.execute(sql).fetchone()[0]}" for name, sql in _COUNTS]
    by_system = connection.execute(
        "SELECT system, COUNT(*) FROM game_table GROUP BY system"
    ).fetchall()
    lines[1:1] = [f"  {system}: {count}" for system, count in sorted(by_system)]
    lines.append(f"Schema: {schema}")
    return lines, _tables(connection)

"""Figures in Prometheus' text format. No names, nothing secret, nothing that takes long to
count.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

from bot.clock import system_clock
from bot.ops.database_files import OperationRefused, connect, schema_version, side_file
from bot.storage.connection import Statements
from bot.storage.high_water_mark import stored_highest_entry

#: Name (without `storyguide_`), kind, what it is, value.
Metric = tuple[str, Literal["counter", "gauge"], str, float]


def database_metrics(connection: Statements, now: float) -> list[Metric]:
    """What the database alone tells, each by way of an index."""

    def count(sql: str, *given: float) -> int:
        found: int = connection.execute(sql, given).fetchone()[0]
        return found

    waiting = count("SELECT COUNT(*) FROM outbox WHERE done_at IS NULL")
    overdue = count("SELECT COUNT(*) FROM due WHERE at < ?", int(now))
    failed = count("SELECT COUNT(*) FROM due WHERE tries > 0")
    tables = count("SELECT COUNT(*) FROM game_table")
    return [
        ("outbox_waiting", "gauge", "Messages that are still to be sent.", waiting),
        ("waits_overdue", "gauge", "Deadlines that have passed and were not acted on.", overdue),
        ("waits_failed", "gauge", "Deadlines that failed and are tried again.", failed),
        ("tables", "gauge", "Tables in the database.", tables),
        (
            "journal_entries_total",
            "counter",
            "The journal's highest entry.",
            stored_highest_entry(connection),
        ),
    ]


#: What the sizes are, by their names.
_SIZES: Final = {
    "database_bytes": "Size of the database.",
    "log_bytes": "Size of the write-ahead log.",
}


def size_metrics(sizes: Mapping[str, float]) -> list[Metric]:
    """Return how large the database is."""
    return [(name, "gauge", _SIZES[name], size) for name, size in sizes.items()]


def _file_sizes(database: Path) -> dict[str, float]:
    wal = side_file(database, "-wal")
    return {
        "database_bytes": database.stat().st_size,
        "log_bytes": wal.stat().st_size if wal.exists() else 0,
    }


def prometheus_text(database: Path) -> str:
    """What the database and its files tell. Refused where there is none, or none that can
    be read.
    """
    if not database.is_file():
        raise OperationRefused(f"No database at {database}.")
    try:
        with closing(connect(database)) as connection:
            if not schema_version(connection):
                raise OperationRefused(f"{database} isn't a Storyguide database.")
            found = database_metrics(connection, system_clock())
    except sqlite3.Error as error:
        raise OperationRefused(f"Can't read {database}: {error}.") from error
    return format_metrics([*found, *size_metrics(_file_sizes(database))])


def format_metrics(metrics: Iterable[Metric]) -> str:
    """The text that Prometheus reads."""
    lines: list[str] = []
    for name, kind, about, value in metrics:
        full = f"storyguide_{name}"
        lines += [f"# HELP {full} {about}", f"# TYPE {full} {kind}", f"{full} {value:.9g}"]
    return "\n".join([*lines, ""])

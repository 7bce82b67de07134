"""Figures in Prometheus' text format, without names and secrets, and quick to count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from bot.clock import system_clock
from bot.ops.database_reading import read_database
from bot.storage.connection import Statements
from bot.storage.high_water_mark import stored_highest_entry
from bot.storage.location import Where

#: Name (without `storyguide_`), kind, description and value.
Metric = tuple[str, Literal["counter", "gauge"], str, float]


def database_metrics(connection: Statements, now: float) -> list[Metric]:
    """Return the figures of the database alone, each read by an index."""

    def count(sql: str, *values: float) -> int:
        number: int = connection.execute(sql, values).fetchone()[0]
        return number

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


#: Descriptions of the sizes, by their names.
_SIZES: Final = {
    "database_bytes": "Size of the database.",
    "log_bytes": "Size of the write-ahead log.",
}


def size_metrics(sizes: Mapping[str, float]) -> list[Metric]:
    """Return how large the database is."""
    return [(name, "gauge", _SIZES[name], size) for name, size in sizes.items()]


#: Descriptions of the figures of a server's state, by their names.
HEALTH: Final = {
    "server_connected": "1 if the database server answers.",
    "replicas": "Replicas that receive the database server's log.",
    "replicas_missing": "Replicas that a commit waits for and that aren't there.",
    "replica_lag_bytes": "Log that the replica furthest behind has not carried out yet.",
    "connections_free": "Connections that the database server has left.",
}


def health_metrics(figures: Mapping[str, float]) -> list[Metric]:
    """Return a server's state; nothing for a file."""
    return [(name, "gauge", HEALTH[name], value) for name, value in figures.items()]


def prometheus_text(where: Where) -> str:
    """Return the figures of a database as text.

    Raises OperationRefused if there is no database, or if it can't be read.
    """
    figures, sizes = read_database(
        where, lambda connection, _: database_metrics(connection, system_clock())
    )
    return format_metrics([*figures, *size_metrics(sizes)])


def format_metrics(metrics: Iterable[Metric]) -> str:
    """Return figures as the text that Prometheus reads."""
    lines: list[str] = []
    for name, kind, about, value in metrics:
        full = f"storyguide_{name}"
        lines += [f"# HELP {full} {about}", f"# TYPE {full} {kind}", f"{full} {value:.9g}"]
    return "\n".join([*lines, ""])

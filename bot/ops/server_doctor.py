"""Examination of a PostgreSQL server: problems for the bot, and what to do."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from bot.ops.database_files import OperationRefused, format_size
from bot.ops.database_reading import has_tables, open_server
from bot.ops.findings import Findings
from bot.ops.server_restore import timeline_problem
from bot.settings import Settings
from bot.storage.connection import Statements
from bot.storage.engines import pool_between
from bot.storage.errors import StorageUnavailable
from bot.storage.location import ServerAddress
from bot.storage.move_notes import move_problem
from bot.storage.schema import LATEST_SCHEMA
from bot.storage.server_health import (
    Replica,
    ServerReport,
    ServerState,
    SlotHolder,
    read_server_state,
    slot_holders,
)

#: Connections that one process of the bot opens.
PROCESS_CONNECTIONS: Final = 3
#: Problem of a pool that hands out connections by transaction.
NO_SESSION: Final = (
    "A pool of connections is between the bot and the server, and not in session mode: no process "
    "can keep its lock. Set pool_mode = session in pgbouncer, or connect to the server itself."
)
#: Bytes of log for an absent replica above which a problem is reported.
MAX_RETAINED_BYTES: Final = 1024**3
#: Losses that a server risks with a setting that is off.
_SAFETY: Final = {
    "fsync": "a crash of the machine can destroy the database",
    "full_page_writes": "a crash of the machine can leave half-written pages",
    "synchronous_commit": "a crash of the server loses what players were told is saved",
}


def settings_problem(settings: Settings) -> str | None:
    """Return which settings don't go with the kind of database, and what to do; None if all do."""
    if isinstance(settings.storyguide_database, Path):
        if settings.storyguide_processes == 1:
            return None
        return (
            f"STORYGUIDE_PROCESSES is {settings.storyguide_processes}: a database file has one "
            "process. Set it to 1, or STORYGUIDE_DATABASE to a PostgreSQL server's address."
        )
    if settings.storyguide_backups is None:
        return None
    return (
        "STORYGUIDE_BACKUPS copies a database file. Unset it, and copy the server with "
        "pg_basebackup or pgBackRest, as docs/servers.md says."
    )


def examine_server(
    where: ServerAddress, processes: int, findings: Findings, *, quick: bool
) -> None:
    """Examine a server as the bot would use it, without changing anything."""
    pool = pool_between(where)
    if pool == "transaction":
        findings.problems.append(NO_SESSION)
        return
    if pool == "session":
        findings.hints.append(
            "A pool of connections is in between. It has to stay in session mode, with "
            f"{PROCESS_CONNECTIONS * (processes + 1)} connections for the bot."
        )
    try:
        report = asyncio.run(_read_report(where, processes, quick=quick))
    except OperationRefused as error:
        findings.problems.append(str(error))
        return
    add_findings(report, where, processes, findings)


def add_findings(
    report: ServerReport, where: ServerAddress, processes: int, findings: Findings
) -> None:
    """Add the facts, hints and problems in a server's report."""
    state = report.state
    holds = f"schema {LATEST_SCHEMA}" if report.has_tables else "empty yet"
    findings.facts.append(
        f"Database: {where}, {holds}, {format_size(state.size)}; "
        f"server {format_version(state.version)}"
    )
    if not report.has_tables:
        findings.facts.append("The bot creates its tables when it starts.")
    if report.counts is not None:
        entries, waiting = report.counts
        findings.facts.append(f"Journal: {entries} entries; messages still to send: {waiting}")
        if waiting and not report.slots:
            findings.hints.append(
                "The bot sends them when it starts; /table doctor says what fails."
            )
    problem, hint = report.timeline
    findings.problems += [text for text in (report.moved, problem) if text is not None]
    if hint is not None:
        findings.hints.append(hint)
    _examine_slots(report.slots, processes, findings)
    _examine_connections(state, findings)
    _examine_settings(state, findings)
    _examine_replicas(state, findings)
    _examine_log(state, findings)
    findings.hints.append("The server's disk and its copies can't be seen from here: look there.")


async def _read_report(where: ServerAddress, processes: int, *, quick: bool) -> ServerReport:
    """Read a server. Raises OperationRefused."""
    engine = await open_server(where)
    try:
        there = await engine.read(has_tables)
        return ServerReport(
            state=await engine.read(read_server_state),
            slots=await engine.read(lambda session: slot_holders(session, processes)),
            counts=await engine.read(_counts) if there and not quick else None,
            has_tables=there,
            moved=await engine.read(move_problem) if there else None,
            timeline=await engine.read(timeline_problem) if there else (None, None),
        )
    except StorageUnavailable as error:
        raise OperationRefused(f"{where} can't be read: {error.detail}.") from error
    finally:
        await engine.close()


def _counts(connection: Statements) -> tuple[int, int]:
    entries = connection.execute("SELECT COUNT(*) FROM journal").fetchone()[0]
    waiting = connection.execute("SELECT COUNT(*) FROM outbox WHERE done_at IS NULL").fetchone()[0]
    return entries, waiting


def format_version(version: int) -> str:
    """Return a server's version number as it is read: 17.4 of 170004."""
    return f"{version // 10_000}.{version % 10_000}"


def _examine_slots(slots: tuple[SlotHolder, ...], processes: int, findings: Findings) -> None:
    held = [
        f"{holder.slot} by {holder.host or 'this server itself'} since {holder.since} UTC"
        for holder in slots
    ]
    findings.facts.append(f"Slots: {len(held)} of {processes} held{_listed(held)}")
    if 0 < len(slots) < processes:
        free = sorted(set(range(processes)) - {holder.slot for holder in slots})
        numbers = ", ".join(map(str, free))
        findings.problems.append(
            f"No process holds slot {numbers}: the servers of that share aren't answered. "
            f"Start another process, or set STORYGUIDE_PROCESSES to {len(slots)} and restart all."
        )


def _listed(texts: list[str]) -> str:
    return f": {'; '.join(texts)}" if texts else ""


def _examine_connections(state: ServerState, findings: Findings) -> None:
    findings.facts.append(f"Connections left: {state.free_connections}")
    if state.free_connections < PROCESS_CONNECTIONS:
        findings.problems.append(
            f"Only {state.free_connections} connections are left, and a process needs "
            f"{PROCESS_CONNECTIONS}. Raise max_connections, or the limit of the role or database."
        )


def _examine_settings(state: ServerState, findings: Findings) -> None:
    if state.is_replica:
        findings.problems.append(
            "This server is a replica and takes no writes. Name all hosts in STORYGUIDE_DATABASE, "
            "and add ?target_session_attrs=read-write."
        )
    encoding = state.settings["server_encoding"]
    if encoding != "UTF8":
        findings.problems.append(
            f"The database has the encoding {encoding}, which can't hold every text. Create it "
            "anew with ENCODING 'UTF8' TEMPLATE template0."
        )
    for name, consequence in _SAFETY.items():
        if state.settings[name] == "off":
            findings.problems.append(f"{name} is off: {consequence}. Turn it on.")


def _examine_replicas(state: ServerState, findings: Findings) -> None:
    replicas = [_replica_text(replica) for replica in state.replicas]
    findings.facts.append(
        f"Replicas: {len(replicas)}{_listed(replicas if state.sees_replicas else [])}"
    )
    if state.replicas and not state.sees_replicas:
        findings.hints.append(
            "To see which replicas these are, GRANT pg_monitor to the bot's role."
        )
    rule = state.settings["synchronous_standby_names"]
    absent = ", ".join(state.absent_names)
    if state.missing_replicas:
        missing = f" ({absent} isn't connected)" if absent else ""
        findings.problems.append(
            f"Commits hang: synchronous_standby_names = '{rule}' waits for "
            f"{state.missing_replicas} more than there are{missing}. Start the replica. To go on "
            "without a second copy until then: ALTER SYSTEM SET synchronous_standby_names = ''; "
            "SELECT pg_reload_conf();"
        )
    elif absent:
        findings.hints.append(f"{absent} isn't connected; commits don't have to wait for it now.")
    if state.standby_rule is not None and state.settings["synchronous_commit"] in ("off", "local"):
        findings.hints.append(
            f"synchronous_commit is {state.settings['synchronous_commit']}, so no commit waits for "
            "the replicas of synchronous_standby_names."
        )


def _replica_text(replica: Replica) -> str:
    lag = "" if replica.lag is None else f", {format_size(max(0, replica.lag))} behind"
    return f"{replica.name} ({replica.sync_state}, {replica.state}{lag})"


def _examine_log(state: ServerState, findings: Findings) -> None:
    for name, kept in state.retained:
        if kept > MAX_RETAINED_BYTES:
            findings.hints.append(
                f"{format_size(kept)} of log is kept for replication slot {name}, which nobody "
                "uses; it fills the disk. Start its replica, or "
                f"SELECT pg_drop_replication_slot('{name}')."
            )
    if state.archive_fails:
        findings.problems.append(
            "Archiving the log fails: copies can't be brought up to date, and the log fills the "
            "disk. See pg_stat_archiver and the server's own log."
        )
    elif state.settings["archive_mode"] == "off" and not state.replicas:
        findings.hints.append(
            "The server has neither a log archive nor a replica: a lost disk takes everything "
            "since its last copy (docs/servers.md)."
        )

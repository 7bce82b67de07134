"""State of a PostgreSQL server as one session sees it: settings, replicas, connections, log.

Without the role `pg_read_all_stats` (a part of `pg_monitor`) a server shows how many replicas there
are, and no details of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bot.storage.connection import Statements

#: Mode of the connection pool between the sessions and the server, if there is one.
Pool = Literal["none", "session", "transaction"]

#: Kind of the advisory lock that a process holds with its slot; the other key is the schema
#: combined with the slot's number.
SLOT_LOCK: Final = 5731
#: The session that holds a slot. Its values are `SLOT_LOCK` and the slot's number.
SLOT_SESSION: Final = """
FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = ?1::int4::oid
    AND objid = (hashtext(current_schema()) # ?2::int4)::oid
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
#: The oldest major version that the statements of the store run on.
MIN_SERVER_VERSION: Final = 14

_SETTINGS: Final = (
    "archive_mode",
    "full_page_writes",
    "fsync",
    "server_encoding",
    "synchronous_commit",
    "synchronous_standby_names",
)
_RULE: Final = re.compile(r"(?:(FIRST|ANY)\s+)?(\d+)\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
#: Connections that are left for this role and this database, by the tightest of three limits.
_FREE_CONNECTIONS: Final = """
SELECT CAST(LEAST(
    current_setting('max_connections')::bigint
    - current_setting('superuser_reserved_connections')::bigint
    - COALESCE(current_setting('reserved_connections', true)::bigint, 0)
    - (SELECT SUM(numbackends) FROM pg_stat_database),
    (SELECT CASE WHEN datconnlimit < 0 THEN 1000000 ELSE datconnlimit - numbackends END
        FROM pg_database JOIN pg_stat_database ON datid = pg_database.oid
        WHERE pg_database.datname = current_database()),
    (SELECT CASE WHEN rolconnlimit < 0 THEN 1000000 ELSE rolconnlimit -
        (SELECT COUNT(*) FROM pg_stat_activity WHERE usename = current_user) END
        FROM pg_roles WHERE rolname = current_user)
) AS BIGINT)
"""
_REPLICAS: Final = """
SELECT application_name, state, sync_state,
    pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_lsn() END,
        replay_lsn)::bigint
FROM pg_stat_replication
"""
#: Log that is kept for replicas which are not connected; it fills the disk in the end.
_RETAINED: Final = """
SELECT slot_name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint
FROM pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL
"""
_ARCHIVE_FAILS: Final = """
SELECT COALESCE(last_failed_time > COALESCE(last_archived_time, '-infinity'), false)
FROM pg_stat_archiver
"""


@dataclass(frozen=True, slots=True)
class Replica:
    """A server that receives this one's log. Without the right to see them, fields are None."""

    name: str | None
    state: str | None
    #: `sync` and `quorum` are waited for, `potential` may be next, `async` never is.
    sync_state: str | None
    #: Bytes of log that it has not carried out yet.
    lag: int | None


@dataclass(frozen=True, slots=True)
class StandbyRule:
    """Demand of `synchronous_standby_names`: so many replicas of these names."""

    count: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServerState:
    """Description of a server by itself."""

    #: The version as a number: 170004 is 17.4.
    version: int
    is_replica: bool
    #: Whether the role sees details of replicas.
    sees_replicas: bool
    settings: dict[str, str]
    replicas: tuple[Replica, ...]
    free_connections: int
    #: Bytes that the database takes.
    size: int
    #: Names of unused replication slots, each with the bytes of log kept for it.
    retained: tuple[tuple[str, int], ...]
    archive_fails: bool

    @property
    def standby_rule(self) -> StandbyRule | None:
        """The rule of synchronous replication; None if a commit waits for no replica."""
        return parse_standby_rule(self.settings["synchronous_standby_names"])

    @property
    def missing_replicas(self) -> int:
        """Number of replicas that a commit waits for and that aren't there: it hangs above 0."""
        rule = self.standby_rule
        if rule is None or self.settings["synchronous_commit"] in ("off", "local"):
            return 0
        return max(0, rule.count - sum(map(_counts, self.replicas)))

    @property
    def absent_names(self) -> tuple[str, ...]:
        """Names in the rule of synchronous replication of which no replica is connected."""
        rule = self.standby_rule
        if rule is None or not self.sees_replicas:
            return ()
        there = {replica.name.lower() for replica in self.replicas if replica.name is not None}
        return tuple(name for name in rule.names if name != "*" and name.lower() not in there)


def _counts(replica: Replica) -> bool:
    """Return whether a commit may wait for this replica; one without details may be."""
    if replica.sync_state is None:
        return True
    return replica.sync_state != "async" and replica.state == "streaming"


def parse_standby_rule(text: str) -> StandbyRule | None:
    """Return what a value of `synchronous_standby_names` asks for; None for an empty one."""
    text = text.strip()
    if not text:
        return None
    match = _RULE.fullmatch(text)
    listed = match[3] if match else text
    names = tuple(name.strip().strip('"') for name in listed.split(","))
    return StandbyRule(int(match[2]) if match else 1, names)


def major_version(version: int) -> int:
    """Return the major version of a version number: 17 of 170004."""
    return version // 10_000


def read_server_state(session: Statements) -> ServerState:
    """Return what a server tells about itself. Raises the driver's errors."""
    version, is_replica, sees, size = session.execute(
        "SELECT current_setting('server_version_num')::int, pg_is_in_recovery(),"
        " pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),"
        " pg_database_size(current_database())"
    ).fetchone()
    names = ", ".join(f"'{name}'" for name in _SETTINGS)
    settings = session.execute(
        f"SELECT name, setting FROM pg_settings WHERE name IN ({names})"  # noqa: S608 - our own names
    ).fetchall()
    retained: Sequence[tuple[str, int]] = ()
    if not is_replica:
        retained = session.execute(_RETAINED).fetchall()
    return ServerState(
        version=version,
        is_replica=is_replica,
        sees_replicas=sees,
        settings=dict(settings),
        replicas=_replicas(session),
        free_connections=session.execute(_FREE_CONNECTIONS).fetchone()[0],
        size=size,
        retained=tuple((name, int(kept)) for name, kept in retained),
        archive_fails=session.execute(_ARCHIVE_FAILS).fetchone()[0],
    )


def _replicas(session: Statements) -> tuple[Replica, ...]:
    return tuple(Replica(*row) for row in session.execute(_REPLICAS).fetchall())


def health_figures(session: Statements) -> dict[str, float]:
    """Return figures of replicas and connections, by name. Raises the driver's errors."""
    state = read_server_state(session)
    lags = [replica.lag for replica in state.replicas if replica.lag is not None]
    return {
        "replicas": len(state.replicas),
        "replicas_missing": state.missing_replicas,
        "replica_lag_bytes": max(lags, default=0),
        "connections_free": state.free_connections,
    }


# --- who is connected -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SlotHolder:
    """A session that holds a process's slot."""

    slot: int
    #: Address of its machine; empty on the server's own.
    host: str
    #: When it connected, in UTC: `2026-01-31 12:00`.
    since: str


def slot_holders(session: Statements, processes: int) -> tuple[SlotHolder, ...]:
    """Return who holds the slots 0 to *processes* − 1. Raises the driver's errors."""
    holders = list[SlotHolder]()
    for slot in range(processes):
        row = session.execute(_SLOT_HOLDER, (SLOT_LOCK, slot)).fetchone()
        if row is not None:
            holders.append(SlotHolder(slot, row[0], row[1]))
    return tuple(holders)


_SLOT_HOLDER: Final = f"""
SELECT COALESCE(host(client_addr), ''),
    COALESCE(to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), '')
{SLOT_SESSION}
"""


def pooling(pids: Sequence[tuple[int, int]]) -> Pool:
    """Return what stands between two sessions and the server.

    Each pair is the server's process id that a session was told, and the real one, in turns. In
    transaction mode two open sessions get the same process, or one session gets several. Such a
    pool can't hold a lock.
    """
    if all(announced == real for announced, real in pids):
        return "none"
    pairs = set(pids)
    sessions = {announced for announced, _ in pairs}
    processes = {real for _, real in pairs}
    return "session" if len(pairs) == len(sessions) == len(processes) else "transaction"


@dataclass(frozen=True, slots=True)
class ServerReport:
    """All that `doctor` reads of a server."""

    state: ServerState
    slots: tuple[SlotHolder, ...]
    #: Journal entries and unsent messages; None if they weren't counted.
    counts: tuple[int, int] | None
    has_tables: bool
    #: Why no bot may start here since a move; None if one may.
    moved: str | None = None
    #: A problem and a hint about the server's timeline.
    timeline: tuple[str | None, str | None] = (None, None)

"""The database's schema as a series of migrations. Never edit a released migration."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Final

_V1 = """
CREATE TABLE game_table (
    id INTEGER PRIMARY KEY,
    guild TEXT NOT NULL,
    shard_key INTEGER NOT NULL,
    system TEXT NOT NULL,
    rules_version INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    head TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    redacted_seq INTEGER NOT NULL DEFAULT 0,
    kept_from INTEGER NOT NULL DEFAULT 1,
    snapshot_seq INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX game_table_guild ON game_table (guild, system, shard_key);
CREATE TABLE place (
    id TEXT PRIMARY KEY,
    table_id INTEGER NOT NULL REFERENCES game_table (id)
) WITHOUT ROWID;
CREATE INDEX place_table ON place (table_id);
CREATE TABLE part (
    table_id INTEGER NOT NULL REFERENCES game_table (id),
    key TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (table_id, key)
) WITHOUT ROWID;
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    table_id INTEGER NOT NULL REFERENCES game_table (id),
    seq INTEGER NOT NULL,
    request_id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    action TEXT NOT NULL,
    events TEXT NOT NULL,
    rules_version INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    secret_draws INTEGER NOT NULL DEFAULT 0,
    revealed INTEGER NOT NULL,
    undone_by INTEGER,
    place TEXT NOT NULL,
    UNIQUE (table_id, seq)
);
CREATE INDEX journal_place ON journal (table_id, place, actor);
CREATE TABLE before_part (
    journal_id INTEGER NOT NULL REFERENCES journal (id),
    table_id INTEGER NOT NULL REFERENCES game_table (id),
    key TEXT NOT NULL,
    schema_version INTEGER,
    body TEXT,
    PRIMARY KEY (journal_id, key)
) WITHOUT ROWID;
CREATE INDEX before_part_key ON before_part (table_id, key);
CREATE TABLE snapshot (
    table_id INTEGER NOT NULL REFERENCES game_table (id),
    seq INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (table_id, seq)
);
CREATE TABLE scrub (
    table_id INTEGER NOT NULL REFERENCES game_table (id),
    person TEXT NOT NULL,
    seq INTEGER NOT NULL,
    done_seq INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (table_id, person)
) WITHOUT ROWID;
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    journal_id INTEGER NOT NULL REFERENCES journal (id),
    table_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    place TEXT NOT NULL,
    person TEXT,
    public INTEGER NOT NULL,
    events TEXT NOT NULL,
    topic TEXT,
    token TEXT,
    created_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    done_at INTEGER,
    message TEXT,
    closed INTEGER NOT NULL DEFAULT 0,
    parties TEXT NOT NULL DEFAULT '[]',
    turn INTEGER
);
CREATE INDEX outbox_open ON outbox (table_id) WHERE done_at IS NULL;
CREATE INDEX outbox_topic ON outbox (table_id, topic) WHERE topic IS NOT NULL;
CREATE INDEX outbox_journal ON outbox (journal_id);
CREATE TABLE due (
    table_id INTEGER NOT NULL REFERENCES game_table (id),
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (table_id, id)
) WITHOUT ROWID;
CREATE INDEX due_at ON due (at);
CREATE INDEX due_failed ON due (tries) WHERE tries > 0;
CREATE TABLE person (
    table_id INTEGER NOT NULL REFERENCES game_table (id),
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (table_id, id),
    UNIQUE (table_id, user_id)
) WITHOUT ROWID;
CREATE INDEX person_user ON person (user_id);
CREATE TABLE seed (
    id INTEGER PRIMARY KEY,
    table_id INTEGER NOT NULL REFERENCES game_table (id),
    stream TEXT NOT NULL,
    seed BLOB NOT NULL,
    commitment TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    revealed_at INTEGER,
    started_seq INTEGER NOT NULL DEFAULT 0,
    ended_seq INTEGER
);
CREATE INDEX seed_table ON seed (table_id);
CREATE TABLE panel (
    id TEXT PRIMARY KEY,
    table_id INTEGER,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX panel_at ON panel (at);
CREATE TABLE note (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
"""

#: Messages to single users that are no part of a game, and the wishes of users about them. Stored
#: records have gained fields with defaults.
_V2 = """
CREATE TABLE notice (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    shard_key INTEGER NOT NULL,
    table_id INTEGER,
    place TEXT,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    loud INTEGER NOT NULL,
    sent_at INTEGER,
    message TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT
);
CREATE INDEX notice_open ON notice (at) WHERE sent_at IS NULL;
CREATE INDEX notice_sent ON notice (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX notice_user ON notice (user_id, sent_at);
CREATE INDEX notice_table ON notice (table_id) WHERE table_id IS NOT NULL;
CREATE TABLE preference (
    user_id TEXT PRIMARY KEY,
    body TEXT NOT NULL
) WITHOUT ROWID;
"""

MIGRATIONS: Final[tuple[str, ...]] = (_V1, _V2)
LATEST_SCHEMA: Final = len(MIGRATIONS)


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of the schema: its columns in order, and those of its primary key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    #: The columns that hold text, which engines may sort differently.
    texts: frozenset[str]
    #: The column that the engine numbers by itself; None if the table has none.
    numbered: str | None


@cache
def stored_tables() -> tuple[StoredTable, ...]:
    """Return the tables of the latest schema, each after those that its rows refer to."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for script in MIGRATIONS:
            connection.executescript(script)
        # Tables are listed in the order of their creation, and a server lets no table refer to one
        # that is created later.
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return tuple(_stored_table(connection, name) for (name,) in names)


def _stored_table(connection: sqlite3.Connection, name: str) -> StoredTable:
    rows = connection.execute(f"PRAGMA table_info({name})").fetchall()
    columns = [row[1] for row in rows]
    types = {row[1]: row[2] for row in rows}
    places = {row[5]: row[1] for row in rows if row[5]}
    key = tuple(places[place] for place in sorted(places))
    numbered = key[0] if len(key) == 1 and types[key[0]] == "INTEGER" else None
    texts = frozenset(column for column in columns if types[column] == "TEXT")
    return StoredTable(name, tuple(columns), key, texts, numbered)


class SchemaTooNew(Exception):
    """A file of a later release, which is left exactly as it is."""

    def __init__(self, found: int) -> None:
        super().__init__(
            f"the database has schema {found}, this release knows schemas up to {LATEST_SCHEMA}"
        )
        self.found = found

    def __reduce__(self) -> tuple[type[SchemaTooNew], tuple[int]]:
        return type(self), (self.found,)


def check_version(connection: sqlite3.Connection) -> int:
    """Return the schema of the database. Raises SchemaTooNew for a file of a later release."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > LATEST_SCHEMA:
        raise SchemaTooNew(version)
    return version


def application_id(connection: sqlite3.Connection) -> int:
    """Return the fingerprint in the file's header, 0 in a new file. No table is read for it."""
    number: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return number


def migrate(connection: sqlite3.Connection, fingerprint: int) -> int:
    """Bring the database to the latest schema, and return the schema it had.

    Each step is a transaction. The *fingerprint* of all stored classes is written to the file.

    Raises SchemaTooNew for a file of a later release, and sqlite3.Error if a step fails, which is
    rolled back then.
    """
    earlier = check_version(connection)
    note_fingerprint = f"PRAGMA application_id = {fingerprint}"
    for number, script in enumerate(MIGRATIONS[earlier:], start=earlier + 1):
        note = f"PRAGMA user_version = {number};\n{note_fingerprint};"
        try:
            connection.executescript(f"BEGIN IMMEDIATE;\n{script}\n{note}\nCOMMIT;")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if check_version(connection) < number:  # Otherwise another process was faster.
                raise
    if application_id(connection) != fingerprint:  # There are no tables yet.
        connection.execute(note_fingerprint)
    return earlier

"""SQL of the store is written once for both engines: words of only one of them are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Modules that belong to one engine: its file, its schema, its lock.
ENGINES = frozenset(
    {
        "database.py",
        "file_watch.py",
        "fingerprint.py",
        "high_water_mark.py",
        "instance_lock.py",
        "schema.py",
        "server_agreement.py",
        "server_claim.py",
        "server_database.py",
        "server_schema.py",
        "server_session.py",
    }
)
ONE_DIALECT = re.compile(
    r"INSERT OR |IFNULL|json_each|json_extract|->>|PRAGMA|\browid\b|lastrowid|rowcount|COLLATE"
    r"|executemany|executescript|import sqlite3|\bMIN\([^()]*,|\bMAX\([^()]*,|\bTOTAL\(|\bGLOB\b"
    r"|::\w|\bILIKE\b|\$\d|IN \(\)",
)
#: A column of this name is the session's user in PostgreSQL, without any error.
RESERVED_COLUMN = re.compile(r"(?:SELECT|,|\.|WHERE|AND|BY|\() ?user\b(?!=)")
SQL_TEXT = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE)\b.*")


def one_sided(text: str) -> list[str]:
    """Return each line with words of one engine, or with a reserved word as a column."""
    found = list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        stored = SQL_TEXT.search(line)
        if ONE_DIALECT.search(line) or (stored and RESERVED_COLUMN.search(stored[0])):
            found.append(f"{number}: {line.strip()}")
    return found


def test_the_store_speaks_one_sql() -> None:
    found = {
        path.name: lines
        for path in sorted((ROOT / "bot/storage").glob("*.py"))
        if path.name not in ENGINES and (lines := one_sided(path.read_text(encoding="utf-8")))
    }
    assert not found


#: Names of one engine, or questions which of the two there is.
ENGINE_NAMES = re.compile(
    r"psycopg|server_agreement|server_claim|server_database|server_session|isinstance\(.*ServerAddress"
)


def test_nobody_else_asks_which_engine_there_is() -> None:
    rooms = (ROOT / "bot/storage", ROOT / "bot/ops")
    found = [
        str(path.relative_to(ROOT))
        for folder in ("bot", "cogs", "rules")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not path.is_relative_to(rooms[0])
        and not path.is_relative_to(rooms[1])
        and ENGINE_NAMES.search(path.read_text(encoding="utf-8"))
    ]
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        '"INSERT OR REPLACE INTO note VALUES (?, ?)"',
        '"SELECT IFNULL(MAX(id), 0) FROM outbox"',
        '"UPDATE due SET at = MIN(60 << tries, 3600)"',
        "done = connection.execute(sql).rowcount",
        '"SELECT value ->> 0 FROM json_each(?)"',
        '"SELECT id, user, name FROM person WHERE table_id = ?"',
        '"SELECT 1 FROM person WHERE person.user = ?"',
        "import sqlite3",
    ],
)
def test_words_of_one_engine_are_found(line: str) -> None:
    assert one_sided(line)


@pytest.mark.parametrize(
    "line",
    [
        '"SELECT COALESCE(MAX(id), 0) FROM outbox"',
        '"SELECT id, user_id, name FROM person WHERE table_id = ?"',
        "members = [member.user for member in row.members]",
    ],
)
def test_common_words_pass(line: str) -> None:
    assert not one_sided(line)

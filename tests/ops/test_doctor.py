"""The doctor names what is wrong with settings, disk and database, and says what to do."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections import namedtuple
from contextlib import closing
from pathlib import Path

import pytest

from bot.ops.discord_reach import bot_id_in_token
from bot.ops.doctor import MIN_FREE_BYTES, Findings, examine_offline
from bot.settings import Settings
from bot.storage.high_water_mark import mark_file
from bot.storage.schema import LATEST_SCHEMA
from bot.storage.store import SqlStore
from tests.loopback.launch import TOKEN
from tests.storage.stores import new_entry, new_out, new_table

Usage = namedtuple("Usage", "total used free")


def settings_of(path: Path, token: str | None = TOKEN) -> Settings:
    return Settings(_env_file=None, discord_token=token, storyguide_database=path)  # pyright: ignore[reportCallIssue]


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A database with one table and something that was not delivered."""
    path = tmp_path / "some.db"
    store = await SqlStore.open(path)
    await store.create_table(new_table(), new_entry("open", outs=(new_out(),)))
    await store.close()
    return path


def told(found: Findings) -> str:
    return "\n".join(found.lines())


def test_a_sound_database(path: Path) -> None:
    before = path.read_bytes()
    found = examine_offline(settings_of(path))
    assert found.status == 0
    assert found.lines()[-1] == (
        "All is well here. I didn't ask Discord whether it takes the token and what "
        "the bot may do (--connect)."
    )
    assert f"schema {LATEST_SCHEMA}" in told(
        found
    ) and "1 entries; messages still to send: 1" in told(found)
    assert path.read_bytes() == before


def test_none_yet(tmp_path: Path) -> None:
    found = examine_offline(settings_of(tmp_path / "new.db"))
    assert (found.status, found.hints) == (0, [])


@pytest.mark.parametrize(
    "kind", ["newer", "no database", "damaged", "loose rows", "folder", "token", "form", "disk"]
)
def test_what_is_wrong_is_named(kind: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token: str | None = TOKEN
    if kind == "newer":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {LATEST_SCHEMA + 1}")
        expected = f"schema {LATEST_SCHEMA + 1}"
    elif kind == "no database":
        path.write_bytes(b"no database at all, " * 100)
        expected = "Can't read"
    elif kind == "damaged":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
        with path.open("r+b") as file:
            for page in range(3, path.stat().st_size // 4096):
                file.seek(page * 4096)
                file.write(b"\xff" * 64)
        expected = "python -m bot restore FILE"
    elif kind == "loose rows":
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM journal")
        expected = "points to a missing row of journal"
    elif kind == "folder":
        path = path.parent / "missing" / "some.db"
        expected = "doesn't exist"
    elif kind == "disk":
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(1, 1, MIN_FREE_BYTES))
        expected = "Free at least"
    elif kind == "form":
        token, expected = (
            "MTIz.two-parts",
            "a token has three parts separated by dots, and yours has 2. Copy it again",
        )
    else:
        token, expected = None, "DISCORD_TOKEN isn't set"
    found = examine_offline(settings_of(path, token))
    assert found.status == 1
    assert expected in told(found)
    assert "All is well" not in told(found)


@pytest.mark.parametrize(
    ("token", "bot"),
    [
        (TOKEN, "100000000000000001"),
        ("MTIz.x.y", "123"),
        ("MTI.x.y", "12"),
        ("MTIz.x", None),
        ("MTIz.x.y.z", None),
        ("MTIz..y", None),
        ("MTIz.x.y z", None),
        ("Bot MTIz.x.y", None),
        ("YWJj.x.y", None),
        ("M.x.y", None),
        ("", None),
    ],
)
def test_a_token_has_a_form(token: str, bot: str | None, path: Path) -> None:
    assert bot_id_in_token(token) == bot
    found = examine_offline(settings_of(path, token))
    assert (found.status == 0) == (bot is not None)
    assert (f"Token: looks right, for bot {bot}" in told(found)) == (bot is not None)
    assert not token or token not in told(found), "nobody reads it over a shoulder"


def test_quick_leaves_the_long_checks_out(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM journal")
    mark_file(path).unlink()
    found = examine_offline(settings_of(path), quick=True)
    assert found.status == 0
    assert "read the whole database (leave out --quick)" in found.lines()[-1]


def test_an_older_schema_is_a_note(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {LATEST_SCHEMA - 1}")
    found = examine_offline(settings_of(path))
    assert found.status == 0
    assert "when the bot starts" in told(found)


def test_tables_in_another_form(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 7")
    found = examine_offline(settings_of(path))
    assert found.status == 1
    assert "comes from another release" in told(found)


def test_a_file_that_cannot_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda name, mode: False)
    assert "can't write to" in told(examine_offline(settings_of(path)))

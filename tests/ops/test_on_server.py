"""What the operator's commands say of a database that is a server, no file."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from bot.__main__ import main, start_problem
from bot.settings import Settings
from bot.storage.engines import DriverMissing, open_engine
from bot.storage.location import ServerAddress
from bot.storage.share import OtherProcessCount
from bot.storage.store import SqlStore
from tests.loopback.launch import TOKEN
from tests.storage.postgres_server import schema_for, shared_server

ADDRESS = "postgresql://bot:hush@db.example/dice"


@pytest.fixture(autouse=True)
def on_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The settings name a server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STORYGUIDE_DATABASE", ADDRESS)
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)


def test_the_address_is_read_and_not_shown() -> None:
    settings = Settings(_env_file=None)  # pyright: ignore[reportCallIssue]
    assert settings.storyguide_database == ServerAddress(ADDRESS)
    assert "hush" not in repr(settings)


@pytest.mark.parametrize("command", [["backup", "x.db"], ["restore", "x.db"], ["stats"]])
def test_commands_for_files_name_the_servers_own_tools(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 1
    said = capsys.readouterr().err
    assert "PostgreSQL on db.example, database dice" in said
    assert "pg_basebackup" in said
    assert "hush" not in said


def test_the_doctor_tells_whether_the_server_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("bot.storage.server_database.PATIENCE", 0)
    monkeypatch.setenv("STORYGUIDE_DATABASE", "postgresql://bot:hush@%2Fnowhere/dice")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "database dice can't be read (unreachable)" in said
    assert "hush" not in said
    server, schema = shared_server(), schema_for(tmp_path)
    server.create_schema(schema)
    monkeypatch.setenv("STORYGUIDE_DATABASE", server.address(schema).dsn)
    assert main(["doctor"]) == 0
    assert "empty yet" in capsys.readouterr().out
    asyncio.run(_created())
    assert main(["doctor"]) == 0
    assert "database postgres, 0 tables" in capsys.readouterr().out
    server.drop_schema(schema)


async def _created() -> None:
    """Create the database that the settings name."""
    store = await SqlStore.open(Settings(_env_file=None).storyguide_database)  # pyright: ignore[reportCallIssue]
    await store.close()


def test_backups_of_a_server_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STORYGUIDE_BACKUPS", "copies")
    assert main([]) == 2
    assert "Unset it" in capsys.readouterr().err


@pytest.mark.parametrize("database", ["storyguide.db", None])
def test_a_file_has_one_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], database: str | None
) -> None:
    if database is None:
        monkeypatch.delenv("STORYGUIDE_DATABASE")
    else:
        monkeypatch.setenv("STORYGUIDE_DATABASE", database)
    monkeypatch.setenv("STORYGUIDE_PROCESSES", "2")
    assert main([]) == 2
    said = capsys.readouterr().err
    assert said.startswith("STORYGUIDE_PROCESSES is 2: ")
    assert "Set it to 1" in said
    assert not Path("storyguide.db").exists()


def test_there_is_at_least_one_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STORYGUIDE_PROCESSES", "0")
    assert main([]) == 2
    said = capsys.readouterr().err
    assert said.startswith("STORYGUIDE_PROCESSES: ")
    assert "greater than or equal to 1" in said


def test_another_number_of_processes_is_told_with_both() -> None:
    told = start_problem(OtherProcessCount(3, 2), ServerAddress(ADDRESS))
    assert told is not None
    assert "STORYGUIDE_PROCESSES is 3" in told
    assert "Set it to 2" in told


async def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "bot.storage.server_database", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DriverMissing):
        await open_engine(ADDRESS)

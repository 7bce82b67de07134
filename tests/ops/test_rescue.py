"""A database whose files go away while it is open: noticed, told, and rescued from the open
connection.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from bot import database_rescue
from bot.__main__ import main
from bot.clock import system_clock
from bot.database_rescue import DatabaseRescue
from bot.ops import rescue
from bot.ops.backup import restore_database
from bot.ops.doctor import examine_offline
from bot.ops.rescue import rescued_copies
from bot.settings import Settings
from bot.storage import database as storage
from bot.storage.errors import StorageUnavailable
from bot.storage.file_watch import Loss
from bot.storage.instance_lock import hold_instance_lock
from bot.storage.store import SqlStore
from tests.loopback.launch import TOKEN
from tests.loopback.process import ROOT
from tests.storage.stores import file_of, new_entry, new_table


def settings_of(path: Path, backups: Path | None = None) -> Settings:
    return Settings(
        _env_file=None,  # pyright: ignore[reportCallIssue]
        discord_token=TOKEN,
        storyguide_database=path,
        storyguide_backups=backups,
    )


async def until(condition: Callable[[], object]) -> None:
    for _ in range(12_000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("not within 120 s")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "storyguide.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqlStore]:
    """A store with one table of three entries."""
    store = await SqlStore.open(path)
    await store.create_table(new_table(), new_entry("open"))
    for number in range(1, 3):
        await store.append(1, number, new_entry(f"e{number}"))
    yield store
    await store.close()


def entries(path: Path) -> list[str]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return [
            text for (text,) in connection.execute("SELECT request_id FROM journal ORDER BY id")
        ]


def doctor(path: Path) -> str:
    return "\n".join(examine_offline(settings_of(path), quick=True).lines())


def program(path: Path, *words: str) -> str:
    """Run an operator's command in a process of its own: what it says."""
    env = os.environ | {"STORYGUIDE_DATABASE": str(path), "DISCORD_TOKEN": TOKEN}
    command = [sys.executable, "-m", "bot", *words]
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


# --- what is a loss, and what is none -------------------------------------------------------------


def move(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def link_elsewhere(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    shutil.copy(path.with_name("elsewhere"), path.with_name("other"))
    path.symlink_to(path.with_name("other"))


def replace(path: Path) -> None:
    path.with_name("new").touch()
    path.with_name("new").rename(path)


def lose(suffix: str) -> Callable[[Path], None]:
    return lambda path: path.with_name(path.name + suffix).unlink()


LOSSES: dict[str, tuple[Callable[[Path], None], Loss]] = {
    "moved": (move, "moved"),
    "linked": (link_elsewhere, "replaced"),
    "replaced": (replace, "replaced"),
    "deleted": (lose(""), "deleted"),
    "wal": (lose("-wal"), "log-gone"),
    "shm": (lose("-shm"), "log-gone"),
}


@pytest.mark.parametrize("name", LOSSES)
async def test_nothing_is_saved_after_a_loss(name: str, path: Path, store: SqlStore) -> None:
    damage, loss = LOSSES[name]
    told: list[Loss] = []
    file_of(store).watch(told.append, idle=True)
    damage(path)
    there = sorted(path.parent.iterdir())
    for work in (store.append(1, 3, new_entry("late")), store.set_note("a", "b"), store.purge()):
        with pytest.raises(StorageUnavailable) as caught:
            await work
        assert (caught.value.reason, file_of(store).loss) == ("lost", loss)
    await asyncio.sleep(0)
    assert told == [loss]
    assert sorted(path.parent.iterdir()) == there, "nothing is made anew"


async def test_a_loss_is_noticed_while_nobody_plays(
    path: Path, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "WATCH_INTERVAL", 0.05)
    told: list[Loss] = []
    file_of(store).watch(told.append, idle=True)
    await asyncio.sleep(0.2)
    assert told == []
    move(path)
    await until(lambda: told == ["moved"])


async def test_a_rest_makes_no_file(
    path: Path, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "REST_DELAY", 0.05)
    await store.append(1, 3, new_entry("last"))
    move(path)
    await until(lambda: file_of(store).loss == "moved" and file_of(store).is_resting)
    assert not path.exists()


async def test_what_is_no_loss(path: Path, store: SqlStore, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with hold_instance_lock(path) as lock:
        rescuing = DatabaseRescue(file_of(store), system_clock, None, lock)
        assert "complete copy" in program(path, "backup", str(copy))
        assert "Sound" in program(path, "drill", str(copy))
        assert "is in use" in program(path, "restore", str(copy))
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        path.chmod(0o640)
        path.with_name("second name").hardlink_to(path)
        with path.open("r+b") as file:
            file.write(path.read_bytes())  # a copy over the same file
        assert "PROBLEM" not in program(path, "doctor")
        assert await store.append(1, 3, new_entry("after"))
        assert file_of(store).loss is None
        await rescuing.close()


async def test_a_folder_that_cannot_be_looked_at_is_no_loss(
    path: Path, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", refuse)
        assert await store.append(1, 3, new_entry("after"))
    assert file_of(store).loss is None


# --- the rescue -----------------------------------------------------------------------------------


def running(store: SqlStore, backups: Path | None = None) -> DatabaseRescue:
    rescuing = DatabaseRescue(file_of(store), system_clock, backups, None)
    file_of(store).watch(rescuing.begin, idle=False)
    return rescuing


async def test_no_room_is_said_and_tried_again(
    path: Path,
    store: SqlStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(database_rescue, "RESCUE_RETRY_DELAY", 0.05)
    copied, full = rescue.copy_open_database, True

    def copy(connection: sqlite3.Connection, target: Path) -> None:
        copied(connection, target)
        if full:
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(rescue, "copy_open_database", copy)
    rescuing = running(store)
    path.unlink()
    with pytest.raises(StorageUnavailable):
        await store.append(1, 3, new_entry("late"))

    def failures() -> list[logging.LogRecord]:
        return [record for record in caplog.records if record.message == "rescue.failed"]

    await until(lambda: len(failures()) > 2)
    assert {record.levelno for record in failures()} == {logging.ERROR}
    assert "full" in str(failures()[0].__dict__["reason"])
    assert not list(path.parent.glob("*rescued*")), "nothing is left of what failed"
    full = False
    await until(lambda: "rescue.proved" in caplog.messages)
    (copy_there,) = rescued_copies(path)
    assert entries(copy_there) == ["open", "e1", "e2"]
    await rescuing.close()


async def test_without_its_folder_it_goes_where_that_is_now_or_to_the_backups(
    tmp_path: Path,
) -> None:
    for name, gone in (("renamed", False), ("deleted", True)):
        folder, backups = tmp_path / name, tmp_path / f"{name}-backups"
        folder.mkdir()
        backups.mkdir()
        path = folder / "storyguide.db"
        store = await SqlStore.open(path)
        await store.create_table(new_table(), new_entry("open"))
        rescuing = running(store, backups)
        if gone:
            shutil.rmtree(folder)
        else:
            folder.rename(tmp_path / "other")
        with pytest.raises(StorageUnavailable):
            await store.append(1, 1, new_entry("late"))
        await until(lambda: rescuing.copy is not None)  # noqa: B023 - waited for at once
        assert rescuing.copy is not None
        assert rescuing.copy.parent == (backups if gone else tmp_path / "other")
        assert entries(rescuing.copy) == ["open"]
        assert not folder.exists()
        await rescuing.close()
        await store.close()


async def test_who_is_told_to_end_rescues_first(path: Path, store: SqlStore) -> None:
    rescuing = running(store)
    path.unlink()
    with pytest.raises(StorageUnavailable):
        await store.append(1, 3, new_entry("late"))
    await rescuing.close()
    (copy,) = rescued_copies(path)
    assert entries(copy) == ["open", "e1", "e2"]


# --- what whoever runs the bot is told ------------------------------------------------------------


async def test_the_doctor_sees_it_before_the_bot_does(path: Path, store: SqlStore) -> None:
    with hold_instance_lock(path) as lock:
        rescuing = DatabaseRescue(file_of(store), system_clock, None, lock)
        move(path)
        said = program(path, "doctor")
        assert f"{path} was moved away while the bot was running" in said
        assert "Leave it running" in said
        assert "No database" in program(path, "backup", str(path.with_name("copy.db")))
        path.touch()
        assert "was replaced by another file" in program(path, "doctor")
        said = program(path, "backup", str(path.with_name("copy.db")))
        assert "No copy made" in said and "was replaced by another file" in said
        await rescuing.close()
    path.unlink()


async def test_the_bot_does_not_begin_anew_beside_what_is_left(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STORYGUIDE_DATABASE", str(path))
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    monkeypatch.setattr("bot.__main__.set_up_logging", lambda level: None)
    log = path.with_name("storyguide.db-wal")
    log.write_bytes(b"what was saved last")
    assert main([]) == 2
    assert f"{path} is missing, but its log {log} is there" in capsys.readouterr().err
    assert f"{path} is missing, but its log" in doctor(path)
    log.unlink()
    copy = path.with_name("storyguide.db-rescued-20260101T000000Z")
    copy.touch()
    assert main([]) == 2
    assert f"python -m bot restore {copy}" in capsys.readouterr().err
    assert not path.exists()


async def test_a_rescued_copy_that_is_no_longer_needed_is_a_note(
    path: Path, store: SqlStore
) -> None:
    rescuing = running(store)
    path.unlink()
    with pytest.raises(StorageUnavailable):
        await store.append(1, 3, new_entry("late"))
    await rescuing.close()
    (copy,) = rescued_copies(path)
    assert f"{path} is missing, and {copy} holds what it had" in doctor(path)
    restore_database(path, copy)
    assert entries(path) == ["open", "e1", "e2"]
    said = doctor(path)
    assert "PROBLEM" not in said
    assert f"Note: {copy}" in said and "was deleted while the bot was running" in said
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM journal WHERE id = 3")
    assert f"It holds 1 journal entry that {path} lacks. Stop the bot." in doctor(path)

"""Litestream itself beside the bot, as docs/keeping.md has it: what it restores, and that neither
hinders the other.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.ops.backup import restore_database
from bot.ops.database_files import OperationRefused
from bot.ops.doctor import examine_offline
from bot.ops.restore_drill import run_restore_drill
from bot.settings import Settings
from bot.storage.database import REST_DELAY
from bot.storage.high_water_mark import marked_entry
from bot.storage.store import SqlStore
from tests.attack.siege import Siege, open_siege
from tests.loopback.interactions import Interaction
from tests.loopback.launch import TOKEN
from tests.loopback.process import ROOT

#: How long it may take until what was committed has been sent, in seconds: as often as it looks,
#: and to spare.
SENT = 120.0
#: How long after Litestream's checkpoint-interval the log is in the file, in seconds.
MOVED = 160.0


@dataclass
class Beside:
    """Litestream for one database, with a folder as its replica; ended with SIGKILL."""

    folder: Path
    database: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.folder / "litestream.log"

    def _command(self, *words: str) -> list[str]:
        program = shutil.which("litestream", path=str(Path(sys.executable).parent)) or shutil.which(
            "litestream"
        )
        assert program, (
            "no Litestream: `make test` installs it on Linux (x86-64, ARM64); elsewhere "
            "have it on the PATH"
        )
        told = (
            (ROOT / "docs" / "keeping.md")
            .read_text(encoding="utf-8")
            .partition("```yaml")[2]
            .partition("```")[0]
        )
        for there, here in (
            ("/data/storyguide.db", str(self.database)),
            ("url: s3://my-bucket/storyguide", f"path: {self.folder / 'replica'}"),
        ):
            assert told.count(there) == 1
            told = told.replace(there, here)
        config = self.folder / "litestream.yml"
        config.write_text(told + "logging:\n  level: debug\n", encoding="utf-8")
        return [program, words[0], "-config", str(config), *words[1:]]

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self._command("replicate"), stdout=log, stderr=log)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def said(self, text: str) -> int:
        """How often its log has this text."""
        return self.log.read_text().count(text)

    def restored(self, name: str) -> Path:
        """What it restores."""
        copy = self.folder / name
        copy.unlink(missing_ok=True)
        subprocess.run(
            self._command("restore", "-o", str(copy), str(self.database)),
            check=True,
            capture_output=True,
        )
        return copy


@contextlib.contextmanager
def litestream(folder: Path, database: Path) -> Iterator[Beside]:
    """Litestream, already running; killed in the end."""
    beside = Beside(folder, database)
    beside.start()
    try:
        yield beside
    finally:
        beside.kill()


def journal(path: Path) -> list[tuple[int, str, str]]:
    """Every entry: its number, its request, what came of it."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute(
            "SELECT id, request_id, events FROM journal ORDER BY id"
        ).fetchall()


async def restored_copy(beside: Beside) -> Path:
    """A restored copy with everything that the database holds, once it has been sent."""
    for _ in range(int(SENT)):
        await asyncio.sleep(1)
        copy = beside.restored("copy.db")
        if journal(copy) == journal(beside.database):
            return copy
    raise AssertionError("not all of it was sent")


async def rolls(siege: Siege, count: int) -> list[Interaction]:
    """So many rolls, two at a time, all answered."""
    made: list[Interaction] = []
    for number in range(0, count, 2):
        pair = [
            siege.send(siege.players[each % 4], "roll", {"dice": "1d20"})
            for each in (number, number + 1)
        ]
        made += [await each.answered(120) for each in pair]
    return made


async def apart(copy: Path) -> list[str]:
    """The drill, which has a loop of its own."""
    return await asyncio.get_running_loop().run_in_executor(None, run_restore_drill, copy)


async def test_what_was_acknowledged_and_sent_is_restored_after_a_kill(tmp_path: Path) -> None:
    with litestream(tmp_path, tmp_path / "siege.db") as beside:
        async with open_siege(tmp_path, ends=True) as siege:
            made = await rolls(siege, 20)
            last = siege.send(siege.players[0], "roll", {"dice": "1d20"})
            await asyncio.sleep(0.01)
            await siege.bot.kill()
        copy = await restored_copy(beside)
        made += [last] if last.response is not None else []
        requests = {request.partition(".")[0] for _, request, _ in journal(copy)}
        assert {str(each.id) for each in made} <= requests
        said = await apart(copy)
        assert (
            said[0] == f"Sound: {copy} can be restored."
            and said[2] == "Replayed as stored: 1 tables."
        )
        # It copies damaged pages as well, and the drill says so.
        whole = copy.read_bytes()
        for damaged in (whole[:8192] + bytes(4096) + whole[12288:], whole[:-4096], whole[:-100]):
            copy.write_bytes(damaged)
            with pytest.raises(OperationRefused):
                await apart(copy)
        copy.write_bytes(whole)
        # Restored where Litestream still runs, it would not know what happened to it.
        with pytest.raises(OperationRefused, match="Stop the bot and Litestream"):
            restore_database(beside.database, copy)
        beside.kill()
        assert "restored from" in restore_database(beside.database, copy)
        beside.start()
        store = await SqlStore.open(beside.database)
        await store.set_note("since", "the restore")
        await store.close()
        for _ in range(int(SENT)):
            await asyncio.sleep(1)
            with closing(sqlite3.connect(beside.restored("after.db"))) as connection:
                if connection.execute("SELECT value FROM note WHERE key = 'since'").fetchone():
                    break
        else:
            raise AssertionError("Litestream doesn't go on after a restore")
        assert journal(tmp_path / "after.db") == journal(copy)


async def test_litestream_dies_with_the_bot_and_a_second_is_lost_at_most(tmp_path: Path) -> None:
    with litestream(tmp_path, tmp_path / "siege.db") as beside:
        async with open_siege(tmp_path, ends=True) as siege:
            await rolls(siege, 10)
            synced = journal(await restored_copy(beside))
            await rolls(siege, 10)
            beside.kill()
            await siege.bot.kill()
        copy, there = beside.restored("copy.db"), journal(beside.database)
        found = journal(copy)
        assert len(found) >= len(synced) and found == there[: len(found)]
        assert (await apart(copy))[0].startswith("Sound")


async def test_bot_and_litestream_take_turns_with_the_log(tmp_path: Path) -> None:
    database = tmp_path / "siege.db"
    settings = Settings(_env_file=None, discord_token=TOKEN, storyguide_database=database)  # pyright: ignore[reportCallIssue]
    with litestream(tmp_path, database) as beside:
        async with open_siege(tmp_path) as siege:
            await rolls(siege, 10)
            # Litestream reads in the log, so that it moves it, and soon; the bot waits for nobody.
            await until(lambda: marked_entry(database) == len(journal(database)), REST_DELAY * 4)
            await until(lambda: alone(database, tmp_path) == len(journal(database)), MOVED)
            asked = await siege.send(siege.players[-1], "privacy delete").answered(120)
            assert asked.response is not None
            await siege.standin.emit_component(
                asked.response, siege.players[-1], "sg:forget:yes"
            ).answered(120)
            await rolls(siege, 4)
            copy = await restored_copy(beside)
            assert examine_offline(settings).problems == []
            assert beside.said("snap=true") == 1, "it needed no new snapshot"
            # Without it the bot moves the log, and begins it anew: that is noticed.
            beside.kill()
            await rolls(siege, 4)
            await until(lambda: alone(database, tmp_path) == len(journal(database)), REST_DELAY * 4)
            await rolls(siege, 4)
            beside.start()
            copy = await restored_copy(beside)
            assert beside.said("snap=true") == 2, "a new snapshot"
            assert (await apart(copy))[0].startswith("Sound")
        assert examine_offline(settings).problems == []
        copy = await restored_copy(beside)
    assert not beside.said("level=ERROR") and not beside.said("level=WARN"), beside.log.read_text()[
        -3000:
    ]


def alone(database: Path, folder: Path) -> int:
    """How many entries are in the file itself, without its log."""
    copy = folder / "alone.db"
    shutil.copyfile(database, copy)
    try:
        return len(journal(copy))
    except sqlite3.DatabaseError:
        return 0  # copied while pages were being moved


async def until(true: Callable[[], bool], within: float) -> None:
    for _ in range(int(within * 2)):
        if true():
            return
        await asyncio.sleep(0.5)
    raise TimeoutError

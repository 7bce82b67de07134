"""Every command of the README and of the operators' docs is run: the shell's by the shell, with
stand-ins for the programs that no test has; the bot's by the bot.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from bot.__main__ import main
from bot.storage.location import ServerAddress, Where
from bot.storage.store import SqlStore
from tests.gates.test_dockerfile import steps
from tests.gates.test_repository import README_FENCE, make_targets
from tests.storage.postgres_server import schema_for, shared_server
from tests.storage.stores import new_entry, new_table

ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENTS: Final = (
    "README.md",
    "docs/discord.md",
    "docs/keeping.md",
    "docs/data.md",
    "docs/servers.md",
)
#: Programs that are recorded instead of run.
STAND_INS: Final = (
    "docker",
    "make",
    "litestream",
    "python",
    ".venv/bin/python",
    "sudo",
    "psql",
    "pg_basebackup",
)
#: The name of the bot's container and image in the docs.
NAME: Final = "storyguide"


def shell_blocks(name: str) -> list[str]:
    return README_FENCE.findall((ROOT / name).read_text("utf-8"))


def run_block(block: str, folder: Path) -> list[list[str]]:
    """Run a block in a folder and return the calls of the stand-ins; every line must succeed."""
    calls = folder / "calls"
    for program in STAND_INS:
        path = folder / program if "/" in program else folder / "programs" / program
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "{program}" "$@" >> "{calls}"\necho >> "{calls}"\n'
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    shutil.copy(ROOT / ".env.example", folder)
    env = {**os.environ, "PATH": f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["bash", "-eu", "-c", block], cwd=folder, env=env, check=True, timeout=60)
    told = calls.read_text("utf-8") if calls.exists() else ""
    return [call.splitlines() for call in told.split("\n\n") if call.strip()]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerAddress]:
    """A small database on a PostgreSQL server."""
    server, schema = shared_server(), schema_for(tmp_path)
    server.create_schema(schema)
    address = server.address(schema)
    asyncio.run(_make_database(address))
    yield address
    server.drop_schema(schema)


@pytest.fixture
def documented_calls(tmp_path: Path) -> list[list[str]]:
    """Every call in the blocks of the documents."""
    found: list[list[str]] = []
    for name in DOCUMENTS:
        for number, block in enumerate(shell_blocks(name)):
            folder = tmp_path / f"{Path(name).stem}{number}"
            folder.mkdir()
            found += run_block(block, folder)
            if "cp .env.example .env" in block:
                assert (folder / ".env").read_bytes() == (ROOT / ".env.example").read_bytes()
    return found


def bot_arguments(call: list[str]) -> list[str] | None:
    """What a call gives the bot, directly or in its container; None if it runs no bot."""
    if call[0].endswith("python") and call[1:3] == ["-m", "bot"]:
        return call[3:]
    if call[:2] == ["docker", "exec"]:
        assert call[2:6] == [NAME, "python", "-m", "bot"], call
        return call[6:]
    if call[:2] == ["docker", "compose"] and "exec" in call:
        return call[call.index("bot", call.index("python")) + 1 :]
    if call[:2] == ["docker", "run"] and call[-1] != NAME:
        return call[call.index(NAME) + 1 :]
    return None


async def _make_database(where: Where) -> None:
    store = await SqlStore.open(where)
    await store.create_table(new_table(), new_entry("open"))
    await store.close()


def inline_commands() -> Iterator[list[str]]:
    """The bot's commands in running text and in tables."""
    for name in DOCUMENTS:
        text = (ROOT / name).read_text("utf-8")
        for found in re.findall(r"`python -m bot ([^`]+)`", text):
            yield shlex.split(found)


# --- what is called -------------------------------------------------------------------------------


def test_every_block_runs_in_a_shell(documented_calls: list[list[str]]) -> None:
    programs = {call[0] for call in documented_calls}
    assert {"docker", "make", "litestream", ".venv/bin/python"} <= programs
    for call in documented_calls:
        if call[0] == "make":
            targets = [word for word in call[1:] if "=" not in word]
            assert targets and {*targets} <= make_targets(ROOT), call


def test_the_container_is_the_one_that_the_docs_talk_about(
    documented_calls: list[list[str]],
) -> None:
    (volume,) = [
        step.rest
        for step in steps((ROOT / "Dockerfile").read_text("utf-8"))
        if step.word == "VOLUME"
    ]
    folder = volume.strip('[]"')
    calls = [call[1:] for call in documented_calls if call[0] == "docker" and call[1] != "compose"]
    assert {call[0] for call in calls} == {
        "build",
        "cp",
        "exec",
        "logs",
        "rm",
        "run",
        "start",
        "stop",
    }
    for call in calls:
        if call[0] == "build":
            assert call == ["build", "--tag", NAME, "."]
        elif call[0] == "run":
            assert f"--volume {NAME}:{folder} " in f"{shlex.join(call)} "
            if "--detach" in call:
                assert call[call.index("--restart") + 1] == "unless-stopped"
                assert call[call.index("--name") + 1] == NAME == call[-1]
                assert call[call.index("--env-file") + 1] == ".env"
                path = call[call.index("--env") + 1].partition("=")[2]
                assert Path(path).parent == Path(folder)
            else:
                assert "--rm" in call
        else:
            assert any(word.partition(":")[0] == NAME for word in call), call


def test_the_bot_carries_out_each_of_its_commands(
    documented_calls: list[list[str]],
    server: ServerAddress,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On a small database, with the files that the docs name; nothing asks Discord without a
    token.
    """
    data = tmp_path / "data"
    data.mkdir()
    database = data / "storyguide.db"
    asyncio.run(_make_database(database))
    copy = data / "copy.db"
    monkeypatch.setenv("STORYGUIDE_DATABASE", str(database))
    monkeypatch.setenv("DISCORD_TOKEN", "")
    monkeypatch.chdir(tmp_path)
    assert main(["backup", str(copy)]) == 0
    commands = [*inline_commands()]
    commands += [told for call in documented_calls if (told := bot_arguments(call)) is not None]
    seen: set[str] = set()
    old = data / "old.db"
    for number, command in enumerate(commands):
        verb, *others = command
        seen.add(verb)
        options = [word for word in others if word.startswith("-") or word.isdigit()]
        named = [word for word in others if word not in options]
        folder = tmp_path / f"copies{number}"
        folder.mkdir()
        places = {"backup": folder if "--keep" in options else folder / "copy.db"}
        files = [str(places.get(verb, copy)) for _ in named]
        if verb == "move":
            old = folder / "old.db" if "--undo" not in options else old
            if "--undo" not in options:
                asyncio.run(_make_database(old))
            files = [str(old), str(folder / "new.db")][: len(named)]
        monkeypatch.setenv(
            "STORYGUIDE_DATABASE", server.dsn if verb == "restored" else str(database)
        )
        status = main([verb, *options, *files])
        allowed = {0, 1} if verb == "doctor" else {0}
        assert status in allowed, (command, capsys.readouterr())
    assert seen == {"doctor", "backup", "restore", "drill", "stats", "move", "restored"}

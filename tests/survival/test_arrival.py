"""What keeps the bot from Discord is said in one line, with what to do, and the process ends;
nothing hangs.
"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.loopback.bot_main import ANSWER, NOWHERE
from tests.loopback.launch import TOKEN
from tests.loopback.nursery import Nursery
from tests.loopback.process import BotProcess, launch
from tests.loopback.server import StandIn

pytestmark = pytest.mark.slow
#: How long a process may take altogether, in seconds.
PATIENCE = 90.0


async def run_program(
    folder: Path, port: int, *words: str, token: str = TOKEN, **env: str
) -> tuple[int, list[str]]:
    """Run the program to its end: the exit status, and everything it wrote."""
    settings = {
        "DISCORD_TOKEN": token,
        "STORYGUIDE_DATABASE": str(folder / "some.db"),
        "DEV_GUILD": "",
    }
    usual = {"LOG_LEVEL": "INFO", ANSWER: "3"}
    log = folder / "run.log"
    log.unlink(missing_ok=True)
    async with Nursery() as nursery:
        bot = await nursery.fork(port, settings | usual | env, log, words=words)
        status = await bot.ended(PATIENCE)
        lines = bot.output().splitlines()
    assert "Traceback" not in "\n".join(lines)
    assert token == TOKEN or token not in "\n".join(lines)
    return status, lines


def closed_port() -> int:
    """A port on this machine where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


async def test_without_dns(tmp_path: Path) -> None:
    status, (line,) = await run_program(tmp_path, 1, **{NOWHERE: "1"})
    assert status == 2
    assert line.startswith(
        "Can't reach Discord: its address was not found. Check this machine's internet connection"
    )


async def test_nobody_listens(tmp_path: Path) -> None:
    status, (line,) = await run_program(tmp_path, closed_port())
    assert status == 2
    assert line.startswith("Can't reach Discord: the connection was refused. Check")


async def test_no_answer(tmp_path: Path) -> None:
    async with StandIn() as standin:
        standin.slow("GET", "/users/@me", 60)
        status, (line,) = await run_program(tmp_path, standin.port, **{ANSWER: "1"})
    assert status == 2
    assert line.startswith("Can't reach Discord: no answer in time. Check")


async def test_the_gateway_says_nothing(tmp_path: Path) -> None:
    async with StandIn() as standin:
        standin.gateway.silent = True
        status, lines = await run_program(tmp_path, standin.port, **{ANSWER: "1"})
    assert status == 2
    assert lines[-1].startswith("Can't reach Discord: no answer in time. Check")


async def test_a_connection_that_breaks_off(tmp_path: Path) -> None:
    async with StandIn() as standin:
        standin.fail("GET", "/users/@me", drop_connection=True, times=None)
        status, (line,) = await run_program(tmp_path, standin.port)
    assert status == 2
    assert line.startswith("Can't reach Discord: the connection dropped. Check")


async def test_a_server_that_fails(tmp_path: Path) -> None:
    async with StandIn() as standin:
        standin.fail("GET", "/users/@me", status=520, times=None)
        status, (line,) = await run_program(tmp_path, standin.port)
    assert status == 2
    assert (
        line
        == "Discord answered with error 520. Check discordstatus.com and start the bot again later."
    )


async def test_a_token_that_is_refused(tmp_path: Path) -> None:
    async with StandIn(token="other") as standin:
        status, (line,) = await run_program(tmp_path, standin.port)
    assert status == 2
    assert line.startswith("Discord refused the token. Copy it again from the developer portal")


@pytest.mark.parametrize(
    "token", ["not a token", "two.parts", "bm90IGEgbnVtYmVy.stand.in", "Bot MTIz.stand.in"]
)
async def test_a_malformed_token_goes_nowhere(token: str, tmp_path: Path) -> None:
    async with StandIn() as standin:
        status, (line,) = await run_program(tmp_path, standin.port, token=token)
        assert standin.requests() == []
    assert status == 2
    assert line.startswith("DISCORD_TOKEN isn't a bot token: a token has three parts")
    assert "Copy it again" in line


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (4004, "Discord refused the token."),
        (4013, "Discord refused the intents."),
        (4014, "Discord refused the intents."),
        (4011, "Discord closed the connection (code 4011)."),
    ],
)
async def test_the_gateway_refuses(code: int, told: str, tmp_path: Path) -> None:
    async with StandIn() as standin:
        standin.gateway.refuse = code
        status, lines = await run_program(tmp_path, standin.port)
    assert status == 2
    assert lines[-1].startswith(told)
    assert not [line for line in lines if "ERROR" in line]


async def test_commands_that_may_not_be_registered(tmp_path: Path) -> None:
    async with StandIn() as standin:
        standin.fail("PUT", "/applications/*/commands", status=403, code=50001, times=None)
        status, (line,) = await run_program(tmp_path, standin.port, DEV_GUILD="123456789012345678")
    assert status == 2
    assert line.startswith("Discord won't let the bot register its commands. Invite it again")
    assert "DEV_GUILD" in line


async def test_the_doctor_asks_discord(tmp_path: Path) -> None:
    async with StandIn() as standin:
        status, lines = await run_program(tmp_path, standin.port, "doctor", "--connect")
        assert status == 0, lines
        assert lines[-1] == "All is well here."
        assert any(line.startswith("Token: looks right, for bot ") for line in lines)
        assert any(
            line.startswith("Discord accepts the token: the bot is Storyguide") for line in lines
        )
        standin.rest.records.clear()
        assert (await run_program(tmp_path, standin.port, "doctor"))[0] == 0
        assert standin.requests() == []
        status, lines = await run_program(
            tmp_path, standin.port, "doctor", "--connect", token="two.parts"
        )
        assert (status, standin.requests()) == (1, [])
        assert any(line.startswith("PROBLEM: DISCORD_TOKEN isn't a bot token") for line in lines)
        standin.slow("GET", "/users/@me", 60)
        status, lines = await run_program(
            tmp_path, standin.port, "doctor", "--connect", **{ANSWER: "1"}
        )
        assert (status, lines[-1]) == (1, "Fix the problems above.")
        assert any(
            line.startswith("PROBLEM: Can't reach Discord: no answer in time.") for line in lines
        )
    status, lines = await run_program(tmp_path, closed_port(), "doctor", "--connect")
    assert status == 1
    assert any(
        line.startswith("PROBLEM: Can't reach Discord: the connection was refused.")
        for line in lines
    )
    async with StandIn(token="other") as standin:
        status, lines = await run_program(tmp_path, standin.port, "doctor", "--connect")
        assert len(standin.requests()) == 1
    assert status == 1
    assert any(
        line.startswith("PROBLEM: Discord refused the token. Copy it again") for line in lines
    )


async def test_a_second_bot_on_one_database_is_refused(tmp_path: Path) -> None:
    """It says nothing to anybody; what only reads is let, and after a kill -9 the next starts at
    once.
    """
    settings = {
        "DISCORD_TOKEN": TOKEN,
        "STORYGUIDE_DATABASE": str(tmp_path / "some.db"),
        "DEV_GUILD": "",
    }
    spec = launch("tests.loopback.bot_main:main", env=settings | {"LOG_LEVEL": "INFO"})
    async with StandIn() as standin:
        for end in ("kill", "stop", "stop"):
            async with BotProcess(spec, standin.port) as first:
                await first.during(standin.connected(within=PATIENCE), PATIENCE)
                standin.rest.records.clear()
                status, (line,) = await run_program(tmp_path, standin.port)
                assert status == 2
                assert line.startswith(
                    f"Another Storyguide runs on {tmp_path / 'some.db'} (process {first.pid} on "
                )
                assert line.endswith("Stop it first, or point STORYGUIDE_DATABASE elsewhere.")
                assert standin.requests() == []
                assert (await run_program(tmp_path, standin.port, "doctor", "--quick"))[0] == 0
                await getattr(first, end)()
                await standin.gateway.changes.until(lambda: not standin.gateway.connected, PATIENCE)
    status, (line,) = await run_program(tmp_path, 1, STORYGUIDE_DATABASE="nowhere/some.db")
    assert (status, line) == (2, "Can't use the database (unknown). Nothing has changed.")

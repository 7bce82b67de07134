"""The process from outside: what it says without a token and with a bad setting, and what
it logs.
"""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.app import decode_gateway_text
from bot.logs import FACTS, LineFormatter, set_up_logging
from bot.settings import Settings


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No .env file and no settings from outside."""
    monkeypatch.chdir(tmp_path)
    for name in ("DISCORD_TOKEN", "STORYGUIDE_DATABASE", "DEV_GUILD", "LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def own_logging() -> object:
    """Logging as it was before, afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield None
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("storyguide").setLevel(logging.NOTSET)


def test_of_a_message_is_read_only_that_somebody_has_written_it() -> None:
    known = {"id": "1", "channel_id": "2", "author": {"id": "3"}}
    message = {**known, "content": 'the "plan"', "components": [{"type": 10}], "mentions": []}
    for kind, found in (("MESSAGE_CREATE", known), ("INTERACTION_CREATE", message)):
        told = {"t": kind, "s": 4, "op": 0, "d": message}
        for each in (told, {"op": 0, **told}):
            assert decode_gateway_text(json.dumps(each, separators=(",", ":"))) == {
                **told,
                "d": found,
            }


def test_without_a_token_one_line_says_where_to_get_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert len(lines) == 1
    assert "discord.com/developers" in lines[0] and "make play" in lines[0]


def test_what_is_no_token_is_told_before_anything_is_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "not-a-token")
    assert main([]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "DISCORD_TOKEN isn't a bot token: a token has three parts separated by dots, and "
        "yours has 1."
    )
    assert "not-a-token" not in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value"), [("DEV_GUILD", "here"), ("DEV_GUILD", "-3"), ("LOG_LEVEL", "LOUD")]
)
def test_a_bad_setting_is_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, value)
    assert main([]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{name}: ")
    assert ".env.example" in said


def test_settings_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DISCORD_TOKEN=abc\nSTORYGUIDE_DATABASE=there.db\nDEV_GUILD=\n")
    settings = Settings()
    assert settings.discord_token is not None and settings.discord_token.get_secret_value() == "abc"
    assert settings.storyguide_database == Path("there.db")
    assert settings.dev_guild is None
    assert "abc" not in repr(settings)


def test_a_log_line_holds_facts_and_nothing_else() -> None:
    stream = io.StringIO()
    set_up_logging("DEBUG", stream)
    log = logging.getLogger("storyguide.test")
    log.info(
        "table.committed",
        extra={"table": 3, "action": "Roll", "approach": "up the wall", "token": "s3cret"},
    )
    try:
        raise ValueError("difficulty 9137")
    except ValueError:
        log.exception("command.failed", extra={"command": "check"})
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("INFO table.committed table=3 action=Roll")
    assert "error=ValueError@test_main.py:" in lines[1] and "command=check" in lines[1]
    for secret in ("up the wall", "s3cret", "9137"):
        assert secret not in stream.getvalue()
    assert not {"token", "seed", "approach", "note", "difficulty", "user"} & set(FACTS)


def test_libraries_never_log_at_debug() -> None:
    set_up_logging("DEBUG", io.StringIO())
    assert logging.getLogger("aiosqlite").getEffectiveLevel() == logging.INFO
    assert logging.getLogger("discord.http").getEffectiveLevel() == logging.INFO
    assert logging.getLogger("storyguide.tables").getEffectiveLevel() == logging.DEBUG
    assert isinstance(logging.getLogger().handlers[0].formatter, LineFormatter)

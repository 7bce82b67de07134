"""The compose file for a PostgreSQL server and several processes, held against the bot's settings.

It is written in a part of YAML that `read_yaml` knows: blocks, quoted texts, numbers, and lists in
one line as JSON has them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from bot.settings import Settings
from bot.storage.location import ServerAddress
from tests.gates.test_dockerfile import one, steps

ROOT: Final = Path(__file__).resolve().parents[2]
COMPOSE: Final = ROOT / "docs/compose-server.yaml"
SECRET: Final = "${POSTGRES_PASSWORD:?Set POSTGRES_PASSWORD in .env}"
#: What the driver reads itself.
DRIVER_SETTINGS: Final = {"PGPASSWORD"}
_LINE: Final = re.compile(r"( *)(?:(- )|([A-Za-z_]+):(?: |$))(.*)")


def read_yaml(text: str) -> Any:
    """Return what a text holds. Raises ValueError for what it doesn't know."""
    lines = [
        line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    value, rest = _read_block(lines, 0)
    if rest:
        raise ValueError(f"not indented as a block: {rest[0]}")
    return value


def _read_block(lines: list[str], indent: int) -> tuple[Any, list[str]]:
    """Return the block at an indentation, and the lines after it."""
    items: list[Any] = []
    fields: dict[str, Any] = {}
    while lines:
        found = _LINE.fullmatch(lines[0])
        if found is None:
            raise ValueError(f"unknown: {lines[0]}")
        spaces, dash, key, value = found.groups()
        if len(spaces) < indent:
            break
        if len(spaces) > indent or (bool(dash) != bool(items) and (items or fields)):
            raise ValueError(f"out of line: {lines[0]}")
        lines = lines[1:]
        if dash:
            items.append(_scalar(value))
        elif key in fields:
            raise ValueError(f"twice: {key}")
        elif value:
            fields[key] = _scalar(value)
        else:
            fields[key], lines = _read_block(lines, indent + 2)
    return items or fields, lines


def _scalar(text: str) -> Any:
    """Return a value as JSON has it: in YAML a text without quotes may become something else."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not quoted: {text}") from error


@pytest.fixture
def services() -> dict[str, Any]:
    found = read_yaml(COMPOSE.read_text(encoding="utf-8"))
    assert found["volumes"] == {"database": {}}
    assert found["services"].keys() == {"database", "bot"}
    return found["services"]


def test_the_bots_settings_are_settings(
    services: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = services["bot"]["environment"]
    names = environment.keys() - DRIVER_SETTINGS
    assert {name.lower() for name in names} <= Settings.model_fields.keys()
    for name in names:
        monkeypatch.setenv(name, environment[name])
    settings = Settings(_env_file=None)  # pyright: ignore[reportCallIssue]
    address = settings.storyguide_database
    assert isinstance(address, ServerAddress)
    database = services["database"]["environment"]
    assert str(address) == f"PostgreSQL on database, database {database['POSTGRES_DB']}"
    assert address.dsn.startswith(f"postgresql://{database['POSTGRES_USER']}@database/")
    assert settings.storyguide_processes == services["bot"]["deploy"]["replicas"] - 1, "a spare"


def test_no_secret_stands_in_the_file(services: dict[str, Any]) -> None:
    assert services["bot"]["environment"]["PGPASSWORD"] == SECRET
    assert services["database"]["environment"]["POSTGRES_PASSWORD"] == SECRET
    assert services["bot"]["env_file"] == ".env"
    text = COMPOSE.read_text(encoding="utf-8")
    assert re.findall(r"\$\{.*?\}", text) == [SECRET, SECRET]
    assert "TOKEN:" not in text


def test_each_service_starts_again_and_ends_in_order(services: dict[str, Any]) -> None:
    for service in services.values():
        assert service["restart"] == "unless-stopped"
        assert int(service["stop_grace_period"].removesuffix("s")) >= 30
        assert service["healthcheck"]["test"][0] == "CMD"
    assert services["bot"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    image = one(steps((ROOT / "Dockerfile").read_text(encoding="utf-8")), "HEALTHCHECK").rest
    assert services["bot"]["healthcheck"]["test"][1:] == json.loads(image.partition("CMD ")[2])
    version = services["database"]["image"].removeprefix("postgres:")
    assert 14 <= int(version) <= 17, "later images keep their data in another folder"
    assert services["database"]["volumes"] == ["database:/var/lib/postgresql/data"]


def test_documented_calls_name_the_file_and_its_services(services: dict[str, Any]) -> None:
    text = (ROOT / "docs/servers.md").read_text(encoding="utf-8")
    calls = re.findall(r"^docker compose (.*)$", text, re.MULTILINE)
    assert len(calls) >= 3
    options = f"--project-directory . --file {COMPOSE.relative_to(ROOT)} "
    for call in calls:
        assert call.startswith(options)
        verb, *words = call.removeprefix(options).split()
        assert verb in {"up", "exec", "logs"}
        named = [word for word in words if not word.startswith("-")][:1]
        assert verb == "up" or {*named} <= services.keys()


@pytest.mark.parametrize(
    "text", ["a: plain", "a:\n   b: 1", "a: 1\na: 2", "a: 1\n- 2", "  a: 1", "a 1"]
)
def test_what_is_not_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_yaml(text)


def test_a_text_is_read() -> None:
    text = 'a:\n  # a comment\n  b: "x: y"\n  c:\n    - "p"\n    - 2\n\nd: ["q", 1]\ne: {}\n'
    assert read_yaml(text) == {"a": {"b": "x: y", "c": ["p", 2]}, "d": ["q", 1], "e": {}}

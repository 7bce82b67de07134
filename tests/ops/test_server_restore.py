"""Servers that were set back by tools of their own: told by the operator, and suspected."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.ops.server_restore import timeline_problem
from bot.services.after_restore import finish_restore
from bot.services.tables import Tables
from bot.storage.high_water_mark import RESTORED_KEY
from bot.storage.location import ServerAddress
from bot.storage.server_history import TIMELINE_KEY
from bot.storage.server_session import Session
from bot.storage.share import shard_key
from bot.storage.store import SqlStore
from tests.sample_table import GUILD, House, make_session
from tests.storage.postgres_server import schema_for, shared_server

PASSWORD = "hush"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerAddress]:
    """The server of the settings, with an empty schema."""
    schema = schema_for(tmp_path)
    shared_server().create_schema(schema)
    dsn = shared_server().address(schema).dsn.replace("storyguide@", f"storyguide:{PASSWORD}@")
    monkeypatch.setenv("STORYGUIDE_DATABASE", dsn)
    yield ServerAddress(dsn)
    shared_server().drop_schema(schema)


async def _set_note(where: ServerAddress, key: str, value: str) -> None:
    store = await SqlStore.open(where)
    await store.set_note(key, value)
    await store.close()


async def _note(where: ServerAddress, key: str) -> str | None:
    store = await SqlStore.open(where, reading=True)
    try:
        return await store.note(key)
    finally:
        await store.close()


async def _start(where: ServerAddress) -> None:
    store = await SqlStore.open(where, processes=1)
    await store.close()


async def test_the_next_start_begins_anew(
    server: ServerAddress, capsys: pytest.CaptureFixture[str]
) -> None:
    house = House(server)  # pyright: ignore[reportArgumentType]
    table_id = (await make_session(house)).table_id
    await house.close()

    async def seeds() -> set[bytes]:
        store = await SqlStore.open(server, reading=True)
        row = await store.load_table(table_id)
        await store.close()
        assert row is not None
        return {seed.seed for seed in row.seeds if seed.ended_seq is None}

    before = await seeds()
    assert await asyncio.to_thread(main, ["restored"]) == 0
    said = capsys.readouterr().out
    assert "every table gets new seeds" in said and PASSWORD not in said
    # Of several processes the first that starts does it for the tables of all.
    own = shard_key(GUILD) % 2
    held = await SqlStore.open(server, processes=2)
    other = held if held.share.number != own else await SqlStore.open(server, processes=2)
    assert not await other.table_places()
    assert await finish_restore(Tables(other), lambda: 2_000_000_000) == 1
    assert not before & await seeds()
    assert await other.note(RESTORED_KEY) is None
    assert await finish_restore(Tables(held), lambda: 2_000_000_000) == 1
    for store in {held, other}:
        await store.close()


def test_it_is_for_servers_that_no_bot_uses(
    server: ServerAddress, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["restored"]) == 1
    assert "isn't a Storyguide database" in capsys.readouterr().err

    async def running() -> int:
        store = await SqlStore.open(server, processes=1)
        try:
            return await asyncio.to_thread(main, ["restored"])
        finally:
            await store.close()

    assert asyncio.run(running()) == 1
    said = capsys.readouterr().err
    assert "is in use" in said and "Stop the bot first" in said and PASSWORD not in said
    assert asyncio.run(_note(server, RESTORED_KEY)) is None
    monkeypatch.setenv("STORYGUIDE_DATABASE", "some.db")
    assert main(["restored"]) == 1
    assert "python -m bot restore FILE" in capsys.readouterr().err
    monkeypatch.setenv("STORYGUIDE_DATABASE", f"postgresql://bot:{PASSWORD}@%2Fnowhere/dice")
    assert main(["restored"]) == 1
    said = capsys.readouterr().err
    assert "Nothing noted" in said and "can't be reached" in said and PASSWORD not in said


def findings(server: ServerAddress) -> tuple[str | None, str | None]:
    session = Session(server)
    session.open()
    try:
        return timeline_problem(session)
    finally:
        session.close()


@pytest.mark.parametrize(
    ("arguments", "restored"), [(["restored"], ""), (["restored", "--nothing-lost"], None)]
)
def test_a_changed_timeline_is_told_until_it_is_explained(
    server: ServerAddress, arguments: list[str], restored: str | None
) -> None:
    asyncio.run(_start(server))
    assert findings(server) == (None, None)
    asyncio.run(_set_note(server, TIMELINE_KEY, "7"))
    asyncio.run(_start(server))
    problem, hint = findings(server)
    assert problem is not None and "was 7 and is 1" in problem and hint is None
    assert main(arguments) == 0
    assert findings(server) == (None, None)
    assert asyncio.run(_note(server, RESTORED_KEY)) == restored


def test_a_timeline_that_cannot_be_seen_is_told(
    server: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_start(server))
    monkeypatch.setattr("bot.ops.server_restore.current_timeline", lambda connection: None)
    problem, hint = findings(server)
    assert problem is None and hint is not None and "pg_walfile_name" in hint

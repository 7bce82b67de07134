"""The whole bot before and after a move of its database, and on a server that was set back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from bot.__main__ import RESTART_STATUS
from bot.ops.move import move_database
from bot.storage.location import ServerAddress, Where
from bot.storage.schema import stored_tables
from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel, Message
from tests.storage.postgres_server import schema_for, shared_server
from tests.survival.edge_of_process import PATIENCE, Rim, has_button, open_rim
from tests.survival.test_kills import rolling

PASSWORD = "hush-hush"


@pytest.fixture
async def rim(tmp_path: Path) -> AsyncIterator[Rim]:
    async with open_rim(tmp_path) as rim:
        yield rim


@pytest.fixture
def server(tmp_path: Path) -> ServerAddress:
    """An empty schema on a server."""
    schema = schema_for(tmp_path)
    shared_server().create_schema(schema)
    dsn = shared_server().address(schema).dsn
    return ServerAddress(dsn.replace("storyguide@", f"storyguide:{PASSWORD}@"))


async def move(source: Where, target: Where) -> None:
    await asyncio.to_thread(move_database, source, target, print)


async def refused_start(rim: Rim) -> str:
    """Return what a bot says that doesn't start."""
    bot = await rim.start(ready=False)
    assert await bot.ended(PATIENCE) == 2
    assert PASSWORD not in rim.output()
    return rim.output()


def texts(sent: Interaction) -> str:
    return "\n".join(text for message in sent.messages for text in message.texts())


def said_with(rim: Rim, place: Channel, text: str) -> list[Message]:
    return [message for message in rim.said(place) if any(text in part for part in message.texts())]


@pytest.mark.slow
async def test_a_check_goes_on_after_each_move(
    rim: Rim, server: ServerAddress, tmp_path: Path
) -> None:
    await rim.start()
    place = await rim.table()
    roll = await rolling(rim, place)
    # Killed between the commit and the answer: the message is still to be sent.
    rim.order("storage.committed")
    rim.emit(rim.ben, place, "roll", dice="9d6")
    await rim.died()
    assert not rim.told()
    await move(rim.path, server)
    assert "was moved to PostgreSQL" in await refused_start(rim)

    rim.database = server.dsn
    await rim.start()
    await rim.wait(lambda: said_with(rim, place, "9d6"))
    await roll().answered(PATIENCE)
    await rim.wait(lambda: any(has_button(message, "Step in") for message in rim.said(place)))
    await rim.do(rim.ana, place, "roll", dice="8d6")
    assert len(said_with(rim, place, "9d6")) == 1
    await rim.quiet(0.2)
    assert PASSWORD not in rim.output()
    await rim.stop()

    back = tmp_path / "back.db"
    await move(server, back)
    assert f"was moved to {back}" in await refused_start(rim)
    rim.path, rim.database = back, None
    await rim.start()
    panel = await rim.click(rim.ana, rim.with_button(place, "Step in"), "Step in")
    assert panel.components
    sent = await rim.do(rim.ana, place, "roll", dice="7d6")
    assert "7d6" in texts(sent)
    await rim.settled()
    await rim.quiet(0.2)
    rim.check_said()
    await rim.check_files()
    await rim.stop()
    shared_server().drop_schema(schema_for(tmp_path))


def set_back(schema: str, *, saving: bool) -> None:
    """Save the schema's rows, or bring the saved ones back and end all sessions of bots."""
    names = [table.name for table in stored_tables()]
    with psycopg.connect(shared_server().address(schema).dsn) as connection:
        if saving:
            for name in names:
                connection.execute(f"CREATE TABLE saved_{name} AS SELECT * FROM {name}".encode())
            return
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name LIKE 'storyguide%'"
        )
        connection.execute(f"TRUNCATE {', '.join(names)}".encode())
        for name in names:
            connection.execute(f"INSERT INTO {name} SELECT * FROM saved_{name}".encode())


@pytest.mark.slow
async def test_a_bot_on_a_server_that_was_set_back_starts_again_and_begins_anew(
    rim: Rim, server: ServerAddress, tmp_path: Path
) -> None:
    schema = schema_for(tmp_path)
    rim.database = server.dsn
    bot = await rim.start()
    place = await rim.table(gm_room=False)
    await rim.do(rim.ana, place, "check", skill="Climbing", attribute="Fitness")
    await rim.wait(lambda: any(has_button(message, "Answer") for message in rim.said(place)))
    await rim.quiet(0.2)
    set_back(schema, saving=True)
    old = rim.with_button(place, "Answer")
    await rim.do(rim.ana, place, "roll", dice="9d6")
    await rim.quiet(0.2)
    set_back(schema, saving=False)
    rim.emit(rim.ben, place, "roll", dice="8d6")
    assert await bot.ended(PATIENCE) == RESTART_STATUS
    assert "lost entries that were saved" in rim.output()
    assert PASSWORD not in rim.output()

    await rim.start()
    assert "anew.begun" in rim.output()
    sent = await rim.press(rim.gina, old, "Answer").answered(PATIENCE)
    assert "backup" in texts(sent)
    sent = await rim.do(rim.ana, place, "roll", dice="7d6")
    assert "7d6" in texts(sent)
    await rim.stop()
    shared_server().drop_schema(schema)

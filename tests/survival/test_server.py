"""The whole bot on a PostgreSQL server that is down, loses answers, or goes away."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.store import SqlStore
from tests.loopback.interactions import Interaction
from tests.storage.postgres_server import schema_for, shared_server
from tests.storage.server_proxy import Proxy
from tests.survival.edge_of_process import Rim, open_rim

#: In the address; it must stand in no log.
PASSWORD = "hush-hush"
#: Seconds in which the bot gives a server up, and some.
GIVING_UP = 30


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    """A proxy before the server."""
    with tempfile.TemporaryDirectory(prefix="sg-proxy-") as folder:
        proxy = Proxy(shared_server().socket, Path(folder))
        await proxy.start()
        yield proxy
        proxy.stop()


@pytest.fixture
async def rim(proxy: Proxy, tmp_path: Path) -> AsyncIterator[Rim]:
    """A Discord server whose bot reaches the database by the proxy."""
    schema = schema_for(tmp_path)
    shared_server().create_schema(schema)
    async with open_rim(tmp_path) as rim:
        dsn = shared_server().address(schema, proxy.folder).dsn
        rim.database = dsn.replace("storyguide@", f"storyguide:{PASSWORD}@")
        yield rim
    shared_server().drop_schema(schema)


def texts(sent: Interaction) -> str:
    """Return all that an interaction was answered."""
    return "\n".join(text for message in sent.messages for text in message.texts())


async def stored_requests(tmp_path: Path) -> set[str]:
    """Return the requests in the journals of all tables."""
    store = await SqlStore.open(shared_server().address(schema_for(tmp_path)), reading=True)
    found: set[str] = set()
    for table in await store.table_places():
        found |= {row.request_id for row in await store.page(table, 0)}
    await store.close()
    return found


async def test_the_bot_waits_for_a_server_and_plays_through_lost_answers(
    rim: Rim, proxy: Proxy, tmp_path: Path
) -> None:
    proxy.stop()
    await rim.start(ready=False)
    await rim.wait(lambda: "storage.waiting-for-server" in rim.output())
    assert rim.bot is not None
    rim.bot.send_signal(signal.SIGTERM)
    assert await rim.bot.ended(20) == 0, "it ends in order while it waits"
    await rim.start(ready=False)
    await rim.wait(lambda: "storage.waiting-for-server" in rim.output())
    await proxy.start()
    await rim.wait(lambda: "outbox.recovered" in rim.output())
    place = await rim.table(gm_room=False)
    commits = 0

    def every_third() -> bool:
        nonlocal commits
        commits += 1
        return commits % 3 == 0

    proxy.swallows = every_third
    sent = [await rim.do(rim.ana, place, "roll", dice=f"{n + 1}d6") for n in range(6)]
    proxy.swallows = lambda: False
    assert proxy.cuts
    assert all("d6" in texts(each) for each in sent)
    await rim.kill()
    assert {str(each.id) for each in sent} <= await stored_requests(tmp_path)
    output = rim.output()
    await rim.start()
    await rim.do(rim.ana, place, "roll", dice="7d6")
    assert PASSWORD not in output + rim.output()
    await rim.stop()


async def test_what_was_in_doubt_is_posted_when_the_server_is_back(
    rim: Rim, proxy: Proxy, tmp_path: Path
) -> None:
    await rim.start()
    place = await rim.table(gm_room=False)
    await rim.quiet()
    proxy.swallows, proxy.gone_after_cut = (lambda: True), True
    sent = await rim.emit(rim.ana, place, "roll", dice="9d6").answered(GIVING_UP)
    await rim.wait(lambda: "can't tell whether this was saved" in texts(sent), GIVING_UP)
    assert "Nothing has changed" not in texts(sent)
    assert str(sent.id) in await stored_requests(tmp_path)
    before = len(rim.said(place))
    proxy.swallows = lambda: False
    await proxy.start()
    await rim.wait(lambda: "storage.server-there" in rim.output())
    await rim.wait(lambda: len(rim.said(place)) > before)
    again = await rim.do(rim.ana, place, "roll", dice="8d6")
    assert "8d6" in texts(again)
    await rim.stop()


async def test_a_bot_that_lost_its_share_ends_and_a_spare_serves(rim: Rim, tmp_path: Path) -> None:
    await rim.start()
    place = await rim.table(gm_room=False)
    await rim.quiet()
    for status in (0, None):
        spare = await rim.fork()
        await rim.wait(lambda spare=spare: "storage.waiting-as-spare" in spare.output())
        if status is not None:
            spare.send_signal(signal.SIGTERM)
            assert await spare.ended(20) == status, "it ends in order while it waits"
    first = rim.bot
    assert first is not None
    first.send_signal(signal.SIGSTOP)
    shared_server().execute(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE classid = 5731 AND"
        f" objid::int8 = hashtext('{schema_for(tmp_path)}')::int8 & 4294967295"
    )
    await rim.wait(lambda: "app.ready" in spare.output())
    sent = rim.emit(rim.ana, place, "roll", dice="9d6")
    first.send_signal(signal.SIGCONT)
    assert await first.ended(20) == 3, first.output()
    assert "it waits as a spare" in first.output()
    assert "Traceback" not in first.output() and "error=" not in first.output()
    rim.bot = spare
    await sent.answered(20)
    assert "9d6" in texts(sent)
    assert str(sent.id) in await stored_requests(tmp_path)
    again = await rim.do(rim.ana, place, "roll", dice="8d6")
    assert "8d6" in texts(again)
    await rim.stop()

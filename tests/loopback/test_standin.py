"""The stand-in against real discord.py clients in processes of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest
import pytest_asyncio

from tests.loopback.bare_bot import TEXT

from .driver import bench, burst, check_command, latency, percentile, throughput
from .interactions import Interaction
from .launch import TOKEN
from .models import (
    ALL_PERMISSIONS,
    DEFAULT_PERMISSIONS,
    MANAGE_CHANNELS,
    MANAGE_GUILD,
    SEND_MESSAGES,
    VIEW_CHANNEL,
    Channel,
    Guild,
    Json,
    Role,
    Upload,
    User,
)
from .process import BotProcess, launch
from .server import StandIn

pytestmark = pytest.mark.asyncio(loop_scope="module")

BARE = launch("tests.loopback.bare_bot:main")
SAMPLE = launch("tests.loopback.sample_bot:main")


@dataclass
class Table:
    standin: StandIn
    bot: BotProcess
    guild: Guild
    channel: Channel
    ann: User
    gm: Role


def furnish(standin: StandIn) -> tuple[Guild, Channel, User, Role]:
    guild = standin.add_guild("Table", bot_permissions=DEFAULT_PERMISSIONS | MANAGE_CHANNELS)
    gm = standin.add_role(guild, "gm", MANAGE_GUILD)
    return guild, standin.add_channel(guild, "play"), standin.add_member(guild, "ann", [gm]), gm


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared() -> AsyncIterator[Table]:
    """One stand-in and one sample bot for all tests that do not kill it."""
    async with StandIn() as standin:
        guild, channel, ann, gm = furnish(standin)
        async with BotProcess(SAMPLE, standin.port) as bot:
            await bot.during(standin.ready("defer", "scene", within=15))
            yield Table(standin, bot, guild, channel, ann, gm)
            print(bot.log())


@pytest_asyncio.fixture(loop_scope="module")
async def table(shared: Table) -> AsyncIterator[Table]:
    """The shared table in a fresh channel, without faults, and with no unknown routes at
    the end.
    """
    shared.standin.clear_faults()
    shared.channel = shared.standin.add_channel(shared.guild, "play")
    yield shared
    assert shared.standin.unknown_routes == []


async def test_bare_bot_answers_and_driver_measures() -> None:
    async with bench(BARE, check_command) as b:
        first = b.standin.interactions[0]
        assert first.response is not None and first.response.texts() == [TEXT]
        assert first.callback_type == 4 and not first.ephemeral
        assert first.ack_latency is not None and 0 < first.ack_latency < 3
        assert len(first.data["options"]) == 3
        command = b.standin.find_command(first.guild.id, "check")
        options = {option["name"]: option for option in command["options"]}
        assert list(options) == [
            *(
                "skill",
                "attribute",
                "difficulty",
                "approach",
                "with",
                "modifier",
                "as",
                "visibility",
            ),
        ]
        assert [choice["value"] for choice in options["visibility"]["choices"]] == [
            "public",
            "private",
            "blind",
        ]
        closed = await throughput(b, 200, warm_up=20)
        assert closed.unacknowledged == 0 and closed.cpu_ms > 0
        paced = await latency(b, 100.0, 0.5, warm_up=5)
        assert paced.unacknowledged == 0 and 0 < paced.p50_ms <= paced.p99_ms <= paced.max_ms
        flood = await burst(b, 200, warm_up=5)
        assert flood.unattempted == 0 and flood.late == 0
        assert b.standin.unknown_routes == []
    assert not b.bot.running


async def test_percentile() -> None:
    assert percentile([float(n) for n in range(1, 101)], 0.99) == 99.0
    assert percentile([1.0, 2.0], 0.5) == 1.0 and percentile([], 0.5) == float("inf")


@pytest.mark.parametrize("ephemeral", [False, True])
async def test_deferral_then_edit(table: Table, ephemeral: bool) -> None:
    sent = table.standin.emit_slash(
        table.guild, table.channel, table.ann, "defer", {"ephemeral": ephemeral}
    )
    await sent.acknowledged()
    assert sent.callback_type == 5
    await sent.answered()
    assert (
        sent.response is not None and sent.response.content == "done" and not sent.response.loading
    )
    assert sent.ephemeral is ephemeral
    assert (sent.response in table.channel.messages) is not ephemeral


async def test_followups_edit_and_delete(table: Table) -> None:
    sent = table.standin.emit_slash(table.guild, table.channel, table.ann, "more")
    await sent.until(lambda: sent.response is not None and sent.response.content == "first, edited")
    second, third = sent.followups
    assert second.content == "second, edited" and not second.ephemeral
    assert third.deleted and third.ephemeral
    assert sent.ephemeral and table.channel.messages == [second]


async def test_components(table: Table) -> None:
    sent = await table.standin.emit_slash(table.guild, table.channel, table.ann, "panel").answered()
    message = sent.response
    assert message is not None
    assert message.custom_ids() == ["panel:press", "panel:ask", "panel:select", "panel:user"]
    press = await table.standin.emit_component(message, table.ann, "panel:press").answered()
    assert (
        press.callback_type == 7
        and press.response is message
        and message.content == "pressed by ann"
    )
    chosen = await table.standin.emit_component(
        message, table.ann, "panel:select", ["2"]
    ).answered()
    assert chosen.ephemeral and chosen.response is not None and chosen.response.content == "chose 2"
    await table.standin.emit_component(message, table.ann, "panel:user", [table.ann]).acknowledged()
    await table.standin.until(lambda: message.content == "user ann")
    with pytest.raises(LookupError):
        table.standin.emit_component(message, table.ann, "panel:none")
    with pytest.raises(ValueError):
        table.standin.emit_component(message, table.ann, "panel:select", ["3"])


async def test_modals(table: Table) -> None:
    for shown in (
        table.standin.emit_slash(table.guild, table.channel, table.ann, "modal"),
        table.standin.emit_component(await _panel(table), table.ann, "panel:ask"),
    ):
        await shown.acknowledged()
        assert (
            shown.modal is not None
            and shown.modal["title"] == "Question"
            and shown.response is None
        )
        submitted = table.standin.emit_modal(shown, values={"q:text": "why", "q:pick": "Blue"})
        await submitted.answered()
        assert submitted.ephemeral and submitted.response is not None
        assert submitted.response.content == "why/Blue"
        assert submitted.source is shown.source


async def _panel(table: Table):
    sent = await table.standin.emit_slash(table.guild, table.channel, table.ann, "panel").answered()
    assert sent.response is not None
    return sent.response


async def test_option_types_and_permissions(table: Table) -> None:
    table.standin.set_overwrites(table.channel, {table.gm: (0, SEND_MESSAGES)})
    options = {
        "text": "t",
        "number": 7,
        "flag": True,
        "ratio": 0.5,
        "user": table.ann,
        "role": table.gm,
        "channel": table.channel,
        "file": Upload("note.txt", b"scroll", "text/plain"),
    }
    sent = table.standin.emit_slash(table.guild, table.channel, table.ann, "types", options)
    await sent.answered()
    assert sent.response is not None
    assert sent.response.content == "t|7|True|0.5|ann|gm|play|scroll|True|False|True"
    with pytest.raises(ValueError, match="outside"):
        table.standin.emit_slash(
            table.guild, table.channel, table.ann, "types", options | {"number": 11}
        )
    with pytest.raises(ValueError, match="missing"):
        table.standin.emit_slash(table.guild, table.channel, table.ann, "types", {})
    with pytest.raises(LookupError):
        table.standin.emit_slash(
            table.guild, table.channel, table.ann, "types", options | {"none": 1}
        )


async def test_subcommands_and_autocomplete(table: Table) -> None:
    place = (table.guild, table.channel, table.ann)
    start = await table.standin.emit_slash(*place, "scene start", {"title": "Inn"}).answered()
    add = await table.standin.emit_slash(*place, "scene", {"amount": 3}, ("part", "add")).answered()
    assert start.response is not None and start.response.content == "scene Inn"
    assert add.response is not None and add.response.content == "part 3"
    typed = await table.standin.emit_autocomplete(
        *place, "pick", "word", {"word": "al"}
    ).acknowledged()
    assert [choice["value"] for choice in typed.choices or []] == ["alpha", "alps"]
    with pytest.raises(LookupError):
        table.standin.emit_slash(*place, "scene")


async def test_files_travel_as_multipart(table: Table) -> None:
    sent = await table.standin.emit_slash(table.guild, table.channel, table.ann, "files").answered()
    assert sent.response is not None
    (upload,) = sent.response.attachments
    assert (upload.filename, upload.data) == ("map.txt", b"cave")
    assert sent.response.embeds[0]["image"]["url"] == upload.url


async def test_second_delivery_is_refused(table: Table) -> None:
    sent = await table.standin.emit_slash(table.guild, table.channel, table.ann, "twice").answered()
    table.standin.redeliver(sent)
    await sent.until(lambda: sent.refusals)
    assert sent.refusals == [40060] and len(table.channel.messages) == 1


async def test_late_acknowledgment_is_refused(table: Table) -> None:
    table.standin.expiry = 0.0
    try:
        sent = table.standin.emit_slash(table.guild, table.channel, table.ann, "twice")
        await sent.until(lambda: sent.attempts)
        assert sent.refusals == [10062] and sent.state == "none" and sent.ack_latency is None
    finally:
        table.standin.expiry = 3.0


async def test_nonce_history_and_lookups(table: Table) -> None:
    place = (table.guild, table.channel, table.ann)
    sent = await table.standin.emit_slash(*place, "post", {"nonce": "n1"}).answered()
    assert sent.response is not None and sent.response.content == "same=True" and sent.ephemeral
    assert [message.content for message in table.channel.messages] == ["posted, edited"]
    assert table.channel.messages[0].nonce == "n1" and table.channel.messages[0].edited is not None
    for number in range(120):
        table.standin.add_message(table.channel, table.ann, f"m{number}")
    read = await table.standin.emit_slash(*place, "read").answered()
    assert read.response is not None and read.response.content == "121 posted, edited..m119"
    fetched = await table.standin.emit_slash(*place, "fetch").answered()
    channels = len(table.guild.channels)
    assert fetched.response is not None
    assert fetched.response.content == f"Table|ann|play|short-lived|{channels}|Storyguide"
    assert table.channel.topic == "set by the bot"


async def test_injected_faults(table: Table) -> None:
    place = (table.guild, table.channel, table.ann)
    messages = f"/channels/{table.channel.id}/messages"

    async def posted(nonce: str) -> str:
        sent = await table.standin.emit_slash(*place, "post", {"nonce": nonce}).answered()
        return sent.response.content if sent.response else ""

    table.standin.fail("POST", messages, status=403, code=50013)
    assert await posted("a") == "failed 403 50013" and table.channel.messages == []
    table.standin.fail("POST", messages, status=500)
    assert await posted("b") == "same=True"
    limited = table.standin.fail("POST", messages, status=429, retry_after=0.1, times=2)
    assert await posted("c") == "same=True" and limited.hits == 2
    table.standin.fail("POST", messages, drop_connection=True)
    assert (await posted("d")).startswith("broken ") and len(table.channel.messages) == 2
    table.standin.fail("POST", messages, drop_connection=True, apply=True)
    assert (await posted("e")).startswith("broken ") and len(table.channel.messages) == 3
    headers = {
        "X-RateLimit-Limit": "1",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset-After": "0.05",
    }
    table.standin.add_headers("POST", messages, headers)
    assert await posted("f") == "same=True"
    expired = table.standin.fail("POST", "/interactions/*", status=404, code=10062)
    sent = table.standin.emit_slash(*place, "twice")
    await table.standin.until(lambda: expired.hits == 1)
    assert sent.state == "none"
    assert [record.code for record in table.standin.requests("POST", str(sent.id))] == [10062]


async def test_real_permission_errors(table: Table) -> None:
    place = (table.guild, table.channel, table.ann)
    table.standin.set_overwrites(table.channel, {table.standin.me: (0, SEND_MESSAGES)})
    sent = await table.standin.emit_slash(*place, "post", {"nonce": "x"}).answered()
    assert sent.response is not None and sent.response.content == "failed 403 50013"
    table.standin.set_overwrites(table.channel, {table.guild: (0, VIEW_CHANNEL)})
    sent = await table.standin.emit_slash(*place, "post", {"nonce": "y"}).answered()
    assert sent.response is not None and sent.response.content == "failed 403 50001"
    assert table.guild.permissions(table.guild.owner, table.channel) == ALL_PERMISSIONS


async def test_gateway_resume_reconnect_and_new_session(table: Table) -> None:
    place = (table.guild, table.channel, table.ann)
    gateway = table.standin.gateway
    resumed = gateway.resumed
    gateway.reconnect_clients()
    await gateway.changes.until(lambda: not gateway.connected, 5)
    waiting = table.standin.emit_slash(*place, "twice")
    assert not waiting.delivered
    await gateway.changes.until(lambda: gateway.resumed == resumed + 1, 10)
    await waiting.answered()  # replayed to the resumed session
    await gateway.close_clients(4000)
    await gateway.changes.until(lambda: gateway.resumed == resumed + 2, 10)
    await table.standin.emit_slash(*place, "twice").answered()


async def test_unknown_routes_are_recorded(shared: Table) -> None:
    shared.channel = shared.standin.add_channel(shared.guild, "play")
    sent = await shared.standin.emit_slash(
        shared.guild, shared.channel, shared.ann, "unknown"
    ).answered()
    assert sent.response is not None and sent.response.content == "failed 404"
    assert shared.standin.unknown_routes == ["GET /invites/nowhere"]
    shared.standin.unknown_routes.clear()


async def test_world_survives_kill_and_restart() -> None:
    async with StandIn() as standin:
        guild, channel, ann, _ = furnish(standin)
        async with BotProcess(SAMPLE, standin.port) as bot:
            await bot.during(standin.ready("panel", within=15))
            sent = await standin.emit_slash(guild, channel, ann, "panel").answered()
            ids = {name: command["id"] for (_, name), command in standin.commands[None].items()}
            await bot.kill()
            assert bot.returncode == -9 and not bot.running
            await standin.gateway.changes.until(lambda: not standin.gateway.connected, 5)
        assert sent.response is not None and channel.messages == [sent.response]
        lost = standin.emit_slash(guild, channel, ann, "panel")
        assert not lost.delivered
        async with BotProcess(SAMPLE, standin.port):
            await standin.identified(2, within=15)
            press = await standin.emit_component(sent.response, ann, "panel:press").answered()
            assert press.response is sent.response and sent.response.content == "pressed by ann"
            assert ids == {
                name: command["id"] for (_, name), command in standin.commands[None].items()
            }
            # an event of before the restart, once more: the new process answers it
            standin.redeliver(lost, fresh=True)
            await lost.answered()
            standin.redeliver(sent)
            await sent.until(lambda: sent.refusals == [40060])
        assert standin.unknown_routes == []


async def test_wrong_token_is_refused() -> None:
    async with StandIn(token="other") as standin:
        async with BotProcess(BARE, standin.port) as bot:
            await bot.ended(10)
            assert "LoginFailure" in bot.log()
        assert standin.requests("GET", "/users/@me")[0].status == 401


async def test_each_shard_has_its_own_guilds() -> None:
    async with StandIn() as standin:
        standin.gateway.shards, standin.gateway.max_concurrency = 2, 16
        even = standin.add_guild("Even", shard=(0, 2))
        odd = standin.add_guild("Odd", shard=(1, 2))
        places = [standin.add_channel(guild, "play") for guild in (even, odd)]
        people = [standin.add_member(guild, "ann") for guild in (even, odd)]

        def ask(shard: int) -> Interaction:
            return standin.emit_slash(places[shard].guild, places[shard], people[shard], "where")

        bots = [
            BotProcess(launch("tests.loopback.sharded_bot:main", str(number), "2"), standin.port)
            for number in range(2)
        ]
        async with bots[0], bots[1]:
            await bots[0].during(standin.shards_connected(2, within=15))
            await standin.ready("where")
            for number, name in enumerate(("Even", "Odd")):
                sent = await ask(number).answered()
                assert sent.response is not None
                assert sent.response.content == f"shard {number}: {name}"
                assert not sent.refusals, "one client alone has heard of it"
            await bots[1].kill()
            await standin.until(lambda: standin.gateway.shards_connected() == {(0, 2)})
            lost = ask(1)
            assert (await ask(0).answered()).delivered
            assert standin.never_delivered == [lost]
        assert standin.gateway.hasty == [] and standin.unknown_routes == []


@dataclass
class RawShard:
    """A gateway connection without a library."""

    ws: aiohttp.ClientWebSocketResponse

    async def next(self, operation: int) -> Json:
        """Return the next message of this operation."""
        while True:
            message = await asyncio.wait_for(self.ws.receive_json(), 5)
            if message["op"] == operation:
                return message

    async def identify(self, shard: int, count: int) -> None:
        """Ask to be let in as a shard, with all intents."""
        data = {"token": TOKEN, "intents": 0xFFFF, "shard": [shard, count]}
        await self.ws.send_json({"op": 2, "d": data})

    async def next_event(self, name: str) -> Json:
        """Return what the next event of this name tells."""
        while True:
            event = await self.next(0)
            if event["t"] == name:
                return event["d"]


async def test_identifying_too_fast_and_what_belongs_to_no_guild() -> None:
    async with StandIn() as standin, aiohttp.ClientSession() as session:
        gateway = standin.gateway
        gateway.max_concurrency, gateway.identify_pause = 2, 3600.0
        shards = [RawShard(await session.ws_connect(gateway.url)) for _ in range(3)]
        for number in (0, 1):
            await shards[number].identify(number, 4)
            assert (await shards[number].next_event("READY"))["shard"] == [number, 4]
        await shards[2].identify(2, 4)
        assert (await shards[2].next(9))["d"] is False
        assert gateway.hasty == [2], "shards 0 and 2 share a bucket"
        gateway.identify_pause = 0.0
        await shards[2].identify(2, 4)
        assert (await shards[2].next_event("READY"))["guilds"] == []
        standin.announce("CHANNEL_CREATE", {"id": "1", "type": 1}, 0)
        guild = standin.add_guild("Any", shard=(2, 4))
        assert (await shards[0].next_event("CHANNEL_CREATE"))["type"] == 1, "a DM is shard 0's"
        told = await shards[2].next_event("GUILD_CREATE")
        assert int(told["id"]) == guild.id and (guild.id >> 22) % 4 == 2
        rest = f"http://localhost:{standin.port}/api/v10/gateway/bot"
        async with session.get(rest, headers={"Authorization": f"Bot {TOKEN}"}) as answer:
            told = await answer.json()
        assert told["shards"] == 1 and told["session_start_limit"]["max_concurrency"] == 2
        # a shard that is away keeps its session while another one identifies
        gone = RawShard(await session.ws_connect(gateway.url))
        await gone.identify(3, 4)
        key = (await gone.next_event("READY"))["session_id"]
        await gone.ws.close()
        await gateway.changes.until(lambda: (3, 4) not in gateway.shards_connected(), 5)
        again = RawShard(await session.ws_connect(gateway.url))
        await again.identify(1, 4)
        await again.next_event("READY")
        assert key in gateway.sessions
        back = RawShard(await session.ws_connect(gateway.url))
        await back.identify(3, 4)
        await back.next_event("READY")
        assert key not in gateway.sessions

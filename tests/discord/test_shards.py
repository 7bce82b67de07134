"""The bot as one of several processes: its shards, its servers, its commands and its rate."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest

from bot import command_registry
from bot.app import Storyguide
from bot.command_registry import CommandRegistry, commands_note_key
from bot.shards import ShardsRefused
from bot.storage.share import Share
from bot.storage.write_batches import Engine
from tests.discord.world import World, make_bot, private, texts

LIMITS = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 2}


def share_of(world: World, *, own: bool) -> Share:
    """A share of two: the one of the world's server, or the other."""
    owner = (world.guild.id >> 22) % 2
    return Share(owner if own else 1 - owner, 2)


def engine_of(world: World) -> Engine:
    """The database below the bot that runs."""
    store = world.bot._store
    assert store is not None
    return store.database


def take_share(world: World, monkeypatch: pytest.MonkeyPatch, share: Share) -> None:
    """Let the bot that runs be another process."""
    monkeypatch.setattr(engine_of(world), "share", share)


@pytest.fixture
def recommended(world: World, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many shards Discord recommends; the library itself connects none."""
    found = [3]

    async def gateway(*_: object) -> tuple[int, str, dict[str, int]]:
        return found[0], "wss://gateway.discord.gg/", LIMITS

    async def launch(*_: object, **__: object) -> None: ...

    monkeypatch.setattr(world.bot.http, "get_bot_gateway", gateway, raising=False)
    monkeypatch.setattr(discord.AutoShardedClient, "launch_shard", launch)
    return found


def shards_of(bot: Storyguide) -> tuple[int | None, Any]:
    """The number of all shards and the bot's own, as the library has them."""
    state = bot._connection
    assert (state.shard_count, state.shard_ids) == (bot.shard_count, bot.shard_ids)
    return bot.shard_count, bot.shard_ids


async def test_the_only_process_has_the_shards_that_discord_recommends(
    world: World, recommended: list[int]
) -> None:
    assert world.bot.shard_count == 1, "a simulated Discord has one"
    recommended[0] = 1
    await world.bot.launch_shards()
    assert shards_of(world.bot) == (1, [0])
    recommended[0] = 3
    await world.bot.launch_shards()
    assert shards_of(world.bot) == (3, [0, 1, 2])


async def test_a_process_connects_its_share_of_the_shards(
    world: World, recommended: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    take_share(world, monkeypatch, Share(1, 2))
    await world.bot.launch_shards()
    assert shards_of(world.bot) == (4, [1, 3])
    recommended[0] = 99
    monkeypatch.setattr(world.bot.settings, "storyguide_shards", 6)
    await world.bot.launch_shards()
    assert shards_of(world.bot) == (6, [1, 3, 5])


@pytest.mark.usefixtures("recommended")
async def test_shards_unlike_those_that_run_are_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def agreed(*_: object) -> str:
        return "4/2"

    database = engine_of(world)
    take_share(world, monkeypatch, Share(0, 2))
    monkeypatch.setattr(database, "agree", agreed)
    await world.bot.launch_shards()
    assert shards_of(world.bot) == (4, [0, 2])
    monkeypatch.setattr(world.bot.settings, "storyguide_shards", 8)
    with pytest.raises(ShardsRefused, match="is 8, and the other processes run with 4"):
        await world.bot.launch_shards()


@pytest.mark.usefixtures("recommended")
async def test_shards_take_turns_with_those_of_other_processes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await world.bot.launch_shards()
    with monkeypatch.context() as patch:
        patch.setattr("discord.client.asyncio.sleep", sleep)
        await world.bot.before_identify_hook(0, initial=True)
        await world.bot.before_identify_hook(0)
    assert slept == [5.0] and not world.bot.waits_to_identify, "as the library has it"
    take_share(world, monkeypatch, Share(1, 2))
    await world.bot.launch_shards()
    turns = world.bot._turns
    assert turns is not None and turns._max_concurrency == 2
    taken: list[int] = []

    async def take(shard: int) -> None:
        taken.append(shard)

    monkeypatch.setattr(turns, "take", take)
    await world.bot.before_identify_hook(3, initial=True)
    assert taken == [3]


async def test_a_process_knows_only_its_own_servers(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, server, other = world.bot, str(world.guild.id), str(world.guild.id + (2 << 22))
    assert (bot.is_on_server(server), bot.is_on_server(other)) == (True, False)
    await bot.on_shard_disconnect(0)
    assert (bot.is_on_server(server), bot.is_on_server(other)) == (None, None)
    await bot.on_shard_resumed(0)
    assert bot.is_on_server(other) is False
    guild = bot.get_guild(world.guild.id)
    assert guild is not None
    guild.unavailable = True
    assert bot.is_on_server(server) is None, "Discord is in trouble"
    guild.unavailable = False
    take_share(world, monkeypatch, share_of(world, own=False))
    assert (bot.is_on_server(server), bot.is_on_server(other)) == (None, None)
    take_share(world, monkeypatch, share_of(world, own=True))
    assert (bot.is_on_server(server), bot.is_on_server(other)) == (True, False)


async def test_a_server_left_while_a_shard_was_away_is_forgotten(world: World) -> None:
    bot, here = world.bot, {"id": str(world.guild.id)}
    away = world.env.create_guild("Elsewhere")
    await world.env.settle()
    assert bot.is_on_server(str(away.id)) is True
    ready: dict[str, Any] = {
        "shard": [0, 1],
        "guilds": [here | {"unavailable": True}],
        "user": {"id": "1", "username": "storyguide", "discriminator": "0", "avatar": None},
    }
    bot._connection.parsers["READY"](ready)
    assert bot.is_on_server(str(away.id)) is None, "until all is known"
    assert {guild.id for guild in bot.guilds} == {world.guild.id}
    async with asyncio.timeout(20):
        await asyncio.gather(*bot._connection._ready_tasks.values())
        await asyncio.sleep(0)
    assert bot.is_on_server(str(away.id)) is False


async def test_another_process_registers_the_commands_of_every_server(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, store, key = world.bot, world.bot.tables.store, commands_note_key(None)
    note, ids = await store.note(key), bot.command_registry.ids_on(None)
    assert note and ids["check"]
    asked = len(world.requests("PUT", "/applications"))
    bot.command_registry._ids.clear()
    await store.set_note(key, "")
    monkeypatch.setattr(command_registry, "SYNC_DELAY", 0.01)
    waiting = asyncio.create_task(bot.command_registry.await_sync(store, None))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await store.set_note(key, f"of-another-release {note.partition(' ')[2]}")
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await store.set_note(key, note)
    await waiting
    assert bot.command_registry.ids_on(None) == ids
    assert len(world.requests("PUT", "/applications")) == asked
    await store.set_note(key, 'of-another-release {"check": 5}')
    monkeypatch.setattr(command_registry, "SYNC_TIMEOUT", 0.05)
    await bot.command_registry.await_sync(store, None)
    assert bot.command_registry.ids_on(None) == {"check": 5}, "its process is down"
    assert len(world.requests("PUT", "/applications")) == asked


@pytest.mark.parametrize("own", [False, True])
async def test_commands_of_every_server_are_registered_by_share_0(
    world: World, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    done: list[str] = []

    async def sync(registry: CommandRegistry, store: object, server: int | None) -> None:
        done.append("registered")

    async def wait(registry: CommandRegistry, store: object, server: int | None) -> None:
        done.append("waited")

    monkeypatch.setattr(CommandRegistry, "_sync", sync)
    monkeypatch.setattr(CommandRegistry, "await_sync", wait)
    monkeypatch.setattr("bot.storage.write_batches.Engine.share", Share(0 if own else 1, 2))
    await world.restart()
    assert done[0] == ("registered" if own else "waited")


async def test_messages_keep_to_the_rate_and_answers_need_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Rate:
        turns = 0

        async def wait_for_turn(self) -> None:
            self.turns += 1

    await world.table()
    rate = Rate()
    monkeypatch.setattr(world.bot.outbox._posts._channels, "_rate", rate)
    await world.ana.slash(world.zone, "roll", dice="2d6")
    private(await world.ana.slash(world.zone, "moves"))
    assert rate.turns == 0
    sent = len(world.requests("POST", f"/channels/{world.zone.id}/messages"))
    await world.propose()
    await world.rule()
    requests = len(world.requests("POST", f"/channels/{world.zone.id}/messages")) - sent
    assert rate.turns >= requests > 0
    assert "Marek" in texts(world.card())


async def test_only_the_real_bot_keeps_to_the_rate(world: World) -> None:
    assert world.bot.outbox._posts._channels._rate is None
    await world.bot.close()
    bot = make_bot(world.path)
    bot.limits_sends = True
    await world.env.restart_bot(bot)
    assert bot.outbox._posts._channels._rate is not None

"""`/ebb`: anomalies and artefacts, who sees them, and where the commands are."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.app import build_bot
from bot.command_registry import commands_note_key
from bot.settings import Settings
from tests.discord.world import World, message_of, private, public, texts, virtual_clock

#: Faces of a hot, dynamic anomaly that hurls.
HOT = (2, 15)
PROPERTY = "**Hot** (dynamic)"


async def _draw(
    world: World, what: str = "anomaly", *faces: int, who: Any = None, **options: Any
) -> Any:
    world.dice.lay(*(faces or HOT))
    result = await (who or world.ana).slash(world.zone, f"ebb {what}", **options)
    assert world.dice.left == 0
    return result


def _puts(world: World) -> list[str]:
    return [request.path for request in world.env.http_requests if request.method == "PUT"]


# --- what comes out -------------------------------------------------------------------------------


@pytest.mark.rule("EBB-ANOMALY")
async def test_an_anomaly_in_the_open(world: World) -> None:
    await world.table()
    text = public(await _draw(world))
    assert "An anomaly" in text
    assert f"{PROPERTY}\n**Hurling**" in text
    assert "first property d20: 2; second property d20: 15" in text
    assert f"Drawn by {world.ana.mention}." in text


@pytest.mark.rule("EBB-ARTEFACT")
async def test_an_artefact_from_the_rare_tables(world: World) -> None:
    await world.table()
    text = public(await _draw(world, "artefact", 20, 3, 20, 10, who=world.gina))
    assert "An artefact" in text
    assert "**Cloud of gas** (exogenetic)\n**Telepathy**" in text
    assert "first property d20: 20; first property, rare d10: 3; second property d20: 20" in text
    assert "second property, rare d10: 10" in text


# --- who sees it ----------------------------------------------------------------------------------


@pytest.mark.parametrize("gm_channel", [True, False])
async def test_a_private_one_is_for_whoever_asks_and_the_gms(
    world: World, gm_channel: bool
) -> None:
    await world.table(gm_channel=gm_channel)
    text = private(await _draw(world, visibility="private"))
    assert PROPERTY in text
    assert f"Private: only {world.ana.mention} and the GMs see this." in text
    assert "Hot" not in world.told(world.ben)
    if gm_channel:
        assert PROPERTY in texts(world.last(world.gm_room))
        return
    stub = world.newest("Show")
    assert "meant for somebody else" in private(await world.press(world.ben, stub, "Show"))
    assert PROPERTY in private(await world.press(world.gina, stub, "Show"))


@pytest.mark.parametrize("gm_channel", [True, False])
async def test_a_blind_one_is_for_the_gms_alone(world: World, gm_channel: bool) -> None:
    await world.table(gm_channel=gm_channel)
    text = private(await _draw(world, visibility="blind"))
    assert "An anomaly" in text
    assert f"Blind: only {world.gina.mention} can see what it is." in text
    if gm_channel:
        assert PROPERTY in texts(world.last(world.gm_room))
    else:
        stub = world.newest("Show")
        assert "meant for somebody else" in private(await world.press(world.ana, stub, "Show"))
        assert PROPERTY in private(await world.press(world.gina, stub, "Show"))
    for who in (world.ana, world.ben):
        told = world.told(who)
        assert "Hot" not in told
        assert "d20" not in told


async def test_a_gm_keeps_one_to_themselves(world: World) -> None:
    await world.table()
    before = len(world.messages())
    for visibility in ("private", "blind"):
        text = private(await _draw(world, who=world.gina, visibility=visibility))
        assert PROPERTY in text
        assert "Only GMs see this." in text
    assert len(world.messages()) == before
    assert "Hot" not in world.told(world.ana)


async def test_a_slow_secret_is_never_announced_in_public(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    world.slow_down(monkeypatch)
    private(await _draw(world, visibility="blind"))
    assert "Hot" not in world.told(world.ana)


async def test_a_repeated_delivery_draws_nothing_new(world: World) -> None:
    await world.table()
    await _draw(world)
    before = await world.revision()
    await world.again()
    assert await world.revision() == before
    await world.restart()
    assert await world.revision() == before


# --- where the commands are -----------------------------------------------------------------------


async def test_ebb_is_there_once_a_table_uses_it(world: World) -> None:
    assert "ebb anomaly" not in world.ana.available_commands(world.zone)
    assert len(_puts(world)) == 1
    await world.setup()
    assert {"ebb anomaly", "ebb artefact"} <= set(world.ana.available_commands(world.zone))
    assert _puts(world)[1:] == [
        f"/applications/{world.bot.application_id}/guilds/{world.guild.id}/commands"
    ]


async def test_it_is_registered_once(world: World) -> None:
    await world.table()
    await world.restart()
    assert len(_puts(world)) == 2
    assert "An anomaly" in public(await _draw(world))


async def test_what_was_not_registered_is_at_the_next_start(world: World) -> None:
    await world.table()
    store = world.bot.tables.store
    await store.set_note(commands_note_key(world.guild.id), "")
    await world.restart()
    assert len(_puts(world)) == 3


async def test_a_server_that_refuses_holds_nothing_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = world.bot.tree.sync

    async def refuse(*, guild: discord.abc.Snowflake | None = None) -> Any:
        if guild is not None:
            raise discord.Forbidden(_Response(), "Missing Access")  # pyright: ignore[reportArgumentType]
        return await sync()

    monkeypatch.setattr(world.bot.tree, "sync", refuse)
    assert "The Dry Canal" in texts(message_of(await world.setup()))
    assert "ebb anomaly" not in world.ana.available_commands(world.zone)
    await world.restart()
    assert "ebb anomaly" in world.ana.available_commands(world.zone)


class _Response:
    status, reason = 403, "Forbidden"


async def test_a_server_that_comes_back_gets_its_commands_again(world: World) -> None:
    await world.table()
    guild = world.bot.get_guild(world.guild.id)
    assert guild is not None
    await world.bot.on_guild_join(guild)
    assert len(_puts(world)) == 3


async def test_a_server_for_development_has_everything(world: World) -> None:
    await world.table()
    await world.bot.close()
    settings = Settings(_env_file=None, storyguide_database=world.path, dev_guild=world.guild.id)  # pyright: ignore[reportCallIssue]
    bot = build_bot(settings, clock=virtual_clock)
    await world.env.restart_bot(bot)
    try:
        assert _puts(world)[2:] == [_puts(world)[1]], "only that server is told"
        mine = world.ana.available_commands(world.zone)
        assert {"ebb anomaly", "check", "odds"} <= set(mine)
        assert "An anomaly" in public(await _draw(world))
    finally:
        await bot.close()


async def test_the_group_fits(world: World) -> None:
    await world.setup()
    request = [request for request in world.env.http_requests if request.method == "PUT"][-1]
    (group,) = request.json  # pyright: ignore[reportGeneralTypeIssues]
    assert group["name"] == "ebb"
    for command in group["options"]:
        assert 1 <= len(command["description"]) <= 100
        (option,) = command["options"]
        assert option["description"].strip("…")
        assert [choice["value"] for choice in option["choices"]] == ["public", "private", "blind"]

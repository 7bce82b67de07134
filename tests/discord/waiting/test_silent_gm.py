"""A GM who falls silent: what players are told, when the clock stands still, and who can go on."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from tests.discord.world import (
    DAY,
    HOUR,
    MINUTE,
    World,
    pings,
    private,
    public,
    refusal_of,
    secret_room,
    texts,
)

_SILENT = "No GM has answered here for 7 days"


@pytest.fixture
def patience() -> bool:
    return False


def lines(world: World, words: str) -> list[str]:
    """The public messages with these words."""
    return [texts(each) for each in world.messages() if words in texts(each)]


async def silent(world: World, days: int = 7, **settings: Any) -> None:
    """Ana's proposal waits for the GM, who doesn't answer."""
    await world.table(**settings)
    await world.propose(skill="Climbing")
    await world.env.advance_time(days * DAY + MINUTE)


async def is_paused(world: World) -> bool:
    return (await world.state()).settings.pause is not None


async def test_after_a_week_everybody_is_told_once_and_the_clock_stands_still(
    world: World,
) -> None:
    await silent(world, 6)
    assert not lines(world, _SILENT) and not await is_paused(world)
    await world.restart()
    await world.env.advance_time(DAY)
    assert len(lines(world, _SILENT)) == 1 and await is_paused(world)
    await world.restart()
    await world.env.advance_time(10 * DAY)
    assert len(lines(world, _SILENT)) == 1


async def test_the_first_act_of_a_gm_ends_it_and_gives_the_time_back(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "check", skill="Climbing", approach="up")
    await world.env.advance_time(7 * DAY + MINUTE)
    assert await is_paused(world)
    await world.env.advance_time(3 * DAY)
    private(await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="off"))
    assert not await is_paused(world)
    assert any("Deadlines go on" in each for each in lines(world, "is back"))
    await world.env.advance_time(6 * DAY + 23 * HOUR)
    assert len(lines(world, _SILENT)) == 1
    await world.env.advance_time(2 * HOUR)
    assert len(lines(world, _SILENT)) == 2, "the silence is counted from the GM's last act"


async def test_players_go_on_while_the_clock_stands_still(world: World) -> None:
    await silent(world)
    await world.ben.slash(world.zone, "check", skill="Climbing", approach="up")
    await world.env.advance_time(HOUR)
    assert await is_paused(world), "only a GM ends it"


async def test_a_deputy_counts_as_a_gm(world: World) -> None:
    await world.table()
    question = await world.gina.slash(world.zone, "gm deputy", user=world.ben)
    await world.press(world.gina, question.response, "Make deputy")
    await world.propose(skill="Climbing")
    await world.env.advance_time(5 * DAY)
    await world.ben.slash(world.zone, "gm npc add", name="Sidor", stage="off")
    await world.env.advance_time(5 * DAY)
    assert not lines(world, "No GM has answered")
    await world.env.advance_time(3 * DAY)
    assert lines(world, _SILENT)
    private(await world.ben.slash(world.zone, "gm npc add", name="Ratko", stage="off"))
    assert not await is_paused(world)


@pytest.mark.parametrize("visibility", ["private", "blind"])
async def test_a_secret_check_alone_starts_no_silence(world: World, visibility: str) -> None:
    await world.table(gm_channel=True)
    await world.ana.slash(
        world.zone, "check", skill="Climbing", approach="Zqsecret", visibility=visibility
    )
    await world.gina.slash(world.zone, "gm roll", note="Zqroll", **{"as": "Marek"})
    await world.env.advance_time(40 * DAY)
    assert not await is_paused(world)
    assert not lines(world, "No GM has")
    assert "Zq" not in world.told(world.ben)


async def test_nothing_waits_so_nobody_is_missed(world: World) -> None:
    await world.table()
    await world.env.advance_time(40 * DAY)
    assert not lines(world, "No GM has") and not await is_paused(world)


@pytest.mark.parametrize("settings", [{"silence": 0}, {"live": True}])
async def test_a_table_can_do_without(world: World, settings: dict[str, Any]) -> None:
    await silent(world, 40, **settings)
    assert not lines(world, "No GM has") and not await is_paused(world)


async def test_after_three_weeks_a_manager_claims_the_table(world: World) -> None:
    await silent(world, 20)
    mia = manager(world)
    await world.bring(mia, "Mo")
    refusal_of(await mia.slash(world.zone, "gm takeover"))
    await world.env.advance_time(DAY)
    told = lines(world, "No GM has acted here for 21 days")
    assert len(told) == 1 and world.gina.mention in told[0]
    refusal_of(await world.ana.slash(world.zone, "gm takeover"))
    public(await mia.slash(world.zone, "gm takeover"))
    claim = [each for each in world.messages() if "wants to take over" in texts(each)]
    assert any(world.gina.id in pings(each, world.env) for each in claim)
    assert "takes over this table already" in refusal_of(await mia.slash(world.zone, "gm takeover"))
    await world.restart()
    await world.env.advance_time(7 * DAY + MINUTE)
    handed = lines(world, "is GM now")
    assert len(handed) == 1 and world.gina.mention in handed[0], "the former GM is named"
    assert not await is_paused(world)
    private(await mia.slash(world.zone, "gm npc list"))
    refusal_of(await world.gina.slash(world.zone, "gm npc list"))
    await mia.slash(world.zone, "gm members", add=world.gina)
    private(await world.gina.slash(world.zone, "gm npc list"))


async def test_any_act_of_a_gm_stops_a_claim(world: World) -> None:
    await silent(world, 21)
    mia = manager(world)
    await world.bring(mia, "Mo")
    await mia.slash(world.zone, "gm takeover")
    await world.env.advance_time(6 * DAY)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="off")
    assert lines(world, "doesn't take over this table")
    await world.env.advance_time(10 * DAY)
    assert not lines(world, "is GM now")
    refusal_of(await mia.slash(world.zone, "gm npc list"))


async def test_a_handover_is_undone(world: World) -> None:
    await silent(world, 21)
    mia = manager(world)
    await world.bring(mia, "Mo")
    await mia.slash(world.zone, "gm takeover")
    await world.env.advance_time(7 * DAY + MINUTE)
    number = await world.revision()
    await mia.slash(world.zone, "gm undo", entry=number, dependents=True)
    private(await world.gina.slash(world.zone, "gm npc list"))


def manager(world: World) -> Any:
    """Somebody who may manage the server."""
    role = world.guild.create_role("keepers", permissions=discord.Permissions(manage_guild=True))
    return world.member("mia", role)


async def test_who_cannot_read_the_place_of_the_wait_is_told_too(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.answered(world.ben)
    await world.ana.slash(vault, "check", skill="Climbing", approach="down the shaft")
    await world.env.advance_time(7 * DAY + MINUTE)
    assert await is_paused(world)
    (line,) = lines(world, _SILENT)
    assert "shaft" not in line
    assert [_SILENT in texts(each) for each in world.messages(vault)].count(True) == 1
    private(await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="off"))
    assert len(lines(world, "is back")) == 1
    assert ["is back" in texts(each) for each in world.messages(vault)].count(True) == 1

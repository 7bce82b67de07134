"""Claims of managers who no longer manage the server, and deputies in `/table show`."""

from __future__ import annotations

import discord
import pytest

from tests.discord.test_deputies import named
from tests.discord.waiting.test_silent_gm import is_paused, lines, manager, silent
from tests.discord.world import DAY, MINUTE, World, private, public, refusal_of


@pytest.fixture
def patience() -> bool:
    return False


async def test_a_manager_who_has_left_the_server_gets_no_table(world: World) -> None:
    await silent(world, 21)
    mia = manager(world)
    keepers = discord.Permissions(manage_guild=True)
    otto = world.member("otto", world.guild.create_role("wardens", permissions=keepers))
    await world.bring(mia, "Mo")
    public(await mia.slash(world.zone, "gm takeover"))
    await world.restart()
    world.guild.remove_member(mia)
    await world.env.advance_time(7 * DAY + MINUTE)
    assert not lines(world, "is GM now")
    (told,) = lines(world, "doesn't take over this table")
    assert "Another server manager can use" in told
    assert await is_paused(world), "the table's clock still stands"
    await world.bring(otto, "Oona")
    public(await otto.slash(world.zone, "gm takeover"))
    await world.env.advance_time(7 * DAY + MINUTE)
    assert len(lines(world, "is GM now")) == 1
    private(await otto.slash(world.zone, "gm npc list"))


async def test_a_manager_who_has_lost_the_right_gets_no_table(world: World) -> None:
    await silent(world, 21)
    mia = manager(world)
    await world.bring(mia, "Mo")
    await mia.slash(world.zone, "gm takeover")
    world.env.backend.edit_member(world.guild.id, mia.id, {"role_ids": []})
    await world.env.settle()
    await world.env.advance_time(7 * DAY + MINUTE)
    assert not lines(world, "is GM now") and lines(world, "may no longer manage the server")
    refusal_of(await mia.slash(world.zone, "gm npc list"))
    private(await world.gina.slash(world.zone, "gm npc list"))
    await world.gina.slash(world.zone, "gm undo", entry=await world.revision(), dependents=True)


async def test_the_table_shows_its_deputies_to_everybody(world: World) -> None:
    await world.table()
    shown = private(await world.ana.slash(world.zone, "table show"))
    assert "deputy" not in shown
    await named(world)
    await world.restart()
    for who in (world.ana, world.gina):
        shown = private(await who.slash(world.zone, "table show"))
        assert "as GM, and @Ben as deputy." in shown.replace(world.ben.mention, "@Ben")
    await world.gina.slash(world.zone, "gm deputy", user=world.ben, back=True)
    assert "deputy" not in private(await world.ana.slash(world.zone, "table show"))

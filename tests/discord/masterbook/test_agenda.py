"""Healing rolls among what a table of MasterBook waits for: only player and GM know of them."""

from __future__ import annotations

from simcord.actors import MemberActor

from rules.registry import read_only_game
from rules.table.blocks import GMS
from rules.table.waits.agenda import agenda
from tests.discord.masterbook.table import FIGHTER, bring, open_table
from tests.discord.world import World, private


async def _ids(world: World) -> list[str]:
    return [wait.id for wait in agenda(read_only_game(await world.state()), GMS)]


async def _waiting(world: World, who: MemberActor) -> str:
    return private(await who.slash(world.zone, "table waiting"))


async def test_a_healing_roll_is_waited_for_once_it_is_due(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Vesna", FIGHTER | {"harm": "wounds 1"}, replace=True)
    await world.gina.slash(world.zone, "gm time", advance="1 hour")
    assert await _ids(world) == []
    await world.gina.slash(world.zone, "gm time", advance="30 days")
    (wait,) = await _ids(world)
    await world.gina.slash(world.zone, "gm time", advance="1 hour")
    assert await _ids(world) == [wait], "it is still the same wait"
    line = "- **Vesna**: Vesna can make a healing roll now"
    for who in (world.ana, world.gina):
        assert line in await _waiting(world, who)
    assert "Vesna" not in await _waiting(world, world.ben)

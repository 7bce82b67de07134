"""A healing roll that is due calls its player, once."""

from __future__ import annotations

import pytest

from tests.discord.masterbook.table import FIGHTER, bring, newest, open_table
from tests.discord.world import World, labels, message_of, pings, refusal_of, texts


@pytest.fixture
def patience() -> bool:
    """Tables wait only for those who have something to decide."""
    return False


async def _hurt(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Vesna", FIGHTER | {"harm": "wounds 1"}, replace=True)


def _calls(world: World) -> list[object]:
    return [each for each in world.messages() if "can make a healing roll now" in each.content]


@pytest.mark.rule("MB-HEAL-01")
async def test_a_healing_roll_that_is_due_calls_its_player_once(world: World) -> None:
    await _hurt(world)
    await world.gina.slash(world.zone, "gm time", advance="1 hour")
    assert _calls(world) == []
    assert "healing" not in texts(message_of(await world.ana.slash(world.zone, "moves")))
    await world.gina.slash(world.zone, "gm time", advance="30 days")
    (call,) = _calls(world)
    assert pings(call, world.env) == [world.ana.id]
    await world.gina.slash(world.zone, "gm time", advance="1 hour")
    await world.restart()
    assert len(_calls(world)) == 1
    assert "Vesna can make a healing roll now" in texts(
        message_of(await world.ana.slash(world.zone, "moves"))
    )
    assert refusal_of(await world.press(world.ben, call, "Healing roll"))
    panel = message_of(await world.press(world.ana, call, "Healing roll"))
    world.dice.lay(9, 9)
    await world.press(world.ana, panel, labels(panel)[0])
    assert world.dice.left == 0, labels(panel)
    assert "Vesna" in await newest(world)


async def test_of_an_npc_nobody_is_called(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Thug", {"harm": "wounds 1"}, npc=True, replace=True)
    await world.gina.slash(world.zone, "gm time", advance="30 days")
    assert _calls(world) == []
    assert labels(world.last()) is not None

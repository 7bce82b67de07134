"""Turns in any order whose time runs out, and who is still up, as players read it."""

from __future__ import annotations

import pytest

from rules.table.state import DAY
from tests.discord.test_block_turns import fight
from tests.discord.test_initiative import order, say
from tests.discord.world import World, refusal_of, texts


@pytest.fixture
def block_turns() -> bool:
    return True


@pytest.fixture
def patience() -> bool:
    return False


async def test_one_message_tells_that_time_ran_out(world: World) -> None:
    await fight(world)
    await world.restart()
    await world.env.advance_time(2 * DAY + 60)
    told = [each for each in world.messages() if "Time ran out" in texts(each)]
    assert len(told) == 1 and "Time ran out: Marek and Ilka delay" in texts(told[0])
    assert "Act now brings them back" in texts(told[0])
    await world.restart()
    await world.press(world.ben, told[0], "Act now")
    assert any("Ilka" in line and "current turn" in line for line in order(world))
    assert not any("Marek" in line and "current turn" in line for line in order(world))


async def test_a_refusal_names_everybody_who_is_still_up(world: World) -> None:
    await fight(world)
    cleo = world.member("cleo")
    await world.bring(cleo, "Vesna")
    refused = refusal_of(await say(world, cleo, "next"))
    assert "It's not your turn, it's Marek and Ilka's." in refused
    await say(world, world.ana, "next")
    assert "it's Ilka's." in refusal_of(await say(world, cleo, "next"))

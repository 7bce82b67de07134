"""Turns in any order whose time runs out, and who is still up, as players read it."""

from __future__ import annotations

import pytest

from rules.table.state import DAY
from tests.discord.test_block_turns import fight
from tests.discord.test_initiative import order, say, turns
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


@pytest.mark.parametrize("in_any_order", ["on", "off"])
async def test_the_last_call_of_a_round_names_who_still_delays(
    world: World, in_any_order: str
) -> None:
    """The fire is the last in the round, so the GM's End turn would begin the next one."""
    await fight(world, silence=0)
    await world.gina.slash(world.zone, "gm settings", setting="block_turns", value=in_any_order)
    await say(world, world.gina, "next", **{"as": "Marek"})
    await world.env.advance_time(2 * DAY + 60)
    (call,) = turns(world)
    assert call.startswith("The fire's turn. Round 1. Still delaying: Ilka.")
    assert call.endswith("Act now, before this turn ends the round. Marek goes next.")
    await world.press(world.ben, world.newest("Act now"), "Act now")
    assert turns(world)[-1].startswith("Ilka, you're up. Round 1."), turns(world)
    await say(world, world.ben, "next")
    assert turns(world) == ["The fire's turn. Round 1. Marek goes next."]
    await say(world, world.gina, "next")
    assert turns(world)[-1].startswith("Marek")


async def test_a_call_with_known_turns_after_it_names_nobody_who_delays(world: World) -> None:
    await fight(world, silence=0)
    await say(world, world.gina, "add", name="the flood")
    await world.env.advance_time(2 * DAY + 60)
    assert "Still delaying" not in turns(world)[0] and "goes next" in turns(world)[0]
    await say(world, world.gina, "next")
    assert "Still delaying: Marek and Ilka." in turns(world)[0]

"""Ask me: a player who wants to be asked before results stand, and at the start of each round."""

from __future__ import annotations

import pytest

from rules.table.check import REACT
from tests.discord.barmore import bar_table
from tests.discord.ego.table import open_table as ego_table
from tests.discord.world import World, pings, private, public, refusal_of

pytestmark = pytest.mark.asyncio


@pytest.fixture
def patience() -> bool:
    return False


async def test_results_wait_for_whoever_asks_and_everybody_sees_that(world: World) -> None:
    await world.table()
    told = public(await world.ben.slash(world.zone, "orders ask", results=True))
    assert "Ilka: asked before results stand" in told
    shown = private(await world.ana.slash(world.zone, "table show"))
    assert "Ilka" in shown and "wants to be asked before results stand" in shown
    assert "Wants to be asked before results stand" in private(
        await world.ben.slash(world.zone, "orders list")
    )
    await world.restart()
    await world.rolled(8, 3)
    (asked,) = [each for each in (await world.check()).asked if each.prompt.key == REACT]
    assert (asked.waiting_for, asked.prompt.time) == (("k2",), "step-in")
    assert pings(world.last(), world.env) == [world.ben.id]
    await world.press(world.ben, world.card(), "Accept result")
    assert not (await world.check()).is_open


async def test_it_is_off_by_default_and_can_be_turned_off_again(world: World) -> None:
    await world.table()
    await world.ben.slash(world.zone, "orders ask", results=True)
    await world.rolled(8, 3)
    assert (await world.check()).is_open
    assert "no longer asked" in public(
        await world.ben.slash(world.zone, "orders ask", results=False)
    )
    assert not (await world.check()).is_open, "what waited for them goes on"
    assert "nothing like that" in refusal_of(
        await world.ben.slash(world.zone, "orders ask", results=False)
    )


async def test_what_is_refused(world: World) -> None:
    await world.table()
    assert "turn `results` or `rounds` on or off" in refusal_of(
        await world.ben.slash(world.zone, "orders ask")
    )
    assert "asks nothing at the start of a round" in refusal_of(
        await world.ben.slash(world.zone, "orders ask", rounds=True)
    )
    assert "only they can do that" in refusal_of(
        await world.ben.slash(world.zone, "orders ask", results=True, character="Marek")
    )


async def test_barmore_has_nothing_to_ask_for(world: World) -> None:
    await bar_table(world)
    assert "nothing can be changed once the dice have fallen" in refusal_of(
        await world.ben.slash(world.zone, "orders ask", results=True)
    )


@pytest.mark.rule("EGO-KAR-04")
async def test_a_round_of_ego_waits_only_for_those_who_asked(world: World) -> None:
    await ego_table(world, live=False, step_in_minutes=60)
    await world.ana.slash(world.zone, "orders ask", rounds=True)
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    state = await world.state()
    (check,) = [each for each in state.checks.values() if each.is_open]
    waits = {who for each in check.asked for who in each.waiting_for}
    assert waits == {key for key, each in state.characters.items() if each.name == "Vesna"}

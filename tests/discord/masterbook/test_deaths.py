"""The clock kills no player's character at the end of a round."""

from __future__ import annotations

import pytest

from tests.discord.masterbook.table import open_table, sheet
from tests.discord.rounds import acts, gather, next_turn
from tests.discord.world import DAY, HOUR, MINUTE, World, message_of, pings, texts


@pytest.fixture
def patience() -> bool:
    return False


async def _boris_bleeds_to_death(world: World) -> None:
    """Vesna acts last in the round at whose end Boris dies."""
    await open_table(world, live=False, gm_channel=True, silence=0)
    await gather(world, "Thug")
    await next_turn(world, 1, 1, 9, 9, 5, 5)
    await world.gina.slash(world.zone, "gm adjust", character="Boris", what="wounds", value="5")
    await world.gina.slash(world.zone, "gm adjust", character="Boris", what="shock", value="7")
    await next_turn(world)
    await next_turn(world, 1, 1, 9, 9, 5, 5)
    await next_turn(world)
    assert await acts(world) == "Vesna" and (await sheet(world, "Boris")).harm.dying
    await world.restart()
    await world.env.advance_time(2 * DAY + MINUTE)


@pytest.mark.rule("MB-DMG-09")
async def test_the_clock_leaves_a_round_whose_end_would_kill_to_the_gms(world: World) -> None:
    await _boris_bleeds_to_death(world)
    assert await acts(world) == "Vesna" and not (await sheet(world, "Boris")).harm.dead
    shown, told = world.messages(world.gm_room)[-2:]
    assert pings(told, world.env) == [world.gina.id]
    assert "The round's end would kill Boris" in texts(told), texts(told)
    assert "Press End turn on the board to end the round, or help first." in texts(shown)
    before = len(world.messages()), len(world.messages(world.gm_room))
    await world.restart()
    await world.env.advance_time(30 * DAY)
    now = len(world.messages()), len(world.messages(world.gm_room))
    assert now == before, "they are told once"
    assert not (await sheet(world, "Boris")).harm.dead
    await next_turn(world, 1, 1, 9, 9, 5, 5)
    assert (await sheet(world, "Boris")).harm.dead, "the GMs may end it as ever"
    await world.gina.slash(world.zone, "gm undo")
    assert not (await sheet(world, "Boris")).harm.dead
    await world.env.advance_time(30 * DAY)
    assert not (await sheet(world, "Boris")).harm.dead


async def test_once_somebody_has_helped_the_clock_goes_on(world: World) -> None:
    await _boris_bleeds_to_death(world)
    await world.gina.slash(world.zone, "gm adjust", character="Boris", what="wounds", value="2")
    await world.env.advance_time(HOUR - MINUTE)
    assert await acts(world) == "Vesna", "there is time for the turn"
    await world.env.advance_time(2 * MINUTE)
    assert (await world.state()).encounters[str(world.zone.id)].round == 3


@pytest.mark.rule("MB-DMG-09")
async def test_gms_and_player_are_told_once_when_the_clock_makes_a_wound_mortal(
    world: World,
) -> None:
    await open_table(world, live=False, gm_channel=True, life_points=3)
    await world.gina.slash(world.zone, "attack", target="Boris", **{"as": "Thug", "with": "head"})
    world.dice.lay(10, 10, 9, 9)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    await world.press(world.ben, panel, "Pass")
    assert not (await sheet(world, "Boris")).harm.dying, "they have Life Points"
    await world.env.advance_time(DAY + MINUTE)
    assert (await sheet(world, "Boris")).harm.dying
    told = [each for each in world.messages() if "Boris is dying" in texts(each)]
    assert {one for each in told for one in pings(each, world.env)} == {
        world.ben.id,
        world.gina.id,
    }
    await world.restart()
    before = len(world.messages())
    await world.env.advance_time(9 * DAY)
    assert len(world.messages()) == before

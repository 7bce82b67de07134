"""Every change of a sheet is told by the answer that brings it about."""

from __future__ import annotations

import pytest

from tests.discord.ego.table import newest, open_table
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World


async def _fight(world: World) -> None:
    """Round 1 of Ana's Vesna and Ben's Boris, Vesna first."""
    await gather(world)
    await next_turn(world, *(6,) * 4, *(1,) * 4)


@pytest.mark.rule("EGO-AP-04")
async def test_a_timed_check_tells_the_points_that_it_took(world: World) -> None:
    await open_table(world)
    await _fight(world)
    world.dice.lay(*(5,) * 7)
    await world.ana.slash(
        world.zone,
        "check",
        skill="Acrobatics",
        difficulty="Easy",
        approach="over the wall",
        **{"with": "seconds 10"},
    )
    assert "Vesna: Action Points 4 → 3" in (await newest(world)).replace("**", "")


@pytest.mark.rule("EGO-MAG-02", "EGO-AP-03")
async def test_an_effect_tells_the_points_and_the_pool_that_it_took(world: World) -> None:
    magic = {
        "skills": [{"name": "Magic", "level": 3}],
        "powers": [{"name": "Fire", "rating": 0, "source": "magic"}],
        "specialties": [],
        "magic": 9,
    }
    await open_table(world, boris=magic)
    await _fight(world)
    await next_turn(world)
    world.dice.lay(5, 5)
    await world.ben.slash(world.zone, "ego use", effect="Fire", points=2, difficulty="Easy")
    told = (await newest(world)).replace("**", "")
    assert "Boris: Action Points 4 → 3" in told and "Boris: Magic pool 9 → 7" in told, told
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")


@pytest.mark.rule("EGO-FX-06")
async def test_regeneration_tells_its_dice_and_what_it_healed(world: World) -> None:
    hurt = {"powers": [{"name": "Regeneration", "rating": 3}], "lethal": 4}
    await open_table(world, boris=hurt)
    await _fight(world)
    await next_turn(world)
    told = await next_turn(world, 5, 1, 6, *(6,) * 4, *(1,) * 4)
    assert "Boris regenerates 2 Vitality: 8 → 10 (dice 5, 1, 6)." in told

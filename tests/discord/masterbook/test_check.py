"""Checks of MasterBook through Discord: a roll in steps, the hidden difficulty, contests, odds."""

from __future__ import annotations

import pytest

from tests.discord.masterbook.table import newest, sheet, table
from tests.discord.world import World, said


@pytest.mark.rule("MB-SKL-01", "MB-SKL-02", "MB-DN-01", "MB-DIE-01", "MB-DIE-02", "MB-SUC-02")
async def test_a_check_against_a_hidden_difficulty(world: World) -> None:
    await table(world, live=False)
    await world.ana.slash(world.zone, "check", skill="Stealth", approach="past the guard")
    panel = said(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Average")
    await world.press(world.gina, panel, "Let them roll")
    world.dice.lay(10, 6, 4)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    text = await newest(world)
    assert "21" in text or "22" in text, text
    print(text)


@pytest.mark.rule("MB-DIE-03", "MB-DIE-06", "MB-LP-01", "MB-LP-02")
async def test_a_life_point_is_spent_and_cancelled(world: World) -> None:
    await table(world, window_minutes=10)
    world.dice.lay(3, 4)
    await world.ana.slash(
        world.zone, "check", skill="Stealth", difficulty="Average", approach="along the wall"
    )
    print(await newest(world))
    panel = said(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Spend a Life Point: two more dice (you have 5)")
    assert (await sheet(world, "Vesna")).life_points == 4
    panel = said(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, "Cancel it with a Life Point of yours")
    text = await newest(world)
    assert (await sheet(world, "Boris")).life_points == 4
    assert "Boris cancels it" in text, text
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).life_points == 5
    world.dice.lay(10, 2, 5)
    await world.press(world.ben, world.newest("Pass"), "Pass")
    print(await newest(world))

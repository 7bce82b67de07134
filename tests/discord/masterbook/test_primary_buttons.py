"""The blue button: what helps its reader, and never what a friend would be sorry for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.masterbook.table import open_table
from tests.discord.world import World, labels, message_of, primary

HIDES = {"skill": "Stealth", "difficulty": "Average", "approach": "behind the crates"}


async def _panel(world: World, person: Any) -> Any:
    return message_of(await world.press(person, world.newest("React"), "React"))


@pytest.mark.rule("MB-DIE-06")
async def test_a_friends_point_is_not_canceled_by_a_slip(world: World) -> None:
    await open_table(world, step_in_minutes=600)
    world.dice.lay(2, 3)
    await world.ana.slash(world.zone, "check", **HIDES)
    panel = await _panel(world, world.ana)
    assert [each.startswith("Spend a Life Point") for each in primary(panel)] == [True]
    await world.press(world.ana, panel, primary(panel)[0])
    panel = await _panel(world, world.ben)
    assert any(each.startswith("Cancel it") for each in labels(panel))
    assert primary(panel) == ["Pass"]


async def test_on_a_success_accepting_it_stands_out(world: World) -> None:
    await open_table(world, step_in_minutes=600)
    world.dice.lay(9, 8)
    await world.ana.slash(world.zone, "check", **HIDES)
    panel = await _panel(world, world.ana)
    assert any(each.startswith("Spend a Life Point") for each in labels(panel))
    assert primary(panel) == ["Accept result"]


async def test_against_a_hidden_number_the_button_does_not_tell(world: World) -> None:
    await open_table(world, step_in_minutes=600)
    shown: list[list[str]] = []
    for faces in ((1, 2), (9, 8)):
        await world.ana.slash(world.zone, "check", skill="Stealth", approach="behind the crates")
        await world.rule(world.newest("Answer"), level="Average")
        world.dice.lay(*faces)
        await world.press(world.ana, world.newest("Roll"), "Roll")
        panel = await _panel(world, world.ana)
        shown.append(primary(panel))
        await world.press(world.ana, panel, "Accept result")
    assert shown[0] == shown[1] == ["Accept result"]

"""Cards of the deck on special effects."""

from __future__ import annotations

import pytest

from tests.discord.masterbook.cards.deck import begin
from tests.discord.masterbook.effect_table import effect, knows
from tests.discord.masterbook.table import meet, newest, sheet
from tests.discord.world import World, message_of


async def _all_pass(world: World, check: str, label: str) -> None:
    """Let both players have nothing to add to a check."""
    for person in (world.ana, world.ben):
        await world.press(person, world.card(check), label)


async def _lowers(world: World, label: str) -> str:
    """Let Ben lower what is done to Boris; what the newest check says then."""
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, label)
    return await newest(world)


@pytest.mark.rule("MB-LP-04", "MB-CARD-E09", "MB-SFX-23")
async def test_a_card_lowers_a_result_on_a_column_once_more(world: World) -> None:
    scare = effect("Scare", action="taunt_trick", effect_value=19)
    sheets = {"Vesna": knows(scare, life_points=0), "Boris": {"life_points": 1}}
    # Boris has Hero.
    await begin(world, 44, 50, 65, 40, 45, 62, sheets=sheets, step_in_minutes=10)
    world.dice.lay(5, 6)
    near = {"target": "Boris", "with": "meters 3"}
    await world.ana.slash(world.zone, "effect cast", effect="Scare", **near)
    for label in ("Accept result", "Pass"):
        await _all_pass(world, "c1", label)
    # 19 against Taunt 9.
    text = await meet(world, world.ben, "Pass")
    assert text.startswith("## Scare takes hold so far: Boris is set back"), text
    await _all_pass(world, "c2", "Pass")
    text = await _lowers(world, "Spend a Life Point: setback → untrained")
    assert text.startswith("## Scare takes hold so far: Boris is untrained"), text
    text = await _lowers(world, "Play Hero: lower the result a step")
    assert "Boris plays Hero." in text, text
    await world.press(world.ben, world.card("c2"), "Pass")
    text = await newest(world)
    assert text.startswith("## Scare takes hold: Boris is stymied"), text
    assert (await sheet(world, "Boris")).life_points == 0

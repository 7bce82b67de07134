"""What the rules say word for word, through the real commands: treatment, those who are out, claims, botches."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.discord.barmore import bar_table, roll, rule, sheet_of, side
from tests.discord.world import World, card, menu, said, texts


async def _hurt(world: World, name: str, *wounds: str) -> None:
    for each in wounds:
        await world.gina.slash(world.zone, "gm adjust", character=name, what="hurt", value=each)


async def _treat(world: World, factor: str = "") -> str:
    """Ana treats Ilka's only Wound with success; what the card says then."""
    given: dict[str, Any] = {"method": "treat", "target": "Ilka", "skill": "Athletics"}
    await world.ana.slash(world.zone, "heal", **given, approach="bandages")
    await rule(world, "3", factor=factor)
    world.dice.lay(8, 8, 8)
    number = (await world.state()).counters.check
    return await roll(world, name=f"c{number}")


# --- treatment ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-HEAL")
async def test_a_treatment_gives_the_factor_that_the_gm_names_and_no_other(world: World) -> None:
    await bar_table(world)
    await _hurt(world, "Ilka", "physical 2")
    assert "1 Light (physical) heals no faster than before" in await _treat(world)
    assert (await sheet_of(world, "Ilka")).wounds[0].factor == 1
    assert "heals 3 times as fast from now on" in await _treat(world, "3")
    await world.restart()
    assert "heals no faster than before, 3 times as fast" in await _treat(world, "2")
    assert "heals no faster than before, 3 times as fast" in await _treat(world)
    assert (await sheet_of(world, "Ilka")).wounds[0].factor == Fraction(3)
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet_of(world, "Ilka")).wounds[0].factor == Fraction(3)


@pytest.mark.rule("BAR-HEAL")
async def test_the_panel_says_what_a_treatment_will_do(world: World) -> None:
    await bar_table(world)
    await _hurt(world, "Ilka", "physical 12")
    await world.ana.slash(world.zone, "heal", method="treat", target="Ilka", skill="Athletics", approach="x")
    panel = said(await world.press(world.gina, world.newest("Answer"), "Answer"))
    entries = {each["value"]: each["label"] for each in menu(panel, "Factor")["options"]}
    assert entries["1"] == "Treatment ×1: stabilised, and heals no faster"
    assert entries["3"] == "Treatment ×3: stabilised, and heals 3 times as fast"
    assert "On a success the Wound is stabilised and heals no faster." in texts(panel)
    await world.gina.submit_modal(await world.press(world.gina, panel, "Write…"), {"difficulty": "6"})
    await world.choose(world.gina, panel, "Factor", "3")
    assert "stabilised and heals 3 times as fast, if it doesn't heal faster already." in texts(panel)


# --- botches ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-ROLL", "BAR-OPPOSED")
@pytest.mark.parametrize("command", ["attack", "barmore contest"])
async def test_botches_of_either_side_are_named(world: World, command: str) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, command, target="Ilka", skill="Boats", approach="row")
    await rule(world, None)
    panel = await side(world, world.ben, "Answer it", "Athletics")
    await world.press(world.ben, panel, "Answer it")
    world.dice.lay(1, 1, 1, 1, 1, 1)
    text = await roll(world)
    assert text.startswith("## Nobody triumphs")
    assert "**Marek:** Botch" in text and "**Ilka:** Botch" in text
    assert "Botch" in card(world)


@pytest.mark.rule("BAR-ROLL")
async def test_only_who_botched_is_said_to_have(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "attack", target="Ilka", skill="Boats", approach="row")
    await rule(world, None)
    panel = await side(world, world.ben, "Answer it", "Athletics")
    await world.press(world.ben, panel, "Answer it")
    world.dice.lay(8, 8, 8, 8, 1, 1)
    text = await roll(world)
    assert text.startswith("## ✓ Triumph") and "**Ilka:** Botch" in text and "**Marek:** Botch" not in text

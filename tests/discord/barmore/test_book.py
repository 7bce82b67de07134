"""What the rules say word for word, through the real commands: treatment, those who are out, claims, botches."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.discord.barmore import bar_table, roll, rule, sheet_of, side
from tests.discord.world import World, card, labels, menu, said, texts


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


# --- those who are out --------------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-TRAUMA", "BAR-OPPOSED")
@pytest.mark.parametrize("command", ["attack", "barmore contest"])
async def test_somebody_who_is_out_does_not_roll_and_what_is_done_to_them_is(
    world: World, command: str
) -> None:
    await bar_table(world)
    await _hurt(world, "Ilka", "physical 12")
    with_what = {"weapon": "Boathook"} if command == "attack" else {}
    await world.ana.slash(world.zone, command, target="Ilka", skill="Boats", approach="drag off", **with_what)
    await rule(world, None)
    assert "Ilka is out of action and doesn't roll." in card(world)
    assert "Answer it" not in labels(world.last())
    await world.restart()
    world.dice.lay(8, 8, 8, 1)
    text = await roll(world)
    assert text.startswith("## ✓ Triumph, level 5\n") and "= **25**" in text
    assert "**Ilka:** out of action: sets nothing against it" in text
    wounds = (await sheet_of(world, "Ilka")).wounds
    assert len(wounds) == (2 if command == "attack" else 1)
    await world.gina.slash(world.zone, "gm undo")
    assert len((await sheet_of(world, "Ilka")).wounds) == 1


@pytest.mark.rule("BAR-TRAUMA", "BAR-OPPOSED")
async def test_who_goes_down_before_the_roll_holds_nobody_back(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "attack", target="Ilka", skill="Boats", approach="low")
    await rule(world, None)
    await _hurt(world, "Ilka", "physical 12")
    panel = said(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(1, 1, 1, 1)
    await world.press(world.ana, panel, "Roll")
    assert card(world).startswith("## Nobody triumphs")
    await world.ana.slash(
        world.zone, "barmore contest", target="Ilka", mode="indirect", difficulty="12", skill="Boats"
    )
    await rule(world, "12")
    world.dice.lay(8, 8, 1, 1)
    assert (await roll(world, name="c2")).startswith("## ✓ Triumph, level 1\n")


@pytest.mark.rule("BAR-AUTO", "BAR-TRAUMA")
async def test_a_hit_that_takes_no_dice_is_followed_through(world: World) -> None:
    await bar_table(world)
    await _hurt(world, "Ilka", "physical 12")
    await world.ana.slash(world.zone, "attack", target="Ilka", weapon="Boathook", skill="Boats", approach="x")
    panel = said(await rule(world, None, press="No roll needed…"))
    await world.press(world.gina, panel, "No roll needed")
    assert "**Ilka:** a new Wound, Light (physical) (success level 0, Muscle Power +2, weapon +1: 3)" in card(
        world
    )
    assert len((await sheet_of(world, "Ilka")).wounds) == 2


@pytest.mark.rule("BAR-TEAM", "BAR-TRAUMA")
async def test_a_helper_who_goes_down_is_left_out(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(
        world.zone, "barmore team start", mode="simple addition", skill="Boats", approach="pull"
    )
    await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Athletics")
    await _hurt(world, "Ilka", "physical 12")
    await rule(world, "10")
    world.dice.lay(8, 8, 8, 8)
    text = await roll(world)
    assert text.startswith("## ✓ Success") and "Ilka" not in text

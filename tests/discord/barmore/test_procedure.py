"""Barmore's checks as procedures, through the real commands: cards, panels, what is chosen in
secret, rest.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.barmore import bar_table, sheet_of
from tests.discord.world import World, message_of, texts


async def _open(world: World, who: Any, label: str) -> Any:
    return message_of(await world.press(who, world.newest(label), label))


def _card(world: World, label: str) -> str:
    return texts(next(each for each in reversed(world.messages()) if label in texts(each)))


@pytest.mark.rule("BAR-DIE", "BAR-ROLL")
async def test_the_die_is_chosen_with_the_roll(world: World) -> None:
    await bar_table(world)
    options = {
        "skill": "Boats",
        "attribute": "Speed",
        "approach": "rows",
        "with": "die: d10-1, convert: 1",
    }
    await world.ana.slash(world.zone, "check", **options)
    assert "**Modifiers:** d10-1 (0–9 each)\n" in _card(world, "> rows")
    panel = await _open(world, world.gina, "Answer")
    await world.choose(world.gina, panel, "Difficulty", "15")
    assert "Pool: 3 Add Dice and 3 Bonus Dice." in texts(panel)
    await world.press(world.gina, panel, "Call for a roll")
    panel = await _open(world, world.ana, "Roll")
    await world.choose(world.ana, panel, "Die", "d8")
    world.dice.lay(8, 8, 2, 2, 1, 1)
    await world.press(world.ana, panel, "Roll d8")
    card = _card(world, "> rows")
    assert card.startswith(
        "## ✓ Success, level 0: 18 against 15\nMarek: Boats 3 and Speed 2\n> rows\n"
    )
    assert "6d8 (8, 8, ~~2~~, 2, ~~1~~, ~~1~~) = **18**" in card
    assert "-# Final · check c1" in card


@pytest.mark.rule("BAR-OPPOSED", "BAR-TRAUMA")
async def test_both_sides_choose_in_secret(world: World) -> None:
    await bar_table(world)
    given = {"target": "Ilka", "weapon": "Boathook", "skill": "Boats", "approach": "low"}
    await world.ana.slash(world.zone, "attack", **given)
    await world.press(world.gina, await _open(world, world.gina, "Answer"), "Call for a roll")
    panel = await _open(world, world.ben, "Defend")
    await world.choose(world.ben, panel, "Skill", "Athletics")
    # The words of the attack are everybody's at once, what both sides choose is not.
    assert "> low" in world.told(world.ben) and "Boats" not in world.told(world.ben)
    assert "Athletics" not in world.told(world.ana)
    world.dice.lay(8, 8, 8, 8, 1, 1)
    await world.press(world.ben, panel, "Defend")
    card = _card(world, "Marek attacks Ilka")
    assert card.startswith(
        "## Hit: Ilka is badly hurt (Critical Wound)\nMarek attacks Ilka: Boats 3\n> low\n"
    )
    assert "2d8 (1, 1) = **2**" in card and "= degree **9**: Critical (physical)" in card
    assert (await sheet_of(world, "Ilka")).wounds


@pytest.mark.rule("BAR-AUTO")
async def test_gms_see_what_whoever_never_rolls_can_set_against_it(world: World) -> None:
    await bar_table(world, gm_channel=True)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    await world.ana.slash(world.zone, "attack", target="Sidor", weapon="Boathook", skill="Boats")
    panel = await _open(world, world.gina, "Answer")
    assert "5: no traits, without dice" in texts(panel)
    assert "no traits, without dice" not in world.told(world.ana)


@pytest.mark.rule("BAR-HEAL")
async def test_a_gm_grants_time_to_rest(world: World) -> None:
    await bar_table(world)
    panel = message_of(await world.ana.slash(world.zone, "heal", method="rest"))
    await world.press(world.ana, panel, "Send")
    await world.press(world.gina, await _open(world, world.gina, "Answer"), "Allow the rest")
    card = _card(world, "Marek rests")
    assert card.startswith("## ✓ There is enough time to rest: Marek is unhurt\nMarek rests\n")
    assert "**Marek:** rests; nothing slows healing any more" in card

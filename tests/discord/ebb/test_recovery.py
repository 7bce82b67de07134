"""Recovery under EBB by its commands: rest in parts, and which of several injuries is treated."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import World, card, labels, menu, message_of, refusal_of

BREAK = {"text": "Broken arm", "part": "left arm", "severity": "severe"}
BURN = {"text": "Burned hand"}


async def _table(world: World, *injuries: dict[str, str]) -> None:
    """Marek has lost 1 Fitness and 2 Zone and has these injuries."""
    await world.setup()
    lost = {"Fitness": 1, "Zone": 2}
    await world.bring(world.ana, "Marek", sacrificed=lost, injuries=list(injuries), grown=True)
    await world.bring(world.ben, "Ilka")
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=0)


async def _marek(world: World) -> Any:
    return next(
        each.sheet for each in (await world.state()).characters.values() if each.name == "Marek"
    )


async def _treated(world: World) -> list[bool]:
    return [each.treated for each in (await _marek(world)).injuries]


# --- rest -----------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-HEAL")
async def test_the_gm_says_what_a_rest_covers(world: World) -> None:
    await _table(world)
    await world.ana.slash(world.zone, "heal", method="rest", approach="a night in the hut")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    offered = [each["label"] for each in menu(panel, "All the rest")["options"]]
    assert offered == [
        "Restore only Fitness +1 of 1", "Restore only Zone +1 of 2", "Restore only Zone +2 of 2"
    ]  # fmt: skip
    await world.choose(world.gina, panel, "All the rest", "covers: Zone 1")
    await world.restart()
    await world.press(world.gina, panel, "Allow the rest")
    assert "Restored: Zone +1." in card(world)
    assert (await _marek(world)).sacrificed == (("Fitness", 1), ("Zone", 1))
    await world.gina.slash(world.zone, "gm undo")
    assert (await _marek(world)).sacrificed == (("Fitness", 1), ("Zone", 2))


@pytest.mark.rule("EBB-HEAL")
async def test_a_gm_restores_a_part_at_once(world: World) -> None:
    await _table(world)
    words = {"with": "covers: Zone 2"}
    await world.gina.slash(world.zone, "heal", method="rest", target="Marek", **words)
    assert (await _marek(world)).sacrificed == (("Fitness", 1),)
    refusal_of(await world.ana.slash(world.zone, "heal", method="rest", **words))
    assert (await _marek(world)).sacrificed == (("Fitness", 1),)


# --- injuries -------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-HEAL")
async def test_the_panel_asks_which_injury_is_meant(world: World) -> None:
    await _table(world, BREAK, BURN)
    panel = message_of(await world.ana.slash(world.zone, "heal", method="treat"))
    shown = [each["label"] for each in menu(panel, "Injury")["options"]]
    assert any("Broken arm" in each for each in shown) and any(
        "Burned hand" in each for each in shown
    )
    modal = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(modal, {"approach": "cold water"})
    await world.choose(world.ana, panel, "Injury", "Burned hand")
    await world.press(world.ana, panel, "Send")
    await world.rule(level="Easy")
    world.dice.lay(6)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert await _treated(world) == [False, True]


@pytest.mark.rule("EBB-HEAL")
async def test_without_a_name_the_worst_is_treated_and_its_owner_may_choose(
    world: World,
) -> None:
    await _table(world, BREAK, BURN)
    given = {"method": "treat", "target": "Marek", "approach": "a clean bandage"}
    await world.ben.slash(world.zone, "heal", **given)
    await world.rule(level="Easy")
    world.dice.lay(6)
    await world.press(world.ben, world.newest("Roll"), "Roll")
    assert card(world).startswith("## ✓ Success")
    assert "Final" in card(world) and "The worst injury is treated." in card(world)
    # What stands on the sheet is not for the others to read.
    assert "Broken" not in world.told(world.ben)
    worst = (await _treated(world)).index(True)
    assert sum(await _treated(world)) == 1
    await world.restart()
    another = "Treat another injury"
    refusal_of(await world.press(world.ben, world.newest(another), another))
    panel = message_of(await world.press(world.ana, world.newest(another), another))
    (other,) = [each for each in labels(panel) if "Broken arm" in each or "Burned hand" in each]
    await world.press(world.ana, panel, other)
    assert (await _treated(world)).index(True) == 1 - worst
    assert f"{('Broken arm', 'Burned hand')[1 - worst]} is treated." in card(world)
    await world.gina.slash(world.zone, "gm undo")
    assert (await _treated(world)).index(True) == worst
    assert "The worst injury is treated." in card(world)


@pytest.mark.rule("EBB-HEAL")
async def test_the_only_injury_needs_no_name(world: World) -> None:
    await _table(world, BURN)
    await world.ben.slash(world.zone, "heal", method="treat", target="Marek", approach="cold water")
    await world.rule(level="Easy")
    world.dice.lay(6)
    await world.press(world.ben, world.newest("Roll"), "Roll")
    assert await _treated(world) == [True]

"""Bad Luck through Discord: every throw of two dice of a player's character asks the GM."""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.checks.card_awards import fortune_of
from rules.table.marks import marks_of
from tests.discord.masterbook.cards.stacked_deck import whole
from tests.discord.masterbook.table import FIGHTER, bring, open_table
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, labels, message_of

UNLUCKY: Final[dict[str, Any]] = {"compensations": ["Bad Luck (CIII)"]}
BUTTON: Final = "GM: bad luck"


async def _lucky(world: World, **given: Any) -> None:
    await open_table(world, sheets={"Vesna": UNLUCKY}, **given)


async def _struck(world: World) -> None:
    """The GM is asked about the newest check, and lets a mishap be."""
    name = f"c{(await world.state()).counters.check}"
    assert (await world.check(name)).is_open
    panel = message_of(await world.press(world.gina, world.newest(BUTTON), BUTTON))
    assert "Vesna: kept for later" in labels(panel), labels(panel)
    await world.press(world.gina, panel, "Vesna: a mishap you describe")
    assert not (await world.check(name)).is_open


@pytest.mark.rule("MB-BG-43")
async def test_a_move_asks_the_gm(world: World) -> None:
    await _lucky(world)
    world.dice.lay(1, 3)
    await world.ana.slash(world.zone, "mb move", how="running", push=True, rows="rough")
    assert world.dice.left == 0
    await _struck(world)


@pytest.mark.rule("MB-BG-43", "MB-HEAL-01")
async def test_a_healing_roll_asks_the_gm(world: World) -> None:
    await _lucky(world)
    hurt = FIGHTER | UNLUCKY | {"harm": "wounds 2"}
    await bring(world, world.gina, "Vesna", hurt, replace=True)
    await world.gina.slash(world.zone, "gm time", advance="3 days")
    world.dice.lay(1, 2)
    await world.ana.slash(world.zone, "heal", method="healing")
    assert world.dice.left == 0
    await _struck(world)


@pytest.mark.rule("MB-BG-43", "MB-FALL-01")
async def test_a_fall_asks_the_gm(world: World) -> None:
    await _lucky(world)
    world.dice.lay(2, 2)
    await world.ana.slash(world.zone, "mb fall", meters=3, weight=70)
    assert world.dice.left == 0
    await _struck(world)


@pytest.mark.rule("MB-BG-43", "MB-SKILL-TEACHING")
async def test_a_lesson_asks_the_gm_about_the_teacher(world: World) -> None:
    teaches = {
        "skills": [{"name": "Dodge", "adds": 4}, {"name": "Teaching", "focus": "Dodge", "adds": 3}]
    }
    await open_table(world, sheets={"Vesna": UNLUCKY | teaches})
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=9, to="Boris")
    await world.ben.slash(world.zone, "mb study", skill="Dodge", teacher="Vesna")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(1, 1)
    await world.press(world.gina, panel, "Yes, just the right teacher")
    assert world.dice.left == 0
    await _struck(world)


@pytest.mark.rule("MB-BG-43", "MB-CARD-C06")
async def test_a_step_of_a_task_asks_the_gm(world: World) -> None:
    rules = {"cards_mode": "initiative_only"}
    await open_table(world, gm_channel=True, rules=rules, sheets={"Vesna": UNLUCKY})
    await gather(world)
    await next_turn(world, *whole(14, 14))
    await world.gina.slash(world.zone, "mb task start", name="The ledge", step_a="Stealth 10")
    world.dice.lay(1, 2)
    await world.ana.slash(world.zone, "mb task try")
    assert world.dice.left == 0
    await _struck(world)


@pytest.mark.rule("MB-BG-43")
async def test_only_the_gm_reads_the_number_of_strokes(world: World) -> None:
    await _lucky(world)
    offered: list[str] = []
    for _ in range(3):
        world.dice.lay(1, 2)
        await world.ana.slash(world.zone, "mb move", how="running", push=True)
        panel = message_of(await world.press(world.gina, world.newest(BUTTON), BUTTON))
        offered = labels(panel)
        choice = next(each for each in offered if each.startswith("Vesna: kept for later"))
        await world.press(world.gina, panel, choice)
    assert "Vesna: kept for later (the third this adventure)" in offered, offered
    assert "this adventure" not in world.told(world.ana) + world.told(world.ben)
    game = read_only_game(await world.state())
    vesna = next(each for each in game.state.characters.values() if each.name == "Vesna")
    assert (fortune_of(game, vesna.id).triggers, fortune_of(game, vesna.id).banked) == (3, 3)
    await world.gina.slash(world.zone, "mb adventure start", name="Another")
    game = read_only_game(await world.state())
    assert fortune_of(game, vesna.id).triggers == 0
    assert not marks_of(game.state, vesna.id, "banked_luck")

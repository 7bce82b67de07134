"""Calls to roll, and the buttons that roll, say how many dice, and what is open the chance."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.barmore import bar_table
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as mb
from tests.discord.world import World, controls, message_of, texts


async def _called(world: World, difficulty: str, **menus: str) -> tuple[str, list[str]]:
    """The call to roll after the GM's answer, and the labels of its buttons."""
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", difficulty)
    for title, value in menus.items():
        await world.choose(world.gina, panel, title, value)
    await world.press(world.gina, panel, "Call for a roll")
    call = world.newest("Roll")
    return texts(call).replace("\u00a0", " "), [each["label"] for each in controls(call)]


@pytest.mark.parametrize(
    ("system", "options", "difficulty", "call", "label"),
    [
        (
            "ebb",
            {"skill": "Climbing", "attribute": "Fitness"},
            "Tricky",
            "Marek, roll d10 + d8 against 10 (Tricky): 64%",
            "Roll d10 + d8",
        ),
        (
            "ego",
            {"skill": "Gun Combat"},
            "Moderate",
            "Vesna, roll 7 dice against Moderate (2): 74%",
            "Roll 7 dice",
        ),
        (
            "masterbook",
            {"skill": "Melee Combat"},
            "Average",
            "Vesna, roll 2d10 against a hidden difficulty",
            "Roll 2d10",
        ),
        (
            "barmore",
            {"skill": "Rapier"},
            "15",
            "Marek, roll 5 dice against 15: ",
            "Roll 5 dice",
        ),
    ],
)
async def test_a_call_says_the_dice_and_against_an_open_difficulty_the_chance(
    world: World, system: str, options: dict[str, Any], difficulty: str, call: str, label: str
) -> None:
    if system == "ebb":
        await world.table()
    elif system == "barmore":
        await bar_table(world)
    else:
        await (ego if system == "ego" else mb).open_table(world, live=False)
    await world.ana.slash(world.zone, "check", approach="so", **options)
    text, labels = await _called(world, difficulty)
    assert call in text, text
    assert label in labels
    assert "Next roll" not in texts(world.card("c1"))


async def test_a_hidden_difficulty_has_no_chance(world: World) -> None:
    await ego.open_table(world, live=False)
    await world.ana.slash(world.zone, "check", skill="Gun Combat", approach="so")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Moderate")
    shared = next(each for each in controls(panel) if str(each.get("custom_id")).endswith(":s"))
    await world.choose(world.gina, panel, shared["placeholder"], "hidden")
    await world.press(world.gina, panel, "Call for a roll")
    text = texts(world.newest("Roll"))
    assert "roll 7 dice against a hidden difficulty" in text and "%" not in text


async def test_dice_that_fall_at_once_say_so(world: World) -> None:
    await ego.open_table(world, live=False)
    await world.ana.slash(
        world.zone, "attack", target="Orc", weapon=ego.PISTOL, **{"with": "range: short"}
    )
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    labels = [each.get("label") for each in controls(panel)]
    assert "Roll now" in labels and "Call for a roll" not in labels
    await world.ana.slash(world.zone, "check", skill="Gun Combat", approach="so")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Moderate")
    labels = [each.get("label") for each in controls(panel)]
    assert "Call for a roll" in labels and "Roll now" not in labels

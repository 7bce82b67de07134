"""A roll against a hidden difficulty: its roller is shown the choice, and how long it has."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import World, labels, message_of, texts

pytestmark = pytest.mark.asyncio


@pytest.fixture
def patience() -> bool:
    return False


async def hidden_check(world: World, **settings: Any) -> Any:
    """Marek's check against a number that only the GM knows: its card, with Roll."""
    await world.table(**settings)
    return await world.answered(hidden=True)


@pytest.mark.parametrize(("pace", "length"), [("post", "1 hour"), ("table", "2 minutes")])
async def test_the_answer_to_the_roll_offers_the_choice(
    world: World, pace: str, length: str
) -> None:
    message = await hidden_check(world, live=pace == "table")
    before = len(world.messages())
    world.dice.lay(3, 2)
    rolled = await world.press(world.ana, message, "Roll")
    (panel,) = rolled.followups
    assert f"Keep your roll or spend: it stands after {length}." in texts(panel)
    assert panel.flags.ephemeral and len(world.messages()) <= before
    assert "Keep your roll or spend" not in texts(world.card()) + world.told(world.ben)
    assert (await world.check()).is_open
    world.dice.lay(8)
    (spend,) = [each for each in labels(panel) if "Re-roll d8" in each]
    await world.press(world.ana, panel, spend)
    assert (await world.check()).data.roll.abilities == (2, 8)


async def test_the_private_answer_to_a_private_press_offers_it_once(world: World) -> None:
    await hidden_check(world)
    moves = message_of(await world.ana.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ana, moves, "Open · c1"))
    world.dice.lay(3, 2)
    rolled = await world.press(world.ana, panel, "Roll")
    assert not rolled.followups
    shown = texts(message_of(rolled))
    assert shown.count("Keep your roll or spend: it stands after 1 hour.") == 1
    assert "Re-roll d8" in " ".join(labels(message_of(rolled)))


async def test_nothing_is_offered_to_a_roller_without_points(world: World) -> None:
    message = await hidden_check(world)
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="0")
    world.dice.lay(3, 2)
    rolled = await world.press(world.ana, message, "Roll")
    assert "Keep your roll or spend" not in "".join(map(texts, rolled.followups))
    assert not (await world.check()).is_open


async def test_nothing_is_offered_when_another_hand_rolls(world: World) -> None:
    message = await hidden_check(world)
    world.dice.lay(3, 2)
    rolled = await world.press(world.gina, message, "Roll")
    assert "Keep your roll or spend" not in "".join(map(texts, rolled.followups))
    assert "Keep your roll or spend" not in world.told(world.ana)

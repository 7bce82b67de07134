"""Corrections of a hidden number: who is told nothing new gets the same bytes as without one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.attack.test_roll_call_secrets import seen
from tests.discord.barmore import bar_table
from tests.discord.test_whispers import begun
from tests.discord.world import World, message_of, private, refusal_of, texts

pytestmark = pytest.mark.slow


async def _corrected(world: World, options: Mapping[str, Any]) -> None:
    """Ana fails against a hidden number that the GM then corrects, with the same verdict."""
    await _failed(world, options["number"])
    change = {"entry": await world.revision() - 1, "change": f"difficulty: {options['instead']}"}
    preview = await world.gina.slash(world.zone, "gm amend", **change)
    assert "Players will notice nothing." in private(preview)
    await world.press(world.gina, message_of(preview), "Change it")
    await _play_on(world)


async def _not_corrected(world: World, options: Mapping[str, Any]) -> None:
    """The GM does something else that nobody is told of."""
    await _failed(world, options["number"])
    private(await world.gina.slash(world.zone, "gm npc add", name="Xbaron"))
    await _play_on(world)


async def _failed(world: World, number: str) -> None:
    world.dice.lay(5, 2)
    await world.press(world.ana, await world.answered(hidden=True, number=number), "Roll")
    assert world.dice.left == 0


async def _play_on(world: World) -> None:
    await world.restart()
    world.dice.lay(3, 4)
    await world.ben.slash(world.zone, "roll", dice="2d6")
    await world.ana.slash(world.zone, "table fair show")
    await world.env.settle()


@pytest.mark.parametrize("reader", ["ana", "ben"])
async def test_a_correction_of_a_hidden_number_leaves_no_trace(tmp_path: Path, reader: str) -> None:
    one = await seen(tmp_path / "one", _corrected, {"number": "29", "instead": "31"}, reader)
    other = await seen(tmp_path / "other", _corrected, {"number": "35", "instead": "27"}, reader)
    none = await seen(tmp_path / "none", _not_corrected, {"number": "29"}, reader)
    assert one == other == none
    shown = "".join(one)
    assert "hidden difficulty" in shown and "Xbaron" not in shown


async def test_new_dice_in_a_whisper_scene_are_told_in_the_scene_alone(world: World) -> None:
    """Time that passed in the open is corrected, and a whispered roll needs two more dice."""
    await bar_table(world)
    wound = {"character": "Marek", "what": "new wound", "value": "physical 5"}
    private(await world.gina.slash(world.zone, "gm adjust", **wound))
    await world.gina.slash(world.zone, "gm time", advance="90 days")
    passed = await world.revision()
    thread = await begun(world)
    private(await world.gina.slash(thread, "gm call", skill="Boats", difficulty="2"))
    await world.env.settle()
    panel = await world.press(world.ana, world.newest("Roll", thread), "Roll")
    await world.press(world.ana, message_of(panel), "Roll d8")
    rolled = await world.revision()
    change = {"entry": passed, "change": "advance: 1 hour"}
    preview = await world.gina.slash(world.zone, "gm amend", **change)
    assert f"#{rolled} needs " in private(preview) and "nobody has seen" in private(preview)
    await world.press(world.gina, message_of(preview), "Change it")
    await world.env.settle()
    entry = await world.revision()
    fair = "table fair show"

    assert "Corrected by" in texts(world.last()) and "New dice" not in texts(world.last())
    seeds = private(await world.ben.slash(world.zone, fair))
    assert "Corrections that you were told of:** 1\n" in seeds and f"#{entry}" not in seeds
    assert "rolled no dice" in refusal_of(await world.ben.slash(world.zone, fair, entry=entry))
    assert "New dice were rolled" in texts(world.last(thread))
    assert "1, 1 with new dice" in private(await world.ana.slash(thread, fair))
    for who in (world.ana, world.gina):
        shown = private(await who.slash(thread, fair, entry=entry))
        assert f"/{rolled}`" in shown, shown

"""Corrections of a hidden number: who is told nothing new gets the same bytes as without one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.attack.test_roll_call_secrets import seen
from tests.discord.world import World, message_of, private

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

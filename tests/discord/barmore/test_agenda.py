"""Complex actions among what a table of Barmore waits for: rolls that the GM has to accept."""

from __future__ import annotations

import re

from tests.discord.barmore import bar_table
from tests.discord.world import World, private


async def _waiting(world: World) -> str:
    shown = private(await world.ben.slash(world.zone, "table waiting"))
    return re.sub(r"<t:\d+:R>", "<t>", shown)


async def test_a_roll_that_claims_something_waits_for_the_gm(world: World) -> None:
    await bar_table(world)
    task = {"name": "Mend the hull", "who": "Marek", "difficulty": "10", "required": 9}
    await world.gina.slash(world.zone, "barmore task start", every="1 hour", skill="Boats", **task)
    assert "Nobody is waited for" in await _waiting(world), "its player may go on at any time"
    await world.ana.slash(world.zone, "barmore task roll", **{"with": "support: Athletics"})
    await world.restart()
    shown = await _waiting(world)
    assert "- **The GM**: " in shown and "asked <t>" in shown
    world.dice.lay(8, 8, 1, 1, 1, 1)
    await world.press(world.gina, world.newest("Accept and roll"), "Accept and roll")
    assert "Nobody is waited for" in await _waiting(world)

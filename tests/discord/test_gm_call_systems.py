"""`/gm call` in the real systems: one press rolls, and the clock rolls for the others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.barmore import bar_table
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as mb
from tests.discord.world import World, private, texts

DAY = 86_400


@pytest.mark.parametrize(
    ("system", "options"),
    [
        ("ego", {"skill": "Stealth", "difficulty": "Moderate"}),
        ("masterbook", {"skill": "Stealth", "difficulty": "Average"}),
        # Difficulties are always hidden there.
        ("masterbook", {"skill": "Stealth", "difficulty": "Average", "hidden": True}),
        ("barmore", {"skill": "Brawling", "difficulty": "15", "hidden": True}),
    ],
)
async def test_a_call_is_rolled_by_players_and_by_the_clock(
    world: World, system: str, options: dict[str, Any]
) -> None:
    if system == "barmore":
        await bar_table(world)
    else:
        await (ego if system == "ego" else mb).open_table(world, live=False)
    answer = await world.gina.slash(world.zone, "gm call", until="2 days", **options)
    assert "Nothing has changed" not in private(answer)
    state = await world.state()
    assert len(state.checks) == len([c for c in state.characters.values() if c.owner])
    told = private(await world.press(world.ana, world.newest("Roll"), "Roll"))
    assert "Nothing has changed" not in told
    await world.env.advance_time(2 * DAY + 60)
    checks = (await world.state()).checks
    assert all(check.prompt("ready") is None for check in checks.values()), told
    assert "not rolled yet" not in texts(world.newest("Details"))

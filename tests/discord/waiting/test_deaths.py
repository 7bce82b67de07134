"""The clock kills no player's character: the GM decides, and the dice stay as they fell."""

from __future__ import annotations

import pytest

from rules.table.state import DAY
from tests.discord.ego.table import misses, newest, open_table, sheet
from tests.discord.world import World, labels, message_of, pings, refusal_of

#: Two points of damage kill whoever wears no armor.
FRAIL = {"armour": None, "vitality": 2, "karma": 0}


@pytest.fixture
def patience() -> bool:
    """Tables wait only for those who have something to decide."""
    return False


async def _killed(world: World) -> None:
    """An orc strikes at Boris, whose player doesn't answer within a day."""
    await open_table(world, boris=FRAIL, live=False)
    await world.gina.slash(world.zone, "attack", target="Boris", **{"as": "Orc"})
    before = await sheet(world, "Boris")
    world.dice.lay(*misses(4), 5, 5, *misses(3), 6, 6, 6, 6)
    await world.env.advance_time(DAY + 60)
    assert world.dice.left == 0, "the death is decided after the damage dice"
    assert await sheet(world, "Boris") == before


async def test_a_death_by_the_clock_waits_for_the_gm(world: World) -> None:
    await _killed(world)
    text = await newest(world)
    assert text.startswith("## ✗ This would kill Boris"), text
    assert "Nobody has answered for Boris in time. The GM decides." in text
    assert pings(world.last(), world.env) == [world.gina.id]
    assert refusal_of(await world.press(world.ben, world.newest("Decide"), "Decide"))
    await world.env.advance_time(90 * DAY)
    assert (await sheet(world, "Boris")).down == "", "nor does it happen later by itself"
    await world.restart()
    panel = message_of(await world.press(world.gina, world.newest("Decide"), "Decide"))
    assert {"Let it stand", "Leave it open"} <= {*labels(panel)}
    # No dice are laid: those fall that had fallen.
    await world.press(world.gina, panel, "Let it stand")
    text = await newest(world)
    assert (await sheet(world, "Boris")).down == "dead", text
    assert "Damage:** 12" in text or "24" in text, text


async def test_left_open_the_player_has_the_time_again(world: World) -> None:
    await _killed(world)
    panel = message_of(await world.press(world.gina, world.newest("Decide"), "Decide"))
    await world.press(world.gina, panel, "Leave it open")
    assert pings(world.last(), world.env) == [world.ben.id]
    assert "This would kill" not in await newest(world)
    await world.restart()
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(*misses(5), *(5,) * 4)
    await world.press(world.ben, panel, "Parry" if "Parry" in labels(panel) else "Pass")
    assert not (await world.state()).checks["c1"].held_death


async def test_the_decision_can_be_taken_back(world: World) -> None:
    await _killed(world)
    panel = message_of(await world.press(world.gina, world.newest("Decide"), "Decide"))
    await world.press(world.gina, panel, "Let it stand")
    assert (await sheet(world, "Boris")).down == "dead"
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).down == ""
    panel = message_of(await world.press(world.gina, world.newest("Decide"), "Decide"))
    await world.press(world.gina, panel, "Let it stand")
    assert (await sheet(world, "Boris")).down == "dead"

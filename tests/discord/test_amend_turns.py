"""`/gm amend` of what was done in a turn: turns that are still the same ones end as they did."""

from __future__ import annotations

import pytest

from bot.services.replay import replay
from tests.discord.amend_steps import carry_out, entry_of, preview, undo_exactly
from tests.discord.ego import table as ego
from tests.discord.rounds import acts, board, gather, next_turn
from tests.discord.world import DAY, MINUTE, World, refusal_of, texts

#: Dice for the initiative of Vesna, Boris, the goblin and the orc, in this order.
ROLLS = (6, 6, 6, 6, 5, 5, 5, 5, 1, 1, 1, 1)


@pytest.fixture
def patience() -> bool:
    return False


async def fight(world: World, *, in_any_order: bool = False) -> None:
    await ego.open_table(world)
    if in_any_order:
        await world.gina.slash(world.zone, "gm settings", setting="block_turns", value="on")
    await gather(world, "Orc", "Goblin")
    await next_turn(world, *ROLLS)


async def _require_replay(world: World) -> None:
    store = world.bot.tables.store
    (table_id,) = set((await store.place_tables()).values())
    assert await replay(store, table_id) == await world.state()


async def test_a_turn_ended_by_its_button_stays_over(world: World) -> None:
    await fight(world)
    await world.ana.slash(world.zone, "ego act", action="bars the gate", seconds=4)
    await world.press(world.ana, board(world), "End turn")
    await world.press(world.ben, board(world), "End turn")
    await world.press(world.gina, board(world), "End turn")
    before = await world.state()
    assert await acts(world) == "Orc"
    panel = await preview(world, await entry_of(world, "Act"), "action: stands up")
    assert "Can't stand" not in texts(panel) and "ended a turn" not in texts(panel), texts(panel)
    await carry_out(world, panel)
    assert await acts(world) == "Orc"
    await _require_replay(world)
    await undo_exactly(world, before)
    await _require_replay(world)


async def test_another_target_keeps_the_turns_that_followed(world: World) -> None:
    await fight(world)
    await ego.attack(world, world.ana, "Goblin", *ego.misses(12))
    await world.press(world.ana, board(world), "End turn")
    await world.press(world.ben, board(world), "End turn")
    before = await world.state()
    panel = await preview(world, await entry_of(world, "Begin"), "target: Orc")
    await carry_out(world, panel)
    assert await acts(world) == "Goblin"
    await _require_replay(world)
    await undo_exactly(world, before)


async def test_a_turn_of_a_block_stays_over_when_another_goes_on(world: World) -> None:
    """Vesna has points left now, so her turn doesn't end by itself any more."""
    await fight(world, in_any_order=True)
    await world.ana.slash(world.zone, "ego act", action="bars the gate", seconds=40)
    assert await acts(world) == "Boris"
    await world.press(world.ben, board(world), "End turn")
    assert await acts(world) == "Goblin"
    before = await world.state()
    panel = await preview(world, await entry_of(world, "Act"), "seconds: 1")
    assert "Can't stand" not in texts(panel), texts(panel)
    assert "Changes with it:\n- #" in texts(panel) and "Ben ended a turn" in texts(panel)
    await carry_out(world, panel)
    assert await acts(world) == "Vesna"
    assert "It's not your turn" in refusal_of(await world.ben.slash(world.zone, "initiative next"))
    await _require_replay(world)
    await undo_exactly(world, before)


async def test_the_gm_ended_the_turn_of_one_of_a_block(world: World) -> None:
    """The turn that was ended without a name is still meant when two are up."""
    await fight(world, in_any_order=True)
    await world.ana.slash(world.zone, "ego act", action="bars the gate", seconds=40)
    await world.press(world.gina, board(world), "End turn")
    assert await acts(world) == "Goblin"
    before = await world.state()
    await carry_out(world, await preview(world, await entry_of(world, "Act"), "seconds: 1"))
    assert await acts(world) == "Vesna"
    await _require_replay(world)
    await undo_exactly(world, before)


async def test_more_time_for_a_turn_stands(world: World) -> None:
    await fight(world)
    await world.ana.slash(world.zone, "ego act", action="bars the gate", seconds=4)
    await world.env.advance_time(DAY + MINUTE)
    await world.press(world.ana, world.newest("More time"), "More time")
    panel = await preview(world, await entry_of(world, "Act"), "action: stands up")
    assert "Can't stand" not in texts(panel), texts(panel)


async def test_the_preview_says_that_it_would_be_another_turn(world: World) -> None:
    await fight(world)
    await world.ana.slash(world.zone, "ego act", action="bars the gate", seconds=40)
    assert await acts(world) == "Boris"
    await world.press(world.ben, board(world), "End turn")
    panel = await preview(world, await entry_of(world, "Act"), "seconds: 1")
    assert "Can't stand any more" in texts(panel)
    assert "Ben ended a turn (it would be somebody else's turn)" in texts(panel), texts(panel)

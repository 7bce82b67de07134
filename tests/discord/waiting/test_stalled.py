"""A wait that the clock never answers: reminders, then the GMs may answer for the player."""

from __future__ import annotations

import pytest

from rules.table.state import DAY
from tests.discord.world import World, labels, message_of, pings, refusal_of, texts

HOUR = 3600


@pytest.fixture
def patience() -> bool:
    """Tables wait only for those who have something to decide."""
    return False


async def _stalled(world: World) -> None:
    """Marek's player never rolls."""
    await world.table()
    await world.answered()
    assert refusal_of(await world.press(world.gina, world.newest("Roll"), "Roll"))
    for _ in range(5):
        await world.env.advance_time(DAY)


async def test_a_roll_that_never_comes_stalls_after_four_messages(world: World) -> None:
    await world.table()
    await world.answered()
    messages: dict[int, list[int]] = {}
    for _ in range(100):
        for each in world.messages():
            if world.ana.id in pings(each, world.env):
                messages[each.id] = pings(each, world.env)
        await world.env.advance_time(6 * HOUR)
    assert len(messages) == 4, "the call and three reminders"
    assert [world.gina.id in who for who in messages.values()] == [False, False, False, True]
    await world.restart()
    count = len(world.messages())
    await world.env.advance_time(30 * DAY)
    assert len(world.messages()) == count


async def test_the_gm_rolls_for_a_player_who_never_comes(world: World) -> None:
    await _stalled(world)
    last = world.last()
    assert "From now on, the GM can act for Marek or withdraw the check" in last.content
    assert set(pings(last, world.env)) == {world.ana.id, world.gina.id}
    assert refusal_of(await world.press(world.ben, last, "Roll")), "not another player"
    todo = message_of(await world.gina.slash(world.zone, "moves"))
    assert "Stalled" in texts(todo)
    assert "Roll for them" in texts(todo)
    assert "Withdraw" in texts(todo)
    await world.restart()
    opens = next(each for each in labels(todo) if each.startswith("Open"))
    panel = message_of(await world.press(world.gina, todo, opens))
    assert {"Roll for them", "Withdraw"} <= {*labels(panel)}
    world.dice.lay(5, 2)
    await world.press(world.gina, panel, "Roll for them")
    assert world.dice.left == 0


async def test_the_gm_withdraws_what_never_comes(world: World) -> None:
    await _stalled(world)
    todo = message_of(await world.gina.slash(world.zone, "moves"))
    opens = next(each for each in labels(todo) if each.startswith("Open"))
    panel = message_of(await world.press(world.gina, todo, opens))
    await world.press(world.gina, panel, "Withdraw")
    assert not (await world.state()).checks["c1"].is_open


async def test_a_player_who_comes_at_last_still_rolls(world: World) -> None:
    await _stalled(world)
    world.dice.lay(5, 2)
    await world.press(world.ana, world.last(), "Roll")
    assert world.dice.left == 0


async def test_a_clock_that_jumps_weeks_sends_one_message(world: World) -> None:
    await world.table(silence=0)
    await world.propose(skill="Climbing")
    count = len(world.messages())
    await world.bot.close()
    await world.env.advance_time(40 * DAY)
    await world.restart()
    await world.env.settle()
    assert len(world.messages()) == count + 1
    assert "This is the last reminder" in world.last().content

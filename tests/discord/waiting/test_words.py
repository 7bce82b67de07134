"""What players read: who decides, what a call wants, what /moves lists, and the help."""

from __future__ import annotations

import pytest

from tests.discord.barmore import bar_table
from tests.discord.ego.table import open_table as ego_table
from tests.discord.world import World, button, head, labels, message_of, pings, private, texts

pytestmark = pytest.mark.asyncio


@pytest.fixture
def patience() -> bool:
    return False


async def test_a_hidden_number_leaves_the_roller_to_decide(world: World) -> None:
    await world.table()
    await world.rolled(8, 3, hidden=True)
    text = texts(world.card())
    assert " so far" in head(world.card())
    assert "Ana decides. Final <t:" in text
    await world.env.advance_time(3601)
    assert " so far" not in head(world.card()) and "Final" in texts(world.card())
    assert "Marek ran out of time and passed." in texts(world.card())


async def test_an_open_result_of_ones_own_roll_is_final_at_once(world: World) -> None:
    await world.table()
    await world.rolled(2, 1)
    assert " so far" not in head(world.card())
    assert "Final" in texts(world.card())


async def test_dice_by_another_hand_call_with_what_can_be_spent(world: World) -> None:
    await world.table(roll_when_answered=True)
    await world.propose(skill="Climbing", attribute="Fitness")
    world.dice.lay(2, 3)
    await world.rule()
    assert (await world.check()).is_open
    text = texts(world.card())
    assert "so far" in head(world.card())
    assert "Ana, spend Fate or keep it. Final <t:" in text
    call = world.last()
    assert pings(call, world.env) == [world.ana.id]
    assert "Marek failed by 4. Spend Fate or keep it." in call.content


async def test_karma_is_what_ego_spends(world: World) -> None:
    await ego_table(world, live=False, step_in_minutes=60, roll_when_answered=True)
    await world.ana.slash(world.zone, "check", skill="Acrobatics", approach="over the wall")
    world.dice.lay(1, 1, 1, 1, 1, 1, 1)
    await world.rule(level=None, number="3")
    assert "Ana, spend Karma or keep it." in texts(world.card())
    assert "Spend Karma or keep it." in world.last().content


async def test_moves_lists_what_is_yours_first_with_its_time(world: World) -> None:
    await world.table()
    await world.rolled(8, 3)
    await world.gina.slash(world.zone, "gm settings", roll_when_answered=True)
    await world.propose(skill="Climbing", attribute="Fitness")
    await world.propose(skill="Running", attribute="Fitness")
    world.dice.lay(2, 3)
    await world.rule(world.newest("Answer"))
    shown = private(await world.ana.slash(world.zone, "moves"))
    assert "### Yours to decide" in shown and "due <t:" in shown
    yours, _, rest = shown.partition("### You could step in")
    assert "Accept result" in yours
    assert "c1 · Marek" in rest and "until <t:" in rest
    assert "### What else you can do" in rest


async def test_nothing_waits_for_whoever_only_could_step_in(world: World) -> None:
    await world.table()
    await world.rolled(8, 3)
    shown = private(await world.ana.slash(world.zone, "moves"))
    assert "### You could step in" in shown and "Yours to decide" not in shown
    await world.rolled(8, 3)
    listed = message_of(await world.ana.slash(world.zone, "moves"))
    assert labels(listed) == ["Step in · c2", "Step in · c1"]
    panel = private(await world.press(world.ana, listed, "Step in · c1"))
    assert "check c1" in panel


async def test_a_player_chooses_to_roll_when_answered_for_one_check(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", attribute="Fitness")
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    await world.press(world.ana, panel, "Roll when answered")
    assert "It rolls as soon as the GM has answered." in texts(world.card())
    await world.restart()
    world.dice.lay(8, 3)
    await world.rule()
    assert world.dice.left == 0
    assert (await world.check()).stage != "ready"
    await world.propose(skill="Climbing", attribute="Fitness")
    panel = message_of(await world.press(world.ana, world.card("c2"), "React"))
    await world.press(world.ana, panel, "Roll when answered")
    panel = message_of(await world.press(world.ana, world.card("c2"), "React"))
    await world.press(world.ana, panel, "Roll it myself")
    assert "as soon as" not in texts(world.card("c2"))
    other = message_of(await world.press(world.ben, world.card("c2"), "React"))
    assert "Roll when answered" not in labels(other)


async def test_barmore_has_that_choice_too(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "check", skill="Boats", approach="row")
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    assert button(panel, "Roll when answered")


async def test_help_says_who_is_waited_for(world: World) -> None:
    shown = private(await world.ana.slash(world.zone, "help", topic="waiting"))
    assert "Who is waited for?" in shown
    for line in (
        "1. Storyguide waits only for a player with something to decide:",
        "2. A player who is waited for gets a ping;",
        "3. Everybody else can step in: press **Wait for me** before the dice fall, or **Step in**",
        "4. Points and the number of cards are open;",
        "5. If you don't answer in time, nothing of yours is spent and the result stands;",
    ):
        assert line in shown, line

"""Wait for me: a player wants a say before a check stands."""

from __future__ import annotations

from typing import Any

import pytest

from rules.table.check import REACT
from tests.discord.barmore import bar_table
from tests.discord.ego.table import open_table as ego_table
from tests.discord.world import World, labels, message_of, pings, private, refusal_of, texts

pytestmark = pytest.mark.asyncio

LINE = "Ben wants a say before it stands."
DAY = 24 * 3600


@pytest.fixture
def patience() -> bool:
    return False


async def want_say(world: World, who: Any, label: str = "Wait for me") -> Any:
    panel = message_of(await world.press(who, world.card(), "React"))
    return await world.press(who, panel, label)


async def hold_check(world: World) -> Any:
    """Marek's check, for which Ben wants a say; the GM has answered."""
    await world.table()
    await world.propose(skill="Climbing", attribute="Fitness")
    await want_say(world, world.ben)
    await world.rule()
    return world.card()


async def test_a_press_is_told_to_everybody_and_taken_back(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    before = len(world.messages())
    done = await want_say(world, world.ben)
    assert LINE in texts(world.card())
    assert len(world.messages()) == before, "the card says so, no new message"
    assert (await world.check()).held_for == ("k2",)
    await world.restart()
    assert LINE in texts(world.card())
    panel = message_of(done)
    assert "Don't wait for me" in labels(panel) and "Wait for me" not in labels(panel)
    await world.press(world.ben, panel, "Don't wait for me")
    assert LINE not in texts(world.card())
    assert (await world.check()).held_for == ()
    await want_say(world, world.ben)
    await world.ben.slash(world.zone, "table undo")
    assert (await world.check()).held_for == ()


async def test_after_the_dice_they_are_asked_called_and_their_pass_ends_it(world: World) -> None:
    card = await hold_check(world)
    world.dice.lay(8, 3)
    await world.press(world.ana, card, "Roll")
    (asked,) = [each for each in (await world.check()).asked if each.prompt.key == REACT]
    assert asked.waiting_for == ("k2",), "the roller keeps what they have rolled"
    assert asked.due is not None and asked.due - asked.since == DAY
    call = world.last()
    assert pings(call, world.env) == [world.ben.id]
    await world.press(world.ben, world.card(), "Accept result")
    check = await world.check()
    assert (check.is_open, check.held_for) == (False, ())


@pytest.mark.parametrize("ends", ["pass", "command", "let it stand", "away"])
@pytest.mark.parametrize("live", [False, True])
async def test_the_roller_has_their_own_time_again_when_it_ends(
    world: World, ends: str, live: bool
) -> None:
    """A hidden number: the roller is waited for as well, longer only while the say lasts."""
    await world.table(live=live, step_in_minutes=24 * 60)
    await world.propose(skill="Climbing", attribute="Fitness")
    await want_say(world, world.ben)
    await world.rule(hidden=True)
    world.dice.lay(3, 2)
    await world.press(world.ana, world.card(), "Roll")
    (asked,) = [each for each in (await world.check()).asked if each.waiting_for]
    assert {*asked.waiting_for} == {"k1", "k2"}
    assert asked.due is not None and asked.due - asked.since == DAY
    await world.env.advance_time(600)
    if ends == "pass":
        await world.press(world.ben, world.card(), "Accept result")
    elif ends == "command":
        await world.ben.slash(world.zone, "orders wait", check="c1", back=True)
    elif ends == "let it stand":
        await want_say(world, world.gina, "Let it stand")
    else:
        await world.ben.slash(world.zone, "away")
    own = 120 if live else 3600
    (left,) = [each for each in (await world.check()).asked if each.waiting_for]
    assert left.waiting_for == ("k1",) and left.due is not None
    assert left.due - left.since == own and left.since >= asked.since + 600
    await world.restart()
    await world.env.advance_time(own - 30)
    assert (await world.check()).is_open
    await world.env.advance_time(60)
    assert not (await world.check()).is_open


async def test_time_ends_it_too(world: World) -> None:
    card = await hold_check(world)
    world.dice.lay(8, 3)
    await world.press(world.ana, card, "Roll")
    await world.env.advance_time(DAY + 60)
    assert not (await world.check()).is_open


async def test_without_it_a_result_stands_at_once(world: World) -> None:
    await world.table()
    await world.rolled(8, 3)
    assert not (await world.check()).is_open


async def test_the_gm_lets_it_stand_before_the_dice_and_after(world: World) -> None:
    await hold_check(world)
    await want_say(world, world.gina, "Let it stand")
    assert LINE not in texts(world.card())
    assert (await world.check()).held_for == ()
    await want_say(world, world.ben)
    world.dice.lay(8, 3)
    await world.press(world.ana, world.card(), "Roll")
    assert (await world.check()).is_open
    await want_say(world, world.gina, "Let it stand")
    assert not (await world.check()).is_open


async def test_nothing_rolls_by_itself_meanwhile(world: World) -> None:
    await world.table(roll_when_answered=True)
    await world.propose(skill="Climbing", attribute="Fitness")
    await want_say(world, world.ben)
    await world.rule()
    check = await world.check()
    assert check.stage == "ready"
    world.dice.lay(8, 3)
    await want_say(world, world.gina, "Let it stand")
    assert world.dice.left == 0, "what would have rolled by itself rolls"


async def test_the_command_does_the_same(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    offered = await world.ben.autocomplete(world.zone, "orders wait", "check", "")
    assert [each["value"] for each in offered] == ["c1"]
    private(await world.ben.slash(world.zone, "orders wait", check="c1"))
    assert LINE in texts(world.card())
    assert "waits for you already" in refusal_of(
        await world.ben.slash(world.zone, "orders wait", check="c1")
    )
    assert "only they can do that" in refusal_of(
        await world.ben.slash(world.zone, "orders wait", check="c1", character="Marek")
    )
    assert "doesn't wait for you" in refusal_of(
        await world.ana.slash(world.zone, "orders wait", check="c1", back=True)
    )
    private(await world.gina.slash(world.zone, "orders wait", check="c1", back=True))
    assert LINE not in texts(world.card())


async def test_nobody_can_press_it_for_a_check_that_they_cannot_see(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", visibility="private")
    (check,) = (await world.state()).checks
    assert await world.ben.autocomplete(world.zone, "orders wait", "check", "") == []
    hidden = refusal_of(await world.ben.slash(world.zone, "orders wait", check=check))
    none = refusal_of(await world.ben.slash(world.zone, "orders wait", check="c99"))
    assert hidden == none
    forged = world.emit(world.ben, f"sg:say:1:{check}:k2:on")
    await world.env.settle()
    assert refusal_of(forged)
    assert (await world.check(check)).held_for == ()


async def test_it_is_offered_only_where_something_can_be_changed_in_time(world: World) -> None:
    await world.table()
    await world.rolled(8, 3)
    assert "The check is over" in refusal_of(
        await world.ben.slash(world.zone, "orders wait", check="c1")
    )
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=0)
    await world.propose(skill="Climbing")
    panel = message_of(await world.press(world.ben, world.card("c2"), "React"))
    assert "Wait for me" not in labels(panel)
    assert "Nobody can have a say" in refusal_of(
        await world.ben.slash(world.zone, "orders wait", check="c2")
    )


async def test_barmore_has_nothing_to_wait_for(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "check", skill="Boats", approach="row")
    assert "Nobody can have a say" in refusal_of(
        await world.ben.slash(world.zone, "orders wait", check="c1")
    )


async def test_a_player_of_ego_has_a_say_about_another_players_roll(world: World) -> None:
    await ego_table(world, live=False, step_in_minutes=60)
    await world.ana.slash(world.zone, "check", skill="Acrobatics", approach="over the wall")
    await want_say(world, world.ben)
    assert LINE in texts(world.card())
    await world.rule(level=None, number="3")
    world.dice.lay(6, 6, 6, 6, 6, 6, 6)
    await world.press(world.ana, world.card(), "Roll")
    (asked,) = [each for each in (await world.check()).asked if each.waiting_for]
    assert asked.waiting_for == ("k2",)
    await world.press(world.ben, world.card(), "Accept result")
    assert not (await world.check()).is_open


async def test_nobody_waits_for_somebody_who_is_away(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", attribute="Fitness")
    await world.ben.slash(world.zone, "away")
    why = refusal_of(await world.ben.slash(world.zone, "orders wait", check="c1"))
    assert "waits for somebody who is away" in why
    assert "`/away` with `back`" in why
    assert (await world.check()).held_for == ()
    await world.ben.slash(world.zone, "away", back=True)
    await want_say(world, world.ben)
    assert (await world.check()).held_for == ("k2",)


@pytest.mark.parametrize("how", ["away", "retired", "given", "forgotten"])
@pytest.mark.parametrize("fallen", [False, True])
async def test_it_ends_with_whoever_leaves(world: World, how: str, fallen: bool) -> None:
    await world.table(roll_when_answered=not fallen)
    await world.propose(skill="Climbing", attribute="Fitness")
    await want_say(world, world.ben)
    await world.rule()
    world.dice.lay(8, 3)
    if fallen:
        await world.press(world.ana, world.card(), "Roll")
    check = await world.check()
    assert check.is_open
    assert check.held_for == ("k2",)
    if how == "away":
        await world.ben.slash(world.zone, "away")
    elif how == "retired":
        await world.ben.slash(world.zone, "character retire", character="Ilka")
    elif how == "given":
        await world.gina.slash(world.zone, "character give", character="Ilka", to=world.ana)
    else:
        panel = message_of(await world.ben.slash(world.zone, "privacy delete"))
        await world.ben.click(panel, custom_id="sg:forget:yes")
    assert world.dice.left == 0, "what would have rolled by itself rolls"
    check = await world.check()
    assert check.held_for == ()
    assert not check.is_open
    assert LINE not in texts(world.card())

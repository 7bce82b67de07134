"""What people meet who have read nothing: one message a thing, the way on, and what is over told as
over.
"""

from __future__ import annotations

from tests.discord.walks import defend
from tests.discord.world import (
    World,
    button,
    card,
    controls,
    labels,
    message_of,
    private,
    refusal_of,
    secret_room,
    texts,
)


async def test_whose_gm_channel_others_read_is_led_to_the_gm_roles(world: World) -> None:
    await world.table()
    helpers = world.guild.create_role("helpers")
    room = secret_room(world.env, world.guild, "for-helpers", world.gina, helpers)
    answer = await world.gina.slash(world.zone, "gm channel", channel=room)
    assert "can read that channel" in refusal_of(answer) and "/gm members" in refusal_of(answer)
    there = message_of(answer)
    opened = message_of(await world.gina.click(there, custom_id=button(there, "GMs and GM roles")))
    assert {"Add a GM", "Add a GM role"} <= {each.get("placeholder") for each in controls(opened)}


async def test_an_undo_speaks_of_dice_only_where_some_fell(world: World) -> None:
    await world.table()
    await world.propose()
    private(await world.ana.slash(world.zone, "table undo"))
    assert "fresh dice" not in texts(world.last())
    await world.rolled(5, 2)
    private(await world.gina.slash(world.zone, "gm undo"))
    assert "fresh dice" in texts(world.messages()[-2])


async def test_the_last_result_is_final_once_it_is(world: World) -> None:
    await world.table()
    await world.rolled(1, 2)
    assert "so far" in private(await world.ana.slash(world.zone, "table last"))
    await world.press(world.ana, world.card(), "Accept result")
    assert "Final" in card(world)
    last = await world.ana.slash(world.zone, "table last")
    assert "so far" not in private(last)
    shown = next(each for each in labels(message_of(last)) if each.startswith("Show #"))
    assert "Final" in private(await world.press(world.ana, message_of(last), shown))


async def test_a_hit_that_was_accepted_is_no_hit_so_far(world: World) -> None:
    """What comes of it has yet to be said; the time for reactions is over all the same."""
    await world.table(live=True)
    await world.ana.slash(
        world.zone, "attack", target="Ilka", skill="Rifles", approach="from the bus"
    )
    assert "Marek's attack (c1)" in private(await world.gina.slash(world.zone, "gm log"))
    world.dice.lay(9, 6, 2, 3)
    await defend(world)
    assert "Hit so far" in private(await world.ben.slash(world.zone, "table last"))
    await world.press(world.ben, world.card(), "Accept result")
    assert "Flesh wound" in labels(world.card())
    for who in (world.ana, world.ben, world.gina):
        last = private(await who.slash(world.zone, "table last"))
        assert "Hit" in last and "so far" not in last


async def test_a_blind_check_leaves_one_message_and_shows_one(world: World) -> None:
    await world.table()
    await world.propose(visibility="blind")
    await world.rule(message_of(await world.press(world.gina, world.newest("Show"), "Show")))
    shown = await world.press(world.ana, world.newest("Show"), "Show")
    assert shown.followups == []
    world.dice.lay(5, 3)
    await world.press(world.ana, message_of(shown), "Roll")
    assert sum("rivate message" in texts(each) for each in world.messages()) <= 1


async def test_points_are_spent_by_their_name(world: World) -> None:
    await world.table()
    await world.rolled(5, 2)
    world.dice.lay(8)
    assert "re-rolled" in private(await world.ana.slash(world.zone, "spend", what="fate"))


async def test_whoever_is_away_comes_back_by_a_button(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "away", note="at sea")
    away = world.last()
    assert labels(away) == ["I'm back"]
    assert "away already" in refusal_of(await world.ana.slash(world.zone, "away", note="at sea"))
    assert "aren't away" in refusal_of(await world.press(world.ben, away, "I'm back"))
    await world.press(world.ana, away, "I'm back")
    log = private(await world.gina.slash(world.zone, "gm log"))
    assert "went away" in log and "came back" in log


async def test_the_games_own_commands_are_a_topic_of_help(world: World) -> None:
    await world.setup(system="barmore")
    text = await world.help(world.ana, "own")
    assert "barmore team start" in text and "barmore task roll" in text


async def test_nothing_is_said_of_characters_that_are_not_there(world: World) -> None:
    await world.table()
    asked = private(await world.gina.slash(world.zone, "privacy delete"))
    assert "none" not in asked and "go to the GMs" not in asked
    await world.ana.slash(world.guild.create_text_channel("elsewhere"), "roll", dice="2d6")
    assert "Dice and cards" not in private(await world.ana.slash(world.zone, "privacy delete"))

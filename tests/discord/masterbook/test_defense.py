"""Active defenses of MasterBook through Discord: on the own turn, and after a turn that passed."""

from __future__ import annotations

import pytest

from rules.systems.masterbook.checks.action_economy import ACTED, ACTIVE_DEFENSE
from tests.discord.masterbook.cards.deck import begin
from tests.discord.masterbook.table import attack, meet, newest, open_table
from tests.discord.masterbook.test_attack import FIST, KNIFE
from tests.discord.masterbook.test_rounds import mark_value
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, labels, message_of, private, refusal_of, texts

BAT = {"weapon": "Baseball bat", "as": "Thug", "approach": "so"}


@pytest.mark.rule("MB-CMB-03")
async def test_a_defense_on_the_own_turn_stands_for_the_round(world: World) -> None:
    await open_table(world)
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 1, 1, 5, 5)
    world.dice.lay(8, 7)
    await world.ana.slash(world.zone, "mb defend", skill="Melee Parry")
    text = await newest(world)
    # Melee Parry 10, bonus +4.
    assert "total **14**" in text and "Defends with 14 for the rest of the round" in text, text
    assert await mark_value(world, "Vesna", ACTED) == 1
    assert await mark_value(world, "Vesna", ACTIVE_DEFENSE) == 14
    assert "no action left" in refusal_of(
        await world.ana.slash(world.zone, "attack", target="Thug", **KNIFE)
    )
    await world.restart()
    await next_turn(world)
    text = await attack(world, world.gina, "Vesna", 6, 5, **BAT)
    assert "Vesna's Melee Parry:** 14" in text and "Miss" in text, text
    assert "Defend" not in labels(world.card("c3")), "nobody is asked once more"
    await next_turn(world)
    await next_turn(world, 9, 9, 1, 1, 5, 5)
    assert not await mark_value(world, "Vesna", ACTIVE_DEFENSE)


@pytest.mark.rule("MB-CMB-03", "MB-DIE-07", "MB-MUL-01")
async def test_two_defenses_are_two_actions_with_their_least_bonus(world: World) -> None:
    await open_table(world)
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 1, 1, 5, 5)
    await world.ana.slash(world.zone, "mb declare", actions=2)
    world.dice.lay(1, 1)
    await world.ana.slash(world.zone, "mb defend", skill="Melee Parry")
    # Melee Parry 10, +3 at least, −2 for the first of two.
    assert "Defends with 11 for the rest of the round" in await newest(world)
    again = refusal_of(await world.ana.slash(world.zone, "mb defend", skill="Melee Parry"))
    assert "defends with Melee Parry already" in again, again
    world.dice.lay(1, 1)
    await world.ana.slash(world.zone, "mb defend", skill="Dodge")
    # Dodge 11, +3, −3 for the second.
    assert "Defends with 11 for the rest of the round" in await newest(world)
    wrong = refusal_of(await world.ana.slash(world.zone, "mb defend", skill="Stealth"))
    assert "for an active defense" in wrong and "Dodge" in wrong, wrong


@pytest.mark.rule("MB-CMB-03", "MB-ACT-01")
async def test_defend_is_a_word_and_a_button_of_the_own_turn(world: World) -> None:
    await open_table(world)
    assert "isn't in a round" in refusal_of(
        await world.ana.slash(world.zone, "mb defend", skill="Dodge")
    )
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 1, 1, 5, 5)
    wait = refusal_of(await world.ben.slash(world.zone, "mb defend", skill="Dodge"))
    assert "isn't Boris's turn" in wait, wait
    panel = message_of(await world.ana.slash(world.zone, "mb act", action="Defend."))
    assert "Dodge 11" in texts(panel) or "Dodge" in str(panel), texts(panel)
    world.dice.lay(6, 5)
    await world.ana.slash(world.zone, "mb act", action="defend with dodge")
    assert "Defends with 14 for the rest of the round" in await newest(world), await newest(world)
    await next_turn(world)
    await next_turn(world)
    assert "Defend" in labels(world.last())
    panel = message_of(await world.press(world.ben, world.last(), "Defend"))
    await world.choose(world.ben, panel, "Skill", "Dodge")
    world.dice.lay(6, 5)
    await world.press(world.ben, panel, "Roll")
    assert "Defends with 14 for the rest of the round" in await newest(world)


@pytest.mark.rule("MB-CMB-03")
async def test_who_only_let_the_turn_pass_may_still_defend(world: World) -> None:
    await open_table(world)
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 1, 1, 5, 5)
    await next_turn(world)
    await attack(world, world.gina, "Vesna", **BAT)
    text = await meet(world, world.ana, "Active: ", 1, 1, 6, 5)
    # Melee Parry 10 and +3.
    assert "Vesna's Melee Parry:** 13" in text, text
    assert await mark_value(world, "Vesna", ACTED) == 1
    # Whoever has acted is not asked.
    await next_turn(world)
    await attack(world, world.ben, "Thug", 1, 1, **FIST)
    await next_turn(world, 9, 9, 1, 1, 5, 5)
    await attack(world, world.ana, "Thug", 1, 1, **FIST)
    await next_turn(world)
    text = await attack(world, world.gina, "Vesna", 1, 1, **BAT)
    assert "Vesna's Melee Parry:** 10" in text, text


@pytest.mark.rule("MB-CARD-A01", "MB-CMB-03")
async def test_a_defense_on_the_own_turn_earns_the_card_of_a_round_in_which_players_act_first(
    world: World,
) -> None:
    # Hands of three each; the round's card 14 lets the players act first: defend, taunt.
    await begin(world, 39, 44, 56, 5, 16, 30, 14)
    await gather(world, "Thug")
    text = await next_turn(world)
    assert "**Earns a card:** defend and taunt" in text, text
    await next_turn(world)
    world.dice.lay(9, 9)
    await world.ana.slash(world.zone, "mb defend", skill="Melee Parry")
    text = await newest(world)
    assert world.dice.left == 0 and "earns a card" not in text, text
    await next_turn(world)
    text = await attack(world, world.gina, "Vesna", 1, 1, **BAT)
    assert "Vesna earns a card" in text, text


@pytest.mark.rule("MB-CMB-03", "MB-INT-11", "MB-ACT-01")
async def test_a_lost_turn_leaves_no_active_defense(world: World) -> None:
    skills = [{"name": "Intimidation", "adds": 10}]
    await open_table(world, sheets={"Thug": {"skills": skills}})
    await gather(world, "Thug")
    await next_turn(world, 5, 5, 1, 1, 9, 9)
    world.dice.lay(6, 5)
    await world.gina.slash(
        world.zone,
        "mb interact",
        skill="Intimidation",
        target="Vesna",
        approach="roars",
        **{"as": "Thug"},
    )
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    await world.press(world.ana, panel, "Pass")
    assert "set back" in await newest(world), await newest(world)
    await next_turn(world)
    text = await attack(world, world.ben, "Vesna", 1, 1, **KNIFE)
    assert "Vesna's Melee Parry:** 10" in text, text


@pytest.mark.rule("MB-CMB-03")
async def test_only_gms_read_the_defense_of_a_known_npc(world: World) -> None:
    await open_table(world, gm_channel=True)
    await gather(world, "Thug")
    await next_turn(world, 5, 5, 1, 1, 9, 9)
    before = world.told(world.ana)
    world.dice.lay(8, 7)
    text = private(await world.gina.slash(world.zone, "mb defend", skill="Dodge", **{"as": "Thug"}))
    assert "Defends with 13 for the rest of the round" in text, text
    assert "Thug defends: Dodge 9" in text and world.told(world.ana) == before

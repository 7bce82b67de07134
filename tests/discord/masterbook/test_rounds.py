"""Rounds of MasterBook through Discord: initiative, declared actions, waiting, lost turns, rounds
of talk.
"""

from __future__ import annotations

import pytest

from rules.systems.masterbook.checks.action_economy import ACTED, DECLARED, GUARD, SIMPLE
from rules.table.marks import mark_total
from rules.table.state import Encounter
from tests.discord.masterbook.table import (
    FIGHTER,
    attack,
    bring,
    meet,
    newest,
    open_table,
    refused_attack,
    sheet,
)
from tests.discord.masterbook.test_attack import FIST, KNIFE, UZI, VEST, shot_options
from tests.discord.rounds import acts, begin_confirmed, gather, next_turn
from tests.discord.world import (
    World,
    labels,
    message_of,
    primary,
    private,
    public,
    refusal_of,
    texts,
)


async def mark_value(world: World, name: str, key: str) -> int:
    """What the marks of somebody come to."""
    state = await world.state()
    who = next(each.id for each in state.characters.values() if each.name == name)
    return mark_total(state, who, key)


async def order(world: World) -> list[str]:
    """Who acts when."""
    state = await world.state()
    encounter: Encounter = state.encounters[str(world.zone.id)]
    return [state.characters[each.character or ""].name for each in encounter.order]


@pytest.mark.rule("MB-INI-01", "MB-RND-01", "MB-TIME-01")
async def test_initiative_is_thrown_anew_each_round(world: World) -> None:
    await open_table(world, gm_channel=True)
    await gather(world, "Thug")
    world.dice.lay(10, 5, 3, 4, 6, 5, 5)
    told = private(await world.gina.slash(world.zone, "initiative next"))
    text = "\n".join(map(texts, world.messages()))
    # 18 and one more, Agility 9 each; the thug 8.
    assert "Vesna, initiative: 3d10 (**10**, 5, 3): bonus +7, total **16**" in text, text
    assert "Boris, initiative: 2d10 (4, 6): bonus 0, total **9**" in text, text
    assert "Thug, initiative" not in world.told(world.ana)
    assert "Thug, initiative: 2d10 (5, 5): bonus 0, total **8**" in told, told
    assert await order(world) == ["Vesna", "Boris", "Thug"]
    await world.restart()
    await next_turn(world)
    await next_turn(world)
    text = await next_turn(world, 1, 1, 2, 1, 9, 9)
    assert "Initiative, round 2" in text and await order(world) == ["Thug", "Boris", "Vesna"]
    await world.gina.slash(world.zone, "gm undo")
    assert await order(world) == ["Vesna", "Boris", "Thug"]


@pytest.mark.rule("MB-INI-01")
async def test_those_of_one_score_act_at_once(world: World) -> None:
    await open_table(world)
    await gather(world)
    text = await next_turn(world, 4, 6, 6, 4)
    assert "Vesna and Boris act at the same time. Results count once all have acted." in text


@pytest.mark.rule("MB-INI-01")
async def test_what_those_of_one_score_do_to_each_other_counts_once_all_have_acted(
    world: World,
) -> None:
    await open_table(world)
    await gather(world, "Thug")
    await next_turn(world, 4, 6, 6, 4, 5, 5)
    first, second = (await order(world))[:2]
    people = {"Vesna": world.ana, "Boris": world.ben}
    await attack(world, people[first], second, **KNIFE, **{"with": "head"})
    await meet(world, people[second], "Pass", 10, 9, 9)
    assert (await sheet(world, second)).harm.out
    assert f"{second}, you're up" in await next_turn(world)
    await world.restart()
    text = await attack(world, people[second], "Thug", 5, 6, **KNIFE)
    assert "hurt" not in text.splitlines()[1] and "total **12**" in text, text
    await next_turn(world)
    assert "out cold" in await refused_attack(world, people[second], "Thug", **KNIFE)
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "initiative end")
    assert "out cold" in await refused_attack(world, people[second], "Thug", **KNIFE)


@pytest.mark.rule("MB-INI-01")
async def test_whoever_is_put_out_in_their_own_turn_has_had_it(world: World) -> None:
    await open_table(world)
    await gather(world, "Thug")
    assert "Vesna, you're up" in await next_turn(world, 9, 9, 5, 5, 1, 1)
    before = [each.id for each in world.messages()]
    await world.gina.slash(world.zone, "gm adjust", character="Vesna", what="wounds", value="5")
    assert (await sheet(world, "Vesna")).harm.out
    new = "\n".join(texts(each) for each in world.messages() if each.id not in before)
    assert "Boris, you're up" in new, new
    assert await acts(world) == "Boris" and await order(world) == ["Vesna", "Boris", "Thug"]
    await world.gina.slash(world.zone, "gm undo")
    assert await acts(world) == "Vesna" and not (await sheet(world, "Vesna")).harm.out
    await world.restart()


@pytest.mark.rule("MB-ACT-01")
async def test_a_command_goes_by_whose_turn_it_is(world: World) -> None:
    await open_table(world, gm_channel=True)
    await bring(world, world.gina, "Rat", FIGHTER, npc=True)
    await gather(world, "Thug", "Rat")
    await next_turn(world, 1, 1, 2, 1, 9, 9, 5, 5)
    assert await acts(world) == "Thug"
    thug = next(
        each.id for each in (await world.state()).characters.values() if each.name == "Thug"
    )
    await world.gina.slash(world.zone, "mb find", item="a way out")
    assert [*(await world.state()).checks.values()][-1].actor == thug
    # A GM's own character acts openly, an NPC on turn does not.
    await bring(world, world.gina, "Hero", FIGHTER)
    told = await world.gina.slash(world.zone, "mb act", action="hides the knife")
    private(told)
    assert "Hides the knife" in texts(world.last(world.gm_room))
    assert "knife" not in world.told(world.ana)


@pytest.mark.rule("MB-MUL-01", "MB-ACT-01")
async def test_declared_actions_cost_by_their_rank(world: World) -> None:
    await open_table(world)
    assert "isn't in a round" in refusal_of(
        await world.ana.slash(world.zone, "mb declare", actions=2)
    )
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    assert "each rank" in refusal_of(
        await world.ana.slash(world.zone, "mb declare", actions=2, ranks="1, 3")
    )
    text = public(await world.ana.slash(world.zone, "mb declare", actions=2, ranks="2, 1"))
    assert "Vesna takes 2 actions this round: −3 and −2." in text
    world.dice.lay(5, 6)
    stealth = {"skill": "Stealth", "difficulty": "Average", "approach": "behind the crates"}
    await world.ana.slash(world.zone, "check", **stealth)
    assert "one of several actions (−3)" in await newest(world)
    assert (await newest(world)).startswith("## ✓ Success, solid: 10 against 8")
    assert await mark_value(world, "Vesna", ACTED) == 1
    assert "has acted already" in refusal_of(
        await world.ana.slash(world.zone, "mb declare", actions=3)
    )
    await world.restart()
    world.dice.lay(5, 6)
    await world.ana.slash(world.zone, "check", **stealth)
    assert "one of several actions (−2)" in await newest(world)
    assert "no action left" in refusal_of(await world.ana.slash(world.zone, "check", **stealth))
    await world.gina.slash(world.zone, "gm undo")
    assert await mark_value(world, "Vesna", ACTED) == 1, "the second action is taken back"
    # Whoever is not on turn does not act: a GM may ask for a check at any time.
    world.dice.lay(5, 6)
    await world.ben.slash(world.zone, "check", **stealth)
    assert await mark_value(world, "Boris", ACTED) == 0
    await next_turn(world)
    assert "turn is over" in refusal_of(
        await world.ana.slash(world.zone, "mb act", action="reload")
    )
    await next_turn(world, 9, 9, 1, 1)
    assert (
        await mark_value(world, "Vesna", ACTED),
        await mark_value(world, "Vesna", DECLARED),
    ) == (0, 0)


@pytest.mark.rule("MB-ACT-01")
async def test_many_simple_actions(world: World) -> None:
    await open_table(world)
    assert "empty" in refusal_of(await world.ana.slash(world.zone, "mb act", action=" "))
    assert "Looks around." in public(
        await world.ana.slash(world.zone, "mb act", action="looks around")
    )
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    for what in ("reload", "a shout"):
        assert "harder" not in public(await world.ana.slash(world.zone, "mb act", action=what))
    assert "next complex action this round is at +2 difficulty" in public(
        await world.ana.slash(world.zone, "mb act", action="stand up")
    )
    world.dice.lay(1, 1)
    await world.ana.slash(world.zone, "mb act", action="draw a knife")
    assert (await newest(world)).startswith("## ✗ Failure, −1 against 4")
    assert "Too much at once: it isn't done." in await newest(world)
    assert await mark_value(world, "Vesna", SIMPLE) == 3
    world.dice.lay(5, 6)
    await world.ana.slash(
        world.zone, "check", skill="Stealth", difficulty="Average", approach="behind the crates"
    )
    assert "too much at once (−2)" in await newest(world)


@pytest.mark.rule("MB-ACT-02")
async def test_who_waits_acts_last_and_it_is_harder(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Guard", {}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Guard")
    await gather(world, "Thug", "Guard")
    await next_turn(world, 9, 9, 8, 8, 6, 6, 1, 1)
    told = message_of(await world.ana.slash(world.zone, "initiative delay"))
    assert "They act after everybody else in this round, at −2." in texts(told), texts(told)
    assert "Act now" not in world.told(world.ana) + "".join(labels(told))
    assert "Act now" not in private(await world.ana.slash(world.zone, "moves"))
    early = refusal_of(await world.ana.slash(world.zone, "initiative delay", back=True))
    assert "Vesna is delaying and acts after everybody else" in early, early
    await world.ben.slash(world.zone, "initiative delay")
    await next_turn(world)
    text = await next_turn(world)
    assert "Vesna, you're up" in text, text
    again = refusal_of(await world.ana.slash(world.zone, "initiative delay"))
    assert "You can delay only once a round." in again, again
    assert await order(world) == ["Thug", "Guard", "Vesna", "Boris"]
    world.dice.lay(5, 6)
    await world.ana.slash(
        world.zone, "check", skill="Stealth", difficulty="Average", approach="behind the crates"
    )
    assert "waited (−2)" in await newest(world)
    assert "Boris, you're up" in await next_turn(world)
    assert "Initiative, round 2" in await next_turn(world, 9, 9, 8, 8, 6, 6, 1, 1)


@pytest.mark.rule("MB-ACT-02")
async def test_where_the_last_in_order_waits_the_others_who_waited_act(world: World) -> None:
    await open_table(world)
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 8, 8, 1, 1)
    await world.ana.slash(world.zone, "initiative delay")
    await next_turn(world)
    await world.gina.slash(world.zone, "initiative delay")
    assert await order(world) == ["Boris", "Thug", "Vesna"]
    assert "Thug's turn" in await next_turn(world), "after all others the last acts"
    assert "Initiative, round 2" in await next_turn(world, 9, 9, 8, 8, 1, 1)
    await next_turn(world)
    await next_turn(world)
    alone = refusal_of(await world.gina.slash(world.zone, "initiative delay"))
    assert "Everybody else has acted" in alone, alone


@pytest.mark.rule("MB-INI-01", "MB-INT-11")
async def test_turns_that_are_lost(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Corpse", {"harm": "wounds 5"}, npc=True)
    await gather(world, "Thug", "Corpse")
    await next_turn(world, 9, 9, 1, 1, 5, 5, 10, 9, 9)
    assert "Corpse can't act this turn" not in world.told(world.ana)
    assert await order(world) == ["Corpse", "Vesna", "Thug", "Boris"]
    assert (await world.state()).encounters[str(world.zone.id)].turn == 1


@pytest.mark.rule("MB-TIME-01", "MB-INI-01")
async def test_rounds_of_talk_go_by_confidence(world: World) -> None:
    await open_table(world)
    await gather(world)
    assert "without interaction rounds" in refusal_of(
        await world.gina.slash(world.zone, "mb rounds", rounds="interaction")
    )
    await world.gina.slash(world.zone, "gm settings", setting="interaction_rounds", value="on")
    refusal_of(await world.ana.slash(world.zone, "mb rounds", rounds="interaction"))
    text = public(await world.gina.slash(world.zone, "mb rounds", rounds="interaction", seconds=90))
    assert "interaction rounds of 1 minute and 30 seconds" in text
    text = await next_turn(world, 5, 6, 5, 5)
    assert "Initiative, interaction round 1" in text
    assert "Vesna, initiative: 2d10 (5, 6): bonus +1, total **9**" in text, text
    await bring(world, world.gina, "Vesna", FIGHTER | {"harm": "shock 4"}, replace=True)
    text = await next_turn(world) + await next_turn(world, 5, 6, 5, 5)
    # A minute and a half of rest.
    assert "Vesna recovers 1 shock" in text and (await sheet(world, "Vesna")).harm.shock == 3, text
    text = public(await world.gina.slash(world.zone, "mb rounds", rounds="combat", seconds=90))
    assert "combat rounds of 10 seconds" in text
    # This round goes on as it began: it takes its minute and a half, and the next one is of combat.
    text = await next_turn(world) + await next_turn(world, 5, 6, 5, 5)
    assert "Initiative, round 3" in text and "Vesna recovers 1 shock" in text, text
    text = await next_turn(world) + await next_turn(world, 5, 6, 5, 5)
    assert "recovered" not in text, text


@pytest.mark.rule("MB-CMB-03", "MB-MUL-01")
async def test_an_active_stand_is_an_action_too(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    public(await world.ben.slash(world.zone, "mb declare", actions=2))

    async def taunted(*faces: int) -> str:
        await world.ana.slash(
            world.zone, "contest", target="Boris", skill="Taunt", approach="his hat"
        )
        panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
        await world.choose(world.ben, panel, "Skill", "Willpower")
        await world.choose(world.ben, panel, "Defense", "active")
        if not faces:
            return texts(panel)
        world.dice.lay(*faces)
        await world.press(world.ben, panel, "Respond")
        return await newest(world)

    assert "one of several actions (−2)" in await taunted(9, 4, 9, 9)
    assert await mark_value(world, "Boris", ACTED) == 1
    await next_turn(world)
    world.dice.lay(5, 6)
    await world.ben.slash(
        world.zone, "check", skill="Stealth", difficulty="Average", approach="behind the crates"
    )
    assert "one of several actions (−3)" in await newest(world)
    await next_turn(world, 1, 1, 9, 9)
    world.dice.lay(5, 6)
    await world.ben.slash(
        world.zone, "check", skill="Stealth", difficulty="Average", approach="behind the crates"
    )
    await next_turn(world)
    assert "the turn is over" in await taunted()


@pytest.mark.rule("MB-CMB-03", "MB-OPT-03")
async def test_after_an_all_out_attack_no_stand_is_active(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    await attack(world, world.ana, "Thug", 1, 1, **KNIFE, **{"with": "all out"})
    await next_turn(world)
    await world.ben.slash(
        world.zone, "contest", target="Vesna", skill="Taunt", approach="that swing"
    )
    panel = message_of(await world.press(world.ana, world.newest("Respond"), "Respond"))
    await world.choose(world.ana, panel, "Skill", "Willpower")
    await world.choose(world.ana, panel, "Defense", "active")
    assert "that was an all-out attack" in texts(panel), texts(panel)


@pytest.mark.rule("MB-INI-01")
async def test_who_is_put_out_before_acting_loses_the_turn(world: World) -> None:
    await open_table(world)
    await gather(world, "Thug")
    # Vesna before the thug before Boris.
    await next_turn(world, 9, 9, 1, 1, 5, 5)
    for _ in range(2):
        await attack(world, world.ana, "Thug", 10, 10, 9, 9, **KNIFE)
        if (await sheet(world, "Thug")).harm.out:
            break
    assert (await sheet(world, "Thug")).harm.out
    assert "Boris, you're up" in await next_turn(world)
    await world.gina.slash(world.zone, "gm undo")
    assert await order(world) == ["Vesna", "Thug", "Boris"]


@pytest.mark.rule("MB-MUL-01", "MB-CMB-03")
async def test_two_attacks_and_an_active_defense_in_a_round(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    public(await world.ana.slash(world.zone, "mb declare", actions=2))
    public(await world.ben.slash(world.zone, "mb declare", actions=2, ranks="2, 1"))
    text = await attack(world, world.ana, "Boris", **KNIFE)
    assert "one of several actions (−2)" in text, text
    text = await meet(
        world,
        world.ben,
        "Active: Melee Parry 7, at least +3 (uses your action); passive",
        1,
        1,
        9,
        9,
    )
    assert "Boris, defense:" in text and await mark_value(world, "Boris", ACTED) == 1
    await world.restart()
    text = await attack(world, world.ana, "Boris", 1, 1, **KNIFE)
    assert "one of several actions (−3)" in text, text
    assert "no action left" in await refused_attack(world, world.ana, "Boris", **KNIFE)
    assert await mark_value(world, "Vesna", ACTED) == 2


@pytest.mark.rule("MB-CMB-03")
async def test_whoever_defended_with_their_action_hears_that_none_is_left(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    assert "Weapon: what's in hand" in texts(panel)
    await attack(world, world.ana, "Boris", **KNIFE)
    await meet(world, world.ben, "Active", 1, 1, 9, 9)
    await world.ana.slash(world.zone, "initiative next")
    call = texts(world.last())
    assert "Boris, you're up" in call and "no action left this round" in call, call
    assert primary(world.last()) == ["End turn"]


@pytest.mark.rule("MB-MUL-01", "MB-CMB-03")
async def test_a_panel_of_whoever_has_no_action_left_says_so_at_once(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    call = world.newest("Attack")
    await attack(world, world.ana, "Boris", **KNIFE)
    await meet(world, world.ben, "Active", 1, 1, 9, 9)
    left = "Vesna has no action left in this round."
    assert left in refusal_of(await world.press(world.ana, call, "Attack"))
    await world.restart()
    for command in ("attack", "contest", "check"):
        assert left in refusal_of(await world.ana.slash(world.zone, command)), command
    assert left in refusal_of(await world.ana.slash(world.zone, "attack", target="Boris"))
    assert left in refusal_of(await world.ana.slash(world.zone, "mb interact"))
    # Out of the own turn talk is no action.
    message_of(await world.ben.slash(world.zone, "contest"))
    # The attack undone, the action is back.
    await world.gina.slash(world.zone, "gm undo")
    message_of(await world.ana.slash(world.zone, "attack"))


@pytest.mark.rule("MB-MUL-01", "MB-CMB-03", "MB-SKILL-INT-01")
async def test_talk_is_an_action_too(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 5, 5)
    await world.ana.slash(world.zone, "mb declare", actions=2)
    world.dice.lay(6, 6)
    await world.ana.slash(
        world.zone, "mb interact", skill="Taunt", target="Boris", approach="his hat"
    )
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    await world.press(world.ben, panel, "Pass")
    text = await newest(world)
    assert "Taunt 9 and one of several actions (−2)" in text, text
    assert await mark_value(world, "Vesna", ACTED) == 1


async def test_whoever_acts_while_asked_to_defend_has_a_list_all_the_same(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world)
    await attack(world, world.ana, "Boris", weapon="Knife", approach="so")
    back = {"target": "Thug", "weapon": "Knife", "approach": "back"}
    await begin_confirmed(world, world.ben, "attack", **back)
    assert await mark_value(world, "Boris", ACTED) == 1
    for who in (world.ana, world.ben, world.gina):
        assert private(await who.slash(world.zone, "moves")).startswith("## What you can do now")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    assert "Active: " not in texts(panel)
    await world.press(world.ben, panel, "Pass")
    assert (await world.check("c2")).stage != "defend"


@pytest.mark.rule("MB-OPT-03", "MB-OPT-04", "MB-CMB-03")
async def test_what_several_attacks_take_from_the_own_defense_adds_up(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    await world.ana.slash(world.zone, "mb declare", actions=2)
    await attack(world, world.ana, "Thug", 1, 1, **KNIFE, **{"with": "all out"})
    await attack(world, world.ana, "Thug", 1, 1, **KNIFE, **{"with": "short range"})
    await next_turn(world)
    # Agility 9 and 1, less 6 and 2.
    text = await attack(world, world.ben, "Vesna", 1, 1, **KNIFE)
    assert "Vesna's Melee Parry:** 2" in text, text
    # In the next round, too, until her turn; and whoever went all out does not defend actively.
    await next_turn(world, 1, 1, 9, 9)
    text = await attack(world, world.ben, "Vesna", 1, 1, **FIST)
    assert "Vesna's Melee Parry:** 2" in text, text
    await world.gina.slash(world.zone, "gm undo")
    await next_turn(world)
    await next_turn(world, 1, 1, 9, 9)
    text = await attack(world, world.ben, "Vesna", **FIST)
    assert (
        text.startswith("## Boris attacks Vesna: choose a defense")
        and "Vesna's Melee Parry:** 10" in text
    ), text


@pytest.mark.rule("MB-OPT-01")
async def test_aiming_takes_the_whole_round_and_serves_the_next_one(world: World) -> None:
    arms = [*FIGHTER["arms"], {"name": UZI, "rounds": 30, "magazine": 30}]
    await open_table(world, sheets={"Vesna": VEST | {"toughness": 20, "arms": arms}})

    async def later() -> None:
        await next_turn(world)
        await next_turn(world, 9, 9, 1, 1)

    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    await world.ana.slash(world.zone, "mb declare", actions=2)
    await attack(world, world.ana, "Thug", **shot_options("aim, full auto", UZI))
    assert await mark_value(world, "Vesna", GUARD) == -2, "nothing is fired yet"
    assert "no action left" in await refused_attack(world, world.ana, "Thug", **shot_options())
    await next_turn(world)
    # A blow that does nothing does not spoil it; other weapons have nothing of it.
    text = await attack(world, world.ben, "Vesna", 9, 9, **KNIFE)
    assert "no damage to Vesna" in text, text
    await next_turn(world, 9, 9, 1, 1)
    await world.ana.slash(world.zone, "mb declare", actions=2)
    text = await attack(world, world.ana, "Thug", 1, 1, **shot_options())
    assert "aimed (+2)" in text, text
    assert "aiming takes a whole one" in await refused_attack(
        world, world.ana, "Thug", **shot_options("aim")
    )
    for _ in range(2):
        await later()
        await attack(world, world.ana, "Thug", **shot_options("aim"))
    await later()
    assert "aimed" not in await attack(world, world.ana, "Thug", 1, 1, **KNIFE)
    await world.gina.slash(world.zone, "gm undo")
    await later()
    assert "aimed" not in await attack(world, world.ana, "Thug", 1, 1, **shot_options()), (
        "it is too long ago"
    )


@pytest.mark.rule("MB-ACT-01", "MB-ACT-02", "MB-DMG-06")
async def test_who_cannot_attack_now(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Boris", FIGHTER | {"harm": "out_for 60"}, replace=True)
    assert "Boris is out cold" in await refused_attack(world, world.ben, "Thug", **KNIFE)
    await bring(
        world, world.gina, "Boris", FIGHTER | {"harm": "wounds 7, dead_for 1"}, replace=True
    )
    told = await refused_attack(world, world.ben, "Thug", **KNIFE)
    assert "Boris is dead" in told and "Have you another character?" in told, told
    await bring(world, world.gina, "Boris", FIGHTER, replace=True)
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 8, 8, 1, 1)
    await attack(world, world.ana, "Thug", 1, 1, **KNIFE)
    done = await refused_attack(world, world.ana, "Thug", **KNIFE, **{"with": "rank: 1"})
    assert "no action left" in done, "a rank is no further action"
    await next_turn(world)
    assert "turn is over" in await refused_attack(world, world.ana, "Thug", **KNIFE)
    # Whoever waits is hurried in everything, from the start.
    await world.ben.slash(world.zone, "initiative delay")
    bat = {"weapon": "Baseball bat", "as": "Thug"}
    await attack(world, world.gina, "Boris", **bat)
    text = await meet(
        world,
        world.ben,
        "Active: Melee Parry 8, at least +3 (uses your action); passive",
        1,
        1,
        1,
        1,
    )
    assert "Boris's Melee Parry:** 11" in text, text


@pytest.mark.rule("MB-INI-01")
async def test_an_npc_whose_initiative_has_passed_is_said_to_act_next_round(world: World) -> None:
    await open_table(world, gm_channel=True)
    await gather(world)
    world.dice.lay(5, 5, 2, 2)
    await world.gina.slash(world.zone, "initiative next")
    await next_turn(world)
    world.dice.lay(9, 9)
    told = private(await world.gina.slash(world.zone, "initiative add", name="Thug"))
    assert "Thug's turn in round 1 has passed: the first turn is in round 2." in told, told


async def test_one_button_brings_all_players_characters_in(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Guard", {}, npc=True)
    await world.gina.slash(world.zone, "initiative start")
    early = refusal_of(await world.press(world.gina, world.newest("Begin"), "Begin"))
    assert "Press Add all players on the board" in early, early
    assert "Only the GM" in refusal_of(
        await world.press(world.ana, world.newest("Add all players"), "Add all players")
    )
    await world.press(world.gina, world.newest("Add all players"), "Add all players")
    assert sorted(await order(world)) == ["Boris", "Vesna"], "NPCs are the GM's to add"
    again = refusal_of(
        await world.press(world.gina, world.newest("Add all players"), "Add all players")
    )
    assert "are in initiative already" in again, again
    await world.restart()
    world.dice.lay(9, 9, 1, 1)
    await world.press(world.gina, world.newest("Begin"), "Begin")
    assert await acts(world) == "Vesna"


@pytest.mark.rule("MB-INI-01")
async def test_the_dead_are_told_as_dead(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 5, 5)
    await world.gina.slash(world.zone, "gm adjust", character="Boris", what="wounds", value="6")
    await world.gina.slash(world.zone, "gm adjust", character="Boris", what="dead", value="yes")
    await world.ana.slash(world.zone, "initiative next")
    assert "Boris can't act this turn: dead." in world.told(world.ana)


@pytest.mark.rule("MB-INI-01")
async def test_who_loses_a_turn_in_mid_round_is_named(world: World) -> None:
    await open_table(world)
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 5, 5, 1, 1)
    for name in ("Boris", "Thug"):
        await world.gina.slash(world.zone, "gm adjust", character=name, what="wounds", value="5")
    await world.ana.slash(world.zone, "initiative next")
    assert "Boris can't act this turn: unconscious." in world.told(world.ana)
    # Where the GMs have no channel, they open what is theirs.
    stubs = [each for each in world.messages() if "Show" in labels(each)]
    told = [private(await world.press(world.gina, each, "Show")) for each in stubs]
    assert any("Thug can't act this turn: unconscious." in each for each in told), told
    assert not any("Somebody" in each for each in told), told

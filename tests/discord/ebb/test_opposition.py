"""Against somebody under EBB: contests, luck of whoever is attacked, and NPCs, who do not roll."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ebb.sheet import effective_attributes
from tests.discord.world import (
    World,
    card,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    selected_values,
    texts,
)

MINE, THEIRS = "down the long slope", "through the wood"


async def _sheet(world: World, name: str) -> Any:
    state = await world.state()
    return next(each.sheet for each in state.characters.values() if each.name == name)


async def _fitness(world: World, name: str = "Ilka") -> int:
    return effective_attributes(await _sheet(world, name))["Fitness"]


async def _contest(world: World, **options: Any) -> Any:
    given = {
        "target": "Ilka",
        "skill": "Running",
        "attribute": "Fitness",
        "approach": MINE,
        **options,
    }
    return await world.ana.slash(world.zone, "contest", **given)


async def _side(world: World, label: str, approach: str = THEIRS, **menus: str) -> Any:
    """Ben's panel for his side, filled in."""
    panel = message_of(await world.press(world.ben, world.newest(label), label))
    for title, value in menus.items():
        await world.choose(world.ben, panel, title, value)
    if approach:
        modal = await world.press(world.ben, panel, "Approach…")
        await world.ben.submit_modal(modal, {"approach": approach})
    return panel


async def _raced(world: World, *faces: int, **options: Any) -> str:
    """Ana races Ben, and both dice have fallen."""
    await world.table(step_in_minutes=0)
    await _contest(world, **options)
    await world.rule(level=None)
    panel = await _side(world, "Respond", Skill="Climbing", Attribute="Fitness")
    world.dice.lay(*faces)
    await world.press(world.ben, panel, "Respond")
    assert world.dice.left == 0
    return card(world)


# --- contests -------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-OPPOSED")
async def test_both_sides_of_a_contest_choose_in_secret_and_the_last_answer_rolls(
    world: World,
) -> None:
    await world.table()
    private(await _contest(world))
    assert "Marek against Ilka" in card(world)
    assert MINE in world.told(world.ben) and "Running" not in card(world)
    await world.rule(level=None)
    panel = await _side(world, "Respond", Skill="Climbing", Attribute="Fitness")
    assert THEIRS not in world.told(world.ana) and "Climbing" not in card(world)
    await world.restart()
    panel = await _side(world, "Respond", Skill="Climbing", Attribute="Fitness")
    world.dice.lay(6, 4, 5, 3)
    await world.press(world.ben, panel, "Respond")
    text = card(world)
    assert text.startswith("## ✓ Marek wins so far: 11 against 9")
    assert MINE in text and THEIRS in text
    assert "Marek: d10 (6) + d6 (4) + Fitness 1 = **11**" in text
    assert "Ilka: d10 (5) + d8 (3) + Fitness 1 = **9**" in text
    # Nobody is hit by losing.
    await world.spend(world.card(), "Accept result", world.ben)
    assert not (await world.check()).is_open and "hits" not in card(world)


@pytest.mark.rule("EBB-OPPOSED")
@pytest.mark.parametrize(
    ("faces", "head"),
    [
        ((5, 3, 5, 3), "## ✓ Marek wins"),  # a tie is the acting side's
        ((4, 3, 5, 3), "## ✗ Ilka wins"),
        ((1, 6, 2, 2), "## ✗ Automatic failure"),
        ((2, 2, 1, 6), "## ✓ Marek wins"),  # even with the lower total
    ],
)
async def test_a_contest_goes_to_the_higher_total(
    world: World, faces: tuple[int, ...], head: str
) -> None:
    text = await _raced(world, *faces)
    assert text.startswith(head)
    assert ("The chance is lost." in text) == ("✗" in head)


@pytest.mark.rule("EBB-OPPOSED")
async def test_where_both_fail_by_themselves_neither_gets_it(world: World) -> None:
    text = await _raced(world, 1, 5, 1, 5)
    assert text.startswith("## ✗ Automatic failure")
    assert "neither gets what it wanted" in text


@pytest.mark.rule("EBB-OPPOSED")
async def test_a_contest_with_an_npc_has_a_fixed_threshold(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    await _contest(world, target="Sidor")
    await world.rule(level="Tricky")
    world.dice.lay(5, 4)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert card(world).startswith("## ✓ Success")
    assert "ran out" not in card(world), "no time was given"


@pytest.mark.parametrize("command", ["attack", "contest"])
async def test_nobody_is_locked_into_no_skill_by_naming_the_target_alone(
    world: World, command: str
) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, command, target="Ilka"))
    assert not (await world.state()).checks, "it is only asked for"
    assert selected_values(panel, "Target") == ["k2"] and "Skill: none" in texts(panel)
    await world.choose(world.ana, panel, "Skill", "Running")
    await world.ana.submit_modal(await world.press(world.ana, panel, "Write…"), {"approach": MINE})
    await world.press(world.ana, panel, "Send")
    check = await world.check()
    assert (check.kind, check.target, check.data.request.skill) == (command, "k2", "Running")
    missing = await world.ana.slash(world.zone, command, target="Nobody")
    assert "You don't know anybody called" in refusal_of(missing)


async def test_a_contest_needs_somebody_else(world: World) -> None:
    await world.table()
    assert "You can't target yourself" in refusal_of(await _contest(world, target="Marek"))
    given = {"skill": "Running", "approach": MINE}
    assert "`target`" in refusal_of(await world.ana.slash(world.zone, "contest", **given))


async def test_a_contest_can_be_taken_back_until_the_dice_fall(world: World) -> None:
    await world.table()
    await _contest(world)
    await world.rule(level=None)
    panel = await _side(world, "Respond", Skill="Climbing")
    world.dice.lay(6, 4, 5, 3)
    await world.press(world.ben, panel, "Respond")
    refusal_of(await world.ben.slash(world.zone, "table undo"))
    assert (await world.check()).data.is_rolled, "dice that have fallen are the GM's to take back"
    await world.gina.slash(world.zone, "gm undo")
    assert (await world.check()).data.defense is None
    assert card(world).startswith("## Marek challenges Ilka. Choose how to respond")
    mine = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, mine, "Withdraw")
    assert not (await world.check()).is_open


# --- luck of whoever is attacked ------------------------------------------------------------------


async def _attacked(world: World) -> None:
    await world.table(step_in_minutes=0)
    given = {"target": "Ilka", "skill": "Rifles", "attribute": "Alertness", "approach": MINE}
    await world.ana.slash(world.zone, "attack", **given)
    await world.rule(level=None)


@pytest.mark.rule("EBB-LUCK")
async def test_whoever_is_attacked_may_sacrifice_a_point_instead(world: World) -> None:
    await _attacked(world)
    panel = await _side(world, "Defend", "", Luck="Fitness")
    assert "1 Fitness instead of rolling" in texts(panel)
    # It is promised in secret, and paid when the dice fall.
    assert "Fitness" not in world.told(world.ana) and await _fitness(world) == 1
    world.dice.lay(9, 6)
    await world.press(world.ben, panel, "Defend")
    text = card(world)
    assert text.startswith("## Miss, only just: Ilka evades")
    assert "Ilka: 1 Fitness sacrificed, counts as 0 until restored" in text
    assert await _fitness(world) == 0 and not (await world.check()).is_open
    await world.gina.slash(world.zone, "gm undo")
    assert await _fitness(world) == 1


@pytest.mark.rule("EBB-LUCK")
async def test_menus_of_luck_say_what_they_are_for_and_fit_a_phone(world: World) -> None:
    await _attacked(world)
    panel = await _side(world, "Defend", "")
    assert menu(panel, "Luck")["options"][0]["label"] == "Luck: none"
    assert menu(panel, "Harder")["custom_id"].endswith(":s"), "what helps a defender the GM gives"
    await world.choose(world.ben, panel, "Luck", "Fitness")
    assert "Luck: 1 Fitness instead of rolling" in texts(panel)
    await world.propose(skill="Climbing", attribute="Fitness")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    label = menu(panel, "Sacrifice")["options"][0]["label"]
    assert label == "Sacrifice: attribute used"
    assert menu(panel, "Disallow, hidden, easier…")["custom_id"].endswith(":s")


@pytest.mark.rule("EBB-LUCK")
async def test_luck_costs_the_attribute_that_is_used(world: World) -> None:
    await _attacked(world)
    menus = {"Attribute": "Alertness", "Luck": "Fitness"}
    panel = await _side(world, "Defend", **menus)
    assert "**Luck** costs a point of the attribute you use. Choose Alertness." in texts(panel)


@pytest.mark.rule("EBB-LUCK")
async def test_a_point_that_is_gone_by_then_is_no_luck(world: World) -> None:
    await _attacked(world)
    panel = await _side(world, "Defend", Luck="Fitness")
    await world.gina.slash(
        world.zone, "gm adjust", character="Ilka", what="lost:Fitness", value="1"
    )
    told = refusal_of(await world.press(world.ben, panel, "Defend"))
    assert "Choose Alertness, Intellect" in told and "Fitness" not in told
    assert not (await world.check()).data.is_rolled


@pytest.mark.rule("EBB-LUCK")
async def test_luck_is_not_offered_of_what_the_gm_has_refused(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", attribute="Fitness")
    await world.rule(level="Tricky", disallow=("attribute",))
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    assert "Alertness" in texts(panel)
    assert "1 Fitness: just succeed" not in texts(panel)


# --- NPCs do not roll -----------------------------------------------------------------------------


async def _ambush(world: World, **options: Any) -> Any:
    """Sidor, an NPC, attacks Ilka."""
    await world.table(step_in_minutes=0, **options.pop("settings", {}))
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    given = {
        "as": "Sidor",
        "target": "Ilka",
        "weapon": "knife",
        "approach": "out of the dark",
        **options,
    }
    command = given.pop("command", "attack")
    given = {key: value for key, value in given.items() if value is not None}
    return await world.gina.slash(world.zone, command, **given)


async def _evade(world: World, *faces: int, label: str = "Roll to evade", **menus: str) -> str:
    panel = await _side(world, label, **(menus or {"Skill": "Running", "Attribute": "Fitness"}))
    world.dice.lay(*faces)
    await world.press(world.ben, panel, label)
    assert world.dice.left == 0
    return card(world)


@pytest.mark.rule("EBB-ATTACK")
async def test_an_npcs_attack_is_the_players_roll_against_the_gms_number(world: World) -> None:
    await _ambush(world, difficulty="Tricky")
    assert card(world).startswith("## Ilka, evade Sidor against 10 (Tricky)\n")
    assert "Only Ilka rolls; NPCs don't." in card(world) and "Difficulty" not in card(world)
    call = f"{world.ben.mention}, Ilka, evade Sidor against 10 (Tricky)"
    assert [each.content for each in world.messages() if each.content] == [call]
    await world.restart()
    text = await _evade(world, 6, 3)
    assert text.startswith("## Miss: Ilka evades")
    assert "10 against 10" in text and "Ilka: d10 (6) + d6 (3) + Fitness 1 = **10**" in text
    assert "Sidor: d10" not in text and THEIRS in text
    assert not (await world.check()).is_open


@pytest.mark.rule("EBB-ATTACK")
@pytest.mark.rule("EBB-INJURY")
async def test_whoever_fails_to_evade_is_hit(world: World) -> None:
    await _ambush(world, difficulty="Tricky")
    text = await _evade(world, 5, 3)
    assert text.startswith("## Hit")
    assert "Ilka chooses between a flesh wound and full damage" in text
    await world.press(world.ben, world.newest("Flesh wound"), "Flesh wound")
    assert await _fitness(world) == 0
    assert not (await world.check()).is_open


@pytest.mark.rule("EBB-ATTACK")
async def test_a_one_on_the_main_die_is_a_hit_whatever_the_total(world: World) -> None:
    await _ambush(world, difficulty="Easy")
    assert (await _evade(world, 1, 6)).startswith("## Hit, the main die shows 1")


@pytest.mark.rule("EBB-ATTACK")
async def test_the_gm_names_the_number_when_it_was_not_said(world: World) -> None:
    panel = message_of(await _ambush(world))
    await world.rule(panel, level="Difficult", hidden=True)
    assert "(13)" not in world.told(world.ben) and "13" not in card(world)
    text = await _evade(world, 8, 3)
    assert text.startswith("## Hit") and "13" not in text


@pytest.mark.parametrize("command", ["attack", "contest"])
async def test_the_number_that_a_gm_names_at_once_may_be_hidden(world: World, command: str) -> None:
    given = {"command": command, "difficulty": "9137", "with": "hidden", "weapon": None}
    private(await _ambush(world, **given))
    assert "9137" in private(await world.gina.slash(world.zone, "odds", check="c1")), "to the GM"
    assert "against a hidden difficulty\n" in card(world)
    text = await _evade(world, 8, 3, label="Roll to evade" if command == "attack" else "Roll")
    assert "9137" not in text
    await world.gina.slash(world.zone, "gm settings", reveal="all")
    await world.ben.slash(world.zone, "odds", check="c1")
    await world.ben.slash(world.zone, "table last")
    await world.ben.slash(world.zone, "privacy export")
    assert "9137" not in world.told(world.ben), "the table's setting was fixed with the answer"
    offered = await world.ana.autocomplete(world.zone, command, "with", "hid")
    assert offered == []
    refusal = await world.ana.slash(
        world.zone, command, target="Ilka", skill="Climbing", approach="x", **{"with": "hidden"}
    )
    assert "GM" in refusal_of(refusal)


async def test_players_learn_nothing_of_what_somebody_unknown_can_do(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc alias", npc="Sidor", alias="the gray")
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor", stage="aliased")
    world.dice.lay(5, 4)
    told = await world.gina.slash(
        world.zone,
        "check",
        difficulty="Tricky",
        approach="x",
        skill="Rifles",
        attribute="Alertness",
        **{"as": "Sidor"},
    )
    assert world.dice.left == 0
    text = card(world)
    assert "the gray: Rifles and Alertness" in text
    assert "Alertness 1" not in world.told(world.ben) and "Rifles d6" not in world.told(world.ben)
    assert "d10 (5) + d6 (4) + 1 = **10**" in text, text
    del told


async def test_the_panel_says_what_an_evasion_is_rolled_with(world: World) -> None:
    await _ambush(world, difficulty="Tricky", command="attack")
    panel = message_of(await world.press(world.ben, world.newest("Roll to evade"), "Roll to evade"))
    assert "**With:** no skill (d10 only)" in texts(panel), texts(panel)
    await world.choose(world.ben, panel, "Skill", "Running")
    assert "**With:** Running d6" in texts(panel), texts(panel)
    assert "With:" not in card(world)


@pytest.mark.rule("EBB-LUCK")
async def test_luck_evades_an_npc(world: World) -> None:
    await _ambush(world, difficulty="Legendary")
    text = await _evade(world, Luck="Fitness")
    assert text.startswith("## Miss, only just: Ilka evades")
    assert await _fitness(world) == 0 and not (await world.check()).is_open


@pytest.mark.rule("EBB-DRAWBACK")
async def test_what_the_player_admits_makes_it_harder(world: World) -> None:
    await _ambush(world, difficulty="Tricky")
    panel = await _side(world, "Roll to evade", Skill="Running", Attribute="Fitness")
    await world.choose(world.ben, panel, "All the rest", "drawback")
    world.dice.lay(8, 3)
    await world.press(world.ben, panel, "Roll to evade")
    assert "13 (Difficult)" in card(world) and "Ilka: d10 (8) + d6 (3) = **11**" in card(world)


@pytest.mark.rule("EBB-FATE")
async def test_fate_rolls_the_ability_die_of_an_evasion_again(world: World) -> None:
    await _ambush(world, difficulty="Tricky")
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=10)
    await _evade(world, 5, 1)
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    world.dice.lay(6)
    again = next(each for each in labels(panel) if each == "Re-roll d6")
    await world.press(world.ben, panel, again)
    assert "Miss so far: Ilka evades" in card(world)


@pytest.mark.rule("EBB-OPPOSED")
async def test_a_contest_that_an_npc_begins_is_the_players_roll_too(world: World) -> None:
    await _ambush(world, command="contest", weapon=None, difficulty="Easy")
    assert card(world).startswith("## Ilka, roll against 4 (Easy)\nSidor against Ilka\n")
    call = (
        f"{world.ben.mention}, Sidor against Ilka: “out of the dark”. Ilka, roll against 4 (Easy)."
    )
    assert [each.content for each in world.messages() if each.content] == [call]
    text = await _evade(world, 3, 3, label="Roll")
    assert text.startswith("## ✓ Success for Ilka, 1 extra result: 7 against 4\n")


@pytest.mark.rule("EBB-OPPOSED", "EBB-FAIL")
async def test_whoever_loses_such_a_contest_loses_the_chance(world: World) -> None:
    await _ambush(world, command="contest", weapon=None, difficulty="Tricky")
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=10)
    text = await _evade(world, 4, 3, label="Roll")
    assert text.startswith("## ✗ Near miss for Ilka so far: 8 against 10")
    assert "The chance is lost." in text and "the same way" not in text


@pytest.mark.rule("EBB-OPPOSED")
async def test_a_table_may_roll_for_npcs(world: World) -> None:
    await _ambush(world, settings={"npc_rolls": True}, skill="Rifles", attribute="Alertness")
    assert card(world).startswith("## Sidor attacks Ilka: choose a defense")
    panel = await _side(world, "Defend", Skill="Running")
    world.dice.lay(6, 3, 4, 2)
    await world.press(world.ben, panel, "Defend")
    assert "Sidor: d10 (6) + d6 (3) + Alertness 1 = **10**" in card(world)
    assert "Ilka: d10 (4) + d6 (2) = **6**" in card(world)


@pytest.mark.rule("EBB-INJURY")
@pytest.mark.parametrize("lost", [0, 1])
async def test_what_fitness_an_npc_has_left_is_told_nobody(world: World, lost: int) -> None:
    await world.table(step_in_minutes=0)
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    if lost:
        await world.gina.slash(
            world.zone, "gm adjust", character="Sidor", what="lost:Fitness", value="1"
        )
    given = {"target": "Sidor", "skill": "Rifles", "approach": MINE}
    await world.ana.slash(world.zone, "attack", **given)
    await world.rule(level="Easy")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert card(world).startswith("## ✓ Hit, 1 extra result: Sidor is hit; the GM says how badly")
    assert "Final · check c1" in card(world) and labels(world.card()) == ["Change the hit"]
    assert not {"Fitness", "injury"} & set(card(world).replace(":", " ").split())
    panel = message_of(
        await world.press(world.gina, world.newest("Change the hit"), "Change the hit")
    )
    does = "injury (light)" if lost else "flesh wound, Fitness 0 left"
    assert labels(panel)[:2] == ["Full damage", f"Tell it as it is: {does}"]
    await world.press(world.gina, panel, f"Tell it as it is: {does}")
    took = f"is badly hurt ({'injury' if lost else 'flesh wound'})"
    assert card(world).startswith(f"## ✓ Hit, 1 extra result: Sidor {took}")


async def test_a_contest_asks_who_is_faced(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "contest"))
    assert "## Marek: who do you face?" in texts(panel)
    modal = await world.press(world.ana, panel, "Send")
    panel = message_of(await world.ana.submit_modal(modal, {"approach": MINE}))
    assert "**Target:** Pick somebody in the menu." in texts(panel)
    assert "Pick somebody in the menu." in refusal_of(await world.press(world.ana, panel, "Send"))
    assert "Who do you face? Name them with `target`." in refusal_of(
        await world.ana.slash(world.zone, "contest", skill="Climbing")
    )

"""Attacks of MasterBook at their limits: with what they may be made, what they leave, what their
odds are.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.table.checks.stages import ReadyStage
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
from tests.discord.masterbook.test_attack import (
    ARMED,
    COLT,
    FIST,
    GRENADE,
    KNIFE,
    UZI,
    shot_options,
)
from tests.discord.rounds import begin_confirmed, gather, next_turn
from tests.discord.world import (
    World,
    card,
    has_decision,
    labels,
    menu,
    message_of,
    public,
    refusal_of,
    texts,
)


def knowing(*skills: dict[str, Any]) -> dict[str, Any]:
    """Somebody who has these skills besides."""
    return {"skills": [*FIGHTER["skills"], *skills]}


JUDO = {"name": "Martial Arts", "focus": "judo", "adds": 1, "specializations": {"throws": 3}}


@pytest.mark.rule("MB-DIE-02", "MB-CMB-04")
async def test_an_attribute_that_stands_in_for_the_skill_rolls_no_10s_again(world: World) -> None:
    await open_table(world)
    text = await attack(world, world.ana, "Thug", 10, 1, skill="Dexterity", **shot_options())
    assert "2d10 (**10**, 1)" in text, text
    why = await refused_attack(world, world.ana, "Thug", skill="Charisma", **shot_options())
    assert "doesn't stand in here" in why.replace("’", "'"), why


@pytest.mark.rule("MB-SKL-01", "MB-CMB-04")
async def test_a_style_of_fighting_parries_without_what_it_is_special_in(world: World) -> None:
    await open_table(world, sheets={"Boris": knowing(JUDO)})
    await attack(world, world.ana, "Boris", **shot_options())
    # Judo 10, its throws 13; Dodge 11.
    await meet(world, world.ben, "Active: Dodge 11, at least +3", 5, 5, 5, 5)
    text = await attack(world, world.ben, "Thug", 5, 5, **FIST)
    assert "Unarmed Combat 10" in text or "judo 10" in text, text


@pytest.mark.rule("MB-SKL-01", "MB-SKILL-MARTIAL-ARTS")
async def test_a_style_without_adds_of_its_own_is_no_way_to_fight(world: World) -> None:
    await open_table(
        world, sheets={"Thug": {"skills": [JUDO | {"adds": 0, "specializations": {"throws": 2}}]}}
    )
    text = await attack(world, world.gina, "Vesna", **FIST, **{"as": "Thug"})
    assert text.startswith("## Thug attacks Vesna: choose a defense"), text


@pytest.mark.rule("MB-SKILL-MARTIAL-ARTS")
async def test_a_grab_is_no_kick(world: World) -> None:
    await open_table(
        world,
        sheets={"Vesna": knowing({"name": "Martial Arts", "focus": "kick-fighting", "adds": 4})},
    )
    for words, more in (({}, True), ({"with": "grab"}, False)):
        text = await attack(world, world.ana, "Thug", 5, 6, **FIST, **words)
        assert ("kick-fighting (+2)" in text) is more, text


@pytest.mark.rule("MB-OPT-01", "MB-OPT-02")
async def test_a_trick_shot_is_called_as_the_rules_call_it(world: World) -> None:
    await open_table(world)
    text = await attack(world, world.ana, "Thug", 1, 1, **KNIFE, **{"with": "trick shot"})
    assert "trick shot (−4)" in text, text
    # What it comes to a GM says, as before.
    told = await refused_attack(world, world.ana, "Thug", **KNIFE, **{"with": "trick: -2 0 4"})
    assert "Only" in told, told


@pytest.mark.rule("MB-OPT-01")
async def test_a_miss_does_not_spoil_an_aim(world: World) -> None:
    await open_table(world)
    await attack(world, world.ana, "Thug", **shot_options("aim"))
    await attack(
        world, world.gina, "Vesna", weapon="Baseball bat", approach="thump", **{"as": "Thug"}
    )
    assert "Miss" in await meet(world, world.ana, "Pass", 1, 1)
    assert "aimed (+2)" in await attack(world, world.ana, "Thug", 1, 1, **shot_options())


@pytest.mark.rule("MB-OPT-01")
async def test_an_aim_is_gone_after_the_next_round(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    await attack(world, world.ana, "Thug", **shot_options("aim"))
    for faces in ((), (9, 9, 1, 1), (), (9, 9, 1, 1)):
        await next_turn(world, *faces)
    assert "aimed" not in await attack(world, world.ana, "Thug", 1, 1, **shot_options())


@pytest.mark.rule("MB-LIFT-02")
async def test_an_attack_ends_a_lift(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"lifted": 9}})
    await attack(world, world.ana, "Thug", 1, 1, **shot_options())
    assert (await sheet(world, "Vesna")).lifted is None


@pytest.mark.rule("MB-DMG-05")
async def test_nobody_attacks_or_runs_while_out_cold(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"harm": "shock 20, fainted"}})
    assert "Vesna is out cold" in await refused_attack(world, world.ana, "Thug", **shot_options())
    for command, options in (
        ("mb move", {"how": "running"}),
        ("mb act", {"action": "look around"}),
        ("mb reload", {"weapon": COLT}),
        ("mb move", {"how": "running", "push": True}),
    ):
        told = refusal_of(await world.ana.slash(world.zone, command, **options))
        assert "Vesna is out cold" in told, (command, told)


@pytest.mark.rule("MB-ACT-02", "MB-MUL-01")
async def test_a_rank_that_is_said_leaves_what_waiting_costs(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    await world.ana.slash(world.zone, "initiative delay")
    await next_turn(world)
    text = await attack(world, world.ana, "Thug", 5, 5, **shot_options("rank: 1"))
    assert "waited (−2)" in text and "one of several actions (−2)" in text, text


@pytest.mark.rule("MB-CMB-03", "MB-OPT-03")
async def test_all_out_leaves_no_active_defense_with_actions_to_spare(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    await world.ana.slash(world.zone, "mb declare", actions=2)
    await attack(world, world.ana, "Thug", 1, 1, **FIST, **{"with": "all out"})
    text = await attack(world, world.gina, "Vesna", 1, 1, weapon="Baseball bat", **{"as": "Thug"})
    assert "defend" not in text.splitlines()[0], text


@pytest.mark.rule("MB-MUL-02", "MB-CMB-01")
async def test_names_that_end_in_a_number(world: World) -> None:
    await open_table(world)
    for name in ("Guard 1", "Guard 2"):
        await bring(world, world.gina, name, {}, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)
    text = await attack(world, world.ana, "Thug", 9, 9, **shot_options("also: Guard 2"))
    assert text.startswith("## ✓ Hits 2 of 2"), text
    assert text.startswith("## ✓ Hits 2 of 2: Thug and Guard 2 are dead"), text


@pytest.mark.rule("MB-MUL-02", "MB-EQ-11", "MB-EQ-12")
async def test_an_enemy_that_hits_has_no_cross_and_one_that_misses_has(world: World) -> None:
    await open_table(world, rules={"grenade_deviation_method": "by_miss"}, sheets={"Thug": ARMED})
    thug = {"as": "Thug", "approach": "so"}
    thrown = {"weapon": GRENADE, "with": "range: short"}
    await attack(world, world.gina, "Vesna", **thrown, **thug)
    assert (await meet(world, world.ana, "Pass", 1, 2, 7)).startswith("## ✗ "), card(world)
    for faces, head in (((1, 1), "## ✗ Hits 0 of 2"), ((10, 10), "## Hits 2 of 2")):
        await attack(
            world, world.gina, "Vesna", weapon=UZI, **thug, **{"with": "range: 8, also: Boris"}
        )
        await meet(world, world.ana, "Pass")
        text = await meet(world, world.ben, "Pass", *faces)
        assert text.startswith(head), text
    await bring(world, world.gina, "Vesna", FIGHTER | {"harm": "wounds 1"}, replace=True)
    await attack(world, world.gina, "Vesna", **thrown, **thug)
    assert (await meet(world, world.ana, "Pass", 5, 5)).startswith("## On the spot"), card(world)


@pytest.mark.rule("MB-EQ-12")
async def test_a_stray_grenade_waits_for_the_gm_who_says_how_far(world: World) -> None:
    await open_table(world, rules={"grenade_deviation_method": "gm"}, sheets={"Vesna": ARMED})
    thrown = {"weapon": GRENADE, "approach": "over the wall", "with": "range: long"}
    await attack(world, world.ana, "Thug", 1, 1, **thrown)
    await world.env.advance_time(3 * 24 * 3600)
    assert (await world.state()).checks["c1"].is_open, card(world)
    assert not (await sheet(world, "Thug")).harm.wounds, (
        "what missed has not come down where it should have"
    )


@pytest.mark.rule("MB-DN-04", "MB-MUL-02", "MB-COV-01")
@pytest.mark.parametrize(
    ("rules", "sheets", "words", "expected"),
    [
        # 14 less 2 for the first of two targets, against 11: a bonus of −1.
        ({}, {}, "also: Thug", "79% against 11"),
        # 19 and 19 points at most against 19: never 6 wounds.
        ({"damage_cap": "on"}, {"Boris": {"toughness": 19}}, "", ""),
        # 6 against 11; 19 and 12 for the head against 10, for the vest covers the chest alone.
        (
            {"partial_armor_coverage": "on"},
            {"Boris": {"armour": [{"name": "Flak jacket", "add": 40, "covers": ["chest"]}]}},
            "head",
            "6 wounds or more 23%",
        ),
        # The first wound is shock: it takes one more damage point.
        ({"non_lethal": "on"}, {"Boris": {"toughness": 13}}, "non lethal", "6 wounds or more 1%"),
        # 6 against 11: a bonus of 5, and of 6 for 6 wounds through the hedge, 31 and 1 against 10
        # and 2.
        ({}, {}, "head, concealment: one half, cover: weak", "23% against 11"),
        ({}, {}, "head, concealment: one half, cover: weak", "6 wounds or more 19%"),
        # Out of sight all 23 have to be reached, and the cover counts: 19 and 3 against 2.
        ({}, {}, "concealment: complete, cover: weak", "12% against 23"),
        (
            {},
            {"Boris": {"toughness": 1}},
            "concealment: complete, cover: weak",
            "6 wounds or more 1%",
        ),
    ],
)
async def test_odds_of_an_attack_as_the_table_plays(
    world: World, rules: dict[str, str], sheets: dict[str, Any], words: str, expected: str
) -> None:
    await open_table(world, live=False, rules=rules, sheets=sheets, life_points=5)
    await attack(world, world.ana, "Boris", **shot_options(words))
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Call for a roll")
    odds = texts(message_of(await world.ana.slash(world.zone, "odds", check="c1")))
    assert expected in odds and ("6 wounds" in expected or "6 wounds" not in odds or not rules), (
        odds
    )


@pytest.mark.rule("MB-DN-04", "MB-SKILL-MARTIAL-ARTS", "MB-OPT-01")
async def test_odds_of_what_wounds_nobody(world: World) -> None:
    wrestler = {"skills": [{"name": "Martial Arts", "focus": "wrestling", "adds": 3}]}
    await open_table(world, live=False, sheets={"Vesna": wrestler})
    await world.ana.slash(world.zone, "table plain", on=True)
    await attack(world, world.ana, "Boris", **FIST, **{"with": "grapple"})
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Call for a roll")
    odds = texts(message_of(await world.ana.slash(world.zone, "odds", check="c1")))
    # A hold is read on the maneuver column: 12 against 10, and 7 points from a bonus of 5 on.
    assert "Stymied 13%, Stymied and fatigued 9.8%" in odds and "wounds" not in odds, odds
    await attack(world, world.ana, "Boris", **shot_options("aim"))
    assert "no odds" in refusal_of(await world.ana.slash(world.zone, "odds", check="c2"))


@pytest.mark.rule("MB-CMB-03")
async def test_a_contest_is_rolled_though_its_defender_has_acted_since(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another player wants a say, so the dice don't fall as the defender answers.
    monkeypatch.setattr(ReadyStage, "_roll_at_once", lambda *_: None)
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    await world.ana.slash(world.zone, "contest", target="Boris", skill="Taunt", approach="his hat")
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    await world.choose(world.ben, panel, "Skill", "Willpower")
    await world.choose(world.ben, panel, "Defense", "active")
    await world.press(world.ben, panel, "Respond")
    await next_turn(world)
    public(await world.ben.slash(world.zone, "mb move", how="running"))
    world.dice.lay(9, 4, 1, 1)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert world.dice.left == 0


@pytest.mark.rule("MB-EQ-01")
async def test_a_weapon_of_ones_own(world: World) -> None:
    """What no table has is as its line says; what that cannot mean is refused as it is read."""
    own = [
        {"name": "Old gun", "dv": 15, "skill": "Fire Combat", "kind": "Pistol"},
        {"name": "Harpoon", "add": 3, "skill": "Harpooning"},
    ]
    await open_table(world, sheets={"Vesna": {"arms": own}})
    text = await attack(world, world.ana, "Thug", 5, 5, weapon="Old gun", **{"with": "range: 8"})
    assert "short range (+1)" in text, text
    text = await refused_attack(world, world.ana, "Thug", weapon="Harpoon")
    assert "Harpooning takes training, and Vesna has none" in text, text
    wrong = json.dumps({"name": "Zed"} | FIGHTER | {"arms": [own[0] | {"kind": "blunderbuss"}]})
    told = refusal_of(await world.hand_in(world.ana, "zed.json", wrong))
    assert "arms[0].kind" in told and "blunderbuss" in told, told
    zapper = {"name": "Zapper", "skill": "Fire Combat", "dv": 12}
    rows = {
        "weapons": [
            zapper | {"kind": "blunderbuss"},
            zapper | {"dv": "x"},
            zapper | {"`@here": 1},
            3,
        ]
    }
    file = ("rows.json", json.dumps(rows).encode())
    told = refusal_of(await world.gina.slash(world.zone, "gm campaign", file=file))
    assert "`weapons[0].kind`: no class of weapons is 'blunderbuss'" in told, told
    assert '`weapons[1].dv`: expected a whole number, not "x"' in told, told
    assert "`weapons[3]`: expected an object, not 3" in told and "\\[" not in told, told


@pytest.mark.rule("MB-OPT-03", "MB-MUL-01")
async def test_what_several_attacks_open_in_ones_guard_adds_up(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    await world.ana.slash(world.zone, "mb declare", actions=2)
    await attack(world, world.ana, "Thug", 1, 1, **FIST, **{"with": "all out"})
    await attack(world, world.ana, "Thug", 1, 1, **FIST, **{"with": "sweep"})
    bat = {"weapon": "Baseball bat", "as": "Thug"}
    text = await attack(world, world.gina, "Vesna", 1, 1, **bat)
    # Melee Parry 10, all out −6 and a sweep −1.
    assert "Vesna's Melee Parry:** 3" in text, text


@pytest.mark.rule("MB-CBN-02")
async def test_nobody_coordinates_with_themselves_or_their_target(world: World) -> None:
    await open_table(world)
    for name in ("Vesna", "Thug"):
        why = await refused_attack(
            world, world.ana, "Thug", **KNIFE, **{"with": f"together: {name}"}
        )
        assert "omebody else" in why, why
    assert "omebody else" in await refused_attack(
        world, world.ana, "Thug", **shot_options("also: Vesna")
    )
    await attack(world, world.ana, "Thug", **KNIFE, **{"with": "together: Boris, together: Boris"})
    assert (await world.state()).checks["c1"].data.plan.together == ("k2",)


@pytest.mark.rule("MB-INT-11")
async def test_who_is_untrained_is_so_for_all_actions_of_the_turn(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    taunt = {"target": "Vesna", "skill": "Taunt", "approach": "her hat"}
    await begin_confirmed(world, world.ben, "mb interact", **taunt)
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(9, 9)
    await world.press(world.ana, panel, "Pass")
    assert "rattled" in await newest(world), await newest(world)
    await world.ana.slash(world.zone, "mb declare", actions=2)
    for _ in range(2):
        text = await attack(world, world.ana, "Thug", 1, 1, **shot_options())
        assert "Fire Combat (pistols) 10" in text, text


@pytest.mark.rule("MB-SUR-01", "MB-DIE-06")
async def test_whoever_looks_on_cancels_what_the_surprised_cannot(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    eve = world.member("eve")
    await bring(world, eve, "Mira", FIGHTER)
    world.dice.lay(1, 1)
    await world.gina.slash(world.zone, "mb surprise", target="Boris", total=30)
    await attack(world, world.ana, "Boris", 1, 2, **shot_options())
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")
    assert has_decision(card(world), "Eve") and "Ben" not in card(world), card(world)
    panel = message_of(await world.press(eve, world.newest("React"), "React"))
    await world.press(eve, panel, "Cancel it with one of your Life Points")
    assert "Mira cancels it" in card(world), card(world)


@pytest.mark.rule("MB-DN-01")
async def test_what_is_simple_is_not_rolled_whatever_helps(world: World) -> None:
    await open_table(world)
    so = {"skill": "Stealth", "difficulty": "Simple", "approach": "past nobody"}
    await world.ana.slash(world.zone, "check", **so, **{"with": "rows: night"})
    assert (await newest(world)).startswith("## ✓ Success: no roll needed"), await newest(world)


@pytest.mark.rule("MB-LP-03")
async def test_of_wounds_without_number_no_more_are_offered_than_a_point_takes(
    world: World,
) -> None:
    """One by one a million of them would take half a minute, and everybody's."""
    await open_table(world, step_in_minutes=60)
    rows = {"weapons": [{"name": "Doom", "skill": "Melee Combat", "dv": 1_000_000}]}
    await world.gina.slash(world.zone, "gm campaign", file=("rows.json", json.dumps(rows).encode()))
    await bring(world, world.gina, "Grim", {"arms": [{"name": "Doom"}]}, npc=True)
    await attack(world, world.gina, "Boris", **FIST | {"weapon": "Doom"}, **{"as": "Grim"})
    await meet(world, world.ben, "Pass", 9, 9)
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    panel = message_of(await world.press(world.ben, panel, labels(panel)[0]))
    offered = [each["value"] for each in menu(panel, "What to take off")["options"]]
    assert [each for each in offered if "wound" in each] == [
        f"packages: wound:{at}" for at in (1, 2, 3)
    ]


async def test_the_list_of_npcs_offers_nothing_to_those_who_are_out(world: World) -> None:
    await open_table(world, gm_channel=True)
    for name, harm in (("Corpse", "wounds 6"), ("Sleeper", "out_for 60"), ("Guard", "shock 1")):
        await bring(world, world.gina, name, {"harm": harm}, npc=True)
    await world.gina.slash(world.zone, "initiative start")
    for name in ("Corpse", "Sleeper", "Guard"):
        await world.gina.slash(world.zone, "initiative add", name=name)
    await next_turn(world, 5, 5, 5, 5, 5, 5)
    listed = message_of(await world.press(world.gina, world.newest("NPCs"), "NPCs"))
    assert labels(listed).count("Attack") == 2, "beside the guard, and as the turn is theirs"
    named = str(menu(listed, "Check as…"))
    assert "Guard" in named and "Corpse" not in named and "Sleeper" not in named, named

"""Effects that take hold, run and end, walked through commands."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rules.systems.masterbook.character.derived_values import rates_of, toughness_of
from rules.systems.masterbook.character.sheet import attribute
from rules.systems.masterbook.effects.effect_harm import effect_damage
from rules.systems.masterbook.formulas.value_chart import measure
from tests.discord.masterbook.effect_table import (
    advance_time,
    cast_effect,
    effect,
    everything,
    knows,
    open_effect_table,
)
from tests.discord.masterbook.table import FIGHTER, bring, meet, newest, sheet
from tests.discord.rounds import board_text, gather, next_round, next_turn
from tests.discord.world import World, labels, message_of, private, refusal_of, texts

NEAR: dict[str, Any] = {"with": "meters 3"}
BOOST = effect("Boost", action="raise", traits=["Strength"], effect_value=17, duration_value=8)
FOG = effect(
    "Fog",
    action="lower",
    traits=["Agility"],
    effect_value=15,
    duration_value=8,
    switch="on_off",
    target_changes=2,
)
BOLT = effect("Bolt", action="damage", effect_value=14, to_hit="casting", accuracy=3)
KEEP = effect(
    "Keep",
    action="raise",
    traits=["Strength"],
    effect_value=17,
    duration_value=5,
    maintenance=True,
    given={"dn": 12, "fv": 4},
)


async def strength(world: World, name: str) -> int:
    return attribute(await sheet(world, name), "strength")


async def agility(world: World, name: str) -> int:
    return attribute(await sheet(world, name), "agility")


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-24", "MB-SFX-26", "MB-CHAR-17", "MB-SFX-S04")
async def test_a_raised_value_counts_until_its_time_is_over(world: World) -> None:
    await open_effect_table(world, BOOST)
    before = await sheet(world, "Boris")
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    told = everything(world)
    assert "## Boost takes hold" in told, told
    assert "Boris: Strength 9 → 12 (17 against 9)" in told, told
    assert "Lasts 40 seconds." in told, told
    now = await sheet(world, "Boris")
    assert attribute(now, "strength") == 12
    assert toughness_of(now) == toughness_of(before), "Toughness stays"
    assert rates_of(now) != rates_of(before), "rates follow"
    world.dice.lay(5, 6)
    await world.ben.slash(world.zone, "check", skill="Strength", difficulty="8", approach="so")
    assert "Strength 12" in await newest(world), await newest(world)
    assert "Boost on Boris ends" in await advance_time(world, "1 min")
    assert await strength(world, "Boris") == 9


@pytest.mark.rule("MB-SFX-26")
async def test_the_list_of_effects_says_how_long_they_still_last(world: World) -> None:
    await open_effect_table(world, BOOST, FOG, gm_channel=True)
    title = "Effects that run"
    assert title not in private(await world.ana.slash(world.zone, "effect list"))
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    await cast_effect(world, "Fog", target="Thug", **NEAR)
    mine = private(await world.ana.slash(world.zone, "effect list"))
    assert title in mine and "Boost on Boris: Strength +3, 40 seconds" in mine, mine
    assert "Fog on Thug, 40 seconds" in mine, "an NPC's values stay with the GMs"
    filtered = private(await world.ana.slash(world.zone, "effect list", text="fog"))
    assert "Fog on Thug, 40 seconds" in filtered and "Boost on" not in filtered
    led = private(await world.gina.slash(world.zone, "effect list", character="Vesna"))
    assert "Fog on Thug: Agility −3, 40 seconds" in led, led
    others = private(await world.gina.slash(world.zone, "effect list", character="Boris"))
    assert title not in others, "the effect runs by Vesna's casting"
    assert title not in private(await world.ben.slash(world.zone, "effect list"))
    await advance_time(world, "1 min")
    assert title not in private(await world.ana.slash(world.zone, "effect list"))


@pytest.mark.rule("MB-SFX-24")
async def test_a_value_that_the_effect_does_not_reach_stays(world: World) -> None:
    await open_effect_table(world, BOOST | {"effect_value": 8})
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    assert "## Boost has no effect" in everything(world), everything(world)
    assert await strength(world, "Boris") == 9
    assert "No effect of yours runs" in private(await world.ana.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-24", "MB-SFX-S08")
async def test_several_values_are_met_by_rank(world: World) -> None:
    both = BOOST | {"traits": ["Strength", "Endurance"], "effect_value": 19}
    await open_effect_table(world, both)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    told = everything(world)
    # 19 − 2 against 9, and 19 − 4 against 9.
    assert "Strength 9 → 12, Endurance 9 → 12" in told, told


@pytest.mark.rule("MB-SFX-24")
async def test_how_good_an_npc_is_stays_with_the_gms(world: World) -> None:
    await open_effect_table(world, FOG, gm_channel=True)
    await cast_effect(world, "Fog", target="Thug", **NEAR)
    told = everything(world)
    assert "Thug: Agility falls" in told, told
    assert "Agility 8" not in told, told
    assert await agility(world, "Thug") == 5
    listed = private(await world.gina.slash(world.zone, "effect running"))
    assert "Fog on Thug: Agility −3, 40 seconds" in listed, listed
    mine = private(await world.ana.slash(world.zone, "effect running"))
    assert "Fog on Thug, 40 seconds" in mine, mine


async def test_undoing_the_casting_undoes_the_effect(world: World) -> None:
    await open_effect_table(world, BOOST)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    assert await strength(world, "Boris") == 12
    await world.gina.slash(world.zone, "gm undo")
    assert await strength(world, "Boris") == 9
    assert "No effect of yours runs" in private(await world.ana.slash(world.zone, "effect running"))


async def test_an_edited_sheet_keeps_what_runs_on_it(world: World) -> None:
    await open_effect_table(world, BOOST)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    await world.restart()
    grown = FIGHTER | {"strength": 10}
    await bring(world, world.gina, "Boris", grown, replace=True)
    assert await strength(world, "Boris") == 13
    await advance_time(world, "1 min")
    assert await strength(world, "Boris") == 10


@pytest.mark.rule("MB-SFX-26")
async def test_the_effects_of_a_caster_who_leaves_are_over(world: World) -> None:
    await open_effect_table(world, sheets={"Thug": knows(BOOST)}, gm_channel=True)
    world.dice.lay(5, 6)
    casting = {"effect": "Boost", "target": "Boris", "as": "Thug"} | NEAR
    await world.gina.slash(world.zone, "effect cast", **casting)
    assert await strength(world, "Boris") == 12
    await world.gina.slash(world.zone, "gm npc remove", npc="Thug")
    assert await strength(world, "Boris") == 9
    assert "Boost on Boris ends" in everything(world), everything(world)
    kept = (await world.state()).own
    assert not [key for key in kept if key.startswith("effects:")], kept
    await world.gina.slash(world.zone, "gm undo")
    assert await strength(world, "Boris") == 12


# --- hitting --------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-22", "MB-SFX-23", "MB-SFX-S12")
async def test_the_roll_to_hit_adds_nothing_to_the_damage(world: World) -> None:
    await open_effect_table(world, BOLT)
    expected = effect_damage(await sheet(world, "Thug"), 14)
    text = await cast_effect(world, "Bolt", target="Thug", **NEAR)
    # 12 and +2 for accuracy against Dodge 9.
    assert "To hit: the casting's 12, +2 for area and accuracy." in text, text
    assert text.startswith("## ✓ Hit"), text
    harm = (await sheet(world, "Thug")).harm
    assert (harm.wounds, harm.shock) == (expected.wounds, expected.shock)


@pytest.mark.rule("MB-SFX-S12", "MB-SFX-22", "MB-COV-01")
@pytest.mark.parametrize(
    ("around", "dice", "hit"),
    [
        ("", (5, 6), True),  # 12 + 5 against Dodge 9
        ("around same size", (5, 6), True),
        ("around corner", (5, 6), False),  # 17 against 9 + 12
        ("around corner", (9, 9), True),  # 23
    ],
)
async def test_an_accurate_effect_goes_around_what_is_in_its_way(
    world: World, around: str, dice: tuple[int, int], hit: bool
) -> None:
    await open_effect_table(world, BOLT | {"accuracy": 10})
    words = f"meters 3, {around}" if around else "meters 3"
    text = await cast_effect(world, "Bolt", *dice, target="Thug", **{"with": words})
    assert bool((await sheet(world, "Thug")).harm.shock) is hit, text
    assert ("+12 to its defense" in text) is ("corner" in around), text
    assert ("Around: a corner" in everything(world).replace("**", "")) is ("corner" in around)


@pytest.mark.rule("MB-SFX-S12")
async def test_only_accuracy_goes_around_things(world: World) -> None:
    await open_effect_table(world, BOLT, WAND | {"accuracy": 1})
    bolt = {"effect": "Bolt", "target": "Thug"}
    given = bolt | {"with": "around same size"}
    why = refusal_of(await world.ana.slash(world.zone, "effect cast", **given))
    assert "takes +3 of accuracy, and it has +2" in why, why
    await cast_effect(world, "Bolt", target="Thug", **{"with": "around smaller"})
    await cast_effect(world, "Spark", **{"with": "into an oak wand"})
    given = {"charge": "Spark", "target": "Thug", "with": "around corner"}
    why = refusal_of(await world.ana.slash(world.zone, "effect use", **given))
    assert "takes +5 of accuracy, and it has +1" in why, why
    world.dice.lay(9, 9, 9, 9)
    await world.ana.slash(world.zone, "effect use", **{**given, "with": "around smaller"})
    assert "Around: smaller things" in everything(world).replace("**", "")


@pytest.mark.rule("MB-SFX-22")
async def test_a_target_may_defend_actively(world: World) -> None:
    await open_effect_table(world, BOLT, life_points=0)
    await cast_effect(world, "Bolt", target="Boris", **NEAR)
    # Dodge 11 with at least +3 stops 14 only from 15 on.
    text = await meet(world, world.ben, "Active", 9, 9)
    assert text.startswith("## Miss") or "Miss" in text.splitlines()[0], text
    assert (await sheet(world, "Boris")).harm.wounds == 0


@pytest.mark.rule("MB-SFX-22")
async def test_another_skill_is_rolled_to_hit(world: World) -> None:
    await open_effect_table(world, BOLT | {"to_hit": "Fire Combat", "accuracy": 0})
    text = await cast_effect(world, "Bolt", 5, 6, 1, 2, target="Thug", **NEAR)
    assert "Fire Combat 12" in text, text
    assert "Miss" in text.splitlines()[0], text
    assert (await sheet(world, "Thug")).harm.wounds == 0


OWN_SKILL: dict[str, Any] = {"name": "Zen Flute", "attribute": "dexterity", "adds": 2}


@pytest.mark.rule("MB-SFX-22", "MB-SFX-29")
async def test_who_lacks_the_skill_to_hit_rolls_that_of_the_casting(world: World) -> None:
    wand = BOLT | {"to_hit": "Zen Flute", "accuracy": 0, "charges": 2}
    vesna = knows(wand)
    vesna["skills"] = [*vesna["skills"], OWN_SKILL]
    await open_effect_table(world, sheets={"Vesna": vesna})
    await cast_effect(world, "Bolt", **{"with": "into a wand, for Boris"})
    world.dice.lay(5, 6)
    await world.ben.slash(world.zone, "effect use", charge="Bolt", target="Thug", **NEAR)
    assert world.dice.left == 0
    assert "Mind 8" in await newest(world), await newest(world)


@pytest.mark.rule("MB-SFX-23")
async def test_who_lacks_the_skill_that_resists_resists_as_always(world: World) -> None:
    scare = effect("Scare", action="intimidation", effect_value=20, resisted_by="Zen Flute")
    vesna = knows(scare)
    vesna["skills"] = [*vesna["skills"], OWN_SKILL]
    await open_effect_table(world, sheets={"Vesna": vesna})
    text = await cast_effect(world, "Scare", target="Thug", **NEAR)
    assert "Zen Flute" not in text and "Thug" in text, text


async def gm_says(world: World, prompt: str, option: str, **values: str) -> None:
    """Let the GM answer a prompt with an option that is filled in."""
    panel = message_of(await world.press(world.gina, world.newest(prompt), prompt))
    await world.press(world.gina, panel, f"{option}…")
    write = next(each for each in labels(panel) if each.endswith("…"))
    dialog = await world.press(world.gina, panel, write)
    fields = {key.replace("_", "-"): value for key, value in values.items()}
    await world.gina.submit_modal(dialog, fields)
    await world.press(world.gina, panel, option)


INSIDE = "GM: who else is inside?"
BALL = effect("Ball", action="damage", effect_value=14, to_hit="casting")
BALL["area"] = {"dims": 3, "diameter": 3}


@pytest.mark.rule("MB-SFX-22", "MB-SFX-S06")
@pytest.mark.parametrize("falls_off", [False, True])
async def test_everybody_in_an_area_is_attacked(world: World, falls_off: bool) -> None:
    rules = {"effect_area_falloff": "on"} if falls_off else {}
    await open_effect_table(world, BALL, rules=rules)
    await cast_effect(world, "Ball", target="Thug", **NEAR)
    await gm_says(world, INSIDE, "Name who else is inside", also="Boris 2")
    # 12 and +3 of the area against Dodge 11 with +3; at 2 meters it may be +1.
    text = await meet(world, world.ben, "Active", 1, 2)
    hit = bool((await sheet(world, "Boris")).harm.shock)
    assert hit != falls_off, text
    assert (await sheet(world, "Thug")).harm.shock, text


@pytest.mark.rule("MB-SFX-22", "MB-SFX-32")
@pytest.mark.parametrize("falls_off", [False, True])
async def test_whoever_stands_in_two_areas_meets_the_better_total(
    world: World, falls_off: bool
) -> None:
    rules = {"effect_area_falloff": "on"} if falls_off else {}
    sheets = {"Boris": {"agility": 10, "skills": []}}
    await open_effect_table(world, BALL | {"targets": 2}, rules=rules, sheets=sheets, life_points=0)
    await cast_effect(world, "Ball", target="Thug", **{"with": "meters 3, on Boris 3"})
    # Around the Thug 12 + 3 − 2 meets Boris, around Boris himself 12 + 3 − 3.
    await gm_says(world, INSIDE, "Name who else is inside", also="Boris 1", also_2="Thug 2")
    # Agility 10 with +3 against 13; 1 meter off it would be 12.
    text = await meet(world, world.ben, "Active", 1, 2)
    assert "of 2" in text or "Hit" in text, text
    assert bool((await sheet(world, "Boris")).harm.shock) != falls_off, text


@pytest.mark.rule("MB-SFX-22")
@pytest.mark.parametrize("meters", [0, 2])
async def test_an_area_around_a_spot_falls_off_for_those_whom_the_caster_names(
    world: World, meters: int
) -> None:
    await open_effect_table(world, BALL, rules={"effect_area_falloff": "on"}, life_points=0)
    around = {"with": f"at the fountain, meters 3, on Boris {meters}"}
    await cast_effect(world, "Ball", **around)
    await pass_inside(world)
    # 12 + 3 against Dodge 11 with +3; 2 meters off it is 13.
    text = await meet(world, world.ben, "Active", 1, 2)
    assert bool((await sheet(world, "Boris")).harm.shock) == (meters == 0), text


async def pass_inside(world: World) -> None:
    """Let the GM say that nobody else is inside."""
    panel = message_of(await world.press(world.gina, world.newest(INSIDE), INSIDE))
    await world.press(world.gina, panel, "Pass")


@pytest.mark.rule("MB-SFX-32", "MB-SFX-S07")
async def test_several_targets_cost_by_rank(world: World) -> None:
    await open_effect_table(world, BOLT | {"targets": 2})
    await cast_effect(world, "Bolt", target="Thug", **{"with": "meters 3, on Boris 3"})
    # 12 + 2 − 2 against 9 hits; 12 + 2 − 3 against 11 with at least +3 misses.
    text = await meet(world, world.ben, "Active", 1, 2)
    assert "1 of 2" in text, text
    assert (await sheet(world, "Thug")).harm.shock, text
    assert not (await sheet(world, "Boris")).harm.shock, text


@pytest.mark.rule("MB-SFX-27", "MB-SFX-S03")
async def test_a_slow_effect_is_easier_to_avoid(world: World) -> None:
    slow = BOLT | {"speed_value": 1, "duration_value": 9}
    await open_effect_table(world, slow)
    text = await cast_effect(world, "Bolt", target="Thug", **{"with": "meters 60"})
    # 60 meters are 9, so 8 more than Dodge 9 stand against 14.
    assert "Miss" in text.splitlines()[0], text


@pytest.mark.rule("MB-SFX-23")
async def test_a_column_of_interaction(world: World) -> None:
    scare = effect("Scare", action="taunt_trick", effect_value=14)
    await open_effect_table(world, scare, life_points=0)
    await cast_effect(world, "Scare", target="Boris", **NEAR)
    text = await meet(world, world.ben, "Active", 1, 2)
    assert "Boris is" in text.splitlines()[0], text


@pytest.mark.rule("MB-SFX-23", "MB-INT-11")
async def test_a_high_result_on_a_column_also_helps_the_caster(world: World) -> None:
    scare = effect("Scare", action="taunt_trick", effect_value=26)
    await open_effect_table(world, scare, life_points=0)
    await cast_effect(world, "Scare", target="Boris", **NEAR)
    # 17 over Taunt 9.
    text = await meet(world, world.ben, "Pass")
    assert text.startswith("## Scare takes hold: Boris is set back\n"), text
    assert "Boris gives the other side 2 extra dice on its next action." in text, text
    world.dice.lay(1, 2, 3, 4)
    await world.ana.slash(world.zone, "check", skill="Stealth", difficulty="8")
    assert world.dice.left == 0, "two dice more"


async def lowers(world: World, who: Any, label: str) -> str:
    """Let a target choose to lower what an effect does to it; what the newest check says then."""
    panel = message_of(await world.press(who, world.newest("React"), "React"))
    assert label in labels(panel), labels(panel)
    await world.press(who, panel, label)
    return await newest(world)


@pytest.mark.rule("MB-LP-04", "MB-SFX-23")
async def test_a_life_point_lowers_a_result_on_a_column(world: World) -> None:
    scare = effect("Scare", action="taunt_trick", effect_value=17, duration_value=8)
    own = {"Boris": {"life_points": 2}}
    await open_effect_table(world, scare, step_in_minutes=10, life_points=0, sheets=own)
    await cast_effect(world, "Scare", target="Boris", **NEAR)
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    # 17 against Taunt 9.
    text = await meet(world, world.ben, "Pass")
    assert text.startswith("## Scare takes hold so far: Boris is untrained"), text
    text = await lowers(world, world.ben, "Spend a Life Point: untrained → stymied")
    assert text.startswith("## Scare takes hold: Boris is stymied"), text
    assert "Boris spends a Life Point: stymied instead." in text, text
    assert (await sheet(world, "Boris")).life_points == 1
    assert "Scare on Boris" in private(await world.ana.slash(world.zone, "effect running"))
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).life_points == 2
    text = await newest(world)
    assert text.startswith("## Scare takes hold so far: Boris is untrained"), text


@pytest.mark.rule("MB-LP-04", "MB-SFX-23")
async def test_a_point_of_an_npc_leaves_no_effect_and_is_the_gms_to_know(world: World) -> None:
    scare = effect("Scare", action="taunt_trick", effect_value=12, duration_value=8, accuracy=3)
    scare["to_hit"] = "casting"
    await open_effect_table(world, scare, gm_channel=True, step_in_minutes=10, life_points=0)
    await world.gina.slash(world.zone, "orders npc", npc="Thug", ask=True)
    await cast_effect(world, "Scare", target="Thug", **NEAR)
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    panel = message_of(
        await world.press(world.gina, world.newest("Defend", world.gm_room), "Defend")
    )
    await world.press(world.gina, panel, "Pass")
    assert (await newest(world)).startswith("## ✓ Hit so far\n"), await newest(world)
    text = await lowers(world, world.gina, "Spend a Life Point: stymied → no effect")
    assert text.startswith("## ✗ No effect on Thug"), text
    assert "Life Point" not in text, text
    secret = texts(world.last(world.gm_room))
    assert "Thug spends a Life Point: no effect instead." in secret, secret
    assert (await sheet(world, "Thug")).life_points == 0
    assert "No effect of yours runs" in private(await world.ana.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-25", "MB-SFX-33", "MB-SFX-S12")
async def test_a_thing_is_moved_as_fast_as_its_mass_allows(world: World) -> None:
    lift = effect("Lift", action="movement", movement=True, effect_value=20, duration_value=8)
    await open_effect_table(world, lift)
    await cast_effect(world, "Lift", **{"with": "at a car, meters 3"})
    option = "Number that resists effect value 20"
    await gm_says(world, "GM: what resists?", option, number="10")
    text = await newest(world)
    # 10 over its mass push by 4, and 4 is 6 meters.
    assert "A car: moves 6 m a second (20 against 10)" in text, text
    await world.ana.slash(world.zone, "effect steer", effect="Lift", do="move", meters=40)
    assert "Lift is now 40 m from its caster, up to 6 m a second" in everything(world)
    why = refusal_of(
        await world.ana.slash(world.zone, "effect steer", effect="Lift", do="move", meters=70)
    )
    assert "out of range" in why, why


# --- steering -------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S09", "MB-SFX-S11")
async def test_an_effect_is_switched_and_sent_on(world: World) -> None:
    await open_effect_table(world, FOG)
    await cast_effect(world, "Fog", target="Thug", **NEAR)
    panel = message_of(await world.ana.slash(world.zone, "effect running"))
    assert labels(panel) == ["Turn off Fog", "New target Fog"], labels(panel)
    await world.press(world.ana, panel, "Turn off Fog")
    assert await agility(world, "Thug") == 8
    fog = {"effect": "Fog"}
    await world.ana.slash(world.zone, "effect steer", **fog, do="on")
    assert await agility(world, "Thug") == 5
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", **fog, do="move"))
    assert "can't be moved" in why, why
    await world.ana.slash(world.zone, "effect steer", **fog, do="target", target="Boris")
    assert (await agility(world, "Thug"), await agility(world, "Boris")) == (8, 6)
    why = refusal_of(
        await world.ana.slash(world.zone, "effect steer", **fog, do="target", target="Thug")
    )
    assert "can't be sent elsewhere" in why, why


@pytest.mark.rule("MB-SFX-33", "MB-SFX-24")
async def test_an_effect_that_does_not_reach_its_new_target_is_over(world: World) -> None:
    weak = FOG | {"effect_value": 10, "target_changes": 3}
    await open_effect_table(world, weak)
    await cast_effect(world, "Fog", target="Thug", **NEAR)
    assert await agility(world, "Thug") == 7
    await bring(world, world.gina, "Boris", FIGHTER | {"agility": 12}, replace=True)
    await world.ana.slash(world.zone, "effect steer", effect="Fog", do="target", target="Boris")
    assert "Fog has no effect and is over" in everything(world), everything(world)
    assert (await agility(world, "Thug"), await agility(world, "Boris")) == (8, 12)
    assert "No effect of yours runs" in private(await world.ana.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-33", "MB-SFX-30")
async def test_an_illusion_sent_to_who_has_seen_through_it_is_over(world: World) -> None:
    await open_effect_table(world, FOG | UNREAL)
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    await doubt(world, world.ben, "Fog", 9, 9)
    await world.gina.slash(world.zone, "effect end", effect="Fog")
    await cast_effect(world, "Fog", target="Thug", **NEAR)
    await world.ana.slash(world.zone, "effect steer", effect="Fog", do="target", target="Boris")
    assert "No effect of yours runs" in private(await world.ana.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S12")
@pytest.mark.parametrize(
    ("rule", "speed"), [("push", "4 m a second"), ("direct_round", "25 m a round")]
)
async def test_a_thing_is_steered_as_fast_as_its_mass_allows(
    world: World, rule: str, speed: str
) -> None:
    lift = effect("Lift", action="movement", movement=True, effect_value=17, duration_value=8)
    await open_effect_table(world, lift | {"resisting_number": 10}, rules={"effect_speed": rule})
    await cast_effect(world, "Lift", **{"with": "at a car, meters 3"})
    # 7 over its mass push by 3, and 3 is 4 meters.
    assert f"A car: moves {speed} (17 against 10)" in everything(world), everything(world)
    await world.ana.slash(world.zone, "effect steer", effect="Lift", do="move", meters=20)
    told = texts(world.last())
    assert f"Lift is now 20 m from its caster, up to {speed}" in told, told


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S10", "MB-SFX-24")
async def test_an_effect_value_is_chosen_anew_within_its_band(world: World) -> None:
    await open_effect_table(world, FOG | {"points_up": 6, "points_down": 4}, gm_channel=True)
    # One step down: 14 is in the band of 13 to 18.
    await cast_effect(world, "Fog", target="Boris", **{"with": "meters 3, value 14"})
    assert await agility(world, "Boris") == 7
    fog = {"effect": "Fog", "do": "value"}
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", **fog))
    assert "from 13 to 18" in why, why
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", **fog, value=19))
    assert "13" in why and "18" in why, why
    await world.ana.slash(world.zone, "effect steer", **fog, value=18)
    told = texts(world.last())
    assert "Fog on Boris grows stronger" in told, told
    assert "Effect value 14 → 18" in told, told
    assert "Boris: Agility 9 → 5 (18 against 9)" in told, told
    assert await agility(world, "Boris") == 5
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", **fog, value=18))
    assert "has effect value 18 already" in why, why
    await world.gina.slash(world.zone, "gm undo")
    assert await agility(world, "Boris") == 7
    panel = message_of(await world.ana.slash(world.zone, "effect running"))
    panel = message_of(await world.press(world.ana, panel, "New effect value Fog"))
    await world.choose(world.ana, panel, "Effect value", "13")
    await world.press(world.ana, panel, "Choose it")
    assert "grows weaker" in texts(world.last()), texts(world.last())
    # 13 against 9 pushes by 2, as 14 does; the band stays where it was.
    assert await agility(world, "Boris") == 7
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", **fog, value=12))
    assert "13" in why and "18" in why, why


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S10")
async def test_a_thing_is_moved_faster_by_a_higher_effect_value(world: World) -> None:
    lift = effect("Lift", action="movement", movement=True, effect_value=20, duration_value=8)
    await open_effect_table(world, lift | {"points_up": 8})
    await cast_effect(world, "Lift", **{"with": "at a car, meters 3"})
    await gm_says(world, "GM: what resists?", "Number that resists effect value 20", number="10")
    await world.ana.slash(world.zone, "effect steer", effect="Lift", do="value", value=22)
    told = texts(world.last())
    # 12 over its mass push by 5, and 5 is 10 meters.
    assert "A car: moves 10 m a second (22 against 10)" in told, told


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S10")
async def test_players_do_not_read_the_new_effect_value_of_an_npc(world: World) -> None:
    fog = FOG | {"points_up": 6}
    await open_effect_table(world, fog, gm_channel=True, sheets={"Thug": knows(fog)})
    world.dice.lay(5, 6)
    await world.gina.slash(
        world.zone, "effect cast", effect="Fog", target="Boris", **NEAR, **{"as": "Thug"}
    )
    before = await agility(world, "Boris")
    await world.gina.slash(world.zone, "effect steer", effect="Fog", do="value", value=18)
    assert await agility(world, "Boris") < before
    told = everything(world)
    assert "Fog on Boris grows stronger" in told, told
    assert "→ 18" not in told and "18 against" not in told, told


@pytest.mark.rule("MB-SFX-26", "MB-SFX-S02", "MB-SFX-S14")
async def test_a_target_out_of_range_ends_what_is_not_focused(world: World) -> None:
    await open_effect_table(world, FOG, BOOST | {"focus_targets": 1})
    await cast_effect(world, "Fog", target="Thug", **NEAR)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    far = int(measure(9)) + 1
    for name in ("Fog", "Boost"):
        await world.ana.slash(world.zone, "effect steer", effect=name, do="range", meters=far)
    assert await agility(world, "Thug") == 8
    assert await strength(world, "Boris") == 12, "it clings to its target"


@pytest.mark.rule("MB-SFX-26")
async def test_only_gms_end_what_has_no_switch(world: World) -> None:
    await open_effect_table(world, BOOST)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", effect="Boost", do="off"))
    assert "can't be turned off" in why, why
    assert "Only the GM" in refusal_of(
        await world.ana.slash(world.zone, "effect end", effect="Boost")
    )
    why = refusal_of(await world.ben.slash(world.zone, "effect steer", effect="Boost", do="off"))
    assert "No effect of yours runs" in why, why
    await world.gina.slash(world.zone, "effect end", effect="Boost", target="Boris")
    assert await strength(world, "Boris") == 9


# --- rounds ---------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-26")
async def test_rounds_count_down_on_the_board(world: World) -> None:
    await open_effect_table(world, BOOST)
    await gather(world)
    await next_turn(world, 9, 9, 1, 2)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    assert "Strength +3, 4 rounds" in board_text(world), board_text(world)
    await next_round(world, 9, 9, 1, 2)
    await next_round(world, 9, 9, 1, 2)
    assert "Strength +3, 2 rounds" in board_text(world), board_text(world)
    await next_round(world, 9, 9, 1, 2)
    assert await strength(world, "Boris") == 12
    assert "Boost on Boris ends" in await next_round(world, 9, 9, 1, 2)
    assert await strength(world, "Boris") == 9


@pytest.mark.rule("MB-SFX-26")
async def test_an_effect_that_strikes_every_round(world: World) -> None:
    burn = effect("Burn", action="damage", effect_value=11, duration_value=7, every_round=True)
    await open_effect_table(world, burn)
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 1, 2)
    await cast_effect(world, "Burn", target="Boris", **NEAR)
    first = (await sheet(world, "Boris")).harm.shock
    assert first > 0
    await next_round(world, 9, 9, 1, 2)
    assert (await sheet(world, "Boris")).harm.shock > first


async def test_minutes_that_an_effect_lasts_are_in_words(world: World) -> None:
    await open_effect_table(world, FOG | {"duration_value": 12})
    await cast_effect(world, "Fog", target="Thug", **NEAR)
    assert "Lasts 4 minutes and 10 seconds." in everything(world), everything(world)
    mine = private(await world.ana.slash(world.zone, "effect running"))
    assert "Fog on Thug, 4 minutes and 10 seconds" in mine, mine


# --- maintenance ----------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-28", "MB-SFX-S13")
async def test_an_effect_is_maintained_as_it_runs_out(world: World) -> None:
    await open_effect_table(world, KEEP)
    await cast_effect(world, "Keep", target="Vesna")
    assert "may maintain it (DN 4, FV 2)" in await advance_time(world, "1 min")
    assert await strength(world, "Vesna") == 9
    panel = message_of(await world.ana.slash(world.zone, "effect running"))
    world.dice.lay(5, 6)
    await world.press(world.ana, panel, "Maintain Keep (DN 4, FV 2)")
    text = await newest(world)
    assert "Keep goes on for its whole duration." in text, text
    assert await strength(world, "Vesna") == 12, "the surplus adds nothing"
    await advance_time(world, "1 min")
    assert "Maintain Keep" in private(await world.ana.slash(world.zone, "moves"))
    await advance_time(world, "1 min")
    assert "Maintain Keep" not in private(await world.ana.slash(world.zone, "moves")), "lapsed"
    old = "Maintain Keep (DN 4, FV 2)"
    why = refusal_of(await world.press(world.ana, world.newest(old), old))
    assert "No effect of yours runs" in why, why


@pytest.mark.rule("MB-SFX-28", "MB-SFX-S11")
async def test_an_extension_is_chosen_anew_at_maintenance(world: World) -> None:
    await open_effect_table(world, KEEP | {"extension": 9})
    await cast_effect(world, "Keep", target="Vesna")
    assert "Lasts 10 seconds." in everything(world), everything(world)
    await advance_time(world, "1 min")
    panel = message_of(await world.ana.slash(world.zone, "effect running"))
    maintain = "Maintain Keep (DN 4, FV 2)"
    panel = message_of(await world.press(world.ana, panel, maintain))
    await world.choose(world.ana, panel, "Extra duration, in points", "9")
    world.dice.lay(5, 6)
    await world.press(world.ana, panel, maintain)
    assert world.dice.left == 0
    text = await newest(world)
    assert "Extra duration: 9 points." in text, text
    running = private(await world.ana.slash(world.zone, "effect running"))
    assert "Keep on Vesna: Strength +3, 1 minute and 10 seconds" in running, running
    await advance_time(world, "1 min")
    assert await strength(world, "Vesna") == 12


@pytest.mark.rule("MB-DIE-03", "MB-SFX-28", "MB-SFX-21")
async def test_a_life_point_on_the_roll_saves_a_failed_maintenance(world: World) -> None:
    await open_effect_table(world, KEEP, life_points=2, wait_for_everybody=False)
    await cast_effect(world, "Keep", 9, 9, target="Vesna")
    await advance_time(world, "1 min")
    panel = message_of(await world.ana.slash(world.zone, "effect running"))
    world.dice.lay(1, 2)
    await world.press(world.ana, panel, "Maintain Keep (DN 4, FV 2)")
    assert "Keep is over" not in await newest(world), "the caster is waited for"
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    option = next(each for each in labels(panel) if each.startswith("Spend a Life Point: 2 more"))
    world.dice.lay(9, 9)
    await world.press(world.ana, panel, option)
    text = await newest(world)
    assert "Keep goes on for its whole duration." in text, text
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.harm.shock) == (1, 0)


@pytest.mark.rule("MB-SFX-28", "MB-SFX-21")
async def test_a_failed_roll_ends_it_and_feeds_back(world: World) -> None:
    await open_effect_table(world, KEEP)
    await cast_effect(world, "Keep", target="Vesna")
    await advance_time(world, "1 min")
    panel = message_of(await world.ana.slash(world.zone, "effect running"))
    world.dice.lay(1, 2)
    await world.press(world.ana, panel, "Maintain Keep (DN 4, FV 2)")
    text = await newest(world)
    assert "Keep is over." in text, text
    assert "Feedback 2 for Vesna" in text, text
    assert (await sheet(world, "Vesna")).harm.shock, "a failure leaves all of it"
    assert await strength(world, "Vesna") == 9
    assert "No effect of yours runs" in private(await world.ana.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-28")
async def test_nobody_maintains_while_unconscious(world: World) -> None:
    await open_effect_table(world, KEEP)
    await cast_effect(world, "Keep", target="Vesna")
    await world.gina.slash(world.zone, "gm adjust", character="Vesna", what="knockout", value="50")
    told = await advance_time(world, "1 min")
    assert "Keep on Vesna ends" in told, told


# --- charges --------------------------------------------------------------------------------------

WAND = effect(
    "Spark",
    action="damage",
    effect_value=14,
    to_hit="casting",
    charges=2,
    conditions=[{"kind": "gesture", "level": 4, "on": "dn", "text": "a flick", "at_release": True}],
)


@pytest.mark.rule("MB-SFX-29", "MB-SFX-S15", "MB-SFX-31")
async def test_charges_are_stored_and_released(world: World) -> None:
    await open_effect_table(world, WAND)
    await cast_effect(world, "Spark", **{"with": "into an oak wand"})
    assert "An oak wand holds 2 charges of Spark" in everything(world)
    world.dice.lay(1, 2)
    spark = {"charge": "Spark", "target": "Thug"} | NEAR
    await world.ana.slash(world.zone, "effect use", **spark)
    assert "the trigger failed" in await newest(world), await newest(world)
    world.dice.lay(9, 9, 9, 9)
    await world.ana.slash(world.zone, "effect use", **spark)
    assert world.dice.left == 0
    told = everything(world)
    assert "Spark goes off from an oak wand, 1 left" in told, told
    assert (await sheet(world, "Thug")).harm.wounds or (await sheet(world, "Thug")).harm.shock
    await world.ana.slash(world.zone, "effect use", charge="Spark", give="Boris")
    assert "Vesna hands Spark (an oak wand) to Boris" in texts(world.last())
    why = refusal_of(await world.ana.slash(world.zone, "effect use", **spark))
    assert "Vesna carries no charges" in why, why
    # Boris has no Conjuration, and rolls bare Mind 8.
    world.dice.lay(9, 9, 9, 9)
    await world.ben.slash(world.zone, "effect use", **spark)
    assert "Mind 8" in await newest(world), await newest(world)
    why = refusal_of(await world.ben.slash(world.zone, "effect use", **spark))
    assert "Boris carries no charges" in why, why


MIST = FOG | {"charges": 2, "to_hit": "casting", "target_changes": 3}


async def handed_mist(world: World) -> None:
    """Let Vesna charge an oak wand with a mist that is rolled to hit, and hand it to Boris."""
    await open_effect_table(world, MIST)
    await cast_effect(world, "Fog", **{"with": "into an oak wand"})
    await world.ana.slash(world.zone, "effect use", charge="Fog", give="Boris")


@pytest.mark.rule("MB-SFX-29", "MB-SFX-33")
async def test_another_wielder_steers_what_a_charge_releases(world: World) -> None:
    await handed_mist(world)
    world.dice.lay(9, 9)
    await world.ben.slash(world.zone, "effect use", charge="Fog", target="Thug", **NEAR)
    assert world.dice.left == 0
    assert await agility(world, "Thug") == 5, everything(world)
    fog = {"effect": "Fog"}
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", **fog, do="off"))
    assert "No effect of yours runs" in why, why
    listed = private(await world.ben.slash(world.zone, "effect running"))
    assert "Fog on Thug" in listed, listed
    await world.ben.slash(world.zone, "effect steer", **fog, do="off")
    assert await agility(world, "Thug") == 8
    await world.ben.slash(world.zone, "effect steer", **fog, do="on")
    # Boris has no Conjuration, and rolls bare Mind 8 to hit anew.
    world.dice.lay(9, 9)
    await world.ben.slash(world.zone, "effect steer", **fog, do="target", target="Vesna", meters=3)
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    await world.press(world.ana, panel, "Pass")
    assert world.dice.left == 0
    assert "Mind 8" in await newest(world), await newest(world)
    assert (await agility(world, "Thug"), await agility(world, "Vesna")) == (8, 6)


@pytest.mark.rule("MB-SFX-29")
async def test_a_charge_strikes_for_its_holder_though_its_maker_has_left(world: World) -> None:
    await open_effect_table(world, sheets={"Thug": knows(MIST)}, gm_channel=True)
    world.dice.lay(5, 6)
    given = {"effect": "Fog", "with": "into an oak wand", "as": "Thug"}
    await world.gina.slash(world.zone, "effect cast", **given)
    given = {"charge": "Fog", "give": "Boris", "as": "Thug"}
    await world.gina.slash(world.zone, "effect use", **given)
    world.dice.lay(9, 9)
    given = {"charge": "Fog", "target": "Vesna", "visibility": "private"} | NEAR
    await world.ben.slash(world.zone, "effect use", **given)
    await world.gina.slash(world.zone, "gm npc remove", npc="Thug")
    listed = message_of(await world.ana.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ana, listed, labels(listed)[0]))
    await world.press(world.ana, panel, "Pass")
    assert world.dice.left == 0
    assert await agility(world, "Vesna") == 6
    assert "Fog on Vesna" in private(await world.ben.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-29", "MB-SFX-33")
async def test_nobody_steers_or_hands_on_while_unconscious(world: World) -> None:
    await open_effect_table(world, FOG, WAND)
    await cast_effect(world, "Fog", target="Thug", **NEAR)
    await cast_effect(world, "Spark", **{"with": "into an oak wand"})
    await world.gina.slash(world.zone, "gm adjust", character="Vesna", what="knockout", value="50")
    fog = {"effect": "Fog", "do": "target", "target": "Boris"}
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", **fog))
    assert "out cold" in why, why
    spark = {"charge": "Spark", "give": "Boris"}
    why = refusal_of(await world.ana.slash(world.zone, "effect use", **spark))
    assert "out cold" in why, why
    await world.gina.slash(world.zone, "effect use", **spark, **{"as": "Vesna"})
    held = private(await world.ben.slash(world.zone, "effect running"))
    assert "Boris carries 2 charges of Spark" in held, held


@pytest.mark.rule("MB-SFX-29")
async def test_charges_of_one_name_are_told_apart(world: World) -> None:
    await open_effect_table(world, WAND | {"conditions": []})
    into = {"with": "into an oak wand"}
    await cast_effect(world, "Spark", **into)
    await cast_effect(world, "Spark", 9, 9, **into)
    offered = await world.ana.autocomplete(world.zone, "effect use", "charge", "spark")
    assert [each["name"] for each in offered] == [
        "Spark (an oak wand) #1: 2 left, effect value 14",
        "Spark (an oak wand) #2: 2 left, effect value 20",
    ]
    near = {"target": "Thug"} | NEAR
    why = refusal_of(await world.ana.slash(world.zone, "effect use", charge="Spark", **near))
    assert "Spark (an oak wand) #1" in why and "Spark (an oak wand) #2" in why, why
    await world.ana.slash(world.zone, "effect use", charge="Spark (an oak wand) #2", give="Boris")
    held = private(await world.ben.slash(world.zone, "effect running"))
    assert "Boris carries 2 charges of Spark" in held, held
    offered = await world.ben.autocomplete(world.zone, "effect use", "charge", "spark")
    assert [each["name"] for each in offered] == ["Spark (an oak wand): 2 left"]
    world.dice.lay(9, 9)
    await world.ana.slash(world.zone, "effect use", charge="Spark", **near)
    assert world.dice.left == 0, "one name, one charging again"


@pytest.mark.rule("MB-SFX-29")
async def test_charges_that_are_alike_share_a_name(world: World) -> None:
    await open_effect_table(world, WAND | {"conditions": [], "charges": 1})
    for _ in range(2):
        await cast_effect(world, "Spark", **{"with": "into an oak wand"})
    offered = await world.ana.autocomplete(world.zone, "effect use", "charge", "spark")
    assert [each["name"] for each in offered] == ["Spark (an oak wand): 1 left"]
    for left in (1, 0):
        world.dice.lay(9, 9)
        spark = {"charge": "Spark", "target": "Thug"} | NEAR
        await world.ana.slash(world.zone, "effect use", **spark)
        carried = private(await world.ana.slash(world.zone, "effect running"))
        assert carried.count("Vesna carries 1 charge of Spark") == left, carried


@pytest.mark.rule("MB-SFX-29")
async def test_whoever_carries_charges_reads_so_after_a_restart(world: World) -> None:
    await open_effect_table(world, WAND)
    await cast_effect(world, "Spark", **{"with": "into an oak wand"})
    carried = "carries 2 charges of Spark in an oak wand"
    assert f"Vesna {carried}" in private(await world.ana.slash(world.zone, "effect running"))
    await world.ana.slash(world.zone, "effect use", charge="Spark", give="Boris")
    await world.restart()
    assert f"Boris {carried}" in private(await world.ben.slash(world.zone, "effect running"))
    assert f"Boris {carried}" in private(await world.gina.slash(world.zone, "effect running"))
    assert "carries" not in private(await world.ana.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-29")
async def test_one_charging_for_each_object(world: World) -> None:
    await open_effect_table(world, WAND, rules={"effect_one_charging": "on"})
    await cast_effect(world, "Spark", **{"with": "into an oak wand"})
    again = {"effect": "Spark", "with": "into an oak wand"}
    why = refusal_of(await world.ana.slash(world.zone, "effect cast", **again))
    assert "holds charges already" in why, why


async def open_charge_table(
    world: World, *conditions: dict[str, Any], bearer: str = "Vesna"
) -> None:
    """Open a table where a character carries a charge whose release needs these conditions."""
    later = [{"on": "dn", "level": 2, "at_release": True} | each for each in conditions]
    await open_effect_table(world, WAND | {"action": "words", "to_hit": "", "conditions": later})
    given = {"effect": "Spark", "with": f"into a wand, for {bearer}"}
    world.dice.lay(5, 6)
    await world.ana.slash(world.zone, "effect cast", **given)
    assert world.dice.left == 0, "nothing is asked at the casting"


SPARK: dict[str, Any] = {"charge": "Spark", "target": "Thug", "with": "meters 3"}
A_FIRE: dict[str, Any] = {"kind": "other", "text": "a fire nearby"}


@pytest.mark.rule("MB-SFX-29", "MB-SFX-41", "MB-SFX-S18")
async def test_components_of_a_release_are_ticked(world: World) -> None:
    await open_charge_table(world, {"kind": "component", "text": "a feather"})
    await world.ana.slash(world.zone, "effect use", **SPARK)
    assert "goes off" not in everything(world), everything(world)
    have = "Show what you have"
    panel = message_of(await world.press(world.ana, world.newest(have), have))
    await world.press(world.ana, panel, "Withdraw")
    assert "Broken off" in await newest(world)
    await world.ana.slash(world.zone, "effect use", **SPARK | {"with": "meters 3, components"})
    assert "Spark goes off from a wand, 1 left" in await newest(world), await newest(world)


@pytest.mark.rule("MB-SFX-29", "MB-SFX-41", "MB-SFX-S23")
@pytest.mark.parametrize("met", [True, False])
async def test_the_gm_says_if_a_condition_of_a_release_is_met(world: World, met: bool) -> None:
    await open_charge_table(world, A_FIRE)
    await world.ana.slash(world.zone, "effect use", **SPARK)
    assert "goes off" not in everything(world), everything(world)
    prompt = "GM: is it met?"
    panel = message_of(await world.press(world.gina, world.newest(prompt), prompt))
    answer = "Met: a fire nearby" if met else "Not met: a fire nearby"
    await world.press(world.gina, panel, answer)
    text = await newest(world)
    assert ("Spark goes off" in text) is met and ("trigger failed" in text) is not met, text


@pytest.mark.rule("MB-SFX-29", "MB-SFX-41", "MB-SFX-S21")
async def test_words_of_a_release_in_a_foreign_tongue_need_it(world: World) -> None:
    words = {"kind": "incantation", "addons": ["foreign_tongue"], "skill": "Latin", "level": 1}
    await open_charge_table(world, words, bearer="Boris")
    why = refusal_of(await world.ben.slash(world.zone, "effect use", **SPARK))
    assert "Latin" in why, why


@pytest.mark.rule("MB-SFX-S17")
async def test_a_group_helps_at_the_casting_alone(world: World) -> None:
    circle = {"kind": "community", "on": "dn", "helpers": 3, "participation": "simple"}
    wand = WAND | {"conditions": [circle | {"at_release": True}]}
    await open_effect_table(world, wand)
    await world.ana.slash(world.zone, "effect cast", effect="Spark")
    assert "Show what you have" in labels(world.card("c1"))


@pytest.mark.rule("MB-SFX-29")
async def test_a_ward_tells_only_when_it_goes_off(world: World) -> None:
    ward = effect(
        "Alarm", action="words", charges=1, ward="somebody opens the door", duration_value=8
    )
    await open_effect_table(world, ward)
    await cast_effect(world, "Alarm", 9, 9, **{"with": "into the door"})
    seen = everything(world)
    trigger = {"character": "Vesna", "number": 30}
    world.dice.lay(1, 2)
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "effect ward", **trigger))
    await world.gina.slash(world.zone, "effect ward", **trigger)
    assert world.dice.left == 0
    assert "goes off" not in everything(world).replace(seen, "")
    await world.gina.slash(world.zone, "effect ward", character="Vesna", number=1)
    assert "Alarm goes off from the door" in everything(world)
    why = refusal_of(await world.gina.slash(world.zone, "effect ward", **trigger))
    assert "Vesna carries no ward" in why, why


@pytest.mark.rule("MB-SFX-29")
async def test_wards_of_one_name_are_told_apart(world: World) -> None:
    ward = effect("Alarm", action="words", charges=1, ward="a knock", duration_value=8)
    await open_effect_table(world, ward)
    await cast_effect(world, "Alarm", 9, 9, **{"with": "into the door"})
    await cast_effect(world, "Alarm", 5, 6, **{"with": "into the door"})
    trigger = {"character": "Vesna", "number": 1}
    why = refusal_of(await world.gina.slash(world.zone, "effect ward", **trigger))
    assert "Alarm (the door) #1 or Alarm (the door) #2" in why, why
    world.dice.lay(5, 6)
    await world.gina.slash(world.zone, "effect ward", **trigger, ward="Alarm (the door) #2")
    await world.gina.slash(world.zone, "effect ward", **trigger)
    assert world.dice.left == 0
    assert everything(world).count("Alarm goes off from the door") == 2


@pytest.mark.rule("MB-SFX-29")
async def test_only_gms_are_offered_the_wards_of_characters(world: World) -> None:
    ward = effect("Alarm", action="words", charges=1, ward="a knock", duration_value=8)
    await open_effect_table(world, ward)
    world.dice.lay(5, 6)
    given = {"effect": "Alarm", "with": "into the door, for Thug"}
    await world.ana.slash(world.zone, "effect cast", **given)
    ask = (world.zone, "effect ward", "ward", "al")
    for who in (world.ana, world.ben):
        assert not await who.autocomplete(*ask, character="Vesna")
    (offered,) = await world.gina.autocomplete(*ask, character="Thug")
    assert offered["value"] == "Alarm (the door)"


# --- illusions ------------------------------------------------------------------------------------


PLAUSIBLE = "GM: how plausible is it?"
UNREAL = {"unreal": {"disbelief_dn": 6}}


async def doubt(world: World, who: Any, name: str, *faces: int, **options: Any) -> str:
    """Doubt an effect, to whose difficulty the GM adds nothing; what is told of it."""
    before = {each.id for each in world.messages()}
    result = await who.slash(world.zone, "effect disbelieve", effect=name, **options)
    listed = message_of(await world.gina.slash(world.zone, "moves"))
    answer = next(each for each in labels(listed) if each.startswith("Answer"))
    panel = message_of(await world.press(world.gina, listed, answer))
    world.dice.lay(*faces)
    await world.press(world.gina, panel, "Pass")
    assert world.dice.left == 0
    if "for" in options:
        shown = await newest(world)
    else:
        shown = private(await world.press(who, world.newest("Show"), "Show"))
    new = [texts(each) for each in world.messages() if each.id not in before]
    return "\n".join([texts(message_of(result)), shown, *new])


def without_numbers(text: str) -> str:
    """Return a text without what differs between two plays: ids, numbers of entries, moments."""
    return re.sub(r"<t:\d+:\w>|`?\b[ch]\d+\b`?|#\d+", "…", text)


@pytest.mark.rule("MB-SFX-30", "MB-SFX-S24")
async def test_players_see_no_difference_between_real_and_unreal(world: World) -> None:
    """The same play with a real effect and with an illusion, until somebody sees through it."""
    seen: list[str] = []
    await open_effect_table(world, FOG)
    for more in ({}, UNREAL):
        grown = FIGHTER | knows(FOG | more) | {"life_points": 0}
        await bring(world, world.gina, "Vesna", grown, replace=True)
        await bring(world, world.gina, "Boris", FIGHTER | {"life_points": 0}, replace=True)
        before = {each.id for each in world.messages()}
        await cast_effect(world, "Fog", target="Boris", **NEAR)
        told = [await doubt(world, world.ben, "Fog", 1, 2)]
        told.append(texts(message_of(await world.ben.slash(world.zone, "moves"))))
        told.append(texts(message_of(await world.ana.slash(world.zone, "effect running"))))
        told.append(private(await world.ben.slash(world.zone, "character show")))
        told += [texts(each) for each in world.messages() if each.id not in before]
        assert "You look again. Nothing changes." in told[0], told[0]
        assert "llusion" not in "\n".join(told)
        seen.append(without_numbers("\n".join(told)))
        await world.gina.slash(world.zone, "effect end", effect="Fog")
    assert seen[0] == seen[1]


@pytest.mark.rule("MB-SFX-30")
async def test_a_real_effect_stays_whatever_the_dice(world: World) -> None:
    await open_effect_table(world, FOG)
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    text = await doubt(world, world.ben, "Fog", 9, 9)
    assert "You look again. Nothing changes." in text, text
    assert await agility(world, "Boris") == 6


@pytest.mark.rule("MB-SFX-30", "MB-DMG-08")
@pytest.mark.parametrize(("wounds", "seen"), [(2, True), (3, False)])
async def test_heavy_wounds_make_doubts_harder(world: World, wounds: int, seen: bool) -> None:
    await open_effect_table(world, FOG | UNREAL, sheets={"Boris": {"harm": f"wounds {wounds}"}})
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    # 8 − 1, and −2 with heavy wounds, against 6.
    text = await doubt(world, world.ben, "Fog", 3, 5)
    assert ("You see through it." in text) == seen, text


@pytest.mark.rule("MB-SFX-30")
async def test_who_sees_through_an_illusion_is_rid_of_it_for_good(world: World) -> None:
    burn = effect("Burn", action="damage", effect_value=12, duration_value=8) | UNREAL
    await open_effect_table(world, FOG | UNREAL, burn)
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    await cast_effect(world, "Burn", target="Boris", **NEAR)
    assert (await sheet(world, "Boris")).harm.shock
    # 8 − 2 with −2 more is not enough without encouragement.
    text = await doubt(world, world.ben, "Burn", 5, 5, encouraged=True)
    assert "You see through it." in text, text
    harm = (await sheet(world, "Boris")).harm
    assert (harm.wounds, harm.shock, harm.k) == (0, 0, 0)
    assert await agility(world, "Boris") == 6, "the other one still counts"
    await doubt(world, world.ben, "Fog", 9, 9)
    assert await agility(world, "Boris") == 9
    # Only the GM reads that the illusion changes nothing any more.
    listed = [
        private(await who.slash(world.zone, "effect running")) for who in (world.gina, world.ana)
    ]
    assert ["Agility −3" in text for text in listed] == [False, True], listed
    await cast_effect(world, "Burn", target="Boris", **NEAR)
    assert (await sheet(world, "Boris")).harm.shock == 0, "immune to the same one"


@pytest.mark.rule("MB-SFX-30", "MB-SKILL-FIRST-AID")
async def test_a_victim_of_an_illusion_is_brought_back(world: World) -> None:
    doom = effect("Doom", action="damage", effect_value=40) | UNREAL
    await open_effect_table(world, doom)
    await cast_effect(world, "Doom", target="Thug", **NEAR)
    assert (await sheet(world, "Thug")).harm.dead
    thug = {"effect": "Doom", "for": "Thug"}
    why = refusal_of(await world.ben.slash(world.zone, "effect disbelieve", **thug))
    assert "hasn't seen through it" in why, why
    # The maker knows. First Aid 10 with +10 or more, and the victim's Intellect 8 with +4.
    text = await doubt(world, world.ana, "Doom", 1, 2, 9, 9, **{"for": "Thug"})
    assert "Thug stays dead: it took 18 with First Aid or Medicine, and disbelief" in text, text
    text = await doubt(world, world.ana, "Doom", 10, 9, 9, 9, 9, **{"for": "Thug"})
    assert "Thug comes back" in text, text
    assert not (await sheet(world, "Thug")).harm.dead


@pytest.mark.rule("MB-SFX-30")
async def test_who_saw_through_an_earlier_casting_brings_a_victim_back(world: World) -> None:
    doom = effect("Doom", action="damage", effect_value=40) | UNREAL
    await open_effect_table(world, doom)
    await cast_effect(world, "Doom", **{"with": "at a tree, meters 3"})
    await doubt(world, world.ben, "Doom", 9, 9)
    await cast_effect(world, "Doom", target="Thug", **NEAR)
    text = await doubt(world, world.ben, "Doom", 10, 9, 9, 9, 9, **{"for": "Thug"})
    assert "Thug comes back" in text, text


@pytest.mark.rule("MB-SFX-30")
async def test_a_victim_is_lost_after_as_many_hours_as_its_intellect(world: World) -> None:
    doom = effect("Doom", action="damage", effect_value=40) | UNREAL
    await open_effect_table(world, doom)
    await cast_effect(world, "Doom", target="Thug", **NEAR)
    await advance_time(world, "9 hours")
    thug = {"effect": "Doom", "for": "Thug"}
    why = refusal_of(await world.ana.slash(world.zone, "effect disbelieve", **thug))
    assert "too late for Thug: the limit was 8 hours" in why, why


VEIL = effect("Veil", action="words", duration_value=8) | UNREAL


@pytest.mark.rule("MB-SFX-30")
@pytest.mark.parametrize("on_self", [True, False], ids=["on-self", "aimed-at-oneself"])
async def test_a_caster_bears_an_own_illusion(world: World, on_self: bool) -> None:
    await open_effect_table(world, VEIL | {"on_self": on_self})
    given: dict[str, Any] = {} if on_self else {"target": "Vesna", **NEAR}
    await cast_effect(world, "Veil", **given)
    told = everything(world)
    assert "## Veil takes hold" in told, told
    assert "Veil on Vesna" in private(await world.ana.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-30", "MB-SFX-24")
async def test_an_illusion_raises_a_value_of_its_caster(world: World) -> None:
    await open_effect_table(world, BOOST | UNREAL | {"on_self": True})
    await cast_effect(world, "Boost")
    assert await strength(world, "Vesna") == 12


@pytest.mark.rule("MB-SFX-30", "MB-SFX-23")
async def test_an_own_illusion_does_not_hurt_its_caster(world: World) -> None:
    await open_effect_table(world, effect("Burn", action="damage", effect_value=14) | UNREAL)
    await cast_effect(world, "Burn", target="Vesna", **NEAR)
    assert not (await sheet(world, "Vesna")).harm.shock

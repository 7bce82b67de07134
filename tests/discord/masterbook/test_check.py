"""Checks of MasterBook through Discord: a roll in steps, the hidden difficulty, contests, odds."""

from __future__ import annotations

import pytest

from tests.discord.masterbook.table import FIGHTER, bring, newest, open_table, sheet
from tests.discord.world import (
    DAY,
    World,
    has_decision,
    menu,
    message_of,
    private,
    refusal_of,
    texts,
)


@pytest.mark.rule("MB-SKL-01", "MB-SKL-02", "MB-DN-01", "MB-DIE-01", "MB-DIE-02", "MB-SUC-01")
async def test_a_check_against_a_hidden_difficulty(world: World) -> None:
    await open_table(world, live=False)
    await world.ana.slash(world.zone, "check", skill="Stealth", approach="past the guard")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "night (−3)" in texts(panel), "rows of the skill's chart are offered"
    assert "The GM hasn't answered" in refusal_of(
        await world.gina.slash(world.zone, "odds", check="c1")
    )
    await world.choose(world.gina, panel, "Difficulty", "Average")
    await world.press(world.gina, panel, "Call for a roll")
    await world.restart()
    world.dice.lay(10, 6, 4)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    text = await newest(world)
    assert text.startswith("## ✓ Success, 21 against a hidden difficulty"), text
    assert "3d10 (**10**, 6, 4): bonus +9, total **21**" in text
    assert "superior" not in world.told(world.ana) and "against 8" not in world.told(world.ana)


@pytest.mark.rule("MB-DN-01", "MB-DN-04")
async def test_the_scale_is_compared_from_its_lowest_number_up(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"skills": [{"name": "Climbing", "adds": 2}]}})
    panel = message_of(await world.ana.slash(world.zone, "check"))
    await world.choose(world.ana, panel, "Skill", "Climbing")
    told = texts(panel).partition("Odds")[2]
    assert [line.partition(":")[0] for line in told.strip().splitlines()[:7]] == [
        "Routine 0",
        "Nearly Routine 2",
        "Very Easy 3",
        "Easy 5",
        "Average 8",
        "Complicated 10",
        "Difficult 12",
    ], told


@pytest.mark.rule("MB-DIE-03", "MB-DIE-06", "MB-LP-01", "MB-LP-02", "MB-SUC-02", "MB-SUC-03")
async def test_a_life_point_is_spent_and_canceled(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    world.dice.lay(3, 4)
    await world.ana.slash(
        world.zone, "check", skill="Stealth", difficulty="Average", approach="along the wall"
    )
    assert (await newest(world)).startswith("## ✓ Success so far, solid: 9 against 8")
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")
    assert (await sheet(world, "Vesna")).life_points == 4
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, "Cancel it with one of your Life Points")
    text = await newest(world)
    assert (await sheet(world, "Boris")).life_points == 4
    assert "Vesna spends a Life Point: Boris cancels it." in text, text
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).life_points == 5
    world.dice.lay(10, 2, 5)
    await world.press(world.ben, world.newest("Pass"), "Pass")
    text = await newest(world)
    assert text.startswith("## ✓ Success, spectacular: 22 against 8"), text
    assert "5d10 (3, 4, **10**, 2, 5)" in text


@pytest.mark.rule("MB-DIE-03", "MB-DIE-06", "MB-SKL-02")
async def test_a_roll_over_days_waits_for_nobody_who_never_cancels(world: World) -> None:
    """A table of five by post: four have given orders, so that from the roll on only the fifth is
    waited for.
    """
    await open_table(world, live=False, step_in_minutes=3 * 24 * 60)
    for name in ("Cara", "Dora", "Emil"):
        player = world.member(name.lower())
        await bring(world, player, name, FIGHTER)
        for order in ("never cancel", "never react"):
            private(await player.slash(world.zone, "orders give", order=order))
    private(await world.ben.slash(world.zone, "orders give", order="never cancel"))
    await world.ana.slash(world.zone, "check", skill="Stealth", approach="past the guard")
    await world.env.advance_time(DAY)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Difficult")
    await world.press(world.gina, panel, "Call for a roll")
    await world.restart()
    await world.env.advance_time(DAY)
    world.dice.lay(4, 4)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    text = await newest(world)
    assert text.startswith("## Vesna rolled 11, still open\nStealth 12\n") and has_decision(
        text, "Ana"
    ), text
    await world.env.advance_time(30 * 60)
    spend = "Spend a Life Point: 2 more dice (5 left)"
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(5, 6)
    await world.press(world.ana, panel, spend)
    text = await newest(world)
    assert text.startswith("## ✓ Success, 20 against a hidden difficulty"), text
    assert "4d10 (4, 4, 5, 6): bonus +8" in text and (await sheet(world, "Vesna")).life_points == 4
    assert "against 12" not in world.told(world.ana)
    # The GM takes the point back; without his order Boris is asked again.
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).life_points == 5
    private(await world.ben.slash(world.zone, "orders take", order="never cancel"))
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, spend)
    assert has_decision(await newest(world), "Ben")
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, "Cancel it with one of your Life Points")
    assert (await newest(world)).startswith("## ✗ Failure, 11 against a hidden difficulty")


@pytest.mark.rule("MB-DN-02", "MB-CMB-02", "MB-CMB-03", "MB-DIE-07")
async def test_a_contest_against_who_resists_actively(world: World) -> None:
    await open_table(world)
    await world.ana.slash(world.zone, "contest", target="Boris", skill="Taunt", approach="his hat")
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    await world.choose(world.ben, panel, "Skill", "Willpower")
    await world.choose(world.ben, panel, "Defense", "active")
    world.dice.lay(9, 4, 1, 1)
    await world.press(world.ben, panel, "Respond")
    text = await newest(world)
    assert text.startswith("## ✗ Failure, 11 against 12"), text
    assert "2d10 (1, 1): bonus +3, total **12**" in text


@pytest.mark.rule("MB-SUC-05", "MB-SKILL-02")
async def test_a_critical_failure_and_what_takes_training(world: World) -> None:
    await open_table(world, rules={"critical_failure": "on"})
    world.dice.lay(1, 1)
    await world.ana.slash(
        world.zone, "check", skill="Charm", difficulty="Average", approach="a smile for the guard"
    )
    assert (await newest(world)).startswith("## ✗ Critical failure, −3 against 8")
    so = {"skill": "Hypnotism", "difficulty": "Easy", "approach": "so"}
    assert "takes training" in refusal_of(await world.ana.slash(world.zone, "check", **so))


@pytest.mark.rule("MB-SKILL-TRACKING", "MB-SKILL-SURVIVAL", "MB-SKILL-VEHICLE-PILOTING")
async def test_rows_that_count_in_a_way_of_their_own(world: World) -> None:
    await open_table(world, rules={"track_first_person_counts": "off"})
    for number, (skill, rows, dice, told) in enumerate(
        (
            ("Tracking", "rows: per_person 3, rows: day_old", (5, 5), "tracked (−2)"),
            ("Survival", "rows: near", (5, 5), "Survival 8"),
            ("Charm", "rows: neutral 3", (5, 5), "neutral (+3)"),
            ("Vehicle Piloting", "rows: unusual", (5, 5), "untrained (−9)"),
        )
    ):
        world.dice.lay(*dice)
        await world.ana.slash(
            world.zone, "check", skill=skill, difficulty="8", approach="so", **{"with": rows}
        )
        assert world.dice.left == 0
        assert told in await newest(world), (number, await newest(world))


@pytest.mark.rule("MB-SKILL-WILLPOWER", "MB-DN-02")
async def test_without_adds_in_willpower_the_attribute_resists(world: World) -> None:
    await open_table(world)
    await world.ben.slash(
        world.zone, "contest", target="Thug", skill="Trick", approach="the old coin"
    )
    panel = message_of(await world.press(world.gina, world.newest("Respond"), "Respond"))
    while "Willpower" not in [each["value"] for each in menu(panel, "Skill")["options"]]:
        await world.choose(world.gina, panel, "Skill", ":more")
    await world.choose(world.gina, panel, "Skill", "Willpower")
    world.dice.lay(5, 5)
    await world.press(world.gina, panel, "Respond")
    assert "Thug answers with:** Intellect" in await newest(world)


@pytest.mark.rule("MB-DN-04")
async def test_the_hardest_with_better_than_even_odds_lies_between_levels_too(world: World) -> None:
    await open_table(world)
    text = private(await world.ana.slash(world.zone, "odds", skill="Stealth"))
    assert "The hardest difficulty at 50% or better: 13." in text, text
    text = private(await world.ana.slash(world.zone, "odds", skill="Stealth", modifier=1))
    assert "The hardest difficulty at 50% or better: 14." in text, text
    for number, likely in (("13", True), ("14", False)):
        text = private(
            await world.ana.slash(world.zone, "odds", skill="Stealth", difficulty=number)
        )
        percent = int(text.split(": ")[1].split("%")[0])
        assert (percent > 50) == likely, text
    night = {"skill": "Stealth", "with": "rows: night"}
    text = private(await world.ana.slash(world.zone, "odds", **night))
    assert "The hardest difficulty at 50% or better: 13." in text, text

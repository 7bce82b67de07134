"""Moving under MasterBook through Discord: pushes, climbs and falls, drowning, lifting, a chase."""

from __future__ import annotations

import json
from typing import Final

import pytest

from rules.systems.masterbook.character.sheet_io import write_sheet
from rules.systems.masterbook.formulas.movement import Drowning
from tests.discord.masterbook.table import FIGHTER, bring, newest, open_table, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, message_of, private, public, refusal_of, texts

#: Agility 9, Strength 9: ground 7, swimming 4 or 5, climbing and jumping 3.
ATHLETE = {
    "agility": 9,
    "strength": 9,
    "endurance": 9,
    "dexterity": 9,
    "skills": [
        {"name": "Running", "adds": 2},
        {"name": "Climbing", "adds": 2},
        {"name": "Swimming", "adds": 1},
        {"name": "Lifting", "adds": 1},
        {"name": "Vehicle Piloting", "focus": "cars", "adds": 3},
    ],
}


async def athlete(world: World, **rules: str) -> None:
    """Mira is in play, whom Ana plays besides Vesna."""
    await open_table(world, rules=rules)
    await bring(world, world.ana, "Mira", ATHLETE)


async def go(world: World, command: str, *faces: int, **options: object) -> str:
    """Mira moves; the check's card."""
    world.dice.lay(*faces)
    await world.ana.slash(world.zone, command, **{"as": "Mira"} | options)
    assert world.dice.left == 0
    return await newest(world)


@pytest.mark.rule("MB-MOV-01", "MB-MOV-02")
async def test_how_far_somebody_moves(world: World) -> None:
    await athlete(world)
    text = private(await world.ana.slash(world.zone, "mb move", **{"as": "Mira"}))
    for part in ("**Without an action:** 14 m", "**Running:** 25 m", "**Climbing:** 4 m"):
        assert part in text, text
    for way in ({}, {"how": "running"}):
        told = refusal_of(
            await world.ana.slash(world.zone, "mb move", rows="rough", **{"as": "Mira"} | way)
        )
        assert "`rows`" in told and ("`push`" in told) == bool(way), told
    await world.gina.slash(world.zone, "gm settings", setting="tactical_map", value="on")
    text = private(await world.ana.slash(world.zone, "mb move", **{"as": "Mira"}))
    assert "14 m (7 inches on the map)" in text


MEANINGLESS_OPTIONS: Final = (
    ({"how": "running", "mass": 30}, "Only lifting takes `mass`"),
    ({"how": "running", "together": "Boris"}, "Set `push`"),
    ({"how": "climbing", "push": True, "careful": True}, "Only a climb without a push"),
    ({"how": "lifting", "push": True}, "That can't be pushed"),
    ({"how": "escape", "rows": "rough"}, "That takes no `rows`"),
    ({"how": "lifting", "difficulty": "8"}, "That takes no `difficulty`"),
    ({"how": "flying"}, "there's no “flying” to choose"),
)


async def test_a_way_to_move_refuses_options_that_mean_nothing_for_it(world: World) -> None:
    await open_table(world)
    before = await world.state()
    for options, told in MEANINGLESS_OPTIONS:
        assert told in refusal_of(await world.ana.slash(world.zone, "mb move", **options))
        assert (await world.state()).checks == before.checks


async def test_the_bot_completes_the_ways_to_move(world: World) -> None:
    await open_table(world)
    offered = await world.ana.autocomplete(world.zone, "mb move", "how", "")
    for way in ("swim", "lift something", "escape from a hold, by Strength"):
        assert way in str(offered), offered


@pytest.mark.rule("MB-LIFT-01", "MB-PSH-01")
async def test_a_mass_means_lifting_and_a_push_means_running(world: World) -> None:
    await athlete(world)
    text = private(await world.ana.slash(world.zone, "mb move", mass=10, **{"as": "Mira"}))
    assert "lifts 10 kg without a roll" in text, text
    assert "Runs" in await go(world, "mb move", 9, 9, push=True)


@pytest.mark.rule("MB-PSH-01", "MB-SKILL-RUNNING", "MB-MOV-03")
async def test_running_is_pushed_and_undone(world: World) -> None:
    await athlete(world)
    text = await go(world, "mb move", 9, 9, how="running", push=True, rows="rough")
    # 11 and 7 against 7 and 2 for rough ground.
    assert text.startswith("## ✓ Success, superior: 18 against 9"), text
    shock = (await sheet(world, "Mira")).harm.shock
    assert shock > 0 and f" and takes {shock} shock" in text and "Runs " in text
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Mira")).harm.shock == 0
    text = await go(world, "mb move", 1, 1, how="running", push=True)
    assert "Runs 25 m" in text and "falls" not in text
    text = await go(
        world, "mb move", 1, 1, how="running", push=True, rows="rough, uphill, unyielding"
    )
    assert "falls and takes 2 shock" in text, text
    mira = await sheet(world, "Mira")
    assert (mira.harm.down, mira.harm.shock) == (2, 2)


@pytest.mark.rule("MB-SKILL-RUNNING", "MB-MOV-02")
async def test_running_on_and_on(world: World) -> None:
    await athlete(world)
    await bring(world, world.ben, "Short", {"agility": 5, "endurance": 1, "strength": 5})
    await gather(world)
    await world.gina.slash(world.zone, "initiative add", name="Short")
    await next_turn(world, 1, 1, 1, 1, 9, 9)
    run = {"how": "running", "as": "Short"}
    assert "shock" not in public(await world.ben.slash(world.zone, "mb move", **run))
    assert "no action left" in refusal_of(await world.ben.slash(world.zone, "mb move", **run))
    await next_turn(world)
    await next_turn(world)
    await next_turn(world, 9, 9, 1, 1, 1, 1)
    await world.restart()
    text = public(await world.ben.slash(world.zone, "mb move", **run))
    assert "2 shock and passes out" in text, text
    # His turn is over.
    await next_turn(world)
    text = await next_turn(world, 1, 1, 1, 1, 9, 9)
    assert "Short can't act this turn: unconscious." in text, text
    assert (await sheet(world, "Short")).rounds_run == 2


@pytest.mark.rule("MB-SKILL-CLIMBING", "MB-PSH-01", "MB-MOV-03")
async def test_climbing_and_falling(world: World) -> None:
    await athlete(world)
    assert "How hard is it" in refusal_of(
        await world.ana.slash(world.zone, "mb move", how="climbing", **{"as": "Mira"})
    )
    assert "Climbs 4 m." in await go(world, "mb move", how="climbing", difficulty="Simple")
    text = await go(world, "mb move", 9, 9, how="climbing", rows="cracked wall")
    assert "18 against 13" in text and "Climbs 4 m" in text, text
    text = await go(world, "mb move", 9, 9, how="climbing", rows="cracked wall", careful=True)
    assert "18 against 11" in text and "Climbs 1 m" in text, text
    text = await go(world, "mb move", 9, 9, how="climbing", push=True, rows="cracked wall")
    assert "18 against 16" in text, text
    text = await go(world, "mb move", 5, 5, how="climbing", rows="cracked wall")
    assert "not enough" in text, text
    text = await go(world, "mb move", 1, 1, how="climbing", rows="cracked wall, rain")
    assert "and falls: `/mb fall` says how hard" in text, text
    assert (await sheet(world, "Mira")).harm.down == 0, "only the landing knocks down"
    # Acrobatics before the landing: nothing hampers it.
    text = await go(world, "mb fall", 1, 1, 6, 5, meters=10, weight=70, acrobatics=True)
    assert "Acrobatics" in text and "hurt (−" not in text, text


@pytest.mark.rule("MB-SKILL-CLIMBING", "MB-SKILL-RUNNING", "MB-SKILL-LONG-JUMPING")
async def test_rows_whose_names_have_a_number(world: World) -> None:
    await athlete(world)
    text = await go(world, "mb move", 5, 5, how="climbing", rows="cracked wall, slope under 60")
    assert "11 against 9" in text and "slope under 60° (−4)" in text, text
    text = await go(world, "mb move", 5, 5, how="running", push=True, rows="downhill 15 to 30")
    assert "11 against 9" in text, text
    text = await go(world, "mb move", 5, 5, how="running", push=True, rows="Downhill under 15")
    assert "11 against 6" in text, text
    # More than half of one's own weight: half of it is nothing yet.
    text = await go(world, "mb move", 5, 5, how="jumping", push=True, rows="load 51")
    assert "9 against 7" in text, text
    light = {"how": "jumping", "rows": "load 50", "as": "Mira"}
    assert "light enough" in refusal_of(
        await world.ana.slash(world.zone, "mb move", push=True, **light)
    )
    named = {"skill": "Climbing", "approach": "up", "as": "Mira", "difficulty": "13"}
    world.dice.lay(5, 5)
    await world.ana.slash(world.zone, "check", **named, **{"with": "rows: slope under 45"})
    assert "11 against 7" in await newest(world)


@pytest.mark.rule("MB-SKILL-SWIMMING")
async def test_going_under_and_coming_up(world: World) -> None:
    await athlete(world)
    text = await go(world, "mb move", 5, 6, how="swimming")
    assert "11 against 3" in text and "Swims " in text, text
    text = await go(world, "mb move", 1, 1, how="swimming", rows="rough, undercurrent, not dressed")
    assert "is drowning and takes 2 shock" in text, text
    assert (await sheet(world, "Mira")).drowning is not None
    await world.restart()
    # What made it hard is in the number that was missed, and is not counted again.
    text = await go(world, "mb move", 1, 1, how="swimming", rows="rough, undercurrent, not dressed")
    assert "is drowning and takes 2 shock" in text and "against 12" in text, text
    text = await go(world, "mb move", 10, 9, 9, how="swimming")
    assert "comes up for air" in text, text
    mira = await sheet(world, "Mira")
    assert (mira.drowning, mira.harm.shock) == (None, 4)
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Mira")).drowning is not None


@pytest.mark.rule("MB-SKILL-LONG-JUMPING", "MB-PSH-01")
async def test_jumping(world: World) -> None:
    await athlete(world)
    text = await go(world, "mb move", 5, 6, how="jumping", push=True, rows="landing limited")
    assert "10 against 5" in text and "Jumps " in text, text
    text = await go(world, "mb move", 5, 6, how="jumping", push=True, rows="load 80")
    assert "10 against 9" in text, text
    text = await go(world, "mb move", 5, 6, how="jumping", difficulty="Easy")
    assert "Jumps 4 m" in text, text


@pytest.mark.rule("MB-LIFT-01", "MB-LIFT-02", "MB-PSH-02", "MB-SKILL-LIFTING")
async def test_lifting_with_a_push_in_two_actions(world: World) -> None:
    await athlete(world, limit_shock="on")
    text = private(await world.ana.slash(world.zone, "mb move", how="lifting", **{"as": "Mira"}))
    assert "up to 15 kg" in text
    assert "lifts 10 kg without a roll" in private(
        await world.ana.slash(world.zone, "mb move", mass=10, **{"as": "Mira"})
    )
    # Strength 9, 10 with the skill, a capacity of 6 against a value of 10 for 100 kg.
    await go(world, "mb move", 9, 9, mass=100)
    await world.restart()
    panel = message_of(
        await world.press(world.ana, world.newest("Limit the shock"), "Limit the shock")
    )
    await world.press(world.ana, panel, "Push 1 less, for half the shock")
    # 7 points are a push of 3 for 4 shock: 2 for 2.
    mira = await sheet(world, "Mira")
    assert (mira.lifted, mira.harm.shock) == (8, 2)
    assert "Lifts up to 40 kg: not enough, and takes 2 shock" in await newest(world)
    await go(world, "mb move", 9, 9, mass=100)
    panel = message_of(
        await world.press(world.ana, world.newest("Limit the shock"), "Limit the shock")
    )
    await world.press(world.ana, panel, "Take all of it")
    assert "Lifts up to 150 kg and takes 4 shock" in await newest(world)
    mira = await sheet(world, "Mira")
    assert (mira.lifted, mira.harm.shock) == (None, 6)
    await world.gina.slash(world.zone, "gm undo")
    assert ((await sheet(world, "Mira")).lifted, (await sheet(world, "Mira")).harm.shock) == (8, 2)
    # Anything else in between, and it begins anew.
    world.dice.lay(5, 6)
    await world.ana.slash(
        world.zone, "check", skill="Running", difficulty="Easy", approach="off", **{"as": "Mira"}
    )
    assert (await sheet(world, "Mira")).lifted is None


@pytest.mark.rule("MB-SKILL-VEHICLE-PILOTING")
async def test_a_chase(world: World) -> None:
    await athlete(world)
    drive = {"vehicle": "cars", "speed": 12, "difficulty": "8"}
    text = await go(world, "mb drive", 9, 9, **drive)
    # 12 and 7 against 8: 11 more points are 150 m more than 250.
    assert "Drives 400 m" in text, text
    # Boris has no adds: Dexterity, and how common cars are makes it harder.
    world.dice.lay(9, 9)
    await world.ben.slash(world.zone, "mb drive", **drive, rows="very common")
    text = await newest(world)
    assert "untrained (−2)" in text and "Drives 275 m" in text, text
    # Boris flees at 100 m a round; 40 m behind him Vesna drives 400.
    for wrong in (
        {"rival": 10},
        {"rival": 10, "speed": None, "gap": 9},
        {"gap": 9},
        {"flees": True},
    ):
        said_ = {key: each for key, each in (drive | wrong).items() if each is not None}
        told = refusal_of(await world.ana.slash(world.zone, "mb drive", **said_, **{"as": "Mira"}))
        assert "`gap`" in told, told
    # How common it is the GM says of whoever has not learned to drive it.
    await world.ben.slash(world.zone, "mb drive", **drive)
    assert (await newest(world)).startswith("## Waiting for the GM")
    await world.gina.slash(world.zone, "gm undo")
    chase = {"rival": 10, "gap": 320}
    text = await go(world, "mb drive", 9, 9, **drive, **chase)
    assert "Drives 400 m: 20 m between them." in text, text
    await world.gina.slash(world.zone, "gm undo")
    text = await go(world, "mb drive", 9, 9, **drive, **chase)
    text = await go(world, "mb drive", 9, 9, **drive, rival=10)
    assert "Drives 400 m: caught up." in text, text
    world.dice.lay(9, 9)
    await world.ben.slash(world.zone, "mb drive", **drive, rows="very common", **chase, flees=True)
    assert "Drives 275 m: 495 m between them." in await newest(world), await newest(world)


@pytest.mark.rule("MB-SKILL-SWIMMING")
async def test_who_is_drowning_is_so_in_their_file(world: World) -> None:
    await athlete(world)
    await bring(
        world, world.gina, "Vesna", FIGHTER | {"drowning": "12 3", "rounds_run": 4}, replace=True
    )
    found = await sheet(world, "Vesna")
    assert (found.drowning, found.rounds_run) == (Drowning(12, 3), 4)
    assert write_sheet("Vesna", found)["drowning"] == "12 3"
    wrong = await world.hand_in(
        world.gina, "v.json", json.dumps({"name": "Vesna", "drowning": "deep"}), npc=True
    )
    assert "12 3" in texts(wrong.response), texts(wrong.response)


@pytest.mark.rule("MB-CBN-02", "MB-CBN-03", "MB-LIFT-01")
async def test_two_lift_together_and_share_the_shock(world: World) -> None:
    await athlete(world)
    # Strength 9: 60 kg without a roll; 150 kg are value 11.
    lift = {"mass": 150, "as": "Mira"}
    alone = refusal_of(await world.ana.slash(world.zone, "mb move", **lift, together="Mira"))
    assert "can't" in alone or "yourself" in alone, alone
    await world.ana.slash(world.zone, "mb move", **lift, together="Boris")
    assert "Join" in texts(world.newest("Join"))
    await world.restart()
    panel = message_of(await world.press(world.ben, world.newest("Join"), "Join"))
    # Both coordinate, 10 and 1 − 3 and 9 and 2 − 3 against 8, and lift: 10 + 4 − 2 is the best, and
    # 4 more.
    world.dice.lay(6, 6, 7, 6, 7, 8, 9, 8)
    await world.press(world.ben, panel, "Coordinate with them")
    assert world.dice.left == 0
    text = await newest(world)
    assert "against 11" in text and "Lifts up to" in text, text
    shock = [(await sheet(world, each)).harm.shock for each in ("Mira", "Boris")]
    assert shock[0] == shock[1] > 0, (shock, text)
    await world.gina.slash(world.zone, "gm undo")
    assert not (await sheet(world, "Boris")).harm.shock
    await world.ana.slash(world.zone, "mb move", **lift, together="Boris, Thug")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(1, 1, 1, 1, 9, 9, 9, 9)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    panel = message_of(await world.press(world.ben, world.newest("Join"), "Join"))
    await world.press(world.ben, panel, "Pass")
    text = await newest(world)
    assert "Thug, coordination" in text and "Boris, coordination" not in text, text
    assert not (await sheet(world, "Boris")).harm.shock, "who doesn't join has no part in it"


@pytest.mark.rule("MB-CBN-02", "MB-CBN-03")
async def test_no_player_takes_an_npc_along_without_the_gm(world: World) -> None:
    await open_table(world)
    knife = {"weapon": "Knife", "with": "together: Thug", "target": "Boris", "approach": "now"}
    for command, options in (
        ("attack", knife),
        ("mb move", {"how": "running", "push": True, "together": "Thug"}),
    ):
        await world.ana.slash(world.zone, command, **options)
        text = await newest(world)
        assert text.startswith("## Waiting for the GM") and "Together with Thug." in text, text
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(5, 6, 5, 6, 5, 6, 5, 6)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert world.dice.left == 0 and "**Thug:** total" in await newest(world)


@pytest.mark.rule("MB-SKILL-VEHICLE-PILOTING", "MB-DIE-03")
async def test_what_came_of_a_hidden_chase_is_not_to_be_reckoned_from_the_next_round(
    world: World,
) -> None:
    """The distance after an open round, less what that gained, would be the hidden one's, and tell
    its number.
    """
    await open_table(world, gm_channel=True)
    await bring(world, world.ana, "Mira", ATHLETE | {"life_points": 0})
    drive = {"vehicle": "cars", "speed": 12, "rival": 10, "as": "Mira"}
    gaps = set[str]()
    for number in ("8", "14"):
        await world.ana.slash(world.zone, "mb drive", **drive, gap=9000)
        await world.rule(number=number, level=None)
        world.dice.lay(9, 9)
        await world.press(world.ana, world.newest("Roll"), "Roll")
        text = texts(world.card())
        assert "between them" not in text and text.startswith("## ✓ Success"), text
        full = texts(world.last(world.gm_room))
        assert full.index("Success") < full.index("between them") < full.index("**With:**"), full
        gaps.add(full.partition(" between them")[0].rpartition(": ")[2])
        text = await go(world, "mb drive", 9, 9, **drive, difficulty="8")
        assert "Drives 400 m." in text and "between" not in text, text
    assert len(gaps) == 2
    # Whoever has been caught up with is not told so by a refusal either; said anew it's open again.
    await world.ana.slash(world.zone, "mb drive", **drive, gap=9)
    await world.rule(number="8", level=None)
    world.dice.lay(9, 9)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert "Drives 400 m." in await go(world, "mb drive", 9, 9, **drive, difficulty="8")
    text = await go(world, "mb drive", 9, 9, **drive, difficulty="8", gap=320)
    assert "Drives 400 m: 20 m between them." in text, text

"""What is next: buttons after a result and an award, growth from a menu, and what a refusal leads
to.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.ego.play import open_creation_panel
from tests.discord.ego.table import (
    RIFLE,
    SWORD,
    attack,
    misses,
    newest,
    open_table,
    read_by_gms,
    sheet,
)
from tests.discord.ego.test_rounds import ROLLS
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, labels, menu, message_of, private, public, refusal_of, texts

AIMED = {"weapon": RIFLE, "approach": "so", "with": "range: short"}


async def test_who_accepts_a_result_in_their_turn_reads_what_is_left_and_can_go_on(
    world: World,
) -> None:
    await open_table(world, step_in_minutes=10)
    await gather(world, "Orc")
    await world.gina.slash(world.zone, "initiative next")
    await world.press(world.ana, world.newest("Pass"), "Pass")
    world.dice.lay(*ROLLS)
    await world.press(world.ben, world.newest("Pass"), "Pass")
    assert world.dice.left == 0
    name, who = next(
        (name, who)
        for name, who in (("Vesna", world.ana), ("Boris", world.ben))
        if f"{name}, you're up" in texts(world.last())
    )
    await attack(world, who, "Orc", *misses(5), 5, 5, **AIMED)
    world.dice.lay(1, 1, 1, 1)
    (panel,) = (await world.press(who, world.card(), "Accept result")).followups
    assert panel.ephemeral
    assert texts(panel).startswith(f"## {name}'s turn") and "2 of 4 Action Points" in texts(panel)
    assert labels(panel) == ["Attack", "Check", "Delay", "End turn"]
    await world.press(who, panel, "End turn")
    assert f"{name}, you're up" not in texts(world.last())


def _step(panel: Any, label: str) -> str:
    """What stands for a step in the menu."""
    options = menu(panel, "Raise or learn")["options"]
    return next(each["value"] for each in options if each["label"].startswith(label))


async def test_an_award_of_exp_leads_to_what_it_buys(world: World) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "gm award", kind="karma", amount=1)
    assert "Improve" not in labels(world.last())
    await world.gina.slash(world.zone, "gm award", kind="exp", amount=5)
    panel = message_of(await world.press(world.ana, world.newest("Improve"), "Improve"))
    assert "Vesna: what improves?" in texts(panel) and "EXP: 5" in texts(panel)
    assert "EXP from adventures" not in texts(panel), "there are none"
    other = message_of(await world.ana.slash(world.zone, "character improve"))
    await world.restart()
    await world.choose(world.ana, panel, "Raise or learn", _step(panel, "Gun Combat 3 → 4"))
    assert "EXP: 1" in texts(panel)
    told = refusal_of(
        await world.choose(world.ana, other, "Raise or learn", _step(other, "Gun Combat 3 → 4"))
    )
    assert "no longer works" in told, "nobody pays another price than they read"
    assert (await sheet(world, "Vesna")).exp == 1
    assert (
        next(
            each.level for each in (await sheet(world, "Vesna")).skills if each.name == "Gun Combat"
        )
        == 4
    )
    told = refusal_of(
        await world.choose(world.ana, panel, "Raise or learn", _step(panel, "Muscle"))
    )
    assert "12 short" in told
    shown = message_of(await world.ben.slash(world.zone, "character improve"))
    assert "Boris: what improves?" in texts(shown) and "EXP: 5" in texts(shown)


async def test_names_that_are_far_off_are_examples_and_a_bare_field_is_asked_for(
    world: World,
) -> None:
    await open_table(world)

    async def why(name: str, **more: str) -> str:
        return refusal_of(await world.ana.slash(world.zone, "character learn", skill=name, **more))

    assert "For example: “Muscle”" in await why(
        "Karate"
    ) and "`/character learn` with `attribute`" in await why("Karate")
    assert "Did you mean “Martial Arts”?" in await why("Martal Arts")
    assert "such as Pilot (ground)" in await why("Pilot") and "such as Pilot" in refusal_of(
        await world.ana.slash(world.zone, "character improve", skill="pilot")
    )


async def test_the_panel_of_whoever_is_attacked_says_how_many_dice_each_way_brings(
    world: World,
) -> None:
    await open_table(world)
    await gather(world, "Orc")
    await next_turn(world, *ROLLS)
    await attack(world, world.ana, "Boris", weapon=SWORD, approach="so")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    told = texts(panel)
    # Agility 4; Melee Combat 3 and Melee Weapon 2 to parry, Hand-to-hand Combat 2 and Agility 4 to
    # block.
    for way in (
        "Parry with 9 dice (1 of 4 Action Points)",
        "Block or dodge with 10 dice (1 of 4 Action Points)",
        "Parry and block with 15 dice (2 of 4 Action Points)",
        "Tumble, until the round ends: 6 dice (1 of 4 Action Points)",
    ):
        assert f"{way}\n" in told, (way, told)
    assert "**Pool:** Melee Combat 3, Agility 4 and Melee Weapon 2" in await newest(world)
    assert "dice" not in texts(world.newest("Defend")).replace("(9 dice)", "")


@pytest.mark.rule("EGO-AOE-01")
async def test_a_blast_says_of_everybody_caught_what_it_does_and_of_npcs_no_number(
    world: World,
) -> None:
    await open_table(world)
    text = await attack(
        world,
        world.ana,
        "Orc",
        *(5, 5, *misses(5), 5, 5, 5, 5),
        weapon="Frag Grenade",
        approach="so",
        **{"with": "range: short, caught: Goblin 3, caught: Boris 4"},
    )
    assert (
        text.startswith("## ✓ Hit by 1: 3 caught in the blast: Goblin dies\n")
        and "Boris takes 7 damage, armor stops 5" in text
    )
    assert "Orc is hurt." in text and "Goblin is hurt" not in text
    assert "12 damage" not in text and "Goblin takes 9 damage" in await read_by_gms(world)


async def test_nobody_who_is_out_is_announced_as_next(world: World) -> None:
    await open_table(world, boris={"down": "dead"})
    await gather(world, "Orc")
    told = await next_turn(world, 6, 6, 6, 6, 1, 1)
    assert "Vesna, you're up" in told and "Orc goes next" in told and "Boris goes next" not in told


async def test_help_of_a_table_that_plays_ego(world: World) -> None:
    await open_table(world)
    fights = await world.help(world.ana, "fights")
    assert "EGO: fights and healing" in fights, fights
    mine = await world.help(world.ana, "own")
    theirs = await world.help(world.gina, "own")
    assert "/ego fall" not in mine and "GMs: " not in mine and "maneuver" in mine
    assert "Somebody falls; Breakfall takes some of it off" in theirs
    assert "vehicle collide" in theirs


async def test_a_hint_that_fields_share_is_read_once(world: World) -> None:
    await open_table(world)
    panel = await open_creation_panel(world)
    await world.press(world.ana, panel, "Next step")
    assert texts(panel).count("3 points each") == 1


async def test_karma_that_is_spent_is_refused_with_the_reason(world: World) -> None:
    await open_table(world)
    await gather(world, "Orc")
    await next_turn(world, 6, 6, 6, 6, 1, 1, 1, 1, 1, 1)
    await attack(
        world,
        world.ana,
        "Orc",
        *misses(8),
        1,
        1,
        weapon=SWORD,
        approach="so",
        **{"with": "karma 1"},
    )
    told = refusal_of(await world.ana.slash(world.zone, "ego act", action="tumbling", karma=1))
    assert "all for one roll" in told


async def test_the_sheet_has_weapons_with_their_dice(world: World) -> None:
    await open_table(world)
    shown = private(await world.ana.slash(world.zone, "character show"))
    # Melee Combat 3, Agility 4 and Melee Weapon 2; damage 2d and 4 dice of Muscle.
    assert "**Sword, Long:** 9 dice, damage 6d; drawn" in shown
    assert "**Med Cal, automatic:** 7 dice, damage 3d+2; 6 of 6 rounds" in shown


@pytest.mark.rule("EGO-AP-01", "EGO-AP-03")
async def test_acting_out_of_turn_is_asked_first_and_marked(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, *(6,) * 4, *misses(4))
    asked = await world.ben.slash(world.zone, "ego act", action="kneel; hands up: now")
    panel = message_of(asked)
    assert "Out of turn: it's Vesna's turn." in private(asked)
    assert (await sheet(world, "Boris")).round.spent == 0
    await world.restart()
    await world.press(world.ben, panel, "Act anyway")
    told = "\n".join(texts(each) for each in world.messages())
    assert "Kneel; hands up: now. 1 Action Point, 3 left." in told, told
    assert "Out of turn: it's Vesna's turn." in told
    assert (await sheet(world, "Boris")).round.spent == 1
    own = public(await world.ana.slash(world.zone, "ego act", action="kneel"))
    assert "Out of turn" not in own


@pytest.mark.rule("EGO-AP-01")
async def test_the_boards_attack_asks_out_of_turn(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, *(6,) * 4, *misses(4))
    panel = message_of(await world.press(world.ben, world.newest("Attack"), "Attack"))
    await world.choose(world.ben, panel, "Target", "k3")
    await world.choose(world.ben, panel, "Weapon", "kick")
    assert "Out of turn: it's Vesna's turn." in texts(panel), texts(panel)

"""Barmore's dice pool through the real commands: characters, checks, what is chosen before the
roll, odds.
"""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, write_campaign
from tests.discord.barmore import MAREK, bar_table, bring, roll, rule, sheet_of
from tests.discord.world import (
    World,
    card,
    labels,
    menu,
    message_of,
    private,
    public,
    refusal_of,
    select,
    texts,
)

IDEA = "through the reeds"
WITH: dict[str, Any] = {"with": "support: Boats, convert: 1, die: d10-1"}


NO_DICE: dict[str, Any] = {"with": "no dice"}


async def _check(world: World, who: Any = None, **options: Any) -> Any:
    """`/check` with an idea; Ana unless told otherwise."""
    return await (who or world.ana).slash(world.zone, "check", **({"approach": IDEA} | options))


async def _ruled(
    world: World, difficulty: str = "15", *, hidden: bool = False, **options: Any
) -> Any:
    """A check by Ana with the GM's answer: the public message with its Roll button."""
    await _check(world, **options)
    await rule(world, difficulty, hidden=hidden)
    return world.newest("Roll")


async def test_an_empty_check_is_not_sent(world: World) -> None:
    await bar_table(world)
    panel = message_of(await world.ana.slash(world.zone, "check"))
    early = await world.press(world.ana, panel, "Send")
    assert early.modal is not None, "what is missing is asked for"
    first = early.modal["components"][0]
    assert first["label"] == "Approach" and "First say how you do it" in first["description"]
    assert (await world.state()).checks == {}
    await world.ana.submit_modal(early, {"approach": IDEA})
    assert IDEA in card(world), "with that it goes"


# --- characters -----------------------------------------------------------------------------------


async def test_a_ready_character_is_taken_looked_at_and_exported(world: World) -> None:
    await world.setup(system="barmore")
    menu = message_of(await world.ana.slash(world.zone, "character create"))
    assert "Jorun Hale" in texts(menu)
    await bring(world, world.ana, MAREK)
    shown = await world.pages(
        world.ana, message_of(await world.ana.slash(world.zone, "character show"))
    )
    assert "**Body +1:** Muscle Power +2" in shown
    assert "Rapier 4" in shown
    assert "Attributes\nBody **+1**\n\u2003└ Strength\n\u2003\u2003└ Muscle Power **+2**" in shown
    assert "\u2003\u2003\u2003\u2003└ Rapier **4**" in shown
    assert "Wits **−1**" in shown
    assert "**Armor:** Oilskins (stops 1, against cutting, makes piercing non-lethal)" in shown
    exported = await world.ana.slash(world.zone, "character export")
    (file,) = message_of(exported).attachments
    assert json.loads(await file.read())["abilities"]["Rapier"] == 4


async def test_a_file_with_mistakes_names_each_of_them(world: World) -> None:
    await world.setup(system="barmore")
    bad = {**MAREK, "abilities": {"Swiming": 2, "Boats": 99}, "attributes": {"Speed": "fast"}}
    text = refusal_of(await bring(world, world.ana, bad))
    assert "Swiming" in text and "Swimming" in text
    assert "99" in text and "Speed" in text
    assert (await world.state()).characters == {}


# --- checks ---------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-TRAIT", "BAR-POOL", "BAR-DIE")
async def test_a_check_from_proposal_to_result(world: World) -> None:
    await bar_table(world)
    proposal = await _check(
        world, skill="Swimming", attribute="Reaction Time", difficulty="14", **WITH
    )
    text = public(proposal)
    assert ": Swimming 2 (from Athletics) and Reaction Time 1" in text
    assert "**Suggested difficulty:** 14" in text
    assert "Pool: 2 Add Dice and 5 Bonus Dice." in text
    for cause in (
        "Athletics: +2 Add Dice",
        "Support from Boats: +3 Bonus Dice",
        "Converted: −1 Add Die, +1 Bonus Die",
    ):
        assert f"• {cause}" in text
    await rule(world, "14")
    await world.restart()
    world.dice.lay(10, 9, 1, 2, 3, 4, 5)
    text = await roll(world)
    assert text.startswith("## ✓ Success, level 0: 17 against 14\nMarek: ")
    assert "7d10 (10, 9, ~~1~~, ~~2~~, ~~3~~, ~~4~~, ~~5~~) − 2 = **17**" in text
    assert "d10-1 (0–9 each)" in text


@pytest.mark.rule("BAR-ROLL")
async def test_a_botch_is_called_one(world: World) -> None:
    await bar_table(world)
    await _ruled(world, "1", skill="Brawling")
    world.dice.lay(1, 1)
    text = await roll(world)
    assert text.startswith("## ✗ Botch") and "2d8 (1, 1) = **2**" in text


@pytest.mark.rule("BAR-TRAIT")
async def test_the_gm_accepts_or_refuses_what_stands_in(world: World) -> None:
    await bar_table(world)
    proposal = message_of(await _check(world, skill="Blades"))
    assert "Rapier stands in for Blades" in texts(proposal)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    refuse = "disallow: ability"
    entries = {each["value"]: each["label"] for each in menu(panel, "All the rest")["options"]}
    assert entries[refuse] == "Disallow Rapier for Blades"
    modal = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(modal, {"difficulty": "6"})
    assert "Pool: 5 Add Dice." in texts(panel)
    await world.choose(world.gina, panel, "All the rest", refuse)
    assert "Pool: 1 Add Die." in texts(panel)
    await world.press(world.gina, panel, "Call for a roll")
    text = card(world)
    assert "nothing stands in for Blades: the GM disallowed it" in text
    assert "Pool: 1 Add Die." in text


@pytest.mark.rule("BAR-DIE", "BAR-POOL")
async def test_die_and_conversion_are_chosen_after_the_answer(world: World) -> None:
    await bar_table(world)
    await _ruled(world, "15", skill="Swimming")
    panel = await _dice(world, "d6+1")
    assert "d6+1 (2–7 each)" in texts(panel) and "d6+1" not in card(world)
    assert _conversions(panel) == ["convert: 1", "convert: 2"]
    forged = world.emit(world.ana, select(panel, "All the rest"), panel, ("convert: 3",))
    await world.env.settle()
    assert "Pool: 3 Add Dice." in texts(message_of(forged)), "one Add Die has to remain"
    await world.choose(world.ana, panel, "All the rest", "convert: 2")
    await world.restart()
    await world.press(world.ana, panel, "Keep the die, roll later")
    assert "d6+1 (2–7 each)" in card(world)
    assert "Pool: 1 Add Die and 2 Bonus Dice." in card(world)
    assert "could not" not in refusal_of(await world.press(world.ben, world.newest("Roll"), "Roll"))
    world.dice.lay(6, 6, 2)
    assert "3d6 (~~6~~, 6, ~~2~~) + 1 = **7**" in await roll(world)


@pytest.mark.rule("BAR-POOL")
@pytest.mark.parametrize(
    ("options", "most"),
    [
        ({}, 0),
        ({"skill": "Rapier"}, 4),
        ({"skill": "Rapier", "with": "convert: 2"}, 4),
        ({"skill": "Rapier", "with": "halvings: 1, convert: 2"}, 3),
        ({"skill": "Rapier", "with": "doublings: 2"}, 4),
    ],
)
async def test_as_many_conversions_are_offered_as_can_be_had(
    world: World, options: dict[str, Any], most: int
) -> None:
    await bar_table(world)
    await _ruled(world, "15", **options)
    panel = message_of(await world.press(world.ana, world.newest("Roll"), "Roll"))
    if not most:
        assert menu(panel, "No dice"), "a menu for one thing is called by it"
        return
    assert _conversions(panel) == [f"convert: {number}" for number in range(1, most + 1)]


def _conversions(panel: Any) -> list[str]:
    """What a panel offers to convert."""
    values = [each["value"] for each in menu(panel, "All the rest")["options"]]
    return [value for value in values if value.startswith("convert")]


@pytest.mark.rule("BAR-AUTO")
async def test_without_dice(world: World) -> None:
    await bar_table(world)
    await _ruled(world, "20", skill="Boats", attribute="Speed", **NO_DICE)
    text = await roll(world)
    assert "no dice = **22**" in text and "against 20" in text


IMPOSSIBLE_CHECKS: Final = (
    ({"skill": "Swiming"}, "Swimming"),
    ({"attribute": "Sped"}, "Speed"),
    ({"skill": "Boats", "with": "convert: 4"}, "One Add Die has to stay"),
    ({"skill": "Boats", "with": "phases extra: 99"}, "103 dice, and you can roll at most 100"),
    ({"skill": "Boats", "with": "die: d7"}, "`die`: there's no “d7” to choose"),
    (
        {"skill": "Boats", "with": "die: d8, d6+1"},
        "appears twice, or contradicts another word",
    ),
    (
        {"skill": "Boats", "with": "halvings: 1, doublings: 1"},
        "Either rush it or take more time",
    ),
    ({"skill": "Boats", "with": "support: Medicine"}, "can't support"),
    ({"skill": "Boats", "with": "glory"}, "glory"),
    ({"skill": "Boats", "difficulty": "hard"}, "whole number"),
)


async def test_what_cannot_be_is_refused_in_clear_words(world: World) -> None:
    await bar_table(world)
    before = await world.revision()
    for options, words in IMPOSSIBLE_CHECKS:
        assert words in refusal_of(await _check(world, **options))
        assert await world.revision() == before


@pytest.mark.rule("BAR-DIE")
async def test_odds_of_every_die_side_by_side(world: World) -> None:
    await bar_table(world)
    result = await world.ana.slash(
        world.zone, "odds", skill="Athletics", attribute="Speed", difficulty="15"
    )
    assert private(result).startswith("## Marek: 80% against 15\n")
    (picture,) = message_of(result).attachments
    alt = str(picture.description).casefold()
    assert all(
        f"{die}: " in alt for die in ("d8", "d10-1", "d12-2", "d6+1", "d4+2", "no dice (total 17)")
    )
    assert "Roll d8" not in labels(message_of(result))
    # 3 Add Dice and 2 Bonus Dice come to 17 without dice.
    assert "always 17, level 0." in alt, alt
    await _ruled(world, "15", skill="Athletics", attribute="Speed")
    result = await world.ana.slash(world.zone, "odds", check="c1")
    assert private(result).startswith("## Marek: 80% against 15\n")
    ways = ["Roll d4+2", "Roll d6+1", "Roll d8", "Roll d10-1", "Roll d12-2", "Go without dice"]
    assert labels(message_of(result)) == ways
    by_gm = await world.gina.slash(world.zone, "odds", check="c1")
    assert not any(each in labels(message_of(by_gm)) for each in ways)
    world.dice.lay(10, 10, 10, 1, 1)
    await world.press(world.ana, message_of(result), "Roll d10-1")
    assert world.dice.left == 0
    assert "5d10 (10, 10, 10, ~~1~~, ~~1~~) − 3 = **27**" in card(world), card(world)


@pytest.mark.rule("BAR-DIE")
async def test_a_die_that_is_kept_is_said_with_the_button_to_roll(world: World) -> None:
    await bar_table(world)
    await _ruled(world, "15", skill="Athletics")
    panel = await _dice(world, "d12-2")
    answer = message_of(await world.press(world.ana, panel, "Keep the die, roll later"))
    told = "You chose d12-2 for this roll; press Roll when you're ready"
    assert told in texts(answer), texts(answer)
    assert "Roll" in labels(answer) and "Roll" in labels(world.card("c1"))
    panel = message_of(await world.press(world.ana, answer, "Roll"))
    world.dice.lay(12, 12, 12)
    await world.press(world.ana, panel, "Roll d12-2")
    assert world.dice.left == 0


async def test_menus_say_what_they_are_for(world: World) -> None:
    await bar_table(world)
    await _check(world, skill="Athletics", approach="climbs")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert menu(panel, "All the rest")["placeholder"] == "Hide it, grant time or a level…"


# --- secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reveal", "total", "level"), [("verdict", True, False), ("degree", False, True)]
)
async def test_a_hidden_difficulty_stays_hidden(
    world: World, reveal: str, total: bool, level: bool
) -> None:
    await bar_table(world, gm_channel=True, reveal=reveal)
    await _ruled(world, "-97", hidden=True, skill="Boats")
    assert refusal_of(await world.ana.slash(world.zone, "odds", check="c1"))
    world.dice.lay(8, 8, 8, 8)
    text = await roll(world)
    assert text.startswith("## ✓ Success")
    assert ("**32**" in text, "Success, level" in text) == (total, level)
    for who in (world.ana, world.ben):
        told = world.told(who)
        assert "−97" not in told and "-97" not in told
    assert "−97" in world.told(world.gina)


async def test_nothing_of_npcs_is_told(world: World) -> None:
    await bar_table(world, gm_channel=True)
    zorvath = {"name": "Zorvath", "abilities": {"Firearms": 7}, "attributes": {"Speed": 6}}
    await bring(world, world.gina, zorvath, npc=True)
    await world.gina.slash(world.zone, "gm npc alias", npc="Zorvath", alias="the pale lady")
    await _check(world, world.gina, skill="Firearms", attribute="Speed", **{"as": "Zorvath"})
    await world.gina.slash(
        world.zone,
        "barmore team start",
        mode="simple addition",
        approach="pull",
        **{"as": "Zorvath"},
    )
    for command, option in (
        ("check", "difficulty"),
        ("contest", "target"),
        ("contest", "difficulty"),
        ("attack", "difficulty"),
        ("barmore team join", "check"),
        ("barmore task show", "task"),
    ):
        given = {"target": "the pale lady"} if option == "difficulty" and command != "check" else {}
        await world.ana.autocomplete(world.zone, command, option, "", **given)
    await world.ana.slash(world.zone, "moves")
    told = world.told(world.ana)
    assert "Zorvath" not in told
    assert "without dice, and with no trait" not in told
    assert "Firearms 7" not in told and "+7 Add Dice" not in told


# --- undo -----------------------------------------------------------------------------------------


async def test_the_gm_takes_back_a_choice_and_a_roll(world: World) -> None:
    await bar_table(world)
    await _ruled(world, "15", skill="Swimming")
    await world.press(world.ana, await _dice(world, "d12-2"), "Keep the die, roll later")
    rolled = await roll(world)
    assert "d12-2 (" in rolled and "Final" in rolled
    await world.gina.slash(world.zone, "gm undo")
    assert not await _thrown(world)
    assert "d12-2 (" in card(world)
    await world.gina.slash(world.zone, "gm undo")
    assert "d12-2 (" not in card(world)
    await world.restart()
    assert "d12-2 (" not in card(world) and not await _thrown(world)
    assert (await sheet_of(world, "Marek")).wounds == ()
    assert await roll(world) and await _thrown(world)


async def _dice(world: World, die: str) -> Any:
    """Ana's panel before the roll, with a die chosen."""
    panel = message_of(await world.press(world.ana, world.newest("Roll"), "Roll"))
    await world.choose(world.ana, panel, "Die", die)
    return panel


async def _thrown(world: World) -> bool:
    """Whether dice lie there."""
    return bool((await world.state()).checks["c1"].data.throws)


# --- campaigns ------------------------------------------------------------------------------------


def _file(data: dict[str, Any]) -> tuple[str, bytes]:
    return "campaign.json", json.dumps(data).encode()


def _campaign() -> dict[str, Any]:
    return json.loads(json.dumps(write_campaign(DEFAULT_CAMPAIGN)))


@pytest.mark.rule("BAR-TRAIT", "BAR-TRAUMA")
async def test_a_campaign_with_mistakes_opens_no_table(world: World) -> None:
    data = _campaign()
    data["traits"]["abilities"] += [
        {"name": "Chasing", "parent": "Fleeing"},
        {"name": "Fleeing", "parent": "Chasing"},
        {"name": "Orphan", "parent": "Nobody"},
        {"name": "Waif", "parent": "Nowhere"},
    ]
    data["chart"]["rows"][0]["from"] = 2
    options = {"game": "barmore", "name": "The Dry Canal"}
    text = refusal_of(await world.gina.slash(world.zone, "setup", file=_file(data), **options))
    for words in ("Chasing", "Fleeing", "Nobody", "Nowhere", "starts at degree 2"):
        assert words in text
    assert world.bot.tables.places.table_id(str(world.zone.id)) is None
    del data["traits"], data["chart"]["rows"][0]
    text = refusal_of(await world.gina.slash(world.zone, "setup", file=_file(data), **options))
    assert "starts at degree" in text


@pytest.mark.rule("BAR-TRAIT", "BAR-AUTO")
async def test_a_campaign_of_ones_own(world: World) -> None:
    await bar_table(world)
    assert "45 abilities" in private(await world.gina.slash(world.zone, "gm campaign"))
    data = _campaign()
    data["traits"]["abilities"].append({"name": "Kites", "parent": "Craft"})
    data["options"]["dice_phobes"] = False
    assert refusal_of(await world.ana.slash(world.zone, "gm campaign", file=_file(data)))
    await world.gina.slash(world.zone, "gm campaign", file=_file(data))
    await world.restart()
    assert ": Kites 0" in public(await _check(world, skill="kites"))
    assert "players always roll" in refusal_of(await _check(world, skill="Boats", **NO_DICE))
    data["traits"]["abilities"].pop()
    before = await world.revision()
    refusal_of(
        await world.gina.slash(world.zone, "gm campaign", file=_file(data))
    )  # c1 tries Kites
    assert await world.revision() == before


async def test_a_campaign_is_a_file_that_only_gms_read_and_change(world: World) -> None:
    options: dict[str, Any] = {"game": "barmore", "name": "The Dry Canal"}
    big = ("campaign.json", b" " * (256 * 1024 + 1))
    text = refusal_of(await world.gina.slash(world.zone, "setup", file=big, **options))
    assert "A campaign's file can be up to 256 KiB." in text
    mine = _file({"options": {"dice_phobes": False}})
    await world.gina.slash(world.zone, "setup", file=mine, **options)
    assert not (await world.state()).campaign.dice_phobes
    await world.restart()
    shown = await world.gina.slash(world.zone, "gm campaign")
    assert "45 abilities" in private(shown)
    (file,) = message_of(shown).attachments
    assert file.filename == "the-dry-canal-campaign.json"
    for more in ({}, {"file": mine}):
        assert "GM" in refusal_of(await world.ana.slash(world.zone, "gm campaign", **more))
    refusal_of(await world.gina.slash(world.zone, "gm campaign", file=mine))  # nothing would change
    assert "isn't valid JSON" in refusal_of(
        await world.gina.slash(world.zone, "gm campaign", file=("x.json", b"{"))
    )

"""Attack panels on a phone: the first page has what an ordinary attack needs, with its odds."""

from __future__ import annotations

import pytest
from simcord.actors import MemberActor

from tests.discord.barmore import bar_table
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as mb
from tests.discord.world import LEADING, World, controls, labels, menu, message_of, texts


async def _opened(world: World, system: str) -> None:
    """A table of this game with Ana's character and an NPC that players know."""
    if system == "ego":
        await ego.open_table(world, live=False)
    elif system == "masterbook":
        await mb.open_table(world, live=False)
    elif system == "barmore":
        await bar_table(world)
    else:
        await world.table()
    if system in ("ebb", "barmore"):
        await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")


async def _targets(world: World, who: MemberActor) -> set[str]:
    """Return the targets that `/attack` suggests to a user."""
    offered = await who.autocomplete(world.zone, "attack", "target", "")
    return {each["name"] for each in offered}


@pytest.mark.parametrize(
    ("system", "first"),
    [
        ("ebb", ["Target", "Skill", "Attribute"]),
        ("barmore", ["Target", "Weapon", "Skill", "Attribute"]),
        ("ego", ["Target", "Weapon", "Range", LEADING]),
        ("masterbook", ["Target", "Weapon", "Range", "Options"]),
    ],
)
async def test_the_first_page_has_what_an_ordinary_attack_needs(
    world: World, system: str, first: list[str]
) -> None:
    await _opened(world, system)
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    shown = [menu(panel, title)["custom_id"] for title in first]
    there = [each["custom_id"] for each in controls(panel) if each.get("placeholder")]
    assert there[: len(shown)] == shown
    assert menu(panel, "Target")["options"][0]["label"] == "Target: choose…"
    assert any(label.startswith("More… (1 of ") for label in labels(panel))


async def test_the_dead_are_marked_among_the_targets_in_ego(world: World) -> None:
    await _opened(world, "ego")
    await ego.bring(world, world.gina, "Lurker", ego.GOBLIN, npc=True)
    for name in ("Goblin", "Boris", "Lurker"):
        await world.gina.slash(world.zone, "gm adjust", character=name, what="lethal", value="12")
    known = {"Boris (dead)", "Goblin (dead)", "Orc"}
    assert await _targets(world, world.ana) == {*known, "Vesna"}
    assert await _targets(world, world.gina) == {*known, "Vesna", "Lurker (dead)"}
    by_power = await world.ana.autocomplete(world.zone, "ego use", "target", "")
    assert {each["name"] for each in by_power} > known
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    assert {each["label"] for each in menu(panel, "Target")["options"]} > known


async def test_the_dead_are_marked_among_the_targets_in_masterbook(world: World) -> None:
    await _opened(world, "masterbook")
    for what, value in (("wounds", "6"), ("dead", "yes")):
        await world.gina.slash(world.zone, "gm adjust", character="Boris", what=what, value=value)
    assert "Boris (dead)" in await _targets(world, world.ana)
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    assert "Boris (dead)" in {each["label"] for each in menu(panel, "Target")["options"]}


async def test_ego_tells_pool_difficulty_and_chance_of_a_burst_on_the_first_page(
    world: World,
) -> None:
    await _opened(world, "ego")
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    await world.choose(world.ana, panel, "Target", "k3")
    await world.choose(world.ana, panel, "Weapon", ego.RIFLE)
    await world.choose(world.ana, panel, "Range", "medium")
    await world.choose(world.ana, panel, LEADING, "burst")
    text = texts(panel).replace("**", "")
    assert "With: Assault rifle (6 dice, drawn first) and burst" in text
    assert "6 dice, 65% from the bare dice" in text and "Difficulty: 2 (medium range)" in text


async def test_ebb_and_barmore_tell_the_odds_of_an_attack_by_difficulty(world: World) -> None:
    await _opened(world, "ebb")
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    await world.choose(world.ana, panel, "Target", "k3")
    await world.choose(world.ana, panel, "Skill", "Rifles")
    # d10 and d6 reach 10: 4 to 9 with 1 to 6 faces of six, and each 10.
    assert "Tricky (10): 45%" in texts(panel)
    await world.choose(world.ana, panel, "Difficulty", "Tricky")
    assert "Tricky (10): 45%" in texts(panel) and "Easy (4): " not in texts(panel)


async def test_masterbook_tells_odds_only_against_a_value_that_the_reader_may_know(
    world: World,
) -> None:
    await _opened(world, "masterbook")
    panel = message_of(await world.gina.slash(world.zone, "attack", **{"as": "Thug"}))
    await world.choose(world.gina, panel, "Target", "k1")
    assert "10 or more: 55%" in texts(panel)
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    await world.choose(world.ana, panel, "Target", "k3")
    assert "Odds" not in texts(panel) and "or more" not in texts(panel)


async def test_a_dialog_says_what_is_typed_in_it(world: World) -> None:
    await _opened(world, "masterbook")
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    assert "Approach, range…" in labels(panel)
    assert all(len(label) <= 24 for label in labels(panel))

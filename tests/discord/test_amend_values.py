"""The form of `/gm amend`: fields hold what was chosen at the time, the important ones first."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord import barmore
from tests.discord.amend_steps import correct, entry_of
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as masterbook
from tests.discord.masterbook.effect_table import cast_effect, effect, knows
from tests.discord.world import World, controls, menu, message_of, texts

BOOST = effect("Boost", action="raise", traits=["Strength"], effect_value=17, duration_value=8)


async def form_of(world: World, kind: str, at: int = -1) -> Any:
    """Return the first page of the form of an entry, by the kind of its action."""
    entry = await entry_of(world, kind, at)
    return message_of(await world.gina.slash(world.zone, "gm amend", entry=entry))


def first_menu(message: Any) -> str:
    return next(each["placeholder"] for each in controls(message) if "placeholder" in each)


def chosen(message: Any, field: str) -> list[str]:
    """Return the labels that are chosen in the menu of a field."""
    options = menu(message, field)["options"]
    labels = [option["label"] for option in options if option.get("default")]
    return [label.removeprefix(f"{field}: ") for label in labels]


async def ebb_attack(world: World) -> None:
    await world.table(step_in_minutes=0)
    for name in ("Sidor", "Pavel"):
        await world.gina.slash(world.zone, "gm npc add", name=name, stage="revealed")
    words = {"weapon": "rifle", "skill": "rifl", "attribute": "alert", "approach": "so"}
    await world.ana.slash(world.zone, "attack", target="sid", **words)


async def barmore_attack(world: World) -> None:
    await barmore.bar_table(world)
    words = {"weapon": "boathook", "skill": "boats", "approach": "low"}
    await world.ana.slash(world.zone, "attack", target="ilk", **words)


async def ego_attack(world: World) -> None:
    await ego.open_table(world, live=False)
    await world.ana.slash(world.zone, "attack", target="or", weapon="swo", approach="low")


async def masterbook_attack(world: World) -> None:
    await masterbook.open_table(world, live=False)
    await world.ana.slash(world.zone, "attack", target="thu", weapon="kni", approach="low")


@pytest.mark.parametrize(
    ("begin", "target", "held"),
    [
        (ebb_attack, "Sidor", "Skill: Rifles d6; Attribute: Alertness 1; Approach: so"),
        (barmore_attack, "Ilka", "Skill: Boats: 3; Weapon: Boathook"),
        (ego_attack, "Orc", f"Weapon: {ego.SWORD}"),
        (masterbook_attack, "Thug", "Weapon: Knife"),
    ],
)
async def test_an_attack_shows_its_target_first(
    world: World, begin: Any, target: str, held: str
) -> None:
    """Words that a player shortened are shown as what they meant."""
    await begin(world)
    form = await form_of(world, "Begin")
    assert f"It was: Target: {target}; " in texts(form), texts(form)
    assert held in texts(form), texts(form)
    assert first_menu(form).startswith("Target")
    assert chosen(form, "Target") == [target]


async def test_a_cast_effect_shows_its_target(world: World) -> None:
    await masterbook.open_table(world, sheets={"Vesna": knows(BOOST)})
    await cast_effect(world, "boo", target="bor", **{"with": "meters 3"})
    form = await form_of(world, "Begin")
    assert "Target: Boris" in texts(form) and "Effect: Boost" in texts(form), texts(form)
    assert chosen(form, "Target") == ["Boris"]


async def test_an_interaction_shows_its_target(world: World) -> None:
    await masterbook.open_table(world, live=False)
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    world.dice.lay(9, 8, 5, 4)
    await world.gina.slash(world.zone, "initiative next")
    await world.ana.slash(world.zone, "mb interact", skill="taun", target="bor", approach="so")
    form = await form_of(world, "Begin")
    assert "Target: Boris" in texts(form) and "Skill: Taunt" in texts(form), texts(form)
    assert chosen(form, "Target") == ["Boris"]


async def test_an_award_and_a_value_set_by_hand(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=2, to="mar")
    form = await form_of(world, "Award")
    assert "Amount: 2" in texts(form) and "To: Marek" in texts(form), texts(form)
    await world.gina.slash(world.zone, "gm adjust", character="mar", what="fate", value="1")
    form = await form_of(world, "Adjust")
    assert "Character: Marek" in texts(form) and "Value: 1" in texts(form), texts(form)
    await world.gina.slash(world.zone, "gm time", advance="3 days")
    assert "3 days" in texts(await form_of(world, "AdvanceTime"))


async def test_a_skill_that_was_learned_without_an_attribute(world: World) -> None:
    """Other values can be previewed, though these rules ask for no attribute."""
    await masterbook.open_table(world, live=False)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=10)
    await world.ana.slash(world.zone, "character learn", skill="Charm")
    form = await form_of(world, "Learn")
    assert "It was: Skill: Charm" in texts(form), texts(form)
    await correct(world, await entry_of(world, "Learn"), "skill: Swimming")
    skills = (await masterbook.sheet(world, "Vesna")).skills
    assert any(skill.name.startswith("Swimming") for skill in skills)


async def test_a_setting_that_was_switched_off_stays_off(world: World) -> None:
    """A form leaves out what isn't ticked, but the entry still switches it off."""
    await world.table(step_in_minutes=0)
    pair = {"player_undo": False, "speaking": False, "reveal": "degree"}
    await world.gina.slash(world.zone, "gm settings", **pair)
    form = await form_of(world, "ChangeSettings")
    menu_name = first_menu(form)
    form = message_of(await world.choose(world.gina, form, menu_name, "all"))
    preview = message_of(await world.press(world.gina, form, "Preview"))
    await world.press(world.gina, preview, "Change it")
    settings = (await world.state()).settings
    assert (settings.player_undo, settings.speaking, settings.reveal) == (False, False, "all")

"""Making a character under MasterBook: its skills by menus, with commas, and with slips."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import World, menu, message_of, texts

STEPS = "Go to a step"
ENTRIES = "Change or remove an entry"


async def _skills_step(world: World) -> Any:
    """The panel in which skills are chosen."""
    await world.setup(system="masterbook")
    panel = message_of(await world.ana.slash(world.zone, "character create"))
    await world.press(world.ana, panel, "Make your own")
    await world.choose(world.ana, panel, STEPS, "skills")
    return panel


async def _write_skills(world: World, panel: Any, text: str) -> None:
    asked = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(asked, {"skills": text})


@pytest.mark.rule("MB-SKILL-03")
async def test_skills_with_commas_and_a_slip(world: World) -> None:
    panel = await _skills_step(world)
    await _write_skills(world, panel, "Stealth 2, Climing 1, Fire Combat 2 (pistols 1, rifles 1)")
    shown = texts(panel)
    assert "Unknown skill 'climing'" in shown, shown
    assert "Did you mean “Climbing”" in shown, shown
    # The slip counts nowhere yet.
    # The slip counts nowhere yet.
    assert "### 5 of 18 points" in shown and "Climing 1: " not in shown, shown
    assert "Fire Combat 2: 10 (pistols 11, rifles 11)" in shown, shown
    await _write_skills(world, panel, "Stealth 2, Climbing 1")
    assert "### 3 of 18 points" in texts(panel) and "Unknown skill" not in texts(panel)


@pytest.mark.rule("MB-SKILL-03", "MB-CHAR-09")
async def test_skills_are_added_and_raised_by_menus(world: World) -> None:
    panel = await _skills_step(world)
    ana = world.ana
    await _write_skills(world, panel, "Stealth 2")
    await world.choose(ana, panel, "Add a skill", "0")
    await world.choose(ana, panel, "Skill", "Climbing")
    assert "Climbing 3: 11" in texts(panel), "the value of every choice"
    await world.choose(ana, panel, "Adds", "1")
    await world.choose(ana, panel, "Specialization", "rope 2")
    await world.choose(ana, panel, "Specialization", "rope 1")
    shown = texts(panel)
    assert "Climbing 1: 9 (rope 10)" in shown and "3.5 of 18 points" in shown, shown
    await world.press(ana, panel, "Done")
    assert "Climbing 1: 9 (rope 10)" in texts(panel)
    await world.choose(ana, panel, ENTRIES, _values(panel, ENTRIES)[0])
    await world.choose(ana, panel, "Adds", "3")
    await world.press(ana, panel, "Done")
    assert "Stealth 3: 11" in texts(panel)
    await world.choose(ana, panel, ENTRIES, _values(panel, ENTRIES)[1])
    await world.press(ana, panel, "Remove")
    await world.press(ana, panel, "Remove")
    assert "Climbing" not in texts(panel)


@pytest.mark.rule("MB-CHAR-12")
async def test_skills_are_searched_by_name_and_by_a_word(world: World) -> None:
    panel = await _skills_step(world)
    await world.choose(world.ana, panel, "Add a skill", "8")
    asked = await world.press(world.ana, panel, "Skill…")
    await world.ana.submit_modal(asked, {"name": "parry"})
    assert "Which one is “parry”?" in texts(panel)
    assert _values(panel, "Skill")[:2] == ["Melee Parry", "Unarmed Parry"]
    await world.choose(world.ana, panel, "Skill", "Melee Parry")
    assert "Melee Parry 0: 8" in texts(panel)
    asked = await world.press(world.ana, panel, "Specializations…")
    await world.ana.submit_modal(asked, {"specializations": "foil 1"})
    await world.press(world.ana, panel, "Done")
    assert "Melee Parry 0: 8 (foil 9)" in texts(panel)
    await world.choose(world.ana, panel, "Add a skill", "8")
    asked = await world.press(world.ana, panel, "Skill…")
    await world.ana.submit_modal(asked, {"name": "lang"})
    assert "Fill in Focus first" in texts(panel), "the only one that is called so"


def _values(panel: Any, title: str) -> list[str]:
    return [each["value"] for each in menu(panel, title)["options"]]


@pytest.mark.rule("MB-CHAR-12")
async def test_a_campaigns_own_skill_has_an_attribute(world: World) -> None:
    panel = await _skills_step(world)
    await world.choose(world.ana, panel, "Add a skill", "9")
    asked = await world.press(world.ana, panel, "Name…")
    await world.ana.submit_modal(asked, {"name": "Basketry"})
    await world.choose(world.ana, panel, "Attribute", "dexterity")
    await world.choose(world.ana, panel, "Adds", "2")
    await world.press(world.ana, panel, "Done")
    assert "Basketry 2: 10" in texts(panel)


@pytest.mark.rule("MB-CHAR-12")
async def test_barred_skills_are_not_offered(world: World) -> None:
    await world.setup(system="masterbook")
    await world.gina.slash(world.zone, "gm settings", setting="barred_skills", value="Stealth")
    panel = message_of(await world.ana.slash(world.zone, "character create"))
    await world.press(world.ana, panel, "Make your own")
    await world.choose(world.ana, panel, STEPS, "skills")
    await world.choose(world.ana, panel, "Add a skill", "0")
    assert "Stealth" not in _values(panel, "Skill") and "Dodge" in _values(panel, "Skill")

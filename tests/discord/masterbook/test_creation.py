"""Making a character under MasterBook: its skills by menus, with commas, and with slips."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import World, menu, said, texts

STEPS = "Go to a step"


async def _skills_step(world: World) -> Any:
    """The panel in which skills are chosen."""
    await world.setup(system="masterbook")
    panel = said(await world.ana.slash(world.zone, "character create"))
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
    assert "“Climing” isn't on the list" in shown, shown
    assert "Did you mean “Climbing”?" in shown, shown
    # The slip counts nowhere yet.
    assert ": 4 adds and 2 in specializations" in shown, shown
    assert "Climing: " not in shown, shown
    await _write_skills(world, panel, "Stealth 2, Climbing 1")
    assert ": 3 adds" in texts(panel) and "isn't on the list" not in texts(panel)


@pytest.mark.rule("MB-SKILL-03")
async def test_skills_are_added_and_raised_by_a_menu(world: World) -> None:
    panel = await _skills_step(world)
    await _write_skills(world, panel, "Stealth 2")
    entries = menu(panel, "Add or raise a skill")["options"]
    assert entries[0]["value"] == "Stealth 3", "what the draft has comes first"
    first = entries[1]["value"]
    await world.choose(world.ana, panel, "Add or raise a skill", first)
    name = first.rpartition(" ")[0]
    assert f"{name} 1" in texts(panel), texts(panel)
    # Chosen again it has one add more.
    await world.choose(world.ana, panel, "Add or raise a skill", f"{name} 2")
    assert f"{name} 2" in texts(panel) and f"{name} 1\n" not in texts(panel), texts(panel)
    assert ": 4 adds" in texts(panel), texts(panel)

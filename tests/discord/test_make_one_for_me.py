"""A finished legal character in two presses, and lists to pick from in every game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests.discord.world import (
    World,
    controls,
    head,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    selected_values,
    texts,
)

STEPS: Final = "Go to a step"
SYSTEMS: Final = ("ebb", "barmore", "ego", "masterbook")


@dataclass
class Counter:
    """Ana at her panel, with her presses and the dialogs that she sends counted."""

    world: World
    panel: Any = None
    presses: int = 0
    dialogs: int = 0

    async def open(self) -> None:
        self.panel = message_of(await self.world.ana.slash(self.world.zone, "character create"))

    async def press(self, label: str) -> Any:
        self.presses += 1
        return await self.world.press(self.world.ana, self.panel, label)

    async def choose(self, placeholder: str, value: str) -> None:
        self.presses += 1
        await self.world.choose(self.world.ana, self.panel, placeholder, value)

    async def write(self, label: str = "Write…", **values: str) -> None:
        asked = await self.press(label)
        self.dialogs += 1
        await self.world.ana.submit_modal(asked, values)

    @property
    def text(self) -> str:
        return texts(self.panel).replace("**", "")


async def _opened(world: World, system: str, **settings: Any) -> Counter:
    await world.setup(gm_channel=True, system=system)
    if settings:
        await world.gina.slash(world.zone, "gm settings", **settings)
    ana = Counter(world)
    await ana.open()
    return ana


async def _made(world: World) -> Any:
    (character,) = (await world.state()).characters.values()
    return character


# --- one press ------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-CHAR", "EGO-CHR-01", "BAR-TRAIT")
@pytest.mark.parametrize("system", SYSTEMS)
async def test_a_legal_character_takes_two_presses_and_no_dialog(world: World, system: str) -> None:
    ana = await _opened(world, system)
    await ana.press("Make one for me")
    assert head(ana.panel).endswith(" · finished"), ana.text
    assert labels(ana.panel) == ["Join the table", "Back to steps", "Discard draft"]
    await ana.press("Join the table")
    assert (ana.presses, ana.dialogs) == (2, 0)
    character = await _made(world)
    assert character.approved
    assert f"{character.name} joins the table" in texts(world.last())
    assert "draft of" not in private(await world.ana.slash(world.zone, "character create"))


@pytest.mark.parametrize("system", SYSTEMS)
async def test_the_last_button_says_that_the_gm_looks_at_it(world: World, system: str) -> None:
    ana = await _opened(world, system, approve=True)
    await ana.press("Make one for me")
    assert "Send to the GM" in labels(ana.panel)
    await ana.press("Send to the GM")
    assert not (await _made(world)).approved
    panel = message_of(await world.gina.slash(world.zone, "character create"))
    await world.press(world.gina, panel, "Make one for me")
    assert "Join the table" in labels(panel), "nobody approves a GM's own character"


@pytest.mark.parametrize("system", SYSTEMS)
async def test_what_is_filled_in_stays_and_a_restart_loses_nothing(
    world: World, system: str
) -> None:
    ana = await _opened(world, system)
    await ana.press("Make your own")
    await ana.write(name="Mika Vann")
    await world.restart()
    await ana.press("Next step")
    await world.restart()
    assert "Make one for me" in labels(ana.panel), "in every step"
    await ana.press("Make one for me")
    assert head(ana.panel) == "Mika Vann · finished", ana.text
    await world.restart()
    again = message_of(await world.ana.slash(world.zone, "character create"))
    assert "You have a draft of Mika Vann" in texts(again)
    await world.press(world.ana, again, "Continue draft")
    await world.press(world.ana, again, "Review")
    await world.restart()
    await world.press(world.ana, again, "Join the table")
    assert (await _made(world)).name == "Mika Vann"
    await world.gina.slash(world.zone, "gm undo")
    assert not (await world.state()).characters


@pytest.mark.parametrize("system", SYSTEMS)
async def test_a_draft_is_completed_from_the_first_screen_too(world: World, system: str) -> None:
    ana = await _opened(world, system)
    await ana.press("Make your own")
    await ana.write(name="Mika Vann")
    await ana.open()
    assert "Make one for me" in labels(ana.panel) and "Start over" in labels(ana.panel)
    await ana.press("Make one for me")
    assert head(ana.panel) == "Mika Vann · finished"


@pytest.mark.parametrize("system", SYSTEMS)
async def test_two_who_press_it_play_two_different_people(world: World, system: str) -> None:
    ana = await _opened(world, system)
    await ana.press("Make one for me")
    await ana.press("Join the table")
    panel = message_of(await world.ben.slash(world.zone, "character create"))
    await world.press(world.ben, panel, "Make one for me")
    assert "already" not in texts(panel)
    await world.press(world.ben, panel, "Join the table")
    names = [each.name for each in (await world.state()).characters.values()]
    assert len(set(names)) == 2


async def test_a_hidden_name_is_not_given_away_by_being_passed_over(world: World) -> None:
    ana = await _opened(world, "ebb")
    await ana.press("Make one for me")
    first = head(ana.panel)
    await ana.press("Discard draft")
    await ana.press("Discard")
    await world.bring(world.gina, first.partition(" · ")[0], npc=True)
    await ana.open()
    await ana.press("Make one for me")
    assert head(ana.panel) == first


async def test_mistakes_are_left_to_the_player(world: World) -> None:
    ana = await _opened(world, "ebb")
    await ana.press("Make your own")
    await ana.write(name="Mika Vann", age="old", country="", sex="", role="")
    await ana.press("Make one for me")
    assert "Fix 1 thing first" in ana.text
    assert "Age: “old” isn't a whole number." in ana.text
    await ana.press("Back to steps")
    assert selected_values(ana.panel, STEPS) == ["who"]


async def test_nobody_completes_the_sheet_of_a_character_in_play(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "character edit"))
    assert "Make one for me" not in labels(panel)
    custom_id = next(each["custom_id"] for each in controls(panel) if each.get("label") == "Review")
    forged = world.emit(world.ana, custom_id.replace(":g:-", ":m"), panel)
    await world.env.settle()
    refusal_of(forged)


# --- lists ----------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-CHAR", "EBB-DRAWBACK")
async def test_ebb_abilities_and_drawbacks_are_picked(world: World) -> None:
    ana = await _opened(world, "ebb")
    await ana.press("Make your own")
    await ana.write(name="Mika Vann")
    await ana.choose(STEPS, "abilities")
    title = "Add an ability, or change its die"
    first = [each["value"] for each in menu(ana.panel, title)["options"]][:2]
    for value in first:
        await ana.choose(title, value)
    assert "3. Abilities 2 of 10 abilities" in ana.text
    await ana.choose(title, first[0].replace("d6", "d8"))
    await world.restart()
    await ana.choose(title, first[1].replace("d6", "d8"))
    await ana.choose(title, first[1].replace("d6", "d4"))
    assert first[0].replace("d6", "d8") in ana.text and first[1].replace("d6", "d4") in ana.text
    for _ in range(8):
        added = [
            each["value"]
            for each in menu(ana.panel, title)["options"]
            if each["label"].endswith(")") and each["value"] not in ana.text
        ]
        await ana.choose(title, added[0])
    assert "3. Abilities 10 of 10 abilities" in ana.text
    values = [each["value"] for each in menu(ana.panel, title)["options"]]
    assert len(values) == 10, "only their dice can change now"
    await ana.press("Next step")
    for _ in range(10):
        drawback = menu(ana.panel, "Add a drawback")["options"][0]["value"]
        await ana.choose("Add a drawback", drawback)
    assert "4. Drawbacks 10 of 10 drawbacks" in ana.text
    await ana.press("Review")
    await ana.press("Join the table")
    assert ana.dialogs == 1, "for the name"
    assert len((await _made(world)).sheet.abilities) == 10


@pytest.mark.rule("BAR-TRAIT")
async def test_barmore_traits_are_raised_and_lowered(world: World) -> None:
    ana = await _opened(world, "barmore")
    await ana.press("Make your own")
    await ana.write(name="Thet")
    await ana.choose(STEPS, "attributes")
    title = "Add, raise or lower an attribute"
    await ana.choose(title, "Speed 1")
    await ana.choose(title, "Speed 2")
    await ana.choose(title, "Body 1")
    for value in ("Body 0", "Body -1"):
        await ana.choose(title, value)
    assert "2. Attributes 2 attributes, 1 point" in ana.text
    await ana.press("Next step")
    title = "Add, raise or lower an ability"
    assert "More… (1 of 2)" in [each["label"] for each in menu(ana.panel, title)["options"]]
    await ana.choose(title, ":more")
    await ana.choose(title, "Surgery 1")
    await ana.press("Review")
    await ana.press("Join the table")
    sheet = (await _made(world)).sheet
    assert dict(sheet.attributes) == {"Speed": 2, "Body": -1}
    assert dict(sheet.abilities) == {"Surgery": 1}


@pytest.mark.rule("MB-SKILL-03")
async def test_masterbook_skills_stand_in_menus_by_attribute(world: World) -> None:
    ana = await _opened(world, "masterbook")
    await ana.press("Make your own")
    await ana.write(name="Ada")
    await ana.choose(STEPS, "skills")
    seen: list[str] = []
    for attribute in range(8):
        await ana.choose("Add a skill", str(attribute))
        options = [each["value"] for each in menu(ana.panel, "Skill")["options"]]
        assert len(options) <= 25 and options == sorted(options, key=str.casefold)
        seen += options
        await ana.press("Back")
    assert len(set(seen)) == len(seen) >= 65
    await ana.choose("Add a skill", "0")
    await ana.choose("Skill", "Acrobatics")
    await ana.choose("Adds", "2")
    await ana.press("Done")
    assert "3. Skills · 16 left 2 of 18 skill points spent, 16 left" in ana.text, ana.text
    await ana.press("Next step")
    await ana.choose("Add armor", "Leather armor")
    await ana.choose("Add a weapon", ":more")
    await ana.choose("Add a weapon", "Knife")
    await ana.press("Review")
    await ana.press("Join the table")
    sheet = (await _made(world)).sheet
    assert [each.name for each in sheet.arms] == ["Knife"]
    assert [each.name for each in sheet.armour] == ["Leather armor"]
    assert [(each.name, each.adds) for each in sheet.skills] == [("Acrobatics", 2)]


async def test_overspent_points_are_said_with_numbers(world: World) -> None:
    ana = await _opened(world, "masterbook")
    await ana.press("Make your own")
    await ana.choose(STEPS, "attributes")
    first = {"agility": "13", "dexterity": "13", "endurance": "13", "strength": "8"}
    await ana.write("Agility, dexterity…", **first)
    assert "79 of 68 Attribute points spent, 11 too many" in ana.text
    await ana.choose(STEPS, "skills")
    await ana.write("Write…", skills="Stealth 30")
    assert "30 of 18 skill points spent, 12 too many" in ana.text


@pytest.mark.rule("EGO-EQP-01")
async def test_ego_armor_is_picked_or_written(world: World) -> None:
    ana = await _opened(world, "ego")
    await ana.press("Make your own")
    await ana.write(name="Dirk")
    await ana.choose(STEPS, "things")
    await ana.choose("Armor", "Leather")
    assert "Armor: Leather" in ana.text
    await ana.write(armour="Leather 4/5", arms="Dagger")
    assert "6. Gear and notes 1 weapon" in ana.text
    assert selected_values(ana.panel, "Armor") == ["Leather 4/5"]
    await ana.press("Review")
    await ana.press("Join the table")
    worn = (await _made(world)).sheet.armour
    assert (worn.name, worn.ar, worn.full) == ("Leather", 4, 5)


@pytest.mark.rule("EGO-ADV-01", "EGO-POW-01")
async def test_mistakes_say_their_line(world: World) -> None:
    ana = await _opened(world, "ego")
    await ana.press("Make your own")
    await ana.choose(STEPS, "skills")
    await ana.write(skills="Superpowers 4")
    await ana.choose(STEPS, "powers")
    await ana.write(powers="Fire 2\n\nNatural Weapon 5")
    assert "line 3: Natural Weapon can't begin at 5" in ana.text, ana.text
    await ana.choose(STEPS, "traits")
    await ana.write(advantages="Lucky, Agile\nAgile")
    assert "Advantages, line 2: Agile appears 2 times" in ana.text, ana.text


@pytest.mark.rule("EGO-SPC-03", "EGO-SKL-03")
async def test_ego_menus_offer_nothing_that_is_refused(world: World) -> None:
    ana = await _opened(world, "ego")
    await ana.press("Make your own")
    await ana.choose(STEPS, "skills")
    specialties = [each["value"] for each in menu(ana.panel, "Add or raise a specialty")["options"]]
    assert "Melee Weapon (Dagger) 1" in specialties and "Melee Weapon 1" not in specialties
    skills = [each["value"] for each in menu(ana.panel, "Add or raise a skill")["options"]]
    assert "Pilot (ground) 1" in skills and "Language 1" not in skills
    assert "such as `Language (Elvish) 1`" in ana.text

"""Rules of creation that a table turns on: what a player reads whose draft breaks one."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.discord.masterbook.test_creation_pages import open_panel
from tests.discord.test_make_one_for_me import STEPS, Counter
from tests.discord.world import World, head, texts

#: Skills of a fighter: all starting points, all but three of them on fighting.
FIGHTS: Final = "\n".join(
    f"{name} 3" for name in ("Dodge", "Fire Combat", "Melee Combat", "Unarmed Combat", "Stealth")
)
TWO_OF_COLUMN_I: Final = "Wealth (CI)\nEquipment (CI): a jeep"
#: Two Advantages that stack, and add four to Fire Combat.
STACKED: Final = (
    "Additional Skill Adds (CII): Fire Combat\n"
    "Skill Bonus (CIII): Fire Combat, Stealth, Climbing; background reason: the circus"
)
BONUS: Final = (
    "Skill Bonus (CI): Fire Combat, Running, Swimming; "
    "group name: the hunt; background reason: the woods"
)
#: Abilities of a campaign, one at the limits of the book and one above them.
ABILITIES: Final[dict[str, Any]] = {
    "abilities": [
        {"name": "Cat Feet", "column": 3, "gives": {"totals": {"Stealth": 5, "Dodge": 3}}},
        {"name": "Sonar", "column": 3, "gives": {"totals": {"Stealth": 6, "Dodge": 4}}},
    ]
}


async def write_step(ana: Counter, step: str, text: str) -> str:
    """Write the list of a step; return what its page says then."""
    await ana.choose(STEPS, step)
    await ana.write(**{step: text})
    return ana.text


async def switch(world: World, key: str, value: str) -> None:
    """Change a setting of the table while the draft is open."""
    await world.gina.slash(world.zone, "gm settings", setting=key, value=value)


# --- skills ---------------------------------------------------------------------------------------


@pytest.mark.rule("MB-CHAR-14")
async def test_a_fourth_of_the_skill_points_is_for_the_theme(world: World) -> None:
    ana = await open_panel(world, theme_skill_quarter="on")
    await ana.write(name="Ada")
    told = await write_step(ana, "skills", FIGHTS)
    assert "Theme skills: 3 of 4.5 points: spend more outside fighting" in told, told
    met = await write_step(ana, "skills", "Dodge 3\nStealth 3\nCharm 1 (gossip 1)")
    assert "Theme skills: 4.5 of 4.5 points\n" in met, "not rounded"
    await write_step(ana, "skills", FIGHTS + "\nMelee Parry 3")
    await ana.press("Make one for me")
    assert head(ana.panel).endswith("finished"), "it only informs"
    await ana.press("Send to the GM")
    call = texts(world.newest("Show sheet", world.gm_room))
    short = "3 skill points are in professional or theme skills; this game asks for at least 5 of"
    assert short in call, call


@pytest.mark.rule("MB-CHAR-14")
async def test_without_the_quota_nothing_is_said_of_theme_skills(world: World) -> None:
    ana = await open_panel(world)
    assert "Theme skills" not in await write_step(ana, "skills", FIGHTS)


@pytest.mark.rule("MB-CHAR-06")
async def test_resist_shock_is_capped_by_endurance(world: World) -> None:
    ana = await open_panel(world, resist_shock_add_cap="on", skill_general_max_creation="10")
    await ana.choose(STEPS, "attributes")
    await ana.write("Agility, dexterity…", endurance="5")
    capped = "Skills, line 2: Resist shock has 6 adds; this game allows at most 5"
    assert capped in await write_step(ana, "skills", "Stealth 1\nResist Shock 6")
    assert "this game allows" not in await write_step(ana, "skills", "Stealth 1\nResist Shock 5")


# --- columns --------------------------------------------------------------------------------------


@pytest.mark.rule("MB-BG-03", "MB-BG-08")
async def test_custom_columns_have_slots_of_their_own(world: World) -> None:
    ana = await open_panel(world, custom_columns="on")
    told = await write_step(ana, "advantages", "custom (CV): rules the tides")
    assert "III 0 of 1 · V 1 of 1" in told and "Fix this" not in told, told
    await ana.choose(STEPS, "compensations")
    assert "### Due: V 1, chosen 0" in ana.text, ana.text
    assert "Column 5: 1 Compensations required, 0 chosen; add 1." in ana.text
    await switch(world, "custom_columns", "off")
    await ana.choose(STEPS, "advantages")
    assert "Advantages, line 1: Unknown Advantage 'custom' in Column 5." in ana.text


@pytest.mark.rule("MB-BG-05")
async def test_a_slot_is_given_up_once(world: World) -> None:
    ana = await open_panel(world, cross_column_selection="on")
    await ana.choose(STEPS, "advantages")
    await ana.choose("Trade columns", "III for I")
    assert "Fix this" not in ana.text, ana.text
    await ana.choose("Trade columns", "III for I")
    assert "Trades, line 2: There is no free Column 3 slot to give up." in ana.text
    assert "I 0 of 5 · II 0 of 2" in ana.text, "the first trade stands"


@pytest.mark.rule("MB-BG-06", "MB-BG-07")
async def test_trades_have_to_add_up(world: World) -> None:
    ana = await open_panel(world, cross_column_up="on", compensation_shift="on")
    await ana.choose(STEPS, "advantages")
    trades = "I + I for II\ntwo Compensations I"
    await ana.write(advantages="Wealth (CI)\nLuck (CII)", trades=trades)
    told = ana.text
    assert "Trades, line 1: A Column 2 Advantage costs slots adding up to 3; you gave up 2" in told
    assert "Trades, line 2: Two Column 1 Compensations may become one Column 2" in told
    # Two Compensations of column I are due now: the shift can be carried out.
    await ana.write(advantages=TWO_OF_COLUMN_I, trades="two Compensations I")
    assert "Fix this" not in ana.text, ana.text
    await ana.choose(STEPS, "compensations")
    assert "### Due: II 1, chosen 0" in ana.text, ana.text


@pytest.mark.rule("MB-BG-05", "MB-BG-06", "MB-BG-07")
async def test_trades_that_the_table_has_turned_off_are_refused(world: World) -> None:
    keys = ("cross_column_selection", "cross_column_up", "compensation_shift")
    ana = await open_panel(world, "5 2 1 0", **dict.fromkeys(keys, "on"))
    await ana.choose(STEPS, "advantages")
    trades = "III for I\nI + I + I for II\ntwo Compensations I"
    await ana.write(advantages=TWO_OF_COLUMN_I, trades=trades)
    assert "I 2 of 4 · II 0 of 3" in ana.text and "Fix this" not in ana.text, ana.text
    for key in keys:
        await switch(world, key, "off")
    await ana.choose(STEPS, "advantages")
    for line in (1, 2, 3):
        refusal = f"Trades, line {line}: Column trades are not allowed in this game."
        assert refusal in ana.text, ana.text
    assert "I 2 of 5 · II 0 of 2 · III 0 of 1" in ana.text, "none is carried out"


# --- single options and pairs ---------------------------------------------------------------------


@pytest.mark.rule("MB-BG-52")
async def test_a_foreigner_begins_with_one_add_in_the_local_language(world: World) -> None:
    ana = await open_panel(world)
    await write_step(ana, "skills", "Language: French 2\nLanguage: Latin 3")
    line = "Language (CII): French; own language: Latin"
    limit = "With Language (CII) you may start with at most 1 add in language: French; you have 2."
    assert f"Compensations, line 1: {limit}" in await write_step(ana, "compensations", line)
    await write_step(ana, "skills", "Language: French 1\nLanguage: Latin 3")
    await ana.choose(STEPS, "compensations")
    assert "at most 1 add" not in ana.text, ana.text


@pytest.mark.rule("MB-BG-28")
async def test_the_bonus_of_a_macroskill_covers_four_adds(world: World) -> None:
    ana = await open_panel(world, skill_general_max_creation="5")
    await write_step(ana, "skills", "Science: chemistry 5\nScience: physics 4")
    bonus = "Skill Bonus (CIII): mode: macroskill; Science; background reason: the laboratory"
    told = await write_step(ana, "advantages", bonus)
    assert "Science: chemistry has 5 adds or another bonus" in told, told
    assert "Science: physics has" not in told, told
    other = "Skill Bonus (CI): Science: physics, Find, Scholar: books"
    both = f"{bonus}\n{other}; group name: study; background reason: the library"
    told = await write_step(ana, "advantages", both)
    assert "Science: physics has 4 adds or another bonus" in told, told


@pytest.mark.rule("MB-BG-04")
@pytest.mark.parametrize(
    ("advantages", "above"), [(STACKED, False), (f"{STACKED}\n{BONUS}", True)], ids=["4", "5"]
)
async def test_stacked_advantages_are_told_to_the_gm_above_the_guideline(
    world: World, advantages: str, above: bool
) -> None:
    ana = await open_panel(world, gm_allows_stacking="on")
    await ana.write(name="Ada")
    told = await write_step(ana, "advantages", advantages)
    assert "Fix this" not in told, told
    await ana.press("Make one for me")
    assert head(ana.panel).endswith("finished"), ana.text
    await ana.press("Send to the GM")
    call = texts(world.newest("Show sheet", world.gm_room))
    guideline = "Fire combat would gain +5 from Advantages; the guideline maximum is +4."
    assert (guideline in call) == above, call
    assert ("guideline" in call) == above, call


@pytest.mark.rule("MB-BG-04")
async def test_without_the_gms_permission_advantages_do_not_stack(world: World) -> None:
    ana = await open_panel(world)
    told = await write_step(ana, "advantages", STACKED)
    assert "Fire combat is already affected by Additional Skill Adds (CII)" in told, told


@pytest.mark.rule("MB-BG-04", "MB-BG-50")
async def test_a_skill_is_on_the_list_of_one_handicap(world: World) -> None:
    ana = await open_panel(world)
    wheels = "Handicap (CII): list: Running impossible, Dodge 3"
    cast = "Handicap (CII): list: Dodge 2, Climbing 1"
    told = await write_step(ana, "compensations", f"{wheels}\n{cast}")
    assert "Compensations, line 2: Dodge is already covered by Handicap (CII)" in told, told
    told = await write_step(ana, "compensations", f"{wheels}\n{cast.replace('Dodge 2, ', '')}")
    assert "already covered" not in told, told


@pytest.mark.rule("MB-BG-30")
async def test_special_abilities_have_a_highest_number(world: World) -> None:
    ana = await open_panel(world, "1 1 3 1")
    told = await write_step(
        ana,
        "advantages",
        "Special Abilities (CIII): Natural Hand-to-Hand Weapons; damage: 4; origin: a curse\n"
        "Special Abilities (CIII): Natural Ranged Weapons; missile damage: 15; origin: a curse\n"
        "Special Abilities (CIII): Natural Ranged Weapons; missile damage: 14; origin: a spell",
    )
    assert "line 1: Natural Hand-to-Hand Weapons: bonus 4 is above the maximum of 3." in told
    assert "line 2: Natural Ranged Weapons: damage value 15 is above the maximum of 14." in told
    assert "line 3" not in told, told


@pytest.mark.rule("MB-BG-30")
async def test_a_campaigns_own_ability_has_a_highest_bonus(world: World) -> None:
    ana = await open_panel(world, "1 1 2 1")
    file = ("abilities.json", json.dumps(ABILITIES).encode())
    await world.gina.slash(world.zone, "gm campaign", file=file)
    names = [row["name"] for row in ABILITIES["abilities"]]
    lines = "\n".join(f"Special Abilities (CIII): {name}; origin: the sea" for name in names)
    told = await write_step(ana, "advantages", lines)
    assert "Advantages, line 2: Sonar: bonus 6 is above the maximum of 5." in told, told
    assert "Advantages, line 2: Sonar: bonus 4 is above the maximum of 3." in told, told
    assert "Cat Feet: bonus" not in told, told

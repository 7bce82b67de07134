"""Making MasterBook characters with Advantages and Compensations, from nothing to approval."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from rules.systems.masterbook.character.option_lines import OPTION_FORM, option_line
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet_lines import skill_line
from rules.systems.masterbook.character.skill_names import BODY, SPIRIT
from rules.systems.masterbook.checks.sheet_view import READY
from rules.systems.masterbook.formulas.option_kinds import ROMAN, Side, option_kind
from tests.discord.test_make_one_for_me import STEPS, Counter
from tests.discord.world import World, controls, head, labels, menu, refusal_of

ENTRIES: Final = "Change or remove an entry"
LINES: Final = "Allow or refuse a line"
ADD: Final[dict[Side, str]] = {
    "advantage": "Add an Advantage",
    "compensation": "Add a Compensation",
}
_PEOPLE: Final = {row["name"]: row for row in READY}


async def open_panel(world: World, limits: str = "pulp_fiction", **settings: Any) -> Counter:
    """Open Ana's panel at a table that plays with backgrounds and looks at new characters."""
    await world.setup(gm_channel=True, system="masterbook")
    await world.gina.slash(world.zone, "gm settings", approve=True)
    rules = {"background_generation": "on", "background_limits": limits, **settings}
    for key, value in rules.items():
        await world.gina.slash(world.zone, "gm settings", setting=key, value=value)
    ana = Counter(world)
    await ana.open()
    await ana.press("Make your own")
    return ana


def option_value(panel: Any, title: str, start: str) -> str:
    """The value of the menu's entry that begins so."""
    options = menu(panel, title)["options"]
    found = [each["value"] for each in options if each["label"].startswith(start)]
    assert found, (start, [each["label"] for each in options])
    return found[0]


def dialog_button(panel: Any) -> str:
    """The button of the only dialog of an entry."""
    return next(
        each for each in labels(panel) if each.endswith("…") and not each.startswith("More")
    )


async def add_option(ana: Counter, row: Mapping[str, Any], side: Side) -> None:
    """Add an option through its menus and one dialog at most."""
    name, column = row["name"], row["column"]
    await ana.choose(ADD[side], option_value(ana.panel, ADD[side], f"Column {ROMAN[column]} "))
    await ana.choose("Option", f"{name} (C{ROMAN[column]})")
    kind = option_kind(side, name, column)
    assert kind is not None
    if row.get("mode", "") not in ("", kind.modes[0].id if kind.modes else ""):
        await ana.choose("Kind", row["mode"])
    for target in row.get("targets", ()):
        title = next(each.title for each in kind.inputs if each.kind == "skills")
        title = title[:1].upper() + title[1:]
        if not any(each["value"] == target for each in menu(ana.panel, title)["options"]):
            await ana.write(dialog_button(ana.panel), target=target)
        else:
            await ana.choose(title, target)
    notes = dict(line.split(": ", 1) for line in row.get("notes", ()))
    if notes:
        given = {f"note:{key}": text for key, text in notes.items()}
        # The dialog shows the target, too, and sends it back as it is.
        if row.get("targets"):
            given["target"] = row["targets"][0]
        await ana.write(dialog_button(ana.panel), **given)
    await ana.press("Done")
    assert ADD[side] in [each.get("placeholder") for each in controls(ana.panel)], ana.text


async def fill_in(ana: Counter, row: Mapping[str, Any], restart: bool = False) -> None:
    """Take all steps for a character of a file, up to the last look."""
    await ana.write(name=row["name"])
    await ana.press("Next step")
    await ana.write("Agility, dexterity…", **{key: str(row[key]) for key in BODY})
    await ana.write("Intellect, mind…", **{key: str(row[key]) for key in SPIRIT})
    assert "### 68 of 68 points" in ana.text
    await ana.press("Next step")
    await ana.write(skills="\n".join(skill_line(_legal(each)) for each in row["skills"]))
    await ana.press("Next step")
    for each in row["advantages"]:
        await add_option(ana, each, "advantage")
    if restart:
        await ana.world.restart()
    await ana.press("Next step")
    for each in row["compensations"]:
        await add_option(ana, each, "compensation")
    await ana.choose(STEPS, "things")
    arms = "\n".join(_arm_text(each) for each in row.get("arms", ()))
    await ana.write(arms=arms, equipment="\n".join(row["equipment"]))
    await ana.press("Review")


def _legal(row: Mapping[str, Any]) -> dict[str, Any]:
    """A skill as printed, with no more adds in a specialization than may be bought."""
    special = {name: min(adds, 2) for name, adds in row.get("specializations", {}).items()}
    return {**row, "specializations": special}


def _arm_text(row: Mapping[str, Any]) -> str:
    keys = ("add", "skill", "kind")
    return "; ".join((row["name"], *(f"{key} {row[key]}" for key in keys if key in row)))


def _lines(options: tuple[BackgroundOption, ...], side: Side) -> list[str]:
    plain = [option.replace(approved=False) for option in options if not option.free]
    return [option_line(OPTION_FORM.all_values(option), side) for option in plain]


def _expected(row: Mapping[str, Any], side: Side) -> list[str]:
    read = [OPTION_FORM.read_json({**each, "approved": False}) for each in row[f"{side}s"]]
    return _lines(tuple(OPTION_FORM.make_record(BackgroundOption, each) for each in read), side)


async def make_character(world: World, name: str) -> Any:
    found = [each for each in (await world.state()).characters.values() if each.name == name]
    assert found, name
    return found[0]


# --- whole characters -----------------------------------------------------------------------------


@pytest.mark.rule("MB-CHAR-01", "MB-CHAR-02", "MB-CHAR-08", "MB-BG-01", "MB-BG-02", "MB-BG-03")
@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("Diane O'Rourke", "pulp_fiction"),
        ("Fantasy Warrior", "low_fantasy"),
        ("Futuristic Trader", "low_fantasy"),
    ],
)
async def test_the_books_characters_are_made_step_by_step(
    world: World, name: str, limits: str
) -> None:
    row = _PEOPLE[name]
    ana = await open_panel(world, limits)
    await fill_in(ana, row, restart=True)
    assert head(ana.panel).endswith("finished") and "Fix" not in ana.text, ana.text
    await ana.press("Send to the GM")
    found = await make_character(world, name)
    assert not found.approved
    for side in ("advantage", "compensation"):
        assert _lines(getattr(found.sheet, f"{side}s"), side) == _expected(row, side)
    call = world.newest("Show sheet", world.gm_room)
    if name == "Diane O'Rourke":
        await world.press(world.gina, call, labels(call)[0])
        assert (await make_character(world, name)).sheet.advantages[5].approved
    await world.press(world.gina, call, "Approve")
    assert (await make_character(world, name)).approved


async def test_three_advantages_take_few_presses_and_dialogs(world: World) -> None:
    ana = await open_panel(world)
    await ana.write(name="Ada")
    await ana.press("Make one for me")
    await ana.press("Back to steps")
    await ana.choose(STEPS, "advantages")
    before = ana.presses, ana.dialogs
    for row in (
        {"name": "Luck", "column": 2},
        {"name": "Wealth", "column": 1},
        {"name": "Equipment", "column": 1, "notes": ["item: a fast car"]},
    ):
        await add_option(ana, row, "advantage")
    assert (ana.presses - before[0], ana.dialogs - before[1]) == (10, 1)
    assert "### Pulp fiction: I 2 of 3 · II 1 of 2 · III 0 of 1" in ana.text
    await ana.press("Make one for me")
    assert head(ana.panel).endswith("finished"), ana.text
    await ana.press("Send to the GM")
    sheet = (await make_character(world, "Ada")).sheet
    assert sorted(each.column for each in sheet.compensations) == [1, 1, 2]


# --- steps ----------------------------------------------------------------------------------------


def _states(ana: Counter) -> list[str]:
    return [each["label"] for each in menu(ana.panel, STEPS)["options"]]


@pytest.mark.rule("MB-BG-01")
async def test_without_backgrounds_their_steps_are_absent(world: World) -> None:
    ana = await open_panel(world, background_generation="off")
    assert _states(ana) == [
        "1. Who it is", "2. Attributes · 4 left", "3. Skills · 18 left", "4. Gear and notes",
        "5. Story",
    ]  # fmt: skip


@pytest.mark.rule("MB-CHAR-02", "MB-CHAR-04", "MB-CHAR-05")
async def test_attributes_are_stepped_and_what_follows_is_told(world: World) -> None:
    ana = await open_panel(world)
    await ana.press("Next step")
    assert "### 64 of 68 points" in ana.text and "Toughness 9 · shock 8" in ana.text
    await ana.choose("Attribute", "strength")
    await ana.press("+1")
    assert "Strength 9" in ana.text and "### 65 of 68 points" in ana.text
    await ana.write("Intellect, mind…", intellect="13", mind="13", confidence="8", charisma="8")
    assert "### 75 of 68 points" in ana.text and _states(ana)[1] == "2. Attributes · 7 too many"
    assert "7 too many" in ana.text and "Each from 5 to 13." in ana.text
    await ana.write("Agility, dexterity…", agility="14", dexterity="4")
    assert "Agility is 14; the highest value allowed here is 13." in ana.text
    assert "Dexterity is 4; the lowest value allowed here is 5." in ana.text


@pytest.mark.rule("MB-CHAR-03", "MB-CHAR-08", "MB-CHAR-15", "MB-BG-24", "MB-EQ-51")
async def test_making_a_character_tells_what_it_comes_to(world: World) -> None:
    ana = await open_panel(world, base_availability_code="1")
    await ana.choose(STEPS, "attributes")
    await ana.write("Agility, dexterity…", agility="9", strength="12")
    assert "Agility: high average" in ana.text and "Strength: outstanding" in ana.text
    await ana.choose(STEPS, "skills")
    await ana.write(skills="Dodge 4\nStealth 1\nTaunt 1 (insults 1)")
    assert "Dodge: professional" in ana.text and "Stealth and Taunt: novice" in ana.text
    assert "no specializations of Taunt: the GM has to agree" in ana.text
    await ana.choose(STEPS, "advantages")
    equipment = {"name": "Equipment", "column": 2, "notes": ["item: a jeep"]}
    await add_option(ana, equipment, "advantage")
    await ana.choose(STEPS, "things")
    assert "up to availability code 3" in ana.text, ana.text


@pytest.mark.rule("MB-CHAR-10", "MB-CHAR-11")
async def test_the_limits_of_skills_are_told_at_once(world: World) -> None:
    ana = await open_panel(world)
    await ana.choose(STEPS, "skills")
    await ana.write(skills="Dodge 4\nFire Combat 0 (pistols 3)")
    assert "dodge has 4 bought adds; at creation the most is 3" in ana.text.casefold()
    assert "(pistols) has 3 bought specialization adds" in ana.text
    assert _states(ana)[2] == "3. Skills · 12.5 left"


@pytest.mark.rule("MB-BG-20", "MB-BG-21", "MB-BG-28")
async def test_an_advantage_tells_what_it_changes_before_it_is_added(world: World) -> None:
    ana = await open_panel(world)
    await ana.choose(STEPS, "skills")
    await ana.write(skills="Dodge 2\nFire Combat 1 (pistols 2)")
    await ana.press("Next step")
    await ana.choose(
        ADD["advantage"], option_value(ana.panel, ADD["advantage"], "Column I (3 free)")
    )
    assert "+1 with three related skills" in ana.text, "what each does"
    await ana.choose("Option", "Additional Skill Adds (CI)")
    options = [each["value"] for each in menu(ana.panel, "Skill(s)")["options"]]
    assert options[:2] == ["Dodge", "Fire Combat"], "the sheet's own first"
    await ana.choose("Skill(s)", "Dodge")
    assert "Dodge 2 → 3 (11)" in ana.text
    await ana.choose("Kind", "one_specialization")
    await ana.choose("Skill(s)", "Fire Combat (pistols)")
    assert "Fire Combat (pistols) 2 → 4 (13)" in ana.text
    await ana.press("Done")
    assert "I · Additional Skill Adds: Fire Combat (pistols)" in ana.text
    assert _states(ana)[4] == "5. Compensations · 1 missing"
    await ana.choose(ADD["advantage"], option_value(ana.panel, ADD["advantage"], "Column III"))
    await ana.choose("Option", "Additional Attribute Point (CIII)")
    await ana.choose("Attribute", "strength")
    assert "Strength 8 → 9, limit 14" in ana.text and "Toughness 9 → 10" in ana.text
    await ana.write(dialog_button(ana.panel), **{"note:background reason": "the forge"})
    await ana.press("Done")
    assert "Toughness 9 → 10" in ana.text, "the step adds up"


@pytest.mark.rule("MB-BG-01", "MB-BG-30")
async def test_options_are_searched_by_name_by_word_and_by_skill(world: World) -> None:
    ana = await open_panel(world)
    await ana.choose(STEPS, "advantages")
    await ana.choose(ADD["advantage"], option_value(ana.panel, ADD["advantage"], "Search"))
    await ana.write("Option…", option="haste")
    assert "Luck (CII)" in [each["value"] for each in menu(ana.panel, "Option")["options"]]
    await ana.write("Option…", option="stealth")
    found = [each["value"] for each in menu(ana.panel, "Option")["options"]]
    assert "Skill Bonus (CI)" in found
    await ana.choose("Option", "Skill Bonus (CI)")
    assert "+1 with three related skills" in ana.text


@pytest.mark.rule("MB-BG-03", "MB-BG-12", "MB-BG-40")
async def test_compensations_are_due_linked_and_suggested(world: World) -> None:
    ana = await open_panel(world, "high_fantasy")
    await ana.choose(STEPS, "advantages")
    await ana.write(advantages="Wealth (CI)\nContacts (CIV): the king")
    await ana.press("Next step")
    assert "### Due: I 1, chosen 0 · IV 1, chosen 0" in ana.text
    await ana.choose(
        ADD["compensation"], option_value(ana.panel, ADD["compensation"], "Column I (1")
    )
    first = menu(ana.panel, "Option")["options"][0]
    assert first["description"].startswith("Goes well with"), first
    await ana.choose("Option", "Advantage Flaw (CI)")
    links = [each["value"] for each in menu(ana.panel, "Linked Advantage")["options"]]
    assert links == ["link: Wealth (CI)", "link: Contacts (CIV)"]
    await ana.choose("Linked Advantage", "link: Wealth (CI)")
    await ana.write(dialog_button(ana.panel), **{"note:flaw": "a trustee"})
    await ana.press("Done")
    assert "chosen 1 · IV 1, chosen 0" in ana.text and "Advantage Flaw: a trustee" in ana.text
    await ana.choose(ADD["compensation"], option_value(ana.panel, ADD["compensation"], "Column IV"))
    await ana.choose("Option", "custom (CIV)")
    await ana.write(dialog_button(ana.panel), **{"note:text": "the GM chooses one"})
    await ana.press("Done")
    assert _states(ana)[4] == "5. Compensations"


@pytest.mark.rule("MB-BG-05")
async def test_trades_are_there_where_the_table_allows_them(world: World) -> None:
    ana = await open_panel(world)
    await ana.choose(STEPS, "advantages")
    assert "Trade columns" not in [each.get("placeholder") for each in controls(ana.panel)]
    ana = await _again(world, cross_column_selection="on")
    await ana.choose(STEPS, "advantages")
    await ana.choose("Trade columns", "III for I")
    assert "### Pulp fiction: I 0 of 5 · II 0 of 2" in ana.text


async def _again(world: World, **settings: str) -> Counter:
    for key, value in settings.items():
        await world.gina.slash(world.zone, "gm settings", setting=key, value=value)
    ana = Counter(world)
    await ana.open()
    label = "Continue" if "Continue" in labels(ana.panel) else "Make your own"
    await ana.press(label)
    return ana


@pytest.mark.rule("MB-BG-11")
async def test_the_story_asks_for_reasons(world: World) -> None:
    ana = await open_panel(world)
    await ana.choose(STEPS, "skills")
    await ana.write(skills="Dodge 3\nStealth 1")
    await ana.press("Next step")
    await ana.write(advantages="Luck (CIII)")
    await ana.choose(STEPS, "story")
    assert "How did it come to these: Dodge 3 and Luck (CIII)?" in ana.text
    assert "What was childhood like?" in ana.text


# --- the GM's consent -----------------------------------------------------------------------------


@pytest.mark.rule("MB-BG-01")
async def test_a_refused_option_comes_back_to_its_step(world: World) -> None:
    ana = await open_panel(world)
    await ana.write(name="Ada")
    await ana.choose(STEPS, "advantages")
    bonus = "Skill Bonus (CI): Charm, Persuasion, Willpower; group name: talk; "
    await ana.write(advantages=f"{bonus}background reason: the stage; approved")
    await ana.press("Make one for me")
    assert "Your GM will be asked about: I · Skill Bonus: Charm, Persuasion, Willpower" in ana.text
    await ana.press("Send to the GM")
    (option,) = (await make_character(world, "Ada")).sheet.advantages
    assert not option.approved, "a player's word counts nothing"
    call = world.newest("Show sheet", world.gm_room)
    refuse = next(each for each in labels(call) if each.startswith("Refuse"))
    asked = await world.press(world.gina, call, refuse)
    await world.gina.submit_modal(asked, {"note": "Too smooth; take two."})
    (option,) = (await make_character(world, "Ada")).sheet.advantages
    assert option.refused and option.ruling == "Too smooth, take two."
    refusal_of(await world.press(world.gina, call, "Approve"))
    ana.panel = (await world.ana.slash(world.zone, "character edit")).response
    assert head(ana.panel).endswith("Advantages") and "Too smooth" in ana.text, ana.text
    await ana.choose(ENTRIES, menu(ana.panel, ENTRIES)["options"][0]["value"])
    asked = await ana.press(dialog_button(ana.panel))
    notes = {"note:group name": "talk", "note:background reason": "the stage"}
    given = {"label": "silver tongue", "targets": "Charm\nCon\nTrick", **notes}
    await world.ana.submit_modal(asked, given)
    await ana.press("Done")
    await ana.press("Review")
    await ana.press("Send to the GM")
    (option,) = (await make_character(world, "Ada")).sheet.advantages
    assert not option.refused and option.label == "silver tongue", option


# --- house rules ----------------------------------------------------------------------------------

CAMPAIGN: Final = {
    "advantages": [
        {
            "name": "Sea Legs", "column": 1, "about": "+2 with two skills at sea",
            "inputs": [{"key": "skills", "kind": "skills", "units": 2}],
            "gives": {"bonus": 2},
        }
    ],
    "species": [
        {
            "name": "Grakka", "about": "small, bright, unloved",
            "advantages": [{"name": "Wealth", "column": 1}],
            "compensations": [{"name": "Infamy", "column": 1, "notes": ["reason: being a Grakka"]}],
            "free": [1, 1, 1, 0], "forbidden": ["Charm"], "highest": {"strength": 10},
        }
    ],
}  # fmt: skip


@pytest.mark.rule("MB-BG-08", "MB-BG-09")
async def test_the_campaigns_own_rows_are_offered(world: World) -> None:
    await world.setup(gm_channel=True, system="masterbook")
    file = ("sea.json", json.dumps(CAMPAIGN).encode())
    await world.gina.slash(world.zone, "gm campaign", file=file)
    ana = await _again(world, background_generation="on", background_limits="pulp_fiction")
    await ana.write(name="Mog")
    await ana.choose("Species", "Grakka")
    assert "Every member has: I · Wealth; I · Infamy: being a Grakka" in ana.text
    assert "Strength 5 to 10" in ana.text and "Closed to Advantages: Charm" in ana.text
    await ana.choose(STEPS, "advantages")
    assert "I 0 of 1 · II 0 of 1 · III 0 of 1" in ana.text
    await ana.choose(ADD["advantage"], option_value(ana.panel, ADD["advantage"], "Column I "))
    await ana.choose("Option", "Sea Legs (CI)")
    await ana.write(dialog_button(ana.panel), targets="Swimming\nStealth")
    assert "+2 with swimming and stealth" in ana.text
    await ana.press("Done")
    await ana.press("Make one for me")
    await ana.press("Join the table")
    sheet = (await make_character(world, "Mog")).sheet
    assert [(each.title, each.free) for each in sheet.advantages] == [
        ("Sea Legs (CI)", False), ("Wealth (CI)", True),
    ]  # fmt: skip
    assert sheet.advantages[0].own and sheet.advantages[0].targets == ("Swimming", "Stealth")
    assert [each.free for each in sheet.compensations] == [False, True]


# --- what fits a phone ----------------------------------------------------------------------------


async def test_menus_and_labels_fit_a_phone(world: World) -> None:
    ana = await open_panel(world)
    await ana.choose(STEPS, "advantages")
    for side in ("advantage", "compensation"):
        if side == "compensation":
            await ana.write(advantages="Luck (CII)\nWealth (CI)\nLuck (CIII)")
            await ana.press("Next step")
        for start in ("Column I (", "Column II (", "Column III ("):
            await ana.choose(ADD[side], option_value(ana.panel, ADD[side], start))
            options = menu(ana.panel, "Option")["options"]
            assert len(options) <= 25
            assert max(len(each["label"]) for each in options) <= 36
            await ana.press("Back")

"""Options of a sheet: rows, lines, and what they fold to (MB-BG-01, MB-BG-20, MB-BG-21)."""

from __future__ import annotations

import pytest

from rules.core.errors import InvalidInput
from rules.systems.masterbook.character.option_lines import OPTION_FORM, option_line, read_option
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    Skill,
    attribute,
    learning_curve,
    option_effects,
    skills_with_adds,
)
from rules.systems.masterbook.character.sheet_trades import read_trade, trade_line
from rules.systems.masterbook.formulas.effect_rows import EFFECT_SKILLS
from rules.systems.masterbook.formulas.option_kinds import BACKGROUND_ROWS, EFFECTS_SKILLS, Side

ADVANTAGE_LINES = (
    "Luck (CII)",
    "Skill Bonus (CI): Charm, Persuasion, Willpower; group name: silver tongue",
    'Skill Bonus (CI): Charm, Persuasion, Willpower; "The Talker"; approved',
    "Skill Bonus (CIII): Science; background reason: a wunderkind",
    "Additional Skill Adds (CI): Dodge",
    "Additional Skill Adds (CI): Fire Combat (pistols), Fire Combat (rifles)",
    "Additional Skill Adds (CII): Science: criminology",
    "Additional Attribute Point (CIII): Agility; background reason: circus",
    "Special Abilities (CIII): Toughened Skin; origin: a curse; except: fire",
    "Special Abilities (CIV): Multiple Abilities",
    "Cultures (CII): the moon people; mode: known culture",
    "Luck (CIII); suspended",
)
COMPENSATION_LINES = (
    "Enemy (CII): Count Orlok; motive: revenge",
    "Handicap (CII): Mind, Confidence",
    "Price (CI): Luck (CII); price: a candle a day",
    "custom (CIV): the sun burns him",
    "Quirk (CIII): afraid of the dark; free",
)


def make_options(side: Side, *lines: str) -> tuple[BackgroundOption, ...]:
    return tuple(
        OPTION_FORM.make_record(BackgroundOption, OPTION_FORM.read_json(read_option(line, side)))
        for line in lines
    )


@pytest.mark.rule("MB-BG-01")
@pytest.mark.parametrize(
    ("side", "line"),
    [("advantage", line) for line in ADVANTAGE_LINES]
    + [("compensation", line) for line in COMPENSATION_LINES],
)
def test_a_line_is_written_as_it_was_read(side: Side, line: str) -> None:
    option = make_options(side, line)[0]
    written = option_line(OPTION_FORM.all_values(option), side)
    assert written.replace("; suspended", "").replace(": suspended", "") == line.replace(
        "; suspended", ""
    )
    assert make_options(side, written) == (option,)


def test_names_are_found_in_any_case_and_abilities_by_their_own_name() -> None:
    assert make_options("advantage", "skill bonus (Column I): charm, PERSUASION, willpower")[
        0
    ].targets == (
        "Charm",
        "Persuasion",
        "Willpower",
    )
    fast = make_options("advantage", "Fast (III)")[0]
    assert (fast.name, fast.targets) == ("Special Abilities", ("Fast Reactions",))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Luck", "mb-background-unreadable"),
        ("Sixth Sense (CIII)", "mb-background-unknown"),
        ("Luck (CI)", "mb-background-unknown"),
        ("Enemy (CII): Count Orlok; hobby: bats", "mb-background-part"),
    ],
)
def test_lines_that_cannot_be_read_say_why(line: str, code: str) -> None:
    side: Side = "compensation" if line.startswith("Enemy") else "advantage"
    with pytest.raises(InvalidInput) as error:
        read_option(line, side)
    assert error.value.code == code


def test_every_row_can_be_written_and_read() -> None:
    for row in BACKGROUND_ROWS.advantages:
        assert make_options("advantage", row.title)[0].title == row.title
    for row in BACKGROUND_ROWS.compensations:
        assert make_options("compensation", row.title)[0].title == row.title


@pytest.mark.rule("MB-BG-05")
@pytest.mark.rule("MB-BG-06")
@pytest.mark.rule("MB-BG-07")
def test_trades_are_lines() -> None:
    for line in ("III for I", "II + I + I for III", "two Compensations I"):
        assert trade_line(read_trade(line)) == line
    with pytest.raises(InvalidInput):
        read_trade("three for free")


@pytest.mark.rule("MB-CHAR-19")
def test_a_new_sheet_has_no_wound_and_no_shock() -> None:
    harm = MasterbookSheet().harm
    assert (harm.wounds, harm.shock, harm.dead, harm.dying) == (0, 0, False, False)


@pytest.mark.rule("MB-BG-32")
def test_supranormal_knowledge_asks_about_its_theme_for_its_skills_alone() -> None:
    (option,) = make_options(
        "advantage", "Supranormal Knowledge (CIII): Dodge, Stealth; bonus: 2; theme: secret style"
    )
    (asked,) = option_effects(MasterbookSheet(advantages=(option,))).situations
    assert (asked.situation.to, asked.situation.proposed, asked.situation.high) == ("bonus", 2, 2)
    assert [target.name for target in asked.targets] == ["dodge", "stealth"]


@pytest.mark.rule("MB-BG-20")
@pytest.mark.rule("MB-BG-21")
@pytest.mark.rule("MB-BG-26")
def test_the_sheet_counts_what_options_add() -> None:
    plain = MasterbookSheet(skills=(Skill("Dodge", 3), Skill("Fire Combat", 2)))
    sheet = plain.replace(
        advantages=make_options(
            "advantage",
            "Additional Skill Adds (CI): Dodge",
            "Additional Skill Adds (CII): Fire Combat (pistols)",
            "Additional Attribute Point (CIII): Agility",
            "Learning Curve (Positive) (CIII)",
        )
    )
    assert attribute(sheet, "agility") == attribute(plain, "agility") + 1
    found = {skill.title: skill for skill in skills_with_adds(sheet)}
    assert found["Dodge"].adds == 4
    assert found["Fire Combat"].specializations == (("pistols", 3),)
    assert learning_curve(sheet, "agility") == "positive"
    lost = sheet.replace(advantages=tuple(each.replace(state="lost") for each in sheet.advantages))
    assert skills_with_adds(lost) == plain.skills
    assert option_effects(lost) == option_effects(plain)


@pytest.mark.rule("MB-BG-31")
def test_backgrounds_and_effects_list_the_same_skills() -> None:
    assert {*EFFECTS_SKILLS} == {*EFFECT_SKILLS}, "each list has an order of its own for menus"

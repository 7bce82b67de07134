"""Options folded at once are equal to the same options asked one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.character.option_effects import OptionEffects, SkillEffect
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    option_effects,
    skills_with_adds,
)
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.checks.roll_sources import find_source, source_rating
from rules.systems.masterbook.formulas.skills import SKILLS
from tests.rules.masterbook.option_table import OptionTable, with_options

LINES = (
    "Additional Skill Adds (CI): Dodge",
    "Additional Skill Adds (CII): Stealth",
    "Additional Attribute Point (CIII): Agility",
    "Skill Bonus (CI): Stealth, Dodge, Charm",
    "Skill Bonus (CIII): Stealth, Climbing, Taunt",
    "Skill Bonus (CIII): Scholar, Trick, Con",
    "Trademark Specialization (CII): Stealth (rooftops)",
    "Skill Minimum (CIV): Climbing, Trick, Con",
    "Equipment (CIII): boots; bonus: 2; skill: Climbing",
    "Breathe Water (CIII)",
    "Cultures (CI): Ainu",
    "Handicap (CI): Stealth, Dodge, Charm, Con, Taunt",
    "Handicap (CII): Agility",
    "Handicap (CII): list: Trick 4, Dodge 1",
    "Cultural Unfamiliarity (CII): the moon",
    "Prejudice (CI): an accent",
    "Age (CII): old",
    "Quirk (CI): stutters; pattern: stutter",
    "Achilles' Heel (CIII): lies; pattern: con",
)
#: Skills that somebody without adds may roll.
ROLLED = ("Stealth", "Dodge", "Climbing", "Swimming", "Charm", "Con", "Taunt", "Trick")
lines = st.lists(st.sampled_from(LINES), unique=True, max_size=8)


def _total(effects: OptionEffects, found: tuple[SkillEffect, ...], skill: str) -> int:
    causes = effects.cause_total(found, skill, "", "", SKILLS[skill].attribute)
    return sum(number for _, number in causes)


def _numbers(effects: OptionEffects, skill: str) -> tuple[int, ...]:
    adds = sum(number for name, number in effects.adds if name == skill)
    points = sum(effects.attributes.get(key, 0) for key in ATTRIBUTES)
    lists = (effects.bonuses, effects.difficulties, effects.totals)
    return (
        adds,
        points,
        len(effects.situations),
        *(_total(effects, each, skill) for each in lists),
    )


@pytest.mark.rule("MB-BG-15")
@given(lines, st.sampled_from(ROLLED))
def test_all_at_once_is_the_sum_of_each(some: list[str], skill: str) -> None:
    together = _numbers(option_effects(with_options(MasterbookSheet(), *some)), skill)
    alone = [
        _numbers(option_effects(with_options(MasterbookSheet(), each)), skill) for each in some
    ]
    assert together == tuple(sum(column) for column in zip(*alone, strict=True)) or not some
    assert any(together) is bool(any(map(any, alone)))


@pytest.mark.rule("MB-BG-15", "MB-BG-28")
@given(lines, st.sampled_from(ROLLED))
def test_a_roll_has_what_each_option_adds_to_it(some: list[str], skill: str) -> None:
    def rolled(*chosen: str) -> int:
        sheet = with_options(MasterbookSheet(), *chosen)
        game = OptionTable(anna=sheet).game()
        return source_rating(game, "anna", find_source(sheet, skill)).rolled_number

    plain = rolled()
    assert rolled(*some) - plain == sum(rolled(each) - plain for each in some)


@given(lines)
def test_a_sheet_keeps_what_was_bought(some: list[str]) -> None:
    sheet = with_options(MasterbookSheet(), *some)
    assert sheet.skills == () and sheet.agility == MasterbookSheet().agility
    assert all(each.adds or each.specializations for each in skills_with_adds(sheet))

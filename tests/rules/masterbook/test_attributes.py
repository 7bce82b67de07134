"""What the Attributes of somebody come to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill
from rules.systems.masterbook.checks import roll_sources
from rules.systems.masterbook.formulas import attributes

values = st.integers(1, 20)


@pytest.mark.rule("MB-SKL-01", "MB-SKILL-01", "MB-CHAR-13")
@given(values, st.integers(0, 9), st.integers(0, 9))
def test_any_add_that_applies_trains(attribute: int, adds: int, special: int) -> None:
    assert attributes.skill_value(attribute, adds, special) == (
        attribute + adds + special,
        adds > 0 or special > 0,
    )


@pytest.mark.rule("MB-SKILL-03")
def test_another_focus_is_worth_nothing() -> None:
    sheet = MasterbookSheet(skills=(Skill("Beast Riding", 3, "horse"),))
    found = [
        roll_sources.find_source(sheet, f"Beast Riding: {each}").adds for each in ("horse", "camel")
    ]
    assert found == [3, 0]


@pytest.mark.rule("MB-CHAR-04")
@pytest.mark.parametrize(
    ("strength", "endurance", "extra", "toughness"),
    [
        (5, 5, 0, 7),
        (13, 13, 0, 12),
        (9, 8, 0, 9),
        (9, 8, 1, 10),
        (15, 5, 0, 11),
        (4, 7, 0, 7),
        (6, 11, 0, 9),
    ],
)
def test_toughness(strength: int, endurance: int, extra: int, toughness: int) -> None:
    assert attributes.toughness(strength, endurance, extra) == toughness


@pytest.mark.rule("MB-CHAR-17", "MB-SKILL-IMP-08")
def test_toughness_moves_only_over_the_border_of_a_row() -> None:
    assert attributes.toughness_bought(9, (9, 8), (9, 9)) == 10
    assert attributes.toughness_bought(9, (9, 9), (9, 10)) == 9
    assert attributes.toughness_bought(9, (9, 8), (9, 9), follows=False) == 9


@pytest.mark.rule("MB-CHAR-05")
def test_halves_of_rates_go_down() -> None:
    assert attributes.rate("jumping", 9, 8) == 2, "25 / 10"
    assert attributes.rate("ground", 10, 10) == 7, "30 / 4"
    assert attributes.rate("swimming", 13, 13) == 6, "39 / 6"
    assert attributes.rates(1, 1) == {"ground": 1, "swimming": 1, "climbing": 1, "jumping": 1}


@pytest.mark.rule("MB-CHAR-05")
@given(values, values, st.integers(0, 3))
def test_rates_have_a_maximum(agility: int, strength: int, up: int) -> None:
    found = attributes.rates(agility, strength, up)
    most: dict[attributes.Rate, int] = {"ground": 8, "swimming": 5, "climbing": 3, "jumping": 3}
    for each, number in most.items():
        assert found[each] == min(number + up, attributes.rate(each, agility, strength)) >= 1


@pytest.mark.rule("MB-CHAR-06", "MB-SKILL-RESIST-SHOCK")
def test_shock_capacity() -> None:
    assert attributes.shock_capacity(9) == 9
    assert attributes.shock_capacity(9, 2) == 11
    assert (attributes.shock_capacity(3, 5), attributes.shock_capacity(3, 5, capped=True)) == (8, 6)


@pytest.mark.rule("MB-CHAR-08")
@pytest.mark.parametrize(
    ("intellect", "mind", "points"),
    [(5, 5, 12), (13, 13, 26), (9, 9, 20), (7, 6, 15), (2, 20, 22), (11, 8, 19), (12, 12, 23)],
)
def test_starting_skill_points(intellect: int, mind: int, points: int) -> None:
    assert attributes.starting_skill_points(intellect, mind) == points

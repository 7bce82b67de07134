"""Life Points: their pool, what is given and what is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.advancement.life_points import convert_life_points
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.roll_stages import LIFE_POINT
from rules.systems.masterbook.checks.sheet_damage import LIFE_POINTS, RESOURCES
from rules.table.resources import give_award, pay_cost


@pytest.mark.rule("MB-LP-01", "MB-LP-06")
@given(st.integers(0, 10), st.integers(1, 30))
def test_what_is_given_past_ten_is_lost(have: int, given_: int) -> None:
    before = MasterbookSheet(life_points=have)
    after, line = give_award(RESOURCES, "Ann", before, LIFE_POINTS.key, given_)
    assert after.life_points == min(10, have + given_)
    assert line.params["points"] == after.life_points - have


@pytest.mark.rule("MB-LP-01")
def test_the_pool_begins_with_five_and_cannot_be_overdrawn() -> None:
    sheet = MasterbookSheet()
    assert sheet.life_points == 5
    assert pay_cost(RESOURCES, sheet, LIFE_POINT).life_points == 4
    with pytest.raises(Impossible) as told:
        pay_cost(RESOURCES, sheet.replace(life_points=0), LIFE_POINT)
    assert told.value.code == "mb-not-enough"
    with pytest.raises(InvalidInput):
        give_award(RESOURCES, "Ann", sheet, LIFE_POINTS.key, 0)


@pytest.mark.rule("MB-LP-02")
def test_a_life_point_is_worth_three_skill_points() -> None:
    assert convert_life_points(2, 0, 1) == (1, 3)
    assert convert_life_points(5, 4, 5) == (0, 19)
    with pytest.raises(Impossible):
        convert_life_points(0, 9, 1)

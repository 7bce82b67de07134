"""Special effects in play: travel, range, changes, movement, maintenance, wards, illusions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.dice.no_dice import DiceNeeded
from rules.systems.masterbook.character.effect_sheet import stat_block
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.effects.areas import hit_bonus
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.effect_results import result_for
from rules.systems.masterbook.effects.running import pass_seconds, rounds_left
from rules.systems.masterbook.effects.state import EffectTarget, RunningEffect, StoredCharges
from rules.systems.masterbook.effects.strike_state import EffectResult
from rules.systems.masterbook.effects.wards import ward_total
from rules.systems.masterbook.formulas import effect_values
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, EffectArea, KnownEffect
from rules.systems.masterbook.formulas.effect_rows import READY_MADE
from rules.systems.masterbook.formulas.effect_values import AutomaticFeedback, cast_result
from rules.systems.masterbook.formulas.effect_worksheet import Figures
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.systems.masterbook.formulas.value_chart import UNITS, combine, measure, value_in
from tests.rules.masterbook.option_table import OptionTable

values = st.integers(0, 30)
figures = st.builds(Figures, st.integers(0, 60), st.integers(0, 60))


def _known(**choices: object) -> KnownEffect:
    return KnownEffect(Blueprint("spark", "Conjuration").replace(**choices), learned=True)


def _result(effect_value: int, **choices: object) -> EffectResult:
    """Return what an effect comes to for Boris, whose Attributes are 8 and whose weight is 100."""
    game = OptionTable(boris=MasterbookSheet(weight=100)).game()
    target = EffectTarget("boris")
    cast = CastOutcome(_known(**choices), "anna", effect_value, (target,))
    return result_for(game, cast, target, None)


@pytest.mark.rule("MB-SFX-03")
@pytest.mark.parametrize("unit", sorted(UNITS))
def test_a_unit_shifts_the_value_of_its_number(unit: str) -> None:
    assert value_in(3, unit) - UNITS[unit].modifier == 2


@pytest.mark.rule("MB-SFX-04")
@given(values, values)
def test_values_are_added_for_products(one: int, other: int) -> None:
    """A product of measures is within the width of a row of the measure of the sum."""
    product, found = measure(one) * measure(other), measure(combine(one, other, "multiply"))
    assert Fraction(3, 5) <= product / found <= Fraction(5, 3)
    assert combine(combine(one, other, "multiply"), other, "divide") == one


@pytest.mark.rule("MB-SFX-20", "MB-SFX-21")
@given(st.integers(-10, 100), figures)
def test_points_work_feedback_off_before_they_add_to_the_effect(
    total: int, needed: Figures
) -> None:
    result = cast_result(total, needed)
    assert result.success == (total >= needed.dn)
    assert result.points == max(0, total - needed.dn)
    assert result.bonus - result.feedback == result.points - needed.fv
    assert 0 in (result.bonus, result.feedback)


@pytest.mark.rule("MB-SFX-31")
@given(st.integers(-10, 100), figures)
def test_a_spoiled_casting_lowers_feedback_alone(total: int, needed: Figures) -> None:
    result, plain = cast_result(total, needed, spoiled=True), cast_result(total, needed)
    assert (result.success, result.bonus, result.feedback) == (False, 0, plain.feedback)
    wanted: dict[AutomaticFeedback, int] = {"full": needed.fv, "none": 0}
    for feedback, left in wanted.items():
        assert effect_values.failed_result(needed, feedback) == (False, 0, left, 0)


@pytest.mark.rule("MB-SFX-22")
@pytest.mark.parametrize(("falloff", "bonuses"), [(False, [5, 5, 5]), (True, [5, 3, 0])])
def test_an_area_helps_to_hit_and_may_fall_off(falloff: bool, bonuses: list[int]) -> None:
    game = OptionTable({"effect_area_falloff": falloff}).game()
    ball = _known(area=EffectArea(3, 5)).blueprint
    assert [hit_bonus(game, ball, meters) for meters in (0, 2, 9)] == bonuses
    assert hit_bonus(game, ball.replace(accuracy=4)) == 8


@pytest.mark.rule("MB-SFX-32")
def test_each_further_target_is_harder_to_hit() -> None:
    assert [multi_action_penalty(rank, 3) for rank in (1, 2, 3)] == [-2, -3, -4]
    assert multi_action_penalty(1, 1) == 0


@pytest.mark.rule("MB-SFX-23", "MB-SFX-25")
@pytest.mark.parametrize(
    ("number", "level"),
    [
        (26, ""),
        (25, "minimal"),
        (24, "solid"),
        (21, "solid"),
        (20, "good"),
        (17, "good"),
        (16, "superior"),
        (13, "superior"),
        (12, "spectacular"),
    ],
)
def test_a_general_effect_is_read_from_its_number_on(number: int, level: str) -> None:
    result = _result(25, action="general", resisting_number=number)
    assert (result.points, result.level) == (25 - number, level)


@pytest.mark.rule("MB-SFX-24")
@given(values, values)
def test_an_effect_pushes_a_value_by_its_result_points(effect_value: int, value: int) -> None:
    points = effect_value - value
    by = effect_values.change_of_value(effect_value, value)
    assert by == (points // 3 + 1 if points >= 0 else 0)


@pytest.mark.rule("MB-SFX-33", "MB-SFX-10")
@given(values, values)
def test_a_mass_moves_from_its_own_value_on(effect_value: int, mass: int) -> None:
    points = effect_value - mass
    pushed = effect_values.carrying_speed(effect_value, mass)
    direct = effect_values.carrying_speed(effect_value, mass, "direct_round")
    if points < 0:
        assert pushed is None
        assert direct is None
    else:
        assert pushed == (points // 3 + 1, "second")
        assert direct == (points, "round")
    assert effect_values.teleports(effect_value, mass) == (points > 0)


@pytest.mark.rule("MB-SFX-26")
@given(values, st.integers(0, 10**6), st.booleans())
def test_what_is_focused_ignores_its_range(range_value: int, meters: int, focused: bool) -> None:
    stays = effect_values.stays_with(meters, range_value, focused=focused)
    assert stays == (focused or meters <= measure(range_value))


@pytest.mark.rule("MB-SFX-26")
@given(st.integers(10, 5000), st.lists(st.integers(1, 300), max_size=12))
def test_seconds_pass_alike_in_any_portions(seconds: int, portions: list[int]) -> None:
    effect = RunningEffect(1, _known(), "anna", 15, (), seconds_left=seconds, seconds=seconds)
    assert rounds_left(effect) == -(-seconds // 10)
    at_once = pass_seconds(effect, sum(portions))
    left, strikes = effect, 0
    for portion in portions:
        left, struck, _ = pass_seconds(left, portion)
        strikes += struck
    assert (left, strikes) == (at_once.effect, at_once.strikes)
    assert at_once.over == (sum(portions) >= seconds)


@pytest.mark.rule("MB-SFX-27")
@given(st.integers(1, 10**7), values, values)
def test_a_slow_effect_is_easier_to_dodge(meters: int, speed: int, duration: int) -> None:
    way = effect_values.travel(Fraction(meters), speed)
    assert way.bonus == max(0, way.value)
    assert measure(way.value + speed - 1) < meters <= measure(way.value + speed)
    assert way.seconds == max(1, measure(way.value))
    lasts = effect_values.duration_seconds(duration)
    assert effect_values.arrives(way, lasts) == (way.value <= duration)


@pytest.mark.rule("MB-SFX-28")
@given(figures)
def test_maintenance_needs_a_third_and_hurts_half(needed: Figures) -> None:
    kept = effect_values.maintenance_figures(needed)
    assert 3 * (kept.dn - 1) < needed.dn <= 3 * kept.dn
    assert 2 * (kept.fv - 1) < needed.fv <= 2 * kept.fv


@pytest.mark.rule("MB-SFX-29")
def test_a_ward_rolls_only_where_its_value_does_not_reach() -> None:
    game = OptionTable().game()
    ward = StoredCharges(1, _known(charges=1, ward="a step"), "anna", 15, 1, ward_perception=6)
    assert ward_total(game, ward, 6) is None
    with pytest.raises(DiceNeeded):
        ward_total(game, ward, 7)


@pytest.mark.rule("MB-SFX-11")
def test_a_stat_block_begins_with_its_figures() -> None:
    entries = stat_block(READY_MADE[0])[0].params
    assert (entries["dn"], entries["fv"], entries["value"]) == (16, 19, 20)


@pytest.mark.rule("MB-SFX-30")
def test_a_victim_of_an_illusion_comes_back_by_both_rolls() -> None:
    assert effect_values.revival_seconds(9) == 9 * 60 * 60
    for total, disbelieved, back in ((18, True, True), (17, True, False), (30, False, False)):
        assert effect_values.is_revived(total, disbelieved=disbelieved) == back

"""Values for measures, measures for values."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import InvalidInput
from rules.systems.masterbook.formulas.value_chart import (
    ROUND_SECONDS,
    UNITS,
    Number,
    chart_value,
    combine,
    impact_value,
    magnitude,
    measure,
    value_in,
)

measures = st.fractions(Fraction(1, 1000), 10**9)


@pytest.mark.rule("MB-VAL-01")
@given(st.integers(-40, 140))
def test_five_rows_are_ten_times_as_much(row: int) -> None:
    assert measure(row + 5) == 10 * measure(row)
    assert measure(row) < measure(row + 1)


@pytest.mark.rule("MB-VAL-01", "MB-SFX-01")
@pytest.mark.parametrize(
    ("row", "number", "scale"),
    [
        (0, "1", ""),
        (29, "600000", ""),
        (30, "1", "million"),
        (31, "3/2", "million"),
        (44, "600", "million"),
        (45, "1", "billion"),
        (62, "5/2", "trillion"),
        (86, "150", "quadrillion"),
        (100, "100", "quintillion"),
        (110, "10000", "quintillion"),
    ],
)
def test_large_measures_have_a_scale(row: int, number: str, scale: str) -> None:
    assert magnitude(measure(row)) == (Fraction(number), scale)


@pytest.mark.rule("MB-VAL-02")
@given(st.integers(-40, 140))
def test_a_row_is_its_own_value_in_every_mode(row: int) -> None:
    assert (
        chart_value(measure(row))
        == chart_value(measure(row), "down")
        == chart_value(measure(row), "inclusive_up")
        == row
    )


@pytest.mark.rule("MB-VAL-02")
@given(measures)
def test_modes_are_the_rows_around_a_measure(amount: Fraction) -> None:
    low, high, near = (
        chart_value(amount, "down"),
        chart_value(amount, "inclusive_up"),
        chart_value(amount),
    )
    assert measure(low) <= amount <= measure(high)
    assert high - low <= 1
    assert abs(measure(near) - amount) == min(abs(measure(each) - amount) for each in (low, high))


@pytest.mark.rule("MB-VAL-02")
def test_the_exact_middle_is_the_lower_row() -> None:
    assert [chart_value(each) for each in (80, 81, 1.25, "1.26", 0.8, 0.81)] == [9, 10, 0, 1, -1, 0]


@pytest.mark.rule("MB-VAL-02")
@pytest.mark.parametrize("amount", [0, -1, Fraction(-1, 2), 0.0])
def test_nothing_has_no_value(amount: Number) -> None:
    with pytest.raises(InvalidInput) as told:
        chart_value(amount)
    assert told.value.code == "mb-no-measure"


@pytest.mark.rule("MB-VAL-03")
@pytest.mark.parametrize(
    ("amount", "unit", "wanted"),
    [
        (60, "mph", 12),
        (150, "pounds", 9),
        (1, "hours", 18),
        (10, "feet", 2),
        (1, "years", 38),
        (1.5, "tons", 16),
    ],
)
def test_units_move_the_value(amount: float, unit: str, wanted: int) -> None:
    assert value_in(amount, unit) == wanted


@pytest.mark.rule("MB-VAL-03", "MB-TIME-01")
def test_every_kind_has_one_unit_that_moves_nothing_and_a_minute_is_six_rounds() -> None:
    assert sorted(each.kind for each in UNITS.values() if not each.modifier) == [
        "distance",
        "mass",
        "speed",
        "time",
    ]
    assert value_in(1, "minutes") == chart_value(6 * ROUND_SECONDS)


@pytest.mark.rule("MB-VAL-04")
@given(measures, measures)
def test_values_add_up_as_measures_multiply(first: Fraction, second: Fraction) -> None:
    one, other = chart_value(first), chart_value(second)
    both, part = combine(one, other, "multiply"), combine(one, other, "divide")
    # A row is at most a third off, so the product of two of them is at most two rows off.
    for found, exact in ((both, first * second), (part, first / second)):
        assert measure(found - 2) < exact < measure(found + 2)


@pytest.mark.rule("MB-VAL-05")
def test_what_falls_or_is_thrown_hits_with_its_values() -> None:
    assert impact_value(chart_value(10), chart_value(60)) == 14
    assert impact_value(10, chart_value(1.5)) == 11

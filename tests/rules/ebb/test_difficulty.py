"""What makes a task easier or harder before the roll."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput
from rules.systems.ebb.difficulty import Adjustments, assess, attribute_counts, levels, require_ability
from rules.systems.ebb.ladder import parse_difficulty

ADJUSTMENTS = st.builds(
    Adjustments,
    dilemmas=st.integers(0, 9),
    flaw=st.integers(0, 2),
    equipment=st.integers(-1, 9),
    drawback=st.booleans(),
    injured=st.booleans(),
    bonus=st.integers(-20, 20),
)


@pytest.mark.rule("EBB-PROPOSAL")
@pytest.mark.parametrize(
    ("adjustments", "expected"),
    [
        (Adjustments(), 0),
        (Adjustments(dilemmas=1), -1),
        (Adjustments(dilemmas=3), -3),
        (Adjustments(flaw=1), 1),
        (Adjustments(flaw=2), 2),
        (Adjustments(equipment=-1), -1),
        (Adjustments(equipment=4), 4),
        (Adjustments(bonus=5), 0),
        (Adjustments(dilemmas=2, flaw=1, equipment=1, drawback=True, injured=True), 2),
    ],
)
def test_levels(adjustments: Adjustments, expected: int) -> None:
    assert levels(adjustments) == expected


@pytest.mark.rule("EBB-DRAWBACK")
def test_a_defied_drawback_is_a_level_and_the_attribute() -> None:
    adjustments = Adjustments(drawback=True)
    assert assess(parse_difficulty("Tricky"), adjustments) == parse_difficulty("Difficult")
    assert not attribute_counts(adjustments)
    assert attribute_counts(Adjustments(dilemmas=1, flaw=2, equipment=3, injured=True, bonus=-2))


@pytest.mark.rule("EBB-INJURY")
def test_an_injured_part_is_a_level() -> None:
    assert assess(parse_difficulty("Tricky"), Adjustments(injured=True)) == parse_difficulty("Difficult")


@pytest.mark.rule("EBB-SHIFT", "EBB-PROPOSAL")
def test_never_below_easy() -> None:
    assert assess(parse_difficulty("Routine"), Adjustments(dilemmas=9)) == parse_difficulty("Easy")
    assert assess(parse_difficulty("Routine"), Adjustments(dilemmas=3, drawback=True)).name == "Easy"


@pytest.mark.parametrize(
    ("adjustments", "field"),
    [
        (Adjustments(dilemmas=-1), "dilemmas"),
        (Adjustments(dilemmas=10), "dilemmas"),
        (Adjustments(flaw=-1), "flaw"),
        (Adjustments(flaw=3), "flaw"),
        (Adjustments(equipment=-2), "equipment"),
        (Adjustments(equipment=10), "equipment"),
        (Adjustments(bonus=21), "bonus"),
        (Adjustments(bonus=-21), "bonus"),
    ],
)
def test_numbers_out_of_range(adjustments: Adjustments, field: str) -> None:
    for refuse in (adjustments.validate, lambda: assess(parse_difficulty("Easy"), adjustments)):
        with pytest.raises(InvalidInput) as caught:
            refuse()
        assert caught.value.code == "out-of-range"
        assert caught.value.params["field"] == field


@given(ADJUSTMENTS)
def test_valid_adjustments_pass(adjustments: Adjustments) -> None:
    adjustments.validate()
    base = parse_difficulty("Tricky")
    assert assess(base, adjustments).threshold == max(4, 10 + 3 * levels(adjustments))


@pytest.mark.rule("EBB-SPECIALIST")
def test_a_specialist_task_needs_an_ability() -> None:
    with pytest.raises(Impossible) as caught:
        require_ability(None, specialist=True)
    assert caught.value.code == "ability-required"
    require_ability(4, specialist=True)
    require_ability(None, specialist=False)
    require_ability(None, specialist=True, waived=True)

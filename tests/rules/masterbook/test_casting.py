"""Castings by themselves: conditions, effect values, time, and exact odds of feedback."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.combat.odds import RollProfile
from rules.systems.masterbook.deck.play import CardEffect
from rules.systems.masterbook.effects.cast_odds import SupportChances, feedback_odds
from rules.systems.masterbook.effects.cast_state import (
    Cast,
    Crowd,
    rolled_conditions,
    ruled_conditions,
    things_needed,
)
from rules.systems.masterbook.effects.cast_support import crowd_dn
from rules.systems.masterbook.effects.cast_time import round_of_casting
from rules.systems.masterbook.effects.state import CastInProgress
from rules.systems.masterbook.formulas.dice import Roll, Throw, bonus_number
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, Condition, KnownEffect
from rules.systems.masterbook.formulas.effect_values import rounds_of

CASTER = "k1"


class Settings:
    """The part of a game that odds of feedback read."""

    def __init__(self, *, failure_feedback: bool) -> None:
        self._failure_feedback = failure_feedback

    def setting(self, key: str) -> bool:
        assert key == "effect_failure_feedback"
        return self._failure_feedback


def blueprint(*conditions: Condition, **more: Any) -> Blueprint:
    return Blueprint("Spark", "Conjuration", conditions=conditions, **more)


def casting(total: int, dn: int = 12, fv: int = 8, **more: Any) -> Cast:
    """Return a casting whose dice lie with this total."""
    throw = Throw(CASTER, "check", total - bonus_number(11), roll=Roll((5, 6)))
    known = KnownEffect(blueprint(), learned=True)
    return Cast(known=known, effect_value=10, number=dn, dn=dn, fv=fv, throws=(throw,), **more)


# --- effect values --------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-20", "MB-SFX-21")
@pytest.mark.parametrize(
    ("total", "success", "feedback", "effect_value"),
    [
        (11, False, 8, 10),
        (12, True, 8, 10),
        (15, True, 5, 10),
        (20, True, 0, 10),
        (23, True, 0, 13),
    ],
)
def test_points_lower_feedback_before_they_raise_the_effect(
    total: int, success: bool, feedback: int, effect_value: int
) -> None:
    data = casting(total)
    result = data.cast_result
    assert result is not None
    assert (result.success, result.feedback) == (success, feedback)
    assert data.final_effect_value(CASTER) == effect_value


@pytest.mark.rule("MB-CARD-E07", "MB-SFX-20")
def test_a_card_raises_the_effect_value_and_no_result_points() -> None:
    card = CardEffect("effect", "Effect", "1", CASTER, "modify_effect_value", CASTER, "damage")
    data = casting(15, effects=(card.replace(amount=2),))
    assert data.final_effect_value(CASTER) == 12
    assert data.cast_result is not None and data.cast_result.points == 3


@pytest.mark.rule("MB-SFX-31")
def test_a_spoiled_casting_fails_and_its_points_lower_feedback() -> None:
    data = casting(15, spoiled="concentration")
    result = data.cast_result
    assert result is not None and not result.success and not data.has_succeeded
    assert (result.feedback, result.bonus) == (5, 0)


def test_a_casting_undone_by_a_card_has_its_whole_feedback() -> None:
    result = casting(30, failed="k2").cast_result
    assert result is not None and not result.success and result.feedback == 8


# --- conditions -----------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-31")
def test_rolls_come_in_the_order_of_the_book() -> None:
    built = blueprint(
        Condition("related_skill", level=2, skill="Stealth"),
        Condition("gesture", level=2),
        Condition("incantation", level=3),
        Condition("community", participation="dn8", helpers=2),
        Condition("component", level=2),
        Condition("concentration", time_value=3),
        Condition("gesture", level=4),
        Condition("other", level=2),
        Condition("community", helpers=3),
    )
    kinds = [built.conditions[index].kind for index in rolled_conditions(built)]
    assert kinds == ["concentration", "community", "gesture", "incantation", "related_skill"]
    assert [each.kind for _, each in things_needed(built)] == ["component", "community"]
    assert [each.kind for each in ruled_conditions(built)] == ["other"]


@pytest.mark.rule("MB-SFX-29", "MB-SFX-31")
@pytest.mark.parametrize("charges", [0, 3])
def test_triggers_of_charges_wait_for_the_release(charges: int) -> None:
    built = blueprint(Condition("gesture", level=4, at_release=True), charges=charges)
    assert rolled_conditions(built) == (() if charges else (0,))


@pytest.mark.rule("MB-SFX-S17")
@pytest.mark.parametrize(("number", "dn"), [(1, 8), (5, 8), (6, 14), (10, 16), (100, 26)])
def test_a_crowd_of_six_rolls_together(number: int, dn: int) -> None:
    condition = Condition("community", participation="dn8", helpers=number)
    assert crowd_dn(Crowd(0, number), condition) == dn


# --- time -----------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-20")
@pytest.mark.parametrize(("seconds", "rounds"), [(1, 1), (10, 1), (11, 2), (25, 3), (60, 6)])
def test_begun_rounds_count(seconds: int, rounds: int) -> None:
    assert rounds_of(seconds) == rounds
    left = list(range(seconds, 0, -10))
    seen = [round_of_casting(CastInProgress("c1", each, seconds)) for each in left]
    assert seen == list(range(1, rounds + 1))


def test_the_concentration_is_the_last_part() -> None:
    parts = [CastInProgress("c1", left, 60, 20).concentrates for left in (60, 30, 20, 10, 0)]
    assert parts == [False, False, True, True, False]


# --- odds -----------------------------------------------------------------------------------------


def feedback_by_counting(value: int, dn: int, fv: int) -> dict[int, Fraction]:
    """Return the chance of each amount of feedback, by all falls of two dice without tens."""
    found: dict[int, Fraction] = {}
    for one, other in product(range(1, 11), repeat=2):
        total = value + bonus_number(one + other)
        left = max(0, fv - max(0, total - dn))
        found[left] = found.get(left, Fraction(0)) + Fraction(1, 100)
    return found


@pytest.mark.rule("MB-SFX-21")
@given(value=st.integers(0, 20), dn=st.integers(0, 30), fv=st.integers(0, 25))
def test_odds_of_feedback_are_exact(value: int, dn: int, fv: int) -> None:
    data = Cast(dn=dn, fv=fv)
    game = cast("Any", Settings(failure_feedback=True))
    found = feedback_odds(game, data, SupportChances(), RollProfile(value))
    assert {left: chance for left, chance in found.items() if chance} == feedback_by_counting(
        value, dn, fv
    )


@pytest.mark.rule("MB-SFX-21", "MB-SFX-31")
@given(
    value=st.integers(0, 20),
    fv=st.integers(0, 25),
    percents=st.tuples(st.integers(0, 100), st.integers(0, 100)),
    full=st.booleans(),
)
def test_odds_with_conditions_add_up_to_one(
    value: int, fv: int, percents: tuple[int, int], full: bool
) -> None:
    support = SupportChances(Fraction(percents[0], 100), Fraction(percents[1], 100))
    game = cast("Any", Settings(failure_feedback=full))
    data = Cast(dn=12, fv=fv)
    found = feedback_odds(game, data, support, RollProfile(value, tens=True))
    assert sum(found.values()) == 1
    assert set(found) <= set(range(fv + 1))
    # Whatever is not met without feedback leaves none.
    if not full:
        met = support.concentration * support.others
        assert found[0] >= 1 - met

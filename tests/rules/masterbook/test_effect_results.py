"""What effect values come to: the worked figures of the book (MB-SFX-22 to -25, -27, -33)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.systems.masterbook.character.sheet import MasterbookSheet, PassingChange, attribute
from rules.systems.masterbook.checks.roll_sources import find_source
from rules.systems.masterbook.effects.effect_results import is_teleport, speed_meters
from rules.systems.masterbook.effects.running import (
    duration_in_seconds,
    outlasts_action,
)
from rules.systems.masterbook.effects.state import ValueChange
from rules.systems.masterbook.effects.value_changes import (
    changes_for,
    effect_value_for,
    trait_key,
    trait_value,
)
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.formulas.effect_values import (
    area_bonus_at,
    carrying_speed,
    teleports,
    travel,
)


@pytest.mark.rule("MB-SFX-24")
@pytest.mark.parametrize(
    ("value", "by"), [(17, 3), (10, 1), (9, None), (40, 11)], ids=["X040", "equal", "X044", "X045"]
)
def test_a_value_is_raised_by_the_push(value: int, by: int | None) -> None:
    boost = Blueprint("Boost", "Alteration", traits=("Strength",), action="raise")
    found = changes_for(MasterbookSheet(strength=10), "k1", boost, value)
    assert found == (() if by is None else (ValueChange("k1", "Strength", by),))


@pytest.mark.rule("MB-SFX-24", "MB-SFX-S08")
def test_an_effect_that_hurts_lowers_its_further_values() -> None:
    ball = Blueprint("Fireball", "Conjuration", traits=("Toughness", "Perception"), action="damage")
    assert [effect_value_for(ball, 20, rank) for rank in (0, 1)] == [18, 16]
    sheet = MasterbookSheet(intellect=10)
    assert changes_for(sheet, "k1", ball, 20) == (ValueChange("k1", "Perception", -3),)


@pytest.mark.rule("MB-SFX-24", "MB-CHAR-17")
def test_changes_reach_everything_that_rests_on_the_value() -> None:
    sheet = MasterbookSheet(agility=8, passing=(PassingChange("agility", -10),))
    assert attribute(sheet, "agility") == 0, "no value falls below 0"
    assert find_source(sheet, "Dodge").value(sheet) == 0
    sheet = MasterbookSheet(agility=8, passing=(PassingChange(trait_key("Dodge"), 3),))
    assert (attribute(sheet, "agility"), find_source(sheet, "Dodge").value(sheet)) == (8, 11)
    assert trait_value(sheet, "Toughness") == trait_value(MasterbookSheet(), "Toughness")
    tougher = MasterbookSheet(passing=(PassingChange("toughness", 2),))
    assert trait_value(tougher, "Toughness") == (trait_value(sheet, "Toughness") or 0) + 2
    assert trait_value(sheet, "the moon") is None


@pytest.mark.rule("MB-SFX-27")
@pytest.mark.parametrize(
    ("meters", "speed", "seconds", "bonus"), [(400_000, 20, 40, 8), (60, 9, 1, 0), (10, 9, 1, 0)]
)
def test_slow_effects_take_their_time(meters: int, speed: int, seconds: int, bonus: int) -> None:
    assert travel(Fraction(meters), speed)[1:] == (seconds, bonus)


@pytest.mark.rule("MB-SFX-22")
def test_an_area_falls_off_from_its_center() -> None:
    assert [area_bonus_at(5, meters) for meters in (0, 1, 2, 9)] == [5, 4, 3, 0]


@pytest.mark.rule("MB-SFX-33", "MB-SFX-10")
def test_masses_are_moved_by_what_is_left_over() -> None:
    speed = carrying_speed(20, 10)
    assert speed is not None
    assert (speed_meters(speed.value), speed.per) == ("6", "second")
    slow = carrying_speed(15, 10, "direct_round")
    assert slow is not None
    assert (speed_meters(slow.value), slow.per) == ("10", "round")
    assert carrying_speed(9, 10) is None
    assert is_teleport(Blueprint("Gate", "Summoning", action="movement"))
    assert not is_teleport(Blueprint("Bring", "Summoning", action="movement", movement=True))
    assert (teleports(11, 10), teleports(10, 10)) == (True, False)


@pytest.mark.rule("MB-SFX-26", "MB-SFX-S11")
def test_what_lasts_less_than_a_round_is_over_at_once() -> None:
    blink, spell = (Blueprint("Blink", "Alteration", duration_value=each) for each in (4, 5))
    assert (duration_in_seconds(blink), outlasts_action(blink)) == (6, False)
    assert (duration_in_seconds(spell), outlasts_action(spell)) == (10, True)
    assert duration_in_seconds(spell, 9) == 70

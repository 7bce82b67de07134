"""Armor, damage, the Wound chart, and healing."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.storage import codec
from rules.core.errors import Problems
from rules.systems.barmore.reference_rows import CHART_DATA
from rules.systems.barmore.wounds import (
    CHART_FORM,
    DEFAULT_CHART,
    MINUTES_A_DAY,
    Armor,
    Blow,
    Chart,
    Weapon,
    Wound,
    armor_rating,
    chart_row,
    heal_until,
    healed_at,
    healing_time,
    is_incapacitated,
    is_still_lethal,
    penalty_dice,
    time_left,
    wound_from,
)
from tests.rules.barmore.trees import read_chart

VEST = Armor("Vest", 3, covers=("bullet", "blade"), converts=("Bullet",))
COAT = Armor("Coat", 1)
CALM = Armor("Calm", 2, mental=True)


class Damage(NamedTuple):
    """What a blow comes to; `final` None where armor stopped it."""

    stopped: bool
    final: int | None
    physical: int
    mental: int


def consequences(blow: Blow) -> Damage:
    return Damage(blow.stopped, None if blow.stopped else blow.final, *blow.degrees)


def physical(level: int, armor: int = 0, **terms: Any) -> Damage:
    """A physical attack in which nothing else counts."""
    return consequences(Blow(level, armor, **terms))


def mental(level: int, armor: int, threshold: int) -> Damage:
    return consequences(Blow(level, armor, threshold=threshold, mental=True))


def wounded(degree: int, kind: Any = "physical", at: int = 0) -> Wound:
    wound = wound_from(DEFAULT_CHART, kind, degree, at)
    assert wound is not None
    return wound


@pytest.mark.rule("BAR-ARMOR")
def test_armor_that_can_affect_the_attack_counts() -> None:
    worn = (VEST, COAT, CALM)
    assert armor_rating(worn, "BLADE") == 4
    assert armor_rating(worn, "fire") == 1
    assert armor_rating(worn, "", mental=True) == 2
    assert armor_rating((), "blade") == 0


@pytest.mark.rule("BAR-ARMOR")
def test_some_armor_makes_damage_non_lethal() -> None:
    assert not is_still_lethal((VEST,), Weapon("Pistol", 3, kind="bullet"))
    assert is_still_lethal((VEST,), Weapon("Sword", 2, kind="blade"))
    assert not is_still_lethal((), Weapon("Club", 1, lethal=False, kind="blow"))
    assert is_still_lethal((VEST.replace(mental=True),), Weapon("Pistol", 3, kind="bullet"))


@pytest.mark.rule("BAR-ARMOR")
def test_armor_stops_what_it_brings_below_zero() -> None:
    assert physical(2, 2, weapon=3) == Damage(False, 3, 3, 0)
    assert physical(2, 3, weapon=9) == Damage(True, None, 0, 0)
    assert mental(level=1, armor=2, threshold=-9) == Damage(True, None, 0, 0)


@pytest.mark.rule("BAR-TRAUMA")
def test_every_term_of_physical_damage() -> None:
    terms: dict[str, Any] = {"muscle": 3, "weapon": 2, "toughness": 1, "threshold": 4}
    assert physical(6, 1, **terms) == Damage(False, 5, 5, 0)
    assert physical(6, 1, **(terms | {"muscle": 0})) == Damage(False, 2, 2, 0)
    assert physical(6, 1, **{name: -value for name, value in terms.items()}).final == 5
    assert physical(1, 0, weapon=-4) == Damage(False, -3, 0, 0)


@pytest.mark.rule("BAR-TRAUMA")
@pytest.mark.parametrize(
    ("level", "halves"), [(0, (0, 0)), (1, (1, 0)), (2, (1, 1)), (5, (3, 2)), (8, (4, 4))]
)
def test_non_lethal_damage_is_halved(level: int, halves: tuple[int, int]) -> None:
    damage = physical(level, lethal=False)
    assert (damage.physical, damage.mental) == halves


@pytest.mark.rule("BAR-TRAUMA")
def test_mental_attacks() -> None:
    assert mental(level=5, armor=1, threshold=2) == Damage(False, 2, 0, 2)
    assert mental(level=2, armor=0, threshold=3) == Damage(False, -1, 0, 0)
    assert mental(level=2, armor=0, threshold=-2) == Damage(False, 4, 0, 4)


@pytest.mark.rule("BAR-TRAUMA")
@pytest.mark.parametrize(
    ("degree", "name"),
    [
        (1, "Scratch"),
        (2, "Light"),
        (3, "Light"),
        (4, "Moderate"),
        (9, "Critical"),
        (10, "Mortal"),
        (99, "Mortal"),
    ],
)
def test_rows_of_the_chart(degree: int, name: str) -> None:
    row = chart_row(DEFAULT_CHART, degree)
    assert row is not None and row.name == name


@pytest.mark.rule("BAR-TRAUMA")
def test_no_wound_of_degree_zero_or_less() -> None:
    for degree in (0, -3):
        assert chart_row(DEFAULT_CHART, degree) is None
        assert wound_from(DEFAULT_CHART, "physical", degree, 5) is None


@pytest.mark.rule("BAR-TRAUMA")
def test_wounds_keep_what_the_chart_said() -> None:
    assert wounded(5, "mental", 70) == Wound("mental", "Moderate", 5, 2, 0, 21, 70, 70)
    mortal = wounded(12)
    assert (mortal.penalty, mortal.other, mortal.stabilised) == (None, None, False)
    assert mortal.effect


@pytest.mark.rule("BAR-TRAUMA")
def test_penalties_add_up_and_extreme_wounds_reach_the_other_kind() -> None:
    light, serious, critical = wounded(2), wounded(6), wounded(8, "mental")
    wounds = (wounded(1), light, serious, critical)
    assert penalty_dice(wounds, "physical") == ((light, 1), (serious, 3), (critical, 2))
    assert penalty_dice(wounds, "mental") == ((serious, 1), (critical, 5))
    assert penalty_dice((), "mental") == ()


@pytest.mark.rule("BAR-TRAUMA")
def test_wounds_that_leave_no_activity() -> None:
    mortal = wounded(10)
    assert is_incapacitated([mortal]) and is_incapacitated([mortal], "mental")
    assert not is_incapacitated([wounded(9)]) and not is_incapacitated([])
    lame = mortal.replace(other=2)
    assert is_incapacitated([lame], "physical") and not is_incapacitated([lame], "mental")
    assert penalty_dice([lame], "physical") == () and penalty_dice([lame], "mental") == ((lame, 2),)


@pytest.mark.rule("BAR-TRAUMA")
def test_charts_are_written_as_they_are_read() -> None:
    assert CHART_FORM.all_values(DEFAULT_CHART) == CHART_DATA
    assert read_chart(json.loads(json.dumps(CHART_DATA))) == DEFAULT_CHART
    assert DEFAULT_CHART.origin


@pytest.mark.rule("BAR-TRAUMA")
def test_everything_wrong_with_a_chart_is_told_at_once() -> None:
    good = {"penalty": 1, "other_penalty": None, "healing_days": 3, "mental_healing_days": 4}
    rows: list[object] = [
        {"from": 2, "name": "Light", **good},
        {"from": 2, "name": "light ", **good},
        {"from": 5, "name": "", **good, "penalty": -1, "other_penalty": "2"},
        {"from": True, "name": "A", **good, "healing_days": 1.5, "color": 1},
        {"name": "B", "from": 9},
        "row",
        {"from": 4, "name": "C", **good, "effect": "x" * 301, "mental_healing_days": 40_000},
    ]
    with pytest.raises(Problems) as caught:
        read_chart({"rows": rows, "origin": "", "title": ""})
    assert [(each.code, each.params["field"]) for each in caught.value.problems] == [
        ("unknown-field", "title"),
        ("empty-text", "rows[2].name"),
        ("out-of-range", "rows[2].penalty"),
        ("wrong-type", "rows[2].other_penalty"),
        ("unknown-field", "rows[3].color"),
        ("wrong-type", "rows[3].from"),
        ("wrong-type", "rows[3].healing_days"),
        ("missing-field", "rows[4].penalty"),
        ("missing-field", "rows[4].other_penalty"),
        ("missing-field", "rows[4].healing_days"),
        ("missing-field", "rows[4].mental_healing_days"),
        ("wrong-type", "rows[5]"),
        ("out-of-range", "rows[6].mental_healing_days"),
        ("too-long", "rows[6].effect"),
        ("duplicate-field", "rows[1].name"),
        ("chart-not-rising", "rows[0].from"),
        ("chart-not-rising", "rows[1].from"),
        ("chart-not-rising", "rows[6].from"),
    ]
    for data in ({}, {"rows": []}, {"rows": None}):
        with pytest.raises(Problems):
            read_chart(data)


@pytest.mark.rule("BAR-HEAL")
def test_healing_times_are_exact() -> None:
    assert [healing_time(21, attribute) for attribute in (-2, -1, 0, 1, 3)] == [42, 21, 21, 21, 7]
    assert healing_time(7, 3) == Fraction(7, 3)


@pytest.mark.rule("BAR-HEAL")
def test_a_wound_heals_when_its_time_is_over() -> None:
    wound = wounded(2, at=100)
    end = 100 + 7 * MINUTES_A_DAY
    assert (time_left(wound, 0), healed_at(wound, 0)) == (7 * MINUTES_A_DAY, end)
    later = heal_until(wound, 0, end - 1)
    assert later is not None and later.as_of == end - 1
    assert later.healed == 1 - Fraction(1, 7 * MINUTES_A_DAY)
    assert heal_until(wound, 0, end) is None and heal_until(later, 0, end) is None
    assert healed_at(wound, 3) == 100 + 7 * MINUTES_A_DAY // 3
    assert healed_at(wound, 9) == 100 + 7 * MINUTES_A_DAY // 9


@pytest.mark.rule("BAR-HEAL")
def test_a_part_of_a_minute_is_rounded_up() -> None:
    wound = wounded(1)
    assert time_left(wound, 7) == Fraction(1440, 7)
    assert healed_at(wound, 7) == 206
    assert heal_until(wound, 7, 205) is not None and heal_until(wound, 7, 206) is None


@pytest.mark.rule("BAR-HEAL")
def test_what_has_healed_stays_healed_when_the_rate_changes() -> None:
    half = heal_until(wounded(2), 0, 7 * MINUTES_A_DAY // 2)
    assert half is not None and half.healed == Fraction(1, 2)
    assert time_left(half, -2) == 7 * MINUTES_A_DAY
    assert time_left(half, 2) == Fraction(7 * MINUTES_A_DAY, 4)
    assert time_left(half.replace(factor=Fraction(7)), 0) == MINUTES_A_DAY // 2


@pytest.mark.rule("BAR-HEAL")
def test_what_does_not_heal() -> None:
    stopped, dying = wounded(2).replace(activity="stopped"), wounded(10)
    for wound in (stopped, dying, wounded(2).replace(factor=Fraction(0))):
        assert time_left(wound, 5) is None and healed_at(wound, 5) is None
        assert heal_until(wound, 5, 10**9) == wound.replace(as_of=10**9)
    assert healed_at(dying.replace(stabilised=True), 0) == 240 * MINUTES_A_DAY


@pytest.mark.rule("BAR-HEAL")
def test_constant_activity_moves_a_wound_up_a_row() -> None:
    busy = wounded(3).replace(activity="slower")
    assert time_left(busy, 0) == 21 * MINUTES_A_DAY
    assert time_left(busy.replace(degree=12, base_days=240), 0) == 240 * MINUTES_A_DAY
    own = Chart(
        tuple(row.replace(healing_days=9, mental_healing_days=50) for row in DEFAULT_CHART.rows)
    )
    assert time_left(busy, 0, own) == 9 * MINUTES_A_DAY
    assert time_left(busy.replace(kind="mental"), 0, own) == 50 * MINUTES_A_DAY


@pytest.mark.rule("BAR-HEAL")
def test_time_set_back_heals_and_undoes_nothing() -> None:
    wound = heal_until(wounded(4), 0, 5000)
    assert wound is not None
    assert heal_until(wound, 0, 4000) == wound == heal_until(wound, 0, 5000)


@pytest.mark.rule("BAR-HEAL")
def test_wounds_of_no_days_are_healed_at_once() -> None:
    wound = wounded(1).replace(base_days=0)
    assert heal_until(wound, 0, 0) is None and healed_at(wound, -4) == 0


@pytest.mark.rule("BAR-HEAL")
@given(st.integers(1, 12), st.integers(-5, 9), st.lists(st.integers(0, 400_000), max_size=6))
def test_it_does_not_matter_how_often_one_looks(
    degree: int, attribute: int, looks: list[int]
) -> None:
    wound: Wound | None = wounded(degree).replace(stabilised=True)
    assert wound is not None
    end = healed_at(wound, attribute)
    for minute in sorted(looks):
        before = wound
        wound = heal_until(before, attribute, minute) if before is not None else None
        assert (wound is None) == (end is not None and minute >= end)
    if wound is not None:
        assert healed_at(wound, attribute) == end


def test_wounds_can_be_stored() -> None:
    adapter = codec.decoder(Wound)
    wound = heal_until(wounded(5, "mental", 3), 7, 1000)
    assert wound is not None and adapter.decode(codec.part_text(wound)) == wound

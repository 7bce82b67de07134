"""Ranged attacks under EGO."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.systems.ego.formulas import ranged

factors = st.lists(st.sampled_from(sorted(ranged.FACTORS)), unique=True)
bands = st.sampled_from(list(ranged.BANDS))


@pytest.mark.rule("EGO-RNG-01")
@pytest.mark.parametrize(
    ("distance", "band"),
    [(0, "short"), (50, "short"), (51, "medium"), (75, "medium"), (100, "long"), (101, "extended")],
)
def test_a_band_holds_its_own_limit(distance: int, band: str) -> None:
    assert ranged.band_at(distance, (50, 75, 100)) == band


@pytest.mark.rule("EGO-RNG-01", "EGO-OP-22")
def test_the_farthest_shot_is_limited_only_where_the_table_plays_so() -> None:
    limits = (50, 75, 99)
    assert ranged.max_range(99, limited=False) is None
    most = ranged.max_range(99, limited=True)
    assert most == Fraction(297, 2)
    assert [ranged.band_at(each, limits, most) for each in (148, 149)] == ["extended", None]


@pytest.mark.rule("EGO-RNG-01")
@given(st.integers(0, 12), st.integers(1, 12))
def test_equal_is_enough(successes: int, number: int) -> None:
    assert ranged.hits(successes, number) == (successes >= number)


@pytest.mark.rule("EGO-RNG-01", "EGO-RNG-02", "EGO-IMP-01", "EGO-DEF-01")
@given(bands, factors, st.integers(-1, 8))
def test_all_factors_add_up_and_one_success_is_always_needed(
    band: str, named: list[str], more: int
) -> None:
    found = ranged.difficulty(band, named, more)
    moved = sum(ranged.FACTORS[each].shift for each in named) + more
    assert found == max(1, ranged.BANDS[band] + moved)


@pytest.mark.rule("EGO-RNG-02")
def test_the_factors() -> None:
    assert sorted(each.shift for each in ranged.FACTORS.values()) == [-1, -1, 1, 1, 1, 2]
    assert (
        ranged.difficulty("extended", ("cover", "target_moving", "concealed", "moving_and_firing"))
        == 9
    )
    assert ranged.difficulty("short", ("unaware", "targeting_device")) == 1


@pytest.mark.rule("EGO-RNG-03", "EGO-OP-02")
def test_throwing_goes_by_quarters_of_the_farthest() -> None:
    ends = ranged.throws(300, 10)
    assert ends == (Fraction(15, 2), 15, Fraction(45, 2), 30)
    found = [ranged.band_at(each, ends, ends[-1]) for each in (7, 8, 15, 16, 23, 30, 31)]
    assert found == ["short", "medium", "medium", "long", "extended", "extended", None]
    assert ranged.difficulty("short", more=ranged.THROWING_MODIFIER) == 1
    assert ranged.difficulty("long", more=ranged.THROWING_MODIFIER) == 2


@pytest.mark.rule("EGO-RNG-04")
@given(st.integers(1, 9), st.integers(-1, 12))
def test_a_die_for_each_shot_that_is_not_fired(rate: int, shots: int) -> None:
    if 1 <= shots <= rate:
        assert ranged.rate_dice(rate, shots) == rate - shots
    else:
        with pytest.raises(Impossible, match="ego-too-many-shots"):
            ranged.rate_dice(rate, shots)


@pytest.mark.rule("EGO-RNG-05", "EGO-OP-23")
def test_how_a_weapon_may_be_fired() -> None:
    assert ranged.ways_to_fire(1, automatic=False) == ("single",)
    assert ranged.ways_to_fire(2, automatic=True) == ("single", "burst", "full_auto")
    assert ranged.ways_to_fire(None, automatic=True) == ("burst", "full_auto")
    burst, auto = ranged.FIRE["burst"], ranged.FIRE["full_auto"]
    assert (burst.dice, burst.damage, burst.factor) == (-1, 1, 1)
    assert (auto.dice, auto.damage, auto.factor) == (-3, 0, 2)


@pytest.mark.rule("EGO-RNG-04", "EGO-RNG-05", "EGO-OP-21")
@given(st.sampled_from(sorted(ranged.FIRE)), st.integers(0, 40))
def test_ammunition_is_never_short_unnoticed(way: str, left: int) -> None:
    needs, most = {"single": (1, 1), "burst": (3, 3), "full_auto": (6, 10)}[way]
    assert ranged.ammunition(way, None) is None
    if left < needs:
        with pytest.raises(Impossible, match="ego-not-enough-rounds"):
            ranged.ammunition(way, left)
    else:
        assert ranged.ammunition(way, left) == min(most, left)


@pytest.mark.rule("EGO-AOE-01", "EGO-OP-25")
def test_an_area_holds_its_own_limit() -> None:
    assert [ranged.reaches(feet, 15) for feet in (0, 15, 16)] == [True, True, False]
    assert [ranged.reaches(feet, 15, "diameter") for feet in (7, 8)] == [True, False]

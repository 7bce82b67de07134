"""Vehicles: sections, speed, emergencies, collisions, those aboard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.systems.ego.formulas import vehicles
from rules.systems.ego.formulas.vehicles import AIR, GROUND, SPACE, WATER, Emergency, Stop

sections = st.lists(st.integers(0, 20), min_size=1, max_size=12)
speeds = st.integers(0, 25)


@pytest.mark.rule("EGO-VEH-01")
@given(sections, st.integers(0, 11), st.integers(0, 400))
def test_damage_is_neither_lost_nor_made(before: list[int], hit: int, damage: int) -> None:
    at = hit % len(before)
    after = vehicles.sections_after_hit(before, at, damage)
    assert sum(before) - sum(after) == min(damage, sum(before))
    assert all(0 <= now <= then for now, then in zip(after, before, strict=True))
    assert after[at] == max(0, before[at] - damage)
    assert vehicles.is_destroyed(after) == (damage >= sum(before))


@pytest.mark.rule("EGO-VEH-01")
def test_from_the_last_section_it_goes_back_to_the_first() -> None:
    assert vehicles.sections_after_hit((15, 15, 15), 2, 40) == (0, 5, 0)
    assert [vehicles.sections_of_type(kind) for kind in range(4)] == [1, 2, 4, 8]


@pytest.mark.rule("EGO-VEH-03")
@given(speeds, st.integers(1, 5), st.integers(0, 5))
def test_speed_stays_between_its_ends(speed: int, acceleration: int, least: int) -> None:
    low, high = vehicles.slowest(speed, least), vehicles.fastest(speed, acceleration, 25)
    assert least <= low <= max(speed, least)
    assert speed <= high <= 25


@pytest.mark.rule("EGO-VEH-04", "EGO-VEH-05")
def test_who_can_stop_at_once() -> None:
    assert vehicles.emergency_stop(GROUND, 0) == vehicles.emergency_stop(AIR, 0) == Stop()
    assert vehicles.emergency_stop(WATER, 0) == Stop(drift=1, turn=90)
    for kind, least in ((AIR, 4), (SPACE, 0)):
        with pytest.raises(Impossible):
            vehicles.emergency_stop(kind, least)


@pytest.mark.rule("EGO-VEH-04", "EGO-VEH-11")
def test_the_pilot_rolls_with_the_vehicle_s_own_dice() -> None:
    assert vehicles.pilot_pool(3, 4, -2) == 5


@pytest.mark.rule("EGO-VEH-06")
def test_emergency_acceleration() -> None:
    assert vehicles.emergency(4, 25, [False], braking=False) == Emergency(
        4, awake=False, mishap=True
    )
    assert vehicles.emergency(4, 25, [True], braking=False) == Emergency(12)
    assert vehicles.emergency(20, 25, [True], braking=False) == Emergency(20)
    assert vehicles.emergency(4, 25, [True, True], braking=False) == Emergency(25)
    assert vehicles.emergency(4, 25, [True, False], braking=False) == Emergency(
        12, awake=False, mishap=True
    )


@pytest.mark.rule("EGO-VEH-07")
def test_emergency_deceleration() -> None:
    assert vehicles.emergency(15, 20, [False], braking=True) == Emergency(
        15, awake=False, mishap=True
    )
    assert vehicles.emergency(15, 20, [True], braking=True) == Emergency(7)
    assert vehicles.emergency(15, 20, [True, True], braking=True) == Emergency(0)
    stopped = vehicles.emergency(15, 20, [True, False], braking=True)
    assert stopped == Emergency(0, awake=False, drifts=True)


@pytest.mark.rule("EGO-VEH-08")
@given(speeds)
def test_the_faster_the_worse(speed: int) -> None:
    times = vehicles.multiplier(speed, 25)
    assert 1 <= times <= 5
    assert times <= vehicles.multiplier(min(25, speed + 1), 25)
    assert vehicles.against_object(speed, 25, multiplied=False) == 1
    assert vehicles.percent(speed, 25) == 4 * speed


@pytest.mark.rule("EGO-VEH-08")
def test_whose_speed_counts() -> None:
    fast, slow = (12, 12), (1, 8)
    assert vehicles.multipliers(fast, slow, "highest") == (5, 5)
    assert vehicles.multipliers(fast, slow, "own") == (5, 1)
    assert vehicles.multipliers(fast, slow, "other") == (1, 5)
    assert vehicles.damage_through_armor(15, 8, 5) == 67
    assert vehicles.damage_through_armor(5, 8) == 0


@pytest.mark.rule("EGO-VEH-09")
@given(st.integers(0, 300))
def test_restraints_and_bracing_help(taken: int) -> None:
    best, middle, same, worst = (
        vehicles.share(taken, held=held, braced=braced)
        for held, braced in ((True, True), (True, False), (False, True), (False, False))
    )
    assert best == 0 <= middle == same <= worst <= taken
    assert 2 * worst - taken in (0, 1)


@pytest.mark.rule("EGO-VEH-10")
@given(st.integers(0, 30), st.integers(0, 200))
def test_armor_halves_only_beyond_itself(ar: int, stopped: int) -> None:
    assert vehicles.armor_after_round(ar, stopped) == (ar // 2 if stopped > ar else ar)

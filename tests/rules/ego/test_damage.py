"""What damage does under EGO: dice, armor, impairment, stun, recovery."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.ego.formulas import damage
from rules.systems.ego.formulas.damage import Body, Halving, Quarters

faces = st.lists(st.integers(1, 6), max_size=30)
halvings = st.sampled_from(["per_die", "total_half_up"])
readings = st.sampled_from(["full_quarters", "entered_quarters"])


@st.composite
def bodies(draw: st.DrawFn) -> Body:
    vitality = draw(st.integers(1, 30))
    lethal = draw(st.integers(0, vitality - 1))
    non_lethal = draw(st.integers(0, 2 * vitality - 1))
    stun = draw(st.integers(0, non_lethal))
    return Body(
        vitality, lethal, non_lethal, stun, draw(st.integers(0, 40)), draw(st.integers(0, 5))
    )


@pytest.mark.rule("EGO-DMG-01")
@pytest.mark.parametrize(("face", "points"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_each_die_is_halved_by_itself(face: int, points: int) -> None:
    assert damage.damage((face,)) == points


@pytest.mark.rule("EGO-DMG-01", "EGO-OP-05")
@given(faces)
def test_the_two_ways_of_halving_differ_by_half_the_odd_dice(thrown: list[int]) -> None:
    odd = sum(face % 2 for face in thrown)
    assert damage.damage(thrown) - damage.damage(thrown, 0, "total_half_up") == odd // 2


@pytest.mark.rule("EGO-DMG-02")
@given(faces, st.integers(-9, 9), halvings)
def test_what_is_added_is_added_once_and_damage_is_never_negative(
    thrown: list[int], flat: int, halving: Halving
) -> None:
    plain = damage.damage(thrown, 0, halving)
    assert damage.damage(thrown, flat, halving) == max(0, plain + flat)


@pytest.mark.rule("EGO-DMG-01")
@given(faces, st.integers(1, 6), halvings)
def test_another_die_never_does_less(thrown: list[int], face: int, halving: Halving) -> None:
    assert damage.damage([*thrown, face], 0, halving) >= damage.damage(thrown, 0, halving)


@pytest.mark.rule("EGO-DMG-03")
def test_only_the_weapons_own_dice_are_doubled() -> None:
    assert damage.damage_dice(4, factor=2) == 8
    assert damage.damage_dice(2, 3, more=2, factor=2) == 9
    assert damage.damage_dice(1, 0, more=-3) == 0


@pytest.mark.rule("EGO-DMG-04")
def test_successes_above_the_number_add_dice_only_where_the_table_plays_so() -> None:
    assert [damage.excess(4, 1, counts=each) for each in (False, True)] == [0, 3]
    assert damage.excess(1, 2, counts=True) == 0


@pytest.mark.rule("EGO-DMG-04")
def test_lethal_damage_kills_at_vitality() -> None:
    body = Body(12, lethal=5)
    assert damage.apply_hit(body, 6).after.down == ""
    killed = damage.apply_hit(body, 7).after
    assert (killed.down, damage.vitality_left(killed)) == (damage.DEAD, 0)


@pytest.mark.rule("EGO-DMG-04", "EGO-ARM-01")
@given(bodies(), st.integers(0, 60), st.integers(0, 60), st.integers(0, 30), st.booleans())
def test_more_damage_never_does_less(
    body: Body, points: int, more: int, armor: int, lethal: bool
) -> None:
    one = damage.apply_hit(body, points, armor=armor, lethal=lethal)
    other = damage.apply_hit(body, points + more, armor=armor, lethal=lethal)
    assert one.stopped + one.taken == points
    assert 0 <= one.stopped <= armor
    assert other.taken >= one.taken
    assert damage.vitality_left(other.after) <= damage.vitality_left(one.after)
    assert damage.impairment(other.after) >= damage.impairment(one.after)
    assert not (one.after.down == damage.DEAD and other.after.down != damage.DEAD)


@pytest.mark.rule("EGO-IMP-01", "EGO-OP-09")
@given(bodies(), readings)
def test_a_quarter_is_exact(body: Body, reading: Quarters) -> None:
    lost = body.lethal + body.non_lethal
    reached = [quarter for quarter in range(1, 5) if 4 * lost >= quarter * body.vitality]
    entered = [quarter for quarter in range(1, 5) if 4 * lost > (quarter - 1) * body.vitality]
    assert damage.impairment(body, reading) == len(
        reached if reading == "full_quarters" else entered
    )


@pytest.mark.rule("EGO-IMP-01")
def test_what_impairment_does() -> None:
    assert damage.IMPAIRMENT_INITIATIVE == (0, -2, -4, -6, -6)
    assert damage.IMPAIRMENT_DIFFICULTY == (0, 0, 1, 2, 2)
    assert (damage.stays_conscious(2), damage.stays_conscious(3)) == (False, True)


@pytest.mark.rule("EGO-IMP-01")
def test_staying_conscious_is_rolled_at_the_last_level_for_damage_taken() -> None:
    hurt = damage.apply_hit(Body(12, lethal=5), 8, lethal=False)
    assert (hurt.rolls, hurt.after.down) == (True, "")
    assert damage.apply_hit(hurt.after, 1, lethal=False).rolls  # and again at each later damage
    assert not damage.apply_hit(hurt.after, 3, armor=3).rolls  # none came through
    assert not damage.apply_hit(hurt.after, 7).rolls  # dead
    assert not damage.apply_hit(hurt.after.replace(down=damage.PASSED_OUT), 1).rolls


@pytest.mark.rule("EGO-NL-01", "EGO-OP-10")
def test_non_lethal_damage_lowers_vitality_and_stun_and_kills_nobody() -> None:
    body = damage.apply_hit(Body(10, lethal=4), 8, lethal=False).after
    assert (damage.vitality_left(body), damage.stun_left(body), damage.is_dead(body)) == (
        0,
        12,
        False,
    )
    # Lethal damage takes no Stun points.
    assert damage.stun_left(damage.apply_hit(body, 3).after) == 12


@pytest.mark.rule("EGO-EFF-01", "EGO-OP-46")
def test_only_stun_throws_back() -> None:
    assert [damage.knockback(10, taken) for taken in (9, 10, 11, 14)] == [0, 0, 5, 20]
    assert damage.apply_hit(Body(20), 14, lethal=False, muscle=10).feet == 20
    assert damage.apply_hit(Body(20), 14, muscle=10).feet == 0
    assert damage.apply_hit(Body(20), 14, lethal=False).feet == 0


@pytest.mark.rule("EGO-EFF-02", "EGO-OP-42")
def test_stun_of_a_round_is_added_up_and_holds_from_the_next() -> None:
    first = damage.apply_hit(Body(10), 6, lethal=False)
    assert first.stunned is None
    second = damage.apply_hit(first.after, 4, lethal=False)
    assert second.stunned == 0
    third = damage.apply_hit(second.after, 2, lethal=False)
    assert (third.stunned, third.after.stunned) == (2, 0)
    after = damage.round_over(third.after)
    assert (after.stunned, after.stun, after.stopped) == (2, 0, 0)
    assert [damage.round_over(after.replace(stunned=each)).stunned for each in (2, 1, 0)] == [
        1,
        0,
        0,
    ]
    assert damage.round_over(Body(10, stun=11, stunned=5)).stunned == 4  # the longest counts


@pytest.mark.rule("EGO-EFF-03")
def test_without_stun_points_somebody_is_unconscious() -> None:
    assert damage.apply_hit(Body(10, non_lethal=13), 6, lethal=False).after.down == ""
    out = damage.apply_hit(Body(10, non_lethal=13), 8, lethal=False).after
    assert out.down == damage.KNOCKED_OUT
    assert damage.wake(out) == out.replace(down="", non_lethal=19)
    assert damage.wake(out.replace(non_lethal=4)) == out.replace(down="", non_lethal=4)
    assert damage.wake(Body(10, lethal=10, down=damage.DEAD)).down == damage.DEAD
    assert damage.apply_hit(out, 10).after.down == damage.DEAD


@pytest.mark.rule("EGO-REC-01")
def test_lethal_damage_heals_by_the_day() -> None:
    assert [damage.lethal_after_day(7, care) for care in ("none", "rest", "medical")] == [6, 5, 3]
    assert damage.lethal_after_day(1, "medical") == 0


@pytest.mark.rule("EGO-REC-02")
@given(st.integers(0, 60), st.integers(1, 12))
def test_non_lethal_damage_heals_by_the_round(non_lethal: int, dice: int) -> None:
    assert damage.non_lethal_after_round(non_lethal, dice) == max(0, non_lethal - dice)


@pytest.mark.rule("EGO-ARM-01")
def test_armor_stops_up_to_its_rating_of_each_hit() -> None:
    assert [damage.stopped_by(5, points) for points in (0, 4, 5, 9)] == [0, 4, 5, 5]


@pytest.mark.rule("EGO-ARM-02", "EGO-OP-26")
@given(st.integers(0, 30), st.lists(st.integers(0, 60), max_size=5), st.sampled_from([1, 2]))
def test_armor_wears_by_one_a_round_and_never_below_0(
    rating: int, hits: list[int], factor: int
) -> None:
    stopped = sum(damage.stopped_by(rating, points) for points in hits)
    worn = damage.armor_after_wear(rating, stopped, factor)
    assert worn == rating - (rating >= 1 and stopped >= factor * rating)
    assert worn >= 0

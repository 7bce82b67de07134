"""Two d10, what is rolled on top, and the bonus chart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.rng import KeyedRng, ScriptedRng
from rules.systems.masterbook.formulas.dice import (
    ACTIVE_DEFENSE_FLOOR,
    TEN,
    Roll,
    Throw,
    bonus_number,
    least_die_total,
    spend_point,
    throw,
)

faces = st.lists(st.integers(1, 10), min_size=60, max_size=60)


@pytest.mark.rule("MB-DIE-01")
@given(st.integers(2, 2000))
def test_a_higher_total_has_no_lower_bonus_number(total: int) -> None:
    assert bonus_number(total) <= bonus_number(total + 1) <= bonus_number(total) + 2


@pytest.mark.rule("MB-DIE-01", "MB-DN-04")
@given(st.integers(-20, 300))
def test_the_total_needed_is_the_least_that_does(number: int) -> None:
    least = least_die_total(number)
    assert bonus_number(least) >= number
    assert least == 2 or bonus_number(least - 1) < number


@pytest.mark.rule("MB-DIE-01")
def test_above_the_chart_every_five_are_one_more() -> None:
    assert [bonus_number(total) for total in (45, 46, 50, 51, 55, 56, 1000)] == [
        14,
        15,
        15,
        16,
        16,
        17,
        205,
    ]


@pytest.mark.rule("MB-DIE-02")
def test_tens_roll_again_only_where_they_may() -> None:
    dice = ScriptedRng([10, 10, 10, 1, 2])
    assert throw(dice, True).dice == (10, 10, 10, 1, 2)
    assert throw(ScriptedRng([10, 10]), False).dice == (10, 10)
    assert throw(ScriptedRng([4, 6]), True).dice == (4, 6)


@pytest.mark.rule("MB-DIE-02", "MB-DIE-04", "MB-DIE-05")
@given(faces, st.booleans(), st.integers(0, 3), st.booleans())
def test_every_ten_is_dealt_with_once(
    rolled: list[int], tens: bool, ups: int, stymied: bool
) -> None:
    roll = throw(ScriptedRng([*rolled, *[1] * 60]), tens, ups, stymied)
    again = roll.dice.count(TEN) if tens else 0
    assert len(roll.dice) == 2 + 2 * ups + again - roll.lost
    assert roll.lost + roll.stymied == stymied
    assert roll.lost == (stymied and bool(ups or again))


@pytest.mark.rule("MB-DIE-04")
def test_ups_bring_two_dice_each_before_tens() -> None:
    dice = ScriptedRng([10, 4, 8, 9, 1, 10, 5, 6])
    assert throw(dice, True, 2).dice == (10, 4, 8, 9, 1, 10, 5, 6)
    assert dice.left == 0


@pytest.mark.rule("MB-DIE-03")
@given(faces, st.booleans(), st.sampled_from(["all", "new_dice_only"]), st.booleans())
def test_a_point_never_makes_a_total_smaller(
    rolled: list[int], tens: bool, scope: str, stymied: bool
) -> None:
    dice = ScriptedRng([*rolled, *[1] * 60])
    before = throw(dice, tens, stymied=stymied)
    after = spend_point(before, dice, "all" if scope == "all" else "new_dice_only")
    assert after.dice[: len(before.dice)] == before.dice
    assert after.total > before.total
    assert after.tens
    assert after.points == 1


@pytest.mark.rule("MB-DIE-03")
def test_old_tens_come_again_by_the_scope_and_only_once() -> None:
    untrained = throw(ScriptedRng([10, 2]), False)
    assert spend_point(untrained, ScriptedRng([3, 4, 5]), "all").dice == (10, 2, 3, 4, 5)
    new = spend_point(untrained, ScriptedRng([3, 10, 5]), "new_dice_only")
    assert new.dice == (10, 2, 3, 10, 5)
    # A second point finds no 10 that has not been dealt with.
    assert spend_point(new, ScriptedRng([1, 2]), "all").dice == (10, 2, 3, 10, 5, 1, 2)
    trained = throw(ScriptedRng([10, 2, 7]), True)
    assert spend_point(trained, ScriptedRng([3, 4]), "all").dice == (10, 2, 7, 3, 4)


@pytest.mark.rule("MB-DIE-05")
def test_being_stymied_takes_the_first_die_that_would_come_and_no_other() -> None:
    assert throw(ScriptedRng([10, 10, 4]), True, stymied=True).dice == (10, 10, 4)
    assert throw(ScriptedRng([3, 4, 5]), True, 1, True).dice == (3, 4, 5)
    quiet = throw(ScriptedRng([3, 4]), True, stymied=True)
    assert quiet.stymied
    once = spend_point(quiet, ScriptedRng([6]))
    assert (once.dice, once.stymied, once.lost) == ((3, 4, 6), False, True)
    assert spend_point(once, ScriptedRng([1, 2])).dice == (3, 4, 6, 1, 2)


@pytest.mark.rule("MB-DIE-06")
def test_a_point_that_is_canceled_leaves_the_roll_to_the_next() -> None:
    """Nothing is done with the first of two: only the one that nobody canceled adds dice."""
    assert spend_point(throw(ScriptedRng([3, 4]), True), ScriptedRng([5, 6])).total == 18


@pytest.mark.rule("MB-DIE-07", "MB-SKL-02")
@given(st.integers(-20, 40), st.integers(2, 60), st.integers(-20, 20))
def test_a_floor_holds_for_the_bonus_number_alone(value: int, total: int, modifier: int) -> None:
    plain = Throw("a", "check", value, (("modifier", modifier),), Roll((total,)))
    held = plain.replace(floor=ACTIVE_DEFENSE_FLOOR)
    assert plain.total == value + bonus_number(total) + modifier
    assert held.total == value + max(ACTIVE_DEFENSE_FLOOR, bonus_number(total)) + modifier
    assert bonus_number(total, ACTIVE_DEFENSE_FLOOR) == held.bonus


@pytest.mark.rule("MB-DIE-02")
def test_the_dice_of_a_seed_are_always_the_same() -> None:
    once, again = (throw(KeyedRng(b"a seed of sixteen", "request"), True, 1) for _ in range(2))
    assert once == again
    assert [die.face for die in once.fallen] == list(once.dice)

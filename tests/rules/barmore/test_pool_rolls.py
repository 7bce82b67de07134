"""Rolling, judging, doing without dice, opposition."""

from __future__ import annotations

import pytest

from rules.core.rng import KeyedRng, ScriptedRng
from rules.systems.barmore.check_state import Plan, roll_pool
from rules.systems.barmore.pool import (
    DIE_TYPES,
    NO_WINNER,
    Judgment,
    Opposition,
    Part,
    Pool,
    PoolRoll,
    judge,
    no_dice_total,
    oppose,
    oppose_indirect,
    pool_from_parts,
)
from tests.rules.barmore.play import came_to


def roll_of(pool: Pool, *faces: int, die: str = "d8") -> PoolRoll:
    """This pool with these faces; every face must be used."""
    dice = ScriptedRng(faces)
    roll = roll_pool(dice, pool, (), Plan(die=die))
    assert dice.left == 0
    return roll


@pytest.mark.rule("BAR-ROLL")
def test_bonus_dice_discard_the_lowest() -> None:
    roll = roll_of(Pool(2, 2), 3, 8, 1, 5)
    assert (roll.kept_dice, roll.total) == ((False, True, False, True), 13)


@pytest.mark.rule("BAR-ROLL")
def test_penalty_dice_discard_the_highest() -> None:
    roll = roll_of(Pool(2, -2), 3, 8, 1, 5)
    assert (roll.kept_dice, roll.total) == ((True, False, True, False), 4)


@pytest.mark.rule("BAR-ROLL")
def test_equal_dice_are_discarded_in_the_order_rolled() -> None:
    assert roll_of(Pool(1, 2), 4, 4, 4).kept_dice == (False, False, True)
    assert roll_of(Pool(1, -2), 4, 4, 4).kept_dice == (False, False, True)
    assert roll_of(Pool(2, 1), 2, 5, 2).kept_dice == (False, True, True)
    assert roll_of(Pool(2, -1), 5, 2, 5).kept_dice == (False, True, True)


@pytest.mark.rule("BAR-ROLL")
def test_only_what_is_not_canceled_is_rolled() -> None:
    parts = Part("start", 1), Part("attribute", modifier=3), Part("wound", modifier=-2)
    roll = roll_of(pool_from_parts(parts), 3, 7)
    assert (roll.pool, roll.total) == (Pool(1, 1), 7)


@pytest.mark.rule("BAR-DIE", "BAR-ROLL")
def test_the_die_adds_to_every_face() -> None:
    roll = roll_of(Pool(2, 1), 1, 12, 6, die="d12-2")
    assert (roll.faces, roll.total) == ((1, 12, 6), 14), "10 and 4"
    assert roll_of(Pool(2, -1), 1, 4, 2, die="d4+2").total == 7


@pytest.mark.rule("BAR-ROLL")
def test_keyed_dice_fit_the_die() -> None:
    for die in DIE_TYPES.values():
        roll = roll_pool(KeyedRng(b"s" * 16, die.id), Pool(60, 40), (), Plan(die=die.id))
        assert len(roll.faces) == 100 and {1, die.sides} <= set(roll.faces) <= set(
            range(1, die.sides + 1)
        )
        assert (die.low, die.high) == (1 + die.add, die.sides + die.add)


@pytest.mark.rule("BAR-ROLL")
@pytest.mark.parametrize(
    ("total", "difficulty", "success", "degree"),
    [
        (10, 10, True, 0),
        (14, 10, True, 0),
        (15, 10, True, 1),
        (30, 10, True, 4),
        (9, 10, False, 0),
        (6, 10, False, 0),
        (5, 10, False, -1),
        (4, 20, False, -3),
    ],
)
def test_success_and_failure_levels(
    total: int, difficulty: int, success: bool, degree: int
) -> None:
    assert judge(came_to(total, 3), difficulty) == Judgment(
        total, difficulty, success, False, degree
    )


@pytest.mark.rule("BAR-ROLL")
def test_a_botch_fails_whatever_the_difficulty() -> None:
    assert judge(came_to(3, 3), 1) == Judgment(3, 1, False, True, 0)
    assert judge(came_to(3, 3), -20) == Judgment(3, -20, False, True, 0)
    assert judge(came_to(3, 3), 14) == Judgment(3, 14, False, True, -2)
    assert judge(came_to(4, 3), 1).success


@pytest.mark.rule("BAR-DIE", "BAR-ROLL")
def test_safe_dice_never_botch() -> None:
    worst = roll_of(Pool(3), 1, 1, 1, die="d6+1")
    assert (worst.total, worst.botch, judge(worst, 6).success) == (6, False, True)
    wild = roll_of(Pool(3), 2, 1, 7, die="d12-2")
    assert (wild.total, wild.botch) == (4, False)
    assert roll_of(Pool(3), 2, 1, 6, die="d12-2").botch
    assert judge(roll_of(Pool(3), 1, 1, 1), 1) == Judgment(3, 1, False, True, 0)


@pytest.mark.rule("BAR-AUTO")
def test_doing_without_dice() -> None:
    assert no_dice_total(Pool(3, 2)) == 17
    assert no_dice_total(Pool(3, -2)) == 13
    assert no_dice_total(Pool(1, -5)) == 0


@pytest.mark.rule("BAR-AUTO")
def test_nothing_rolled_is_no_botch() -> None:
    total = no_dice_total(Pool(1, -5))
    assert judge(came_to(total, rolled=False), 0) == Judgment(0, 0, True, False, 0)
    assert judge(came_to(total, rolled=False), 5) == Judgment(0, 5, False, False, -1)


@pytest.mark.rule("BAR-TEAM")
def test_who_has_no_chance_fails_whatever_they_rolled() -> None:
    good, bad, botch = came_to(30, 3), came_to(5, 3), came_to(3, 3)
    assert judge(good.replace(lucky=False), 10) == Judgment(30, 10, False, False, 0)
    for each in (good, bad, botch):
        assert judge(each.replace(lucky=True), 10) == judge(each, 10)
    for each in (bad, botch):
        assert judge(each.replace(lucky=False), 10) == judge(each, 10)


@pytest.mark.rule("BAR-OPPOSED")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (20, 10, (True, 2)),
        (10, 14, (False, 0)),
        (10, 10, NO_WINNER),
    ],
)
def test_direct_opposition(first: int, second: int, expected: Opposition) -> None:
    assert oppose(came_to(first), came_to(second)) == expected


@pytest.mark.rule("BAR-OPPOSED")
def test_a_botch_loses_to_what_is_none() -> None:
    assert oppose(came_to(20, 20), came_to(5)) == (False, 0)
    assert oppose(came_to(5, 5), came_to(20)) == (False, 3)
    assert oppose(came_to(5), came_to(20, 20)) == (True, 0)
    assert oppose(came_to(7), came_to(7, 7)) == (True, 0)
    assert oppose(came_to(5, 5), came_to(20, 20)) == NO_WINNER


@pytest.mark.rule("BAR-OPPOSED")
def test_rolls_against_each_other() -> None:
    botch, low = roll_of(Pool(6), 1, 1, 1, 1, 1, 1), roll_of(Pool(1), 2)
    assert (botch.total, botch.botch, low.total, low.botch) == (6, True, 2, False)
    assert oppose(botch, low) == (False, 0)
    assert oppose(roll_of(Pool(2), 8, 8), low) == (True, 2)
    assert oppose(botch, roll_of(Pool(0, 2))) == NO_WINNER
    assert oppose(roll_of(Pool(-1)), low) == (False, 0)


@pytest.mark.rule("BAR-OPPOSED")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (judge(came_to(20, 2), 10), judge(came_to(9, 2), 10), (True, 2)),
        (judge(came_to(9, 2), 10), judge(came_to(10, 2), 10), (False, 0)),
        (judge(came_to(15, 2), 10), judge(came_to(20, 2), 10), (False, 2)),
        (judge(came_to(17, 2), 10), judge(came_to(16, 2), 10), (True, 1)),
        (judge(came_to(16, 2), 10), judge(came_to(16, 2), 10), NO_WINNER),
        (judge(came_to(9, 2), 10), judge(came_to(4, 2), 10), NO_WINNER),
        (judge(came_to(12, 12), 10), judge(came_to(10, 2), 10), (False, 0)),
        (judge(came_to(12, 12), 10), judge(came_to(12, 12), 10), NO_WINNER),
    ],
)
def test_indirect_opposition(first: Judgment, second: Judgment, expected: Opposition) -> None:
    assert oppose_indirect(first, second) == expected

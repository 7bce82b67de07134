"""Rolling, judging, doing without dice, opposition."""

from __future__ import annotations

import pytest

from rules.core.rng import Keyed, Scripted
from rules.systems.barmore.check import Thrown, judged, oppose
from rules.systems.barmore.pool import (
    DIE_TYPES,
    NOBODY,
    Judgement,
    Opposition,
    Part,
    Pool,
    PoolRoll,
    either_or,
    judge,
    no_dice_total,
    oppose_direct,
    oppose_indirect,
    pool_of,
    roll_pool,
)
from tests.rules.barmore.play import thrown


def rolled(pool: Pool, *faces: int, die: str = "d8") -> PoolRoll:
    """This pool with these faces; every face must be used."""
    dice = Scripted(faces)
    roll = roll_pool(dice, pool, DIE_TYPES[die])
    assert dice.left == 0
    return roll


@pytest.mark.rule("BAR-ROLL")
def test_bonus_dice_discard_the_lowest() -> None:
    roll = rolled(Pool(2, 2), 3, 8, 1, 5)
    assert (roll.kept, roll.total) == ((False, True, False, True), 13)


@pytest.mark.rule("BAR-ROLL")
def test_penalty_dice_discard_the_highest() -> None:
    roll = rolled(Pool(2, -2), 3, 8, 1, 5)
    assert (roll.kept, roll.total) == ((True, False, True, False), 4)


@pytest.mark.rule("BAR-ROLL")
def test_equal_dice_are_discarded_in_the_order_rolled() -> None:
    assert rolled(Pool(1, 2), 4, 4, 4).kept == (False, False, True)
    assert rolled(Pool(1, -2), 4, 4, 4).kept == (False, False, True)
    assert rolled(Pool(2, 1), 2, 5, 2).kept == (False, True, True)
    assert rolled(Pool(2, -1), 5, 2, 5).kept == (False, True, True)


@pytest.mark.rule("BAR-ROLL")
def test_only_what_is_not_cancelled_is_rolled() -> None:
    parts = Part("start", 1), Part("attribute", modifier=3), Part("wound", modifier=-2)
    roll = rolled(pool_of(parts), 3, 7)
    assert (roll.pool, roll.total) == (Pool(1, 1), 7)


@pytest.mark.rule("BAR-DIE", "BAR-ROLL")
def test_the_die_adds_to_every_face() -> None:
    roll = rolled(Pool(2, 1), 1, 12, 6, die="d12-2")
    assert (roll.faces, roll.total) == ((1, 12, 6), 14), "10 and 4"
    assert rolled(Pool(2, -1), 1, 4, 2, die="d4+2").total == 7


@pytest.mark.rule("BAR-ROLL")
def test_keyed_dice_fit_the_die() -> None:
    for die in DIE_TYPES.values():
        roll = roll_pool(Keyed(b"s" * 16, die.id), Pool(60, 40), die)
        assert len(roll.faces) == 100 and {1, die.sides} <= set(roll.faces) <= set(range(1, die.sides + 1))
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
def test_success_and_failure_levels(total: int, difficulty: int, success: bool, degree: int) -> None:
    assert judge(total, 3, difficulty) == Judgement(total, difficulty, success, False, degree)


@pytest.mark.rule("BAR-ROLL")
def test_a_botch_fails_whatever_the_difficulty() -> None:
    assert judge(3, 3, 1) == Judgement(3, 1, False, True, 0)
    assert judge(3, 3, -20) == Judgement(3, -20, False, True, 0)
    assert judge(3, 3, 14) == Judgement(3, 14, False, True, -2)
    assert judge(4, 3, 1).success


@pytest.mark.rule("BAR-DIE", "BAR-ROLL")
def test_safe_dice_never_botch() -> None:
    worst = rolled(Pool(3), 1, 1, 1, die="d6+1")
    assert (worst.total, worst.botch, judged(thrown(worst), 6).success) == (6, False, True)
    wild = rolled(Pool(3), 2, 1, 7, die="d12-2")
    assert (wild.total, wild.botch) == (4, False)
    assert rolled(Pool(3), 2, 1, 6, die="d12-2").botch
    assert judged(thrown(rolled(Pool(3), 1, 1, 1)), 1) == Judgement(3, 1, False, True, 0)


@pytest.mark.rule("BAR-AUTO")
def test_doing_without_dice() -> None:
    assert no_dice_total(Pool(3, 2)) == 17
    assert no_dice_total(Pool(3, -2)) == 13
    assert no_dice_total(Pool(1, -5)) == 0


@pytest.mark.rule("BAR-AUTO")
def test_nothing_rolled_is_no_botch() -> None:
    total = no_dice_total(Pool(1, -5))
    assert judge(total, 1, 0, rolled=False) == Judgement(0, 0, True, False, 0)
    assert judge(total, 1, 5, rolled=False) == Judgement(0, 5, False, False, -1)


@pytest.mark.rule("BAR-TEAM")
def test_who_has_no_chance_fails_whatever_they_rolled() -> None:
    good, bad, botch = judge(30, 3, 10), judge(5, 3, 10), judge(3, 3, 10)
    lost = Judgement(30, 10, False, False, 0)
    for rolled_, without in ((good, lost), (bad, bad), (botch, botch)):
        assert either_or(rolled_, chance=True) == rolled_
        assert either_or(rolled_, chance=False) == without


@pytest.mark.rule("BAR-OPPOSED")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (20, 10, (True, 2)),
        (10, 14, (False, 0)),
        (10, 10, NOBODY),
    ],
)
def test_direct_opposition(first: int, second: int, expected: Opposition) -> None:
    assert oppose_direct(first, second) == expected


@pytest.mark.rule("BAR-OPPOSED")
def test_a_botch_loses_to_what_is_none() -> None:
    assert oppose_direct(20, 5, first_botch=True) == (False, 0)
    assert oppose_direct(5, 20, first_botch=True) == (False, 3)
    assert oppose_direct(5, 20, second_botch=True) == (True, 0)
    assert oppose_direct(7, 7, second_botch=True) == (True, 0)
    assert oppose_direct(5, 20, first_botch=True, second_botch=True) == NOBODY


@pytest.mark.rule("BAR-OPPOSED")
def test_rolls_against_each_other() -> None:
    botch, low = rolled(Pool(6), 1, 1, 1, 1, 1, 1), rolled(Pool(1), 2)
    assert (botch.total, botch.botch, low.total, low.botch) == (6, True, 2, False)
    assert oppose(thrown(botch), thrown(low)) == (False, 0)
    assert oppose(thrown(rolled(Pool(2), 8, 8)), thrown(low)) == (True, 2)
    assert oppose(thrown(botch), Thrown(Pool(0, 2), (), None, 0)) == NOBODY
    assert oppose(Thrown(Pool(-1), (), None, 0), thrown(low)) == (False, 0)


@pytest.mark.rule("BAR-OPPOSED")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (judge(20, 2, 10), judge(9, 2, 10), (True, 2)),
        (judge(9, 2, 10), judge(10, 2, 10), (False, 0)),
        (judge(15, 2, 10), judge(20, 2, 10), (False, 2)),
        (judge(17, 2, 10), judge(16, 2, 10), (True, 1)),
        (judge(16, 2, 10), judge(16, 2, 10), NOBODY),
        (judge(9, 2, 10), judge(4, 2, 10), NOBODY),
        (judge(12, 12, 10), judge(10, 2, 10), (False, 0)),
        (judge(12, 12, 10), judge(12, 12, 10), NOBODY),
    ],
)
def test_indirect_opposition(first: Judgement, second: Judgement, expected: Opposition) -> None:
    assert oppose_indirect(first, second) == expected

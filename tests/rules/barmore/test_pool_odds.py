"""Exact odds of pools, against counting every throw."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import product

import pytest

from rules.systems.barmore import pool_odds
from rules.systems.barmore.pool import DIE_TYPES, Part, Pool, PoolRoll, judge, pool_from_parts
from rules.systems.barmore.pool_odds import botch_odds, success_odds, total_distribution

SMALL = [
    (pool, name)
    for name, die in DIE_TYPES.items()
    for pool in (Pool(1), Pool(3), Pool(1, 2), Pool(2, 1), Pool(2, -1), Pool(1, -3), Pool(2, -2))
    if die.sides**pool.size <= 5000
]


@pytest.mark.rule("BAR-ROLL")
@pytest.mark.parametrize(("pool", "name"), SMALL, ids=str)
def test_every_throw_counted(pool: Pool, name: str) -> None:
    die = DIE_TYPES[name]
    rolls = [
        PoolRoll(pool, (), name, faces)
        for faces in product(range(1, die.sides + 1), repeat=pool.size)
    ]
    counted: dict[int, int] = {}
    for roll in rolls:
        counted[roll.total] = counted.get(roll.total, 0) + 1
    found = total_distribution(pool, die)
    assert (found.weights, found.ways) == (counted, len(rolls))
    assert list(found.weights) == sorted(counted)
    for difficulty in (pool.add, 4 * pool.add, 9):
        judgments = [judge(roll, difficulty) for roll in rolls]
        for level in range(3):
            good = [each.success and each.degree >= level for each in judgments]
            assert success_odds(pool, die, difficulty, level) == Fraction(sum(good), len(rolls))
        assert botch_odds(pool, die) == Fraction(sum(each.botch for each in judgments), len(rolls))
        assert found.mean == Fraction(sum(each.total for each in judgments), len(rolls))


@pytest.mark.rule("BAR-ROLL")
def test_no_botch_has_a_level() -> None:
    one, d8 = Pool(1), DIE_TYPES["d8"]
    assert (success_odds(one, d8, 7), botch_odds(one, d8)) == (Fraction(2, 8), Fraction(1, 8))
    assert success_odds(one, d8, 1) == Fraction(7, 8), (
        "a 1 is a botch although it reaches the Difficulty"
    )
    assert [success_odds(one, d8, 1, level) for level in (0, 1, 2)] == [
        Fraction(7, 8),
        Fraction(3, 8),
        0,
    ]


@pytest.mark.rule("BAR-DIE")
def test_all_dice_compared() -> None:
    found = {name: botch_odds(Pool(3, 1), die) for name, die in DIE_TYPES.items()}
    assert [name for name, chance in found.items() if chance] == ["d8", "d10-1", "d12-2"]
    assert found["d12-2"] > found["d10-1"] > found["d8"]


@pytest.mark.rule("BAR-POOL")
def test_what_is_canceled_has_no_part_in_the_odds() -> None:
    die = DIE_TYPES["d8"]
    pool = pool_from_parts(
        (Part("start", 3), Part("wound", modifier=-4), Part("attribute", modifier=5))
    )
    assert success_odds(pool, die, 15) == success_odds(Pool(3, 1), die, 15)
    assert total_distribution(pool, die) == total_distribution(Pool(3, 1), die)


def test_odds_of_many_dice_take_little_time() -> None:
    for pool in (Pool(10, 10), Pool(15, -5), Pool(20)):
        for die in DIE_TYPES.values():
            spent: list[float] = []
            for _ in range(3):
                pool_odds._pool_distribution.cache_clear()
                pool_odds.success_odds.cache_clear()
                start = time.process_time()
                success_odds(pool, die, 60)
                spent.append(time.process_time() - start)
            assert min(spent) < 0.05
    assert total_distribution(Pool(50, 50), DIE_TYPES["d12-2"]).ways == 12**100

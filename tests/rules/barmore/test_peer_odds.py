"""Exact odds of pools, against a library that counts the same."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import icepool
import pytest

from rules.systems.barmore.pool import DIE_TYPES, Pool
from rules.systems.barmore.pool_odds import botch_odds, success_odds, total_distribution

LARGE = [
    *(Pool(add, 20 - add) for add in (1, 4, 10, 16, 19)),
    *(Pool(add, add - 20) for add in (1, 7, 13, 19)),
    Pool(20),
    Pool(5, 3),
    Pool(8),
    Pool(3, -9),
]


@pytest.mark.rule("BAR-ROLL", "BAR-DIE")
@pytest.mark.parametrize("name", DIE_TYPES)
@pytest.mark.parametrize("pool", LARGE, ids=str)
def test_a_library_counts_the_same(pool: Pool, name: str) -> None:
    die = DIE_TYPES[name]
    dice = icepool.d(die.sides).pool(pool.size)
    theirs = (dice.lowest(pool.add) if pool.modifier < 0 else dice.highest(pool.add)).sum()
    assert isinstance(theirs, icepool.Die)
    theirs += pool.add * die.add
    ours = total_distribution(pool, die)
    difficulty = ceil(ours.mean)
    of = theirs.denominator()
    assert {total: Fraction(ways, ours.ways) for total, ways in ours.weights.items()} == {
        total: Fraction(ways, of) for total, ways in theirs.items()
    }
    assert ours.mean == theirs.mean()
    assert botch_odds(pool, die) == (theirs.probability("<=", pool.add) if die.can_botch else 0)
    wanted = max(difficulty, pool.add + 1) if die.can_botch else difficulty
    assert success_odds(pool, die, difficulty) == theirs.probability(">=", wanted)

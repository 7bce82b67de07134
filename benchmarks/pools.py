"""Dice pools: their odds against a library that counts the same, and how many are rolled and judged
a second.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import icepool
from icepool.evaluator import SumEvaluator

from benchmarks.core import choose_option, measure_speed
from benchmarks.dice import Pace
from benchmarks.tables import GM, NPCS, PLAYERS
from rules.core.rng import KeyedRng, KeyedStreams
from rules.registry import read_only_game
from rules.systems.barmore import pool_odds
from rules.systems.barmore.check_state import Plan, roll_pool
from rules.systems.barmore.pool import DIE_TYPES, DieType, Pool, judge
from rules.table.actions import Actor, Begin
from rules.table.state import Character, Settings, TableState
from tests.sample_table import resolve

DICE = 20
DIFFICULTY = 50
SEED = b"s" * 32
_NOW = 1_800_000_000
_PLAN = Plan()
_BY: Any = {"who": Actor("p2"), "place": "200", "at": _NOW}
#: Twenty dice each: mostly Bonus Dice, both in equal parts, few modifiers, Penalty Dice, Add Dice
#: alone.
POOLS = (Pool(4, 16), Pool(10, 10), Pool(17, 3), Pool(12, -8), Pool(DICE))


@dataclass(frozen=True)
class Pools:
    """Odds of 20 dice against a Difficulty, asked anew and asked again.

    Per second: pools of 8 dice with their judgment alone, and the Roll of an answered check with
    such a pool.
    """

    unseen: Pace
    repeated: Pace
    rolled: float
    resolved: float


def _ours(pool: Pool, die: DieType) -> object:
    return pool_odds.success_odds(pool, die, DIFFICULTY)


def _theirs(pool: Pool, die: DieType, evaluator: SumEvaluator) -> object:
    dice = icepool.d(die.sides).pool(pool.size)
    kept = dice.lowest(pool.add) if pool.modifier < 0 else dice.highest(pool.add)
    found = evaluator.evaluate(kept)
    assert isinstance(found, icepool.Die)
    return (found + pool.add * die.add).probability(">=", DIFFICULTY)


def _pace(work: Callable[[Pool, DieType], object], before: Callable[[], object] | None) -> float:
    spent = 0.0
    for pool in POOLS:
        for die in DIE_TYPES.values():
            if before is not None:
                before()
            start = time.perf_counter()
            work(pool, die)
            spent += time.perf_counter() - start
    return spent / len(POOLS) / len(DIE_TYPES) * 1e6


def _forget() -> None:
    pool_odds._pool_distribution.cache_clear()
    pool_odds.success_odds.cache_clear()


def _against(*, seen: bool, rounds: int) -> Pace:
    """Both in turns, round by round; a new evaluator has seen nothing."""
    known = SumEvaluator()
    rows: list[tuple[float, float]] = []
    for _ in range(rounds):
        if seen:
            row = _pace(_ours, None), _pace(lambda pool, die: _theirs(pool, die, known), None)
        else:
            row = (
                _pace(_ours, _forget),
                _pace(lambda pool, die: _theirs(pool, die, SumEvaluator()), None),
            )
        rows.append(row)
    ratio = statistics.median(theirs / ours for ours, theirs in rows)
    ours, theirs = (statistics.median(column) for column in zip(*rows, strict=True))
    return Pace(ours, theirs, ratio)


def _pool_alone(key: str) -> object:
    """A pool of 8 dice rolled with keyed dice and judged."""
    return judge(roll_pool(KeyedRng(SEED, key), Pool(5, 3), (), _PLAN), 20)


def answered_table() -> TableState:
    """A table of six players and fifteen NPCs, where a check with a pool of 8 dice waits for its
    Roll.
    """
    rules = read_only_game(TableState(Settings("Harbor", "barmore", (GM.id,))))
    data = {
        "name": "Pilot",
        "abilities": {"Boats": 4, "Awareness": 3, "Athletics": 2, "Mechanics": 2},
        "attributes": {"Body": 1, "Speed": 1, "Reaction Time": 2, "Perception": 3, "Charm": -1},
    }
    sheet = rules.sheets.read(rules, data, True)[1]
    characters = {
        f"k{number}": Character(
            f"k{number}",
            f"Somebody {number}",
            f"p{number + 1}" if number <= PLAYERS else None,
            sheet,
        )
        for number in range(1, PLAYERS + NPCS + 1)
    }
    state = TableState(
        Settings("Harbor", "barmore", (GM.id,)), characters=characters, campaign=rules.campaign
    )
    rng = KeyedStreams(SEED, SEED, "prepare")
    values = {"skill": "Boats", "attribute": "Perception", "approach": "by ear"}
    state = resolve(state, Begin(**_BY, kind="check", values=values), rng).state
    return resolve(state, choose_option(state, GM, "rule", "roll", difficulty="25"), rng).state


def _resolving() -> Callable[[str], object]:
    state = answered_table()
    action = choose_option(state, _BY["who"], "ready", "roll")
    return lambda key: resolve(state, action, KeyedStreams(SEED, SEED, key))


def measure(*, seconds: float = 0.5, rounds: int = 5) -> Pools:
    """The medians of some rounds."""
    _against(seen=True, rounds=1)  # so that neither side pays for its first time
    unseen = _against(seen=False, rounds=rounds)
    repeated = _against(seen=True, rounds=rounds)
    works = (_pool_alone, _resolving())
    speeds = [[measure_speed(work, seconds) for work in works] for _ in range(rounds)]
    return Pools(unseen, repeated, *map(statistics.median, zip(*speeds, strict=True)))

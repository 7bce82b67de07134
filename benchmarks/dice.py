"""Dice notation against the library whose language it is: rolled and put into words, on the same
ten expressions.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from bot.presenters.language.dice_text import result_text
from rules.core.dice import parse, throw
from rules.core.rng import KeyedRng

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import d20
    from d20 import Roller

EXPRESSIONS = (
    "4d6kh3",
    "1d20+5",
    "2d20kl1+3",
    "10d6e6",
    "3d6rr1",
    "4d6mi2",
    "8d6ro<3",
    "(1d4+2)*3",
    "1d20+5 [to hit]",
    "2d6+1d8+4",
)
SEED = b"s" * 32


@dataclass(frozen=True)
class Pace:
    """Microseconds of CPU an expression, medians of the rounds; `ratio` is how many times as fast
    ours is.
    """

    ours: float
    theirs: float
    ratio: float


@dataclass(frozen=True)
class Dice:
    """Expressions rolled again and again, and expressions never seen before."""

    repeated: Pace
    unseen: Pace


def _ours(text: str, number: int) -> str:
    # Keyed dice are part of what a roll costs.
    (thrown,) = throw(parse(text), KeyedRng(SEED, f"{number}"))
    return f"{result_text(thrown.result)} = {thrown.total}"


def _theirs(roller: Roller, text: str) -> str:
    return roller.roll(text).result


def _pace(
    work: Callable[[str, int], object], forget: Callable[[], object] | None, times: int
) -> float:
    start = time.process_time()
    for number in range(times):
        if forget is not None:
            forget()
        for text in EXPRESSIONS:
            work(text, number)
    return (time.process_time() - start) / times / len(EXPRESSIONS) * 1e6


def measure(*, times: int = 30, rounds: int = 41) -> Dice:
    """Both in turns, in many short rounds: neighbors on the machine disturb both alike."""
    roller = d20.Roller()
    found: list[Pace] = []
    for mine, other in ((None, None), (parse.cache_clear, roller._parse_cache.clear)):
        rows: list[tuple[float, float]] = []
        for _ in range(rounds):
            ours = _pace(_ours, mine, times)
            theirs = _pace(lambda text, _: _theirs(roller, text), other, times)
            rows.append((ours, theirs))
        ratio = statistics.median(theirs / ours for ours, theirs in rows)
        mine_us, their_us = (statistics.median(column) for column in zip(*rows, strict=True))
        found.append(Pace(mine_us, their_us, ratio))
    return Dice(*found)

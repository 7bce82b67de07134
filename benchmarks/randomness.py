"""Whether the keyed dice look like chance: tests that everybody knows, on fixed seeds, so that they
never waver.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rules.core.rng import KeyedRng

#: How far from its mean a figure may lie, in standard deviations: for what is tested once, 1 in
#: 15,787 lies further.
LIMIT = 4.0
#: Dice whose faces are counted; pairs, series and runs are looked at with the ones that are thrown
#: most.
SIDES = (2, 4, 6, 8, 10, 12, 20, 100)


@dataclass(frozen=True)
class Trial:
    """A test of so many draws; `score` is how many standard deviations from its mean the worst
    seed's figure lies.
    """

    what: str
    draws: int
    score: float

    @property
    def kept(self) -> bool:
        """Whether chance would do that."""
        return abs(self.score) <= LIMIT


def measure(*, seeds: int = 5, draws: int = 40_000) -> list[Trial]:
    """Each test with each seed; the largest score of each test counts."""
    made = [hashlib.sha256(f"bench {number}".encode()).digest() for number in range(seeds)]
    trials: list[Trial] = []
    for what, score in TESTS.items():
        scores = [score(seed, draws) for seed in made]
        trials.append(Trial(what, seeds * draws, max(scores, key=abs)))
    return trials


def _series(seed: bytes, sides: int, draws: int) -> list[int]:
    """The draws of one request, one after the other."""
    rng = KeyedRng(seed, f"series {sides}")
    return [rng.below(sides) for _ in range(draws)]


def _firsts(seed: bytes, sides: int, draws: int) -> list[int]:
    """The first draws of as many requests, numbered as Discord numbers them."""
    first = 1_300_000_000_000_000_000
    return [KeyedRng(seed, str(first + number * 4_194_304)).below(sides) for number in range(draws)]


def chi_square(counts: Sequence[int], total: int) -> float:
    """How uneven the counts are, as a standard score (by Wilson and Hilferty)."""
    expected = total / len(counts)
    square = sum((count - expected) ** 2 for count in counts) / expected
    freedom = len(counts) - 1
    return ((square / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))


def faces(values: Sequence[int], sides: int) -> float:
    """Whether all faces come up equally often."""
    counts = Counter(values)
    return chi_square([counts[face] for face in range(sides)], len(values))


def pairs(values: Sequence[int], sides: int) -> float:
    """Whether all pairs of neighbors come up equally often; none overlap."""
    counts = Counter(zip(values[::2], values[1::2], strict=False))
    every = [counts[one, two] for one in range(sides) for two in range(sides)]
    return chi_square(every, len(values) // 2)


def serial(values: Sequence[int], lag: int) -> float:
    """The correlation of each draw with the one `lag` later, as a standard score."""
    mean, variance = statistics.fmean(values), statistics.pvariance(values)
    count = len(values) - lag
    products = math.fsum(
        (one - mean) * (two - mean) for one, two in zip(values, values[lag:], strict=False)
    )
    return products / count / variance * math.sqrt(count)


def runs(values: Sequence[int], sides: int) -> float:
    """How often the draws change between the lower and the upper half, by Wald and Wolfowitz."""
    upper = [2 * value >= sides for value in values]
    high = sum(upper)
    low, total = len(upper) - high, len(upper)
    changes = 1 + sum(one != two for one, two in pairwise(upper))
    mean = 2 * high * low / total + 1
    return (changes - mean) / math.sqrt((mean - 1) * (mean - 2) / (total - 1))


def _worst(scores: Sequence[float]) -> float:
    return max(scores, key=abs)


#: What is tested: a seed and a number of draws to a standard score.
TESTS: dict[str, Callable[[bytes, int], float]] = {
    "faces, χ²": lambda seed, draws: _worst([faces(_series(seed, n, draws), n) for n in SIDES]),
    "faces of first draws, χ²": lambda seed, draws: faces(_firsts(seed, 10, draws), 10),
    "pairs, χ²": lambda seed, draws: pairs(_series(seed, 10, draws), 10),
    "pairs of two requests, χ²": lambda seed, draws: pairs(_firsts(seed, 6, draws), 6),
    "serial correlation": lambda seed, draws: _worst(
        [serial(_series(seed, 20, draws), lag) for lag in (1, 2, 7, 8)]
    ),
    "runs": lambda seed, draws: runs(_series(seed, 10, draws), 10),
}

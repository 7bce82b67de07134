"""Exact odds of task rolls, as fractions.

The main die may explode for ever, but only finitely many main totals lie below a threshold, and the chance of
reaching any value is known in closed form. Nothing is truncated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from rules.systems.ebb.tables import LEVEL_STEP
from rules.systems.ebb.task import MAIN_SIDES

_MOST_EXTRAS = 6


@dataclass(frozen=True, slots=True)
class TaskOdds:
    """Chances of one task roll, exact; success, near_miss, failure and automatic_failure add up to 1.

    `automatic_failure` includes `fumble`; `failure` is the clear failure that is not automatic.
    `at_least[k]` is the chance of a success with at least k extra results, k = 0..6.
    """

    success: Fraction
    automatic_failure: Fraction
    fumble: Fraction
    near_miss: Fraction
    failure: Fraction
    at_least: tuple[Fraction, ...]


def _main_reaches(value: int) -> Fraction:
    """The chance that the main die with its re-rolls comes to at least `value` and did not start with a 1."""
    tens, rest = divmod(max(2, value), MAIN_SIDES)
    faces = MAIN_SIDES if rest < 2 else MAIN_SIDES + 1 - rest
    return Fraction(faces, MAIN_SIDES ** (tens + 1))


def task_odds(
    *, attribute: int | None, ability_sides: int | None, threshold: int, bonus: int = 0
) -> TaskOdds:
    """The exact odds of a task roll against a known threshold (EBB-ROLL, EBB-CRIT, EBB-FAIL).

    `attribute` >= 0 or None, `ability_sides` 4, 6, 8, 10, 12 or None.
    """
    return _task_odds(threshold - (attribute or 0) - bonus, ability_sides)


@lru_cache(maxsize=4096)
def _task_odds(needed: int, ability_sides: int | None) -> TaskOdds:
    """Odds when the dice together need `needed`."""
    faces = range(1) if ability_sides is None else range(1, ability_sides + 1)

    def reaches(value: int) -> Fraction:
        return sum((_main_reaches(value - face) for face in faces), Fraction(0)) / len(faces)

    at_least = tuple(reaches(needed + LEVEL_STEP * extra) for extra in range(_MOST_EXTRAS + 1))
    success = at_least[0]
    automatic = Fraction(1, MAIN_SIDES)
    near_or_better = reaches(needed - LEVEL_STEP)
    near_miss, failure = near_or_better - success, 1 - automatic - near_or_better
    return TaskOdds(success, automatic, automatic / len(faces), near_miss, failure, at_least)


def odds_with_fate(*, attribute: int | None, ability_sides: int, threshold: int, bonus: int = 0) -> TaskOdds:
    """The exact odds when 1 Fate point is kept for the ability die (EBB-FATE).

    It is rolled again whenever the first result fails and another face could make it a success, which is the
    best use of the point. Never below `task_odds`.
    """
    plain = task_odds(attribute=attribute, ability_sides=ability_sides, threshold=threshold, bonus=bonus)
    return _with_fate(plain, threshold - (attribute or 0) - bonus, ability_sides)


@lru_cache(maxsize=4096)
def _with_fate(plain: TaskOdds, needed: int, sides: int) -> TaskOdds:
    """For each main total that some face of the ability die fails with: what the second throw adds."""
    at_least = list(plain.at_least)
    near_miss = Fraction(0)
    for main in range(needed - LEVEL_STEP - sides, needed - 1):
        chance = _main_reaches(main) - _main_reaches(main + 1)
        if not chance:
            continue
        failed = chance * (1 - _face_reaches(needed - main, sides))
        for extra in range(len(at_least)):
            at_least[extra] += failed * _face_reaches(needed + LEVEL_STEP * extra - main, sides)
        near_or_better = _face_reaches(needed - LEVEL_STEP - main, sides)
        near_miss += failed * (near_or_better - _face_reaches(needed - main, sides))
    failure = 1 - plain.automatic_failure - at_least[0] - near_miss
    return replace(plain, success=at_least[0], near_miss=near_miss, failure=failure, at_least=tuple(at_least))


def _face_reaches(value: int, sides: int) -> Fraction:
    """The chance that a die which is never rolled again shows at least `value`."""
    return Fraction(min(sides, max(0, sides - value + 1)), sides)

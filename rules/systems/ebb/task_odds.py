"""Exact odds of task rolls, as fractions.

The main die may explode for ever, but only finitely many main totals lie below a threshold, and the
chance of reaching any value is known in closed form. Nothing is truncated.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from rules.core.record import Record
from rules.systems.ebb.reference_rows import LEVEL_STEP
from rules.systems.ebb.task_roll import MAIN_SIDES

_MOST_EXTRAS = 6


class TaskOdds(Record):
    """Chances of one task roll, exact; success, near_miss, failure and automatic_failure add up to
    1.

    `automatic_failure` includes `fumble`; `failure` is the clear failure that is not automatic.
    `at_least[k]` is the chance of a success with at least k extra results, k = 0..6.
    """

    success: Fraction
    automatic_failure: Fraction
    fumble: Fraction
    near_miss: Fraction
    failure: Fraction
    at_least: tuple[Fraction, ...]


def _main_die_odds(value: int) -> Fraction:
    """The chance that the main die with its re-rolls comes to at least `value` and did not start
    with a 1.
    """
    tens, rest = divmod(max(2, value), MAIN_SIDES)
    faces = MAIN_SIDES if rest < 2 else MAIN_SIDES + 1 - rest
    return Fraction(faces, MAIN_SIDES ** (tens + 1))


@lru_cache(maxsize=4096)
def task_odds(
    *,
    attribute: int | None,
    ability_sides: int | None,
    threshold: int,
    bonus: int = 0,
    fate: bool = False,
) -> TaskOdds:
    """The exact odds of a task roll against a known threshold (EBB-ROLL, EBB-CRIT, EBB-FAIL).

    `attribute` >= 0 or None, `ability_sides` 4, 6, 8, 10, 12 or None. With `fate` 1 Fate point is
    kept for the ability die (EBB-FATE): it is rolled again whenever the first result fails and
    another face could make it a success, which is the best use of the point; it is never worse.
    """
    needed = threshold - (attribute or 0) - bonus
    faces = (0,) if ability_sides is None else range(1, ability_sides + 1)

    def thrown(value: int) -> Fraction:
        return sum((_main_die_odds(value - face) for face in faces), Fraction(0)) / len(faces)

    def share(value: int) -> Fraction:
        """The chance that the ability die shows at least `value`."""
        return Fraction(sum(face >= value for face in faces), len(faces))

    def again(value: int) -> Fraction:
        """What the second throw adds, for each main total with which some face has failed."""
        mains = range(needed - LEVEL_STEP - len(faces), needed - 1)
        chances = ((main, _main_die_odds(main) - _main_die_odds(main + 1)) for main in mains)
        added = (
            chance * (1 - share(needed - main)) * share(value - main) for main, chance in chances
        )
        return sum(added, Fraction(0))

    def reaches(value: int) -> Fraction:
        return thrown(max(value, needed)) + again(value) if fate else thrown(value)

    at_least = tuple(reaches(needed + LEVEL_STEP * extra) for extra in range(_MOST_EXTRAS + 1))
    automatic, near_or_better = Fraction(1, MAIN_SIDES), reaches(needed - LEVEL_STEP)
    near_miss, failure = near_or_better - at_least[0], 1 - automatic - near_or_better
    return TaskOdds(at_least[0], automatic, automatic / len(faces), near_miss, failure, at_least)

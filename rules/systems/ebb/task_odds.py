"""Exact odds of task rolls, as fractions.

The main die may explode without end, but only finitely many main totals lie below a threshold. The
chance to reach any value is known in closed form. Nothing is truncated.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from rules.core.record import Record
from rules.systems.ebb.reference_rows import LEVEL_STEP
from rules.systems.ebb.task_roll import MAIN_SIDES

_MOST_EXTRAS = 6


class TaskOdds(Record):
    """Exact chances of one task roll.

    `success`, `near_miss`, `failure` and `automatic_failure` add up to 1.
    """

    success: Fraction
    #: Failure by a 1 of the main die, with fumbles.
    automatic_failure: Fraction
    fumble: Fraction
    near_miss: Fraction
    #: Clear failure that is not automatic.
    failure: Fraction
    #: Chance of a success with at least k extra results, by k from 0 to 6.
    at_least: tuple[Fraction, ...]


def _main_die_odds(value: int) -> Fraction:
    """Return the chance that the main die, with its re-rolls, reaches at least *value*.

    A main die that starts with a 1 does not count.
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
    """Return the exact odds against a known threshold (EBB-ROLL, EBB-CRIT, EBB-FAIL).

    *attribute* is 0 or more, or None; *ability_sides* are 4, 6, 8, 10, 12 or None.

    With *fate*, 1 Fate point is kept for the ability die (EBB-FATE). The die is rolled again if the
    first result fails and another face could make it a success. That is the best use of the point,
    and never makes the odds worse.
    """
    needed = threshold - (attribute or 0) - bonus
    faces = (0,) if ability_sides is None else range(1, ability_sides + 1)

    def first_throw(value: int) -> Fraction:
        """Return the chance that the first throw reaches *value*."""
        return sum((_main_die_odds(value - face) for face in faces), Fraction(0)) / len(faces)

    def share(value: int) -> Fraction:
        """Return the chance that the ability die shows at least *value*."""
        return Fraction(sum(face >= value for face in faces), len(faces))

    def second_throw(value: int) -> Fraction:
        """Return what the second throw adds, over all main totals with which some face fails."""
        added = Fraction(0)
        for main in range(needed - LEVEL_STEP - len(faces), needed - 1):
            chance = _main_die_odds(main) - _main_die_odds(main + 1)
            failed_before = 1 - share(needed - main)
            added += chance * failed_before * share(value - main)
        return added

    def reaches(value: int) -> Fraction:
        """Return the chance to reach *value*, with the point if it is kept."""
        if not fate:
            return first_throw(value)
        return first_throw(max(value, needed)) + second_throw(value)

    at_least = tuple(reaches(needed + LEVEL_STEP * extra) for extra in range(_MOST_EXTRAS + 1))
    automatic = Fraction(1, MAIN_SIDES)
    near_or_better = reaches(needed - LEVEL_STEP)
    near_miss = near_or_better - at_least[0]
    failure = 1 - automatic - near_or_better
    return TaskOdds(at_least[0], automatic, automatic / len(faces), near_miss, failure, at_least)

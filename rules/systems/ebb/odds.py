"""Exact odds of task rolls, as fractions.

The main die may explode for ever, but only finitely many main totals lie below a threshold, and the chance of
reaching any value is known in closed form. Nothing is truncated.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from rules.core.errors import Impossible, InvalidInput
from rules.systems.ebb.tables import LEVEL_STEP
from rules.systems.ebb.task import MAIN_SIDES, TaskRoll, check_task_inputs

#: Well above the highest difficulty with every shift on top.
HIGHEST_THRESHOLD = 20_000
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

    `attribute` >= 0 or None, `ability_sides` 4, 6, 8, 10, 12 or None, `threshold` 1..20000. Raises
    InvalidInput ("out-of-range", "unknown-die").
    """
    check_task_inputs(attribute, ability_sides)
    if not 1 <= threshold <= HIGHEST_THRESHOLD:
        raise InvalidInput(
            "out-of-range", field="difficulty", value=threshold, lowest=1, highest=HIGHEST_THRESHOLD
        )
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
    return TaskOdds(
        success=success,
        automatic_failure=automatic,
        fumble=automatic / len(faces),
        near_miss=near_or_better - success,
        failure=1 - automatic - near_or_better,
        at_least=at_least,
    )


def odds_with_reroll(roll: TaskRoll, threshold: int) -> Fraction:
    """The chance that rolling the ability die again makes this roll a success (EBB-FATE).

    0 after an automatic failure, which no re-roll mends. Raises Impossible("no-ability-die").
    """
    if roll.ability_sides is None or roll.ability is None:
        raise Impossible("no-ability-die")
    if roll.main[0] == 1:
        return Fraction(0)
    needed = threshold - (roll.total - roll.ability)
    return Fraction(min(roll.ability_sides, max(0, roll.ability_sides - needed + 1)), roll.ability_sides)

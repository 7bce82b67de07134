"""Special effects in numbers: ratings, pools, what they do by themselves (EGO-FX-02 to 06,
EGO-MAG-01 to 04).
"""

from __future__ import annotations

from rules.core.errors import Impossible
from rules.core.record import Record


def effective_armor(body: int, worn: int) -> int:
    """The armor that counts: the higher, never both (EGO-FX-06)."""
    return max(body, worn)


class HealingResult(Record):
    """What is left of both kinds of damage, and how many points came back."""

    lethal: int
    non_lethal: int
    points: int


def regenerate(lethal: int, non_lethal: int, successes: int) -> HealingResult:
    """A round's Regeneration: non-lethal damage first (EGO-FX-06)."""
    first = min(non_lethal, successes)
    then = min(lethal, successes - first)
    return HealingResult(lethal - then, non_lethal - first, first + then)


# --- magic and psionics ---------------------------------------------------------------------------


def pool_most(intellect: int, level: int, bought: int = 0) -> int:
    """The most points a pool holds; `bought` were paid for with experience (EGO-MAG-01,
    EGO-PSI-01).
    """
    return intellect + level + bought


def known_most(level: int) -> int:
    """How many effects somebody knows at this level."""
    return 2 * level


def most_points(level: int, pool: int, most: int | None = None) -> int:
    """The most points for one casting: the skill's level, the pool, the effect's own maximum
    (EGO-MAG-02).
    """
    return min([level, pool] if most is None else [level, pool, most])


def spend_pool_points(points: int, level: int, pool: int, most: int | None = None) -> int:
    """The pool after a casting, which works or not. Impossible for more points than it may take, or
    none.
    """
    highest = most_points(level, pool, most)
    if not 1 <= points <= highest:
        raise Impossible("ego-too-many-points", value=points, highest=highest)
    return pool - points


def pool_after_sleep(pool: int, most: int, hours: int, vitality: int) -> int:
    """The pool after so many hours of sleep; never less than before (EGO-MAG-04)."""
    return max(pool, min(most, pool + hours * vitality // 4))

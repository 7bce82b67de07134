"""Numbers of special effects: ratings and pools (EGO-FX-02 to 06, EGO-MAG-01 to 04)."""

from __future__ import annotations

from rules.core.errors import Impossible
from rules.core.record import Record


def effective_armor(body: int, worn: int) -> int:
    """Return the armor that counts: the higher one, never both (EGO-FX-06)."""
    return max(body, worn)


class HealingResult(Record):
    """Damage of both kinds that is left, and the points healed."""

    lethal: int
    non_lethal: int
    points: int


def regenerate(lethal: int, non_lethal: int, successes: int) -> HealingResult:
    """Return the result of a round's Regeneration; non-lethal damage heals first (EGO-FX-06)."""
    first = min(non_lethal, successes)
    then = min(lethal, successes - first)
    return HealingResult(lethal - then, non_lethal - first, first + then)


# --- magic and psionics ---------------------------------------------------------------------------


def pool_most(intellect: int, level: int, bought: int = 0) -> int:
    """Return the most points of a pool (EGO-MAG-01, EGO-PSI-01).

    `bought` were paid for with experience.
    """
    return intellect + level + bought


def known_most(level: int) -> int:
    """Return the number of effects that a character may know at this level."""
    return 2 * level


def most_points(level: int, pool: int, most: int | None = None) -> int:
    """Return the most points of one casting (EGO-MAG-02).

    The skill's level, the pool and the effect's own maximum limit it.
    """
    return min([level, pool] if most is None else [level, pool, most])


def spend_pool_points(points: int, level: int, pool: int, most: int | None = None) -> int:
    """Return the pool after a casting, whether or not it works.

    Raises Impossible("ego-too-many-points") for more points than the casting may take, or none.
    """
    highest = most_points(level, pool, most)
    if not 1 <= points <= highest:
        raise Impossible("ego-too-many-points", value=points, highest=highest)
    return pool - points


def pool_after_sleep(pool: int, most: int, hours: int, vitality: int) -> int:
    """Return the pool after hours of sleep, never less than before (EGO-MAG-04)."""
    return max(pool, min(most, pool + hours * vitality // 4))

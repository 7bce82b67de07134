"""Ranged attacks: bands, factors, throwing, rate of fire, automatic fire, area effects.

All functions take and return numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Final

from rules.core.data_rows import rows_by_key
from rules.core.errors import Impossible
from rules.systems.ego.formulas.reference_rows import SHIPPED_ROWS

#: Range bands with their difficulties (EGO-RNG-01).
BANDS: Final = {"short": 1, "medium": 2, "long": 3, "extended": 4}
#: Factors that change the difficulty (EGO-RNG-02).
FACTORS: Final = rows_by_key(SHIPPED_ROWS.factors)
#: Change of the difficulty for a weapon made for throwing.
THROWING_MODIFIER: Final = -1
LOWEST: Final = 1
#: Farthest shot at tables that limit it, as a multiple of the limit of Long.
_FARTHEST: Final = Fraction(3, 2)


#: Ways to fire a weapon (EGO-RNG-04, EGO-RNG-05).
FIRE: Final = rows_by_key(SHIPPED_ROWS.fire)


def factor_params(key: str) -> dict[str, str | int]:
    """Return the parameters of the text on a factor: its words and its number."""
    row = FACTORS.get(key)
    if row is None:
        return {"what": key.replace("_", " ")}
    return {"what": row.says, "number": row.shift}


Meters = int | Fraction


def band_at(
    distance: Meters, limits: Sequence[Meters], farthest: Meters | None = None
) -> str | None:
    """Return the range band of a target; None if it is out of range.

    Each band holds its own limit. Beyond the last limit, the band is the farthest one.
    """
    if farthest is not None and distance > farthest:
        return None
    for band, limit in zip(BANDS, limits, strict=False):
        if distance <= limit:
            return band
    return "extended"


def max_range(long: int, *, limited: bool) -> Fraction | None:
    """Return the farthest range of a weapon; None where the table has no limit (EGO-RNG-01)."""
    return _FARTHEST * long if limited else None


def throws(lift: int, weight: Meters) -> tuple[Fraction, ...]:
    """Return the limits of the four bands of a thrown thing (EGO-RNG-03).

    *lift* and *weight* are in pounds.
    """
    return tuple([Fraction(lift) * quarter / (4 * Fraction(weight)) for quarter in range(1, 5)])


def difficulty(band: str, factors: Collection[str] = (), more: int = 0) -> int:
    """Return the successes needed at this range, at least 1 (EGO-RNG-01, EGO-RNG-02).

    `more` is the sum of all other changes, such as impairment and the successes of a dodge.
    """
    return max(LOWEST, BANDS[band] + sum([FACTORS[key].shift for key in factors]) + more)


def hits(successes: int, number: int) -> bool:
    """Return whether an attack hits; equal is enough (EGO-RNG-01)."""
    return successes >= number


def rate_dice(rate: int, shots: int) -> int:
    """Return the dice for shots not fired in this round (EGO-RNG-04).

    Raises Impossible("ego-too-many-shots").
    """
    if not 1 <= shots <= rate:
        raise Impossible("ego-too-many-shots", rate=rate)
    return rate - shots


def ways_to_fire(rate: int | None, *, automatic: bool) -> tuple[str, ...]:
    """Return the ways to fire a weapon (EGO-RNG-05).

    A *rate* of None is that of a weapon without single shots.
    """
    return (*(("single",) if rate else ()), *(("burst", "full_auto") if automatic else ()))


def ammunition(way: str, left: int | None) -> int | None:
    """Return the rounds that a shot uses; None if rounds are not counted (EGO-RNG-04, EGO-RNG-05).

    Raises Impossible("ego-not-enough-rounds").
    """
    fire = FIRE[way]
    if left is None:
        return None
    if left < fire.needs:
        raise Impossible("ego-not-enough-rounds", need=fire.needs, left=left)
    return min(fire.uses, left)


def reaches(feet: int, area: int, measure: str = "radius") -> bool:
    """Return whether a distance from the impact is within an area, in feet (EGO-AOE-01)."""
    return (2 if measure == "diameter" else 1) * feet <= area

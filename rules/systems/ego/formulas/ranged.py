"""Ranged attacks: bands, factors, throwing, rate of fire, automatic fire, area effects. Numbers in,
numbers out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Final

from rules.core.data_rows import rows_by_key
from rules.core.errors import Impossible
from rules.systems.ego.formulas.reference_rows import SHIPPED_ROWS

#: The bands, each with what it takes to hit (EGO-RNG-01).
BANDS: Final = {"short": 1, "medium": 2, "long": 3, "extended": 4}
#: What makes it harder or easier (EGO-RNG-02).
FACTORS: Final = rows_by_key(SHIPPED_ROWS.factors)
#: What is made for throwing is easier to hit with.
THROWING_MODIFIER: Final = -1
LOWEST: Final = 1
#: The farthest shot, where the table plays so: this often the limit of Long.
_FARTHEST: Final = Fraction(3, 2)


#: How a weapon may be fired (EGO-RNG-04, EGO-RNG-05).
FIRE: Final = rows_by_key(SHIPPED_ROWS.fire)


def factor_params(key: str) -> dict[str, str | int]:
    """How a factor is told and what it makes; what is none is told by its own words."""
    row = FACTORS.get(key)
    return (
        {"what": key.replace("_", " ")} if row is None else {"what": row.says, "number": row.shift}
    )


Meters = int | Fraction


def band_at(
    distance: Meters, limits: Sequence[Meters], farthest: Meters | None = None
) -> str | None:
    """The band a target is in; each holds its own limit, beyond the last is the farthest. None: out
    of range.
    """
    if farthest is not None and distance > farthest:
        return None
    for band, limit in zip(BANDS, limits, strict=False):
        if distance <= limit:
            return band
    return "extended"


def max_range(long: int, *, limited: bool) -> Fraction | None:
    """How far a weapon shoots at all, where the table limits it (EGO-RNG-01)."""
    return _FARTHEST * long if limited else None


def throws(lift: int, weight: Meters) -> tuple[Fraction, ...]:
    """The ends of the four bands of something thrown by somebody who lifts so much, both in pounds
    (EGO-RNG-03).
    """
    return tuple([Fraction(lift) * quarter / (4 * Fraction(weight)) for quarter in range(1, 5)])


def difficulty(band: str, factors: Collection[str] = (), more: int = 0) -> int:
    """What it takes to hit somebody in that band, never below 1 (EGO-RNG-01, EGO-RNG-02).

    `more` is what else moves it: impairment, what is made for throwing, the successes of a dodge
    where that helps.
    """
    return max(LOWEST, BANDS[band] + sum([FACTORS[each].shift for each in factors]) + more)


def hits(successes: int, number: int) -> bool:
    """Equal is enough (EGO-RNG-01)."""
    return successes >= number


def rate_dice(rate: int, shots: int) -> int:
    """Dice for shots that somebody does not fire this round (EGO-RNG-04).
    Impossible("ego-too-many-shots").
    """
    if not 1 <= shots <= rate:
        raise Impossible("ego-too-many-shots", rate=rate)
    return rate - shots


def ways_to_fire(rate: int | None, *, automatic: bool) -> tuple[str, ...]:
    """How a weapon with that rate of fire (None: it fires no single shots) may be fired
    (EGO-RNG-05).
    """
    return (*(("single",) if rate else ()), *(("burst", "full_auto") if automatic else ()))


def ammunition(way: str, left: int | None) -> int | None:
    """What is used of so many rounds in the magazine; None: nobody counts (EGO-RNG-04, EGO-RNG-05).

    Impossible("ego-not-enough-rounds").
    """
    fire = FIRE[way]
    if left is None:
        return None
    if left < fire.needs:
        raise Impossible("ego-not-enough-rounds", need=fire.needs, left=left)
    return min(fire.uses, left)


def reaches(feet: int, area: int, measure: str = "radius") -> bool:
    """Whether somebody so far from the point of impact is within an area, both in feet
    (EGO-AOE-01).
    """
    return (2 if measure == "diameter" else 1) * feet <= area

"""Numbers of vehicles: sections, speed, emergencies and collisions (EGO-VEH-01 to EGO-VEH-11)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.core.record import Record

#: Classes of vehicles.
GROUND, WATER, AIR, SPACE = "ground", "water", "air", "space"
#: Successes needed for an emergency stop, the two Vitality rolls of spacecraft, waking and bracing.
STOP: Final = 2
FIRST: Final = 1
SECOND: Final = 2
WAKE: Final = 2
BRACE: Final = 2

#: Setting for the speed that counts in a collision.
Counts = Literal["highest", "own", "other"]


# --- damage ---------------------------------------------------------------------------------------


def sections_of_type(kind: int) -> int:
    """Return the Structure Points of a vehicle of this type."""
    return 2**kind


def sections_after_hit(sections: Sequence[int], hit: int, damage: int) -> tuple[int, ...]:
    """Return the Damage Points left in each section after damage to the one at `hit`, from 0.

    Excess damage goes on to the next section, from the last one back to the first.
    """
    left = list(sections)
    for step in range(len(left)):
        at = (hit + step) % len(left)
        taken = min(damage, left[at])
        left[at] -= taken
        damage -= taken
    return tuple(left)


def is_destroyed(sections: Sequence[int]) -> bool:
    """Return whether no section has Damage Points left."""
    return not any(sections)


def damage_through_armor(points: int, ar: int, times: int = 1) -> int:
    """Return the damage that armor lets through of the multiplied points."""
    return max(0, points * times - ar)


def armor_after_round(ar: int, stopped: int) -> int:
    """Return the armor after a round in which it stopped so much; 0 if it is gone (EGO-VEH-10)."""
    return ar // 2 if stopped > ar else ar


# --- speed ----------------------------------------------------------------------------------------


def fastest(speed: int, acceleration: int, top: int) -> int:
    """Return the highest speed at the end of this round (EGO-VEH-03)."""
    return min(top, speed + acceleration)


def slowest(speed: int, least: int) -> int:
    """Return the lowest speed at the end of this round: half, but not below the least speed."""
    return max(least, speed // 2)


def pilot_pool(level: int, agility: int, maneuverability: int) -> int:
    """Return the dice for a maneuver: skill, Agility and the vehicle's own (EGO-VEH-04,
    EGO-VEH-11).
    """
    return level + agility + maneuverability


class Stop(Record):
    """End of an emergency stop (EGO-VEH-05)."""

    #: Hexes that the vehicle drifts before it stops.
    drift: int = 0
    #: Degrees off its course.
    turn: int = 0


def emergency_stop(kind: str, least: int) -> Stop:
    """Return how a vehicle of this class stops at once.

    Raises Impossible("ego-no-emergency") for spacecraft, and for vehicles that must keep moving.
    """
    if kind == SPACE:
        raise Impossible("ego-no-emergency", how="space")
    if least > 0:
        raise Impossible("ego-no-emergency", how="falls", least=least)
    return Stop(1, 90) if kind == WATER else Stop()


class Emergency(Record):
    """End of an emergency of a spacecraft."""

    speed: int
    #: Whether the pilot is awake.
    awake: bool = True
    #: Whether the GM decides on a mishap.
    mishap: bool = False
    drifts: bool = False


def emergency(speed: int, top: int, passed: Sequence[bool], *, braking: bool) -> Emergency:
    """Return the result of the pilot's one or two Vitality rolls (EGO-VEH-06, EGO-VEH-07).

    The first roll reaches half of the change of speed, the second all of it. After a failed first
    roll, a second one does not count.
    """
    if not passed[0]:
        return Emergency(speed, awake=False, mishap=True)
    half = speed // 2 if braking else max(speed, top // 2)
    if len(passed) == 1:
        return Emergency(half)
    if passed[1]:
        return Emergency(0 if braking else top)
    if braking:
        return Emergency(0, awake=False, drifts=True)
    return Emergency(half, awake=False, mishap=True)


# --- collisions -----------------------------------------------------------------------------------


def multiplier(speed: int, top: int) -> int:
    """Return the multiplier of a collision at this speed, by fifths of its top (EGO-VEH-08)."""
    return max(1, min(5, -(-5 * speed // top)))


def multipliers(one: tuple[int, int], other: tuple[int, int], counts: Counts) -> tuple[int, int]:
    """Return the multipliers of the damage to one vehicle and to the other.

    Each vehicle is given by its speed and its top speed.
    """
    mine, theirs = multiplier(*one), multiplier(*other)
    if counts == "highest":
        return max(mine, theirs), max(mine, theirs)
    if counts == "own":
        return mine, theirs
    return theirs, mine


def against_object(speed: int, top: int, *, multiplied: bool) -> int:
    """Return the multiplier of the damage from a standing object."""
    return multiplier(speed, top) if multiplied else 1


def share(taken: int, *, held: bool, braced: bool) -> int:
    """Return the damage to a character aboard, of the damage to the vehicle, rounded up
    (EGO-VEH-09).
    """
    quarters = 1 if held else 2
    if braced:
        quarters -= 1
    return -(-taken * quarters // 4)


def percent(speed: int, top: int) -> Fraction:
    """Return the speed in hundredths of the top speed."""
    return Fraction(100 * speed, top)

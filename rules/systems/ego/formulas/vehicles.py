"""Vehicles in numbers: sections, speed, emergencies, collisions and those aboard (EGO-VEH-01 to
EGO-VEH-11).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.core.record import Record

#: The classes of vehicles.
GROUND, WATER, AIR, SPACE = "ground", "water", "air", "space"
#: Successes that an emergency stop, the two Vitality rolls of spacecraft, waking and bracing take.
STOP: Final = 2
FIRST: Final = 1
SECOND: Final = 2
WAKE: Final = 2
BRACE: Final = 2

#: Whose speed counts in a collision.
Counts = Literal["highest", "own", "other"]


# --- damage ---------------------------------------------------------------------------------------


def sections_of_type(kind: int) -> int:
    """Structure Points of a vehicle that is given by its type."""
    return 2**kind


def sections_after_hit(sections: Sequence[int], hit: int, damage: int) -> tuple[int, ...]:
    """Damage Points left in each section after damage to the one at `hit`, from 0.

    What is too much for it goes on to the next that is whole enough, from the last back to the
    first.
    """
    left = list(sections)
    for each in range(len(left)):
        at = (hit + each) % len(left)
        taken = min(damage, left[at])
        left[at] -= taken
        damage -= taken
    return tuple(left)


def is_destroyed(sections: Sequence[int]) -> bool:
    """Whether no section has anything left."""
    return not any(sections)


def damage_through_armor(points: int, ar: int, times: int = 1) -> int:
    """What armor lets through of so many points, multiplied."""
    return max(0, points * times - ar)


def armor_after_round(ar: int, stopped: int) -> int:
    """Armor after a round in which it stopped so much; 0: it is gone (EGO-VEH-10)."""
    return ar // 2 if stopped > ar else ar


# --- speed ----------------------------------------------------------------------------------------


def fastest(speed: int, acceleration: int, top: int) -> int:
    """The highest speed at the end of this round (EGO-VEH-03)."""
    return min(top, speed + acceleration)


def slowest(speed: int, least: int) -> int:
    """The lowest speed at the end of this round: half, but not below what keeps it up."""
    return max(least, speed // 2)


def pilot_pool(level: int, agility: int, maneuverability: int) -> int:
    """Dice for a maneuver: the skill, Agility dice and the vehicle's own (EGO-VEH-04,
    EGO-VEH-11).
    """
    return level + agility + maneuverability


class Stop(Record):
    """How an emergency stop ends: hexes of drift before it, degrees off its course (EGO-VEH-05)."""

    drift: int = 0
    turn: int = 0


def emergency_stop(kind: str, least: int) -> Stop:
    """How a vehicle of this class stops at once. Impossible for what must keep moving, and for
    spacecraft.
    """
    if kind == SPACE:
        raise Impossible("ego-no-emergency", how="space")
    if least > 0:
        raise Impossible("ego-no-emergency", how="falls", least=least)
    return Stop(1, 90) if kind == WATER else Stop()


class Emergency(Record):
    """A spacecraft in an emergency: its speed, whether the pilot is awake, a mishap for the GM,
    whether it drifts.
    """

    speed: int
    awake: bool = True
    mishap: bool = False
    drifts: bool = False


def emergency(speed: int, top: int, passed: Sequence[bool], *, braking: bool) -> Emergency:
    """What comes of the pilot's one or two Vitality rolls (EGO-VEH-06, EGO-VEH-07).

    The first reaches half of what there is, the second all of it; a second after a failed first
    does not count.
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
    """By how much a collision at this speed multiplies, by fifths of the highest (EGO-VEH-08)."""
    return max(1, min(5, -(-5 * speed // top)))


def multipliers(one: tuple[int, int], other: tuple[int, int], counts: Counts) -> tuple[int, int]:
    """What multiplies the damage to the one and to the other: speed and highest speed of each."""
    mine, theirs = multiplier(*one), multiplier(*other)
    if counts == "highest":
        return max(mine, theirs), max(mine, theirs)
    return (mine, theirs) if counts == "own" else (theirs, mine)


def against_object(speed: int, top: int, *, multiplied: bool) -> int:
    """What multiplies the damage from what stands still."""
    return multiplier(speed, top) if multiplied else 1


def share(taken: int, *, held: bool, braced: bool) -> int:
    """Damage to somebody aboard of what the vehicle took, rounded up (EGO-VEH-09)."""
    quarters = (0 if braced else 1) if held else (1 if braced else 2)
    return -(-taken * quarters // 4)


def percent(speed: int, top: int) -> Fraction:
    """How fast it goes, in hundredths of the highest speed."""
    return Fraction(100 * speed, top)

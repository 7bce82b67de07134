"""Moving, pushing, lifting, drowning, and vehicles.

MB-MOV, MB-PSH, MB-LIFT, and the skills that move a character.

*points* are result points, negative on a failure. Lengths are in meters.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from rules.core.record import Record
from rules.systems.masterbook.formulas import success_chart, value_chart
from rules.systems.masterbook.formulas.reference_rows import PUSHES
from rules.systems.masterbook.formulas.success_chart import Push
from rules.systems.masterbook.formulas.value_chart import measure

#: Free meters for each point of the rate, and the meters of an inch on a map (MB-MOV-01).
_FREE, INCH = 2, 2
#: Difference of Strength and the value that a character lifts without a roll (MB-LIFT-01).
_EASY_LIFT: Final = 3
#: Highest value that any character lifts in a realistic game (MB-LIFT-01).
_HEAVIEST: Final = 14
#: Meters of a climber who takes care (MB-SKILL-CLIMBING).
CAREFUL_METERS = 1
#: Shock of a round under water, and what each round adds to the difficulty (MB-SKILL-SWIMMING).
DROWNING_SHOCK, HARDER_EACH_ROUND = 2, 2
#: Shock of each round of running on and on (MB-SKILL-RUNNING).
WINDED_SHOCK = 2


def free_meters(rate: int) -> int:
    """Return the meters on the ground that cost no action (MB-MOV-01)."""
    return _FREE * rate


def meters_in_a_round(rate: int, *, ground: bool = True) -> Fraction:
    """Return the meters that take an action and no roll (MB-MOV-02).

    On the ground they are never fewer than the free ones.
    """
    meters = measure(rate)
    return max(meters, Fraction(free_meters(rate))) if ground else meters


# --- pushing --------------------------------------------------------------------------------------


def push_difficulty(skill: str, rate: int, *, base: int | None = None) -> int:
    """Return the difficulty of a push without modifiers (MB-PSH-01).

    It begins from the rate, or from a *base* such as a surface to climb.
    """
    begin = rate if base is None else base
    more = PUSHES[skill].more if skill in PUSHES else 0
    return begin + more


class PushResult(Record):
    """Result of a push."""

    #: Result points that count; None on a failure.
    points: int | None = None
    #: Value that the push adds, and its shock.
    push: int = 0
    shock: int = 0
    #: Meters of the round.
    meters: Fraction = Fraction(0)
    #: `fall` or `drowning`; `no_progress` if nothing at all was gained; empty: none.
    trouble: str = ""


def limit_push(push: Push) -> Push:
    """Return a push of which a part is given up for half of its shock (MB-PSH-02)."""
    return Push(push.push - 1, -(-push.shock // 2))


def resolve_push(
    skill: str, points: int, rate: int, *, realistic: bool = False, limit: bool = False
) -> PushResult:
    """Return the result of a round of pushing (MB-PSH-01).

    In a *realistic* game a skill uses no more points than its limit. *limit* gives a part of the
    push up (MB-PSH-02).
    """
    if points < 0:
        return _failed_push(skill, points, rate)
    kind = PUSHES.get(skill)
    if realistic and kind is not None and kind.limit is not None:
        points = min(points, kind.limit)
    push = success_chart.push(points)
    if limit:
        push = limit_push(push)
    return PushResult(points, push.push, push.shock, measure(rate) + measure(push.push))


def _failed_push(skill: str, points: int, rate: int) -> PushResult:
    """Return the result of a push that failed (MB-MOV-03)."""
    kind = PUSHES.get(skill)
    wrong = trouble(skill, points)
    shock = kind.shock if kind is not None and wrong == kind.trouble else 0
    meters = Fraction(0)
    if kind is None or kind.usual:
        # No fewer meters than without a push (MB-MOV-02).
        meters = meters_in_a_round(rate, ground=skill == "Running")
    return PushResult(None, 0, shock, meters, wrong)


def trouble(skill: str, points: int) -> str:
    """Return the trouble of a failure at moving; empty for none (MB-MOV-03).

    It is `fall`, `drowning` or `no_progress`.
    """
    kind = PUSHES.get(skill)
    if kind is None or points >= 0:
        return ""
    if kind.missed_by is not None and -points >= kind.missed_by:
        return kind.trouble
    return "" if kind.usual else "no_progress"


# --- lifting --------------------------------------------------------------------------------------


def lift_capacity(strength: int) -> int:
    """Return the value of a mass that a character lifts without a roll (MB-LIFT-01)."""
    return strength - _EASY_LIFT


class Lift(Record):
    """Result of a roll to lift."""

    #: Value that the roll reached.
    reached: int
    #: Whether that was enough.
    lifted: bool
    push: int = 0
    shock: int = 0


def limited_lift(reached: int, *, realistic: bool) -> int:
    """Return the value that is lifted, limited in a *realistic* game (MB-LIFT-01)."""
    return min(reached, _HEAVIEST) if realistic else reached


def resolve_lift(
    reached: int, mass: int, points: int, *, realistic: bool = False, limit: bool = False
) -> Lift:
    """Return the result of a try at a mass value (MB-LIFT-01, MB-LIFT-02).

    *reached* is the value before: the character's capacity, or what the last action pushed it to.
    """
    push = success_chart.push(points)
    if limit and points >= 0:
        push = limit_push(push)
    lifted_value = limited_lift(reached + push.push, realistic=realistic)
    return Lift(lifted_value, lifted_value >= mass, push.push, push.shock)


# --- skills that move -----------------------------------------------------------------------------


def cushioned_points(points: int, rank: int) -> int:
    """Return the damage points of a fall after acrobatics of this rank (MB-SKILL-ACROBATICS).

    Below 0 there is no damage.
    """
    return points - rank


def meters_without_push(points: int, rate: int) -> Fraction:
    """Return the meters swum or jumped without a push, after a roll (MB-SKILL-SWIMMING)."""
    return measure(rate) if points >= 0 else Fraction(0)


def climb_without_push(points: int, rate: int, careful: bool = False) -> tuple[Fraction, str]:
    """Return the meters climbed without a push, and the trouble (MB-SKILL-CLIMBING).

    The trouble is `fall`, `no_progress`, or empty.
    """
    if careful and points >= 0:
        meters = Fraction(CAREFUL_METERS)
    else:
        meters = meters_without_push(points, rate)
    return meters, trouble("Climbing", points)


def running_shock(rounds: int, endurance: int, long_distances: int = 0) -> int:
    """Return the shock of a round at a full run, the first being 1 (MB-SKILL-RUNNING).

    *long_distances* are adds of that specialization; they put the shock off.
    """
    return WINDED_SHOCK if rounds > endurance + long_distances else 0


# --- drowning -------------------------------------------------------------------------------------


class Drowning(Record):
    """State of a character under water (MB-SKILL-SWIMMING)."""

    #: Difficulty that was missed.
    dn: int
    #: Rounds since.
    rounds: int = 0
    #: Rounds since the character passed out; None: conscious.
    count: int | None = None

    @property
    def number(self) -> int:
        """Number that brings the character up this round."""
        return self.dn + HARDER_EACH_ROUND * (self.rounds + 1)


class DrowningRound(Record):
    """Result of a round under water."""

    #: State after it; None: the character came up.
    state: Drowning | None
    shock: int = 0
    died: bool = False


def is_sinking(points: int, breathes_water: bool = False) -> bool:
    """Return whether a swimmer goes under, which costs shock at once (MB-SKILL-SWIMMING)."""
    return resolve_push("Swimming", points, 0).trouble == "drowning" and not breathes_water


def resolve_drowning_round(
    state: Drowning, total: int | None, shock: int, capacity: int, endurance: int
) -> DrowningRound:
    """Return the result of another round under water (MB-SKILL-SWIMMING).

    *total* is None for an unconscious character. *shock* is what the character has before.
    """
    rounds = state.rounds + 1
    if state.count is not None:
        count = state.count + 1
        return DrowningRound(state.replace(rounds=rounds, count=count), 1, count >= endurance)
    if total is not None and total >= state.number:
        return DrowningRound(None)
    passes_out = shock + DROWNING_SHOCK >= capacity
    after = state.replace(rounds=rounds, count=0 if passes_out else None)
    return DrowningRound(after, DROWNING_SHOCK)


# --- vehicles -------------------------------------------------------------------------------------


def vehicle_meters(speed: int, points: int) -> Fraction:
    """Return the meters of a vehicle in a round in which it was pushed.

    The result points count as a value of their own (MB-SKILL-VEHICLE-PILOTING).
    """
    return measure(speed) + meters_without_push(points, points)


def chase_gap(gap: int, meters: Fraction, rival: int, *, flees: bool) -> int:
    """Return the meters between two vehicles after a round; 0 once one has caught up.

    *meters* are those of one vehicle, *rival* is the other's speed value.
    """
    gained = meters - value_chart.measure(rival)
    return max(0, round(gap + gained if flees else gap - gained))

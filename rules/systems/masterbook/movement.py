"""Moving, pushing oneself, lifting: rates are effective values, distances metres (MB-MOV, MB-PSH, MB-LIFT)."""

from __future__ import annotations

from fractions import Fraction

from rules.core.record import Record, record
from rules.systems.masterbook import chart
from rules.systems.masterbook.chart import Push
from rules.systems.masterbook.tables import PUSHES
from rules.systems.masterbook.values import measure

#: Metres of a value that are free, and those of an inch on a map (MB-MOV-01).
_FREE, INCH = 2, 2
#: By how much less than Strength somebody lifts without a roll, and the most that anybody lifts (MB-LIFT-01).
_EASY, _HEAVIEST = 3, 14


def free(rate: int) -> int:
    """The metres on the ground that cost no action (MB-MOV-01)."""
    return _FREE * rate


def in_a_round(rate: int, *, ground: bool = True) -> Fraction:
    """The metres that take an action and no roll; on the ground never fewer than what is free (MB-MOV-02)."""
    return max(measure(rate), Fraction(free(rate))) if ground else measure(rate)


def push_number(skill: str, rate: int, *, base: int | None = None, more: int = 0) -> int:
    """What a push goes against: the rate, or a `base` such as a surface to climb, with modifiers (MB-PSH-01)."""
    harder = PUSHES[skill].more if skill in PUSHES else 0
    return (rate if base is None else base) + more + harder


@record
class Pushed(Record):
    """What pushing came to: its result and shock, the metres of the round, and what went wrong.

    `points` None on a failure. `trouble` is fall, drowning, or no_progress where nothing was gained at all.
    """

    points: int | None = None
    push: int = 0
    shock: int = 0
    metres: Fraction = Fraction(0)
    trouble: str = ""


def limited(push: Push) -> Push:
    """A push given up in part for half of its shock, where the table plays so (MB-PSH-02)."""
    return Push(push.push - 1, -(-push.shock // 2))


def push_points(skill: str, points: int, *, realistic: bool) -> int:
    """Result points that a skill may use, limited where the table plays so (MB-PSH-01)."""
    limit = PUSHES[skill].limit if skill in PUSHES else None
    return points if limit is None or not realistic else min(points, limit)


def pushed(
    skill: str,
    points: int,
    rate: int,
    *,
    realistic: bool = False,
    limit: bool = False,
) -> Pushed:
    """A round of pushing with these result points (MB-PSH-01); `limit` gives some of it up (MB-PSH-02)."""
    kind, plain = PUSHES.get(skill), measure(rate)
    if points >= 0:
        points = push_points(skill, points, realistic=realistic)
        found = chart.push(points)
        if limit:
            found = limited(found)
        return Pushed(points, found.push, found.shock, plain + measure(found.push))
    wrong = trouble(skill, points)
    usual = kind is None or kind.usual
    shock = kind.shock if kind is not None and wrong == kind.trouble else 0
    return Pushed(None, 0, shock, plain if usual else Fraction(0), wrong)


def trouble(skill: str, points: int) -> str:
    """What goes wrong when somebody fails at moving (MB-MOV-03): fall, drowning, no_progress, or nothing."""
    kind = PUSHES.get(skill)
    if kind is None or points >= 0:
        return ""
    if kind.missed_by is not None and -points >= kind.missed_by:
        return kind.trouble
    return "" if kind.usual else "no_progress"


def capacity(strength: int) -> int:
    """The value of what somebody lifts without a roll (MB-LIFT-01)."""
    return strength - _EASY


@record
class Lift(Record):
    """What a roll to lift came to: the value it reached, whether that was enough, and what it cost."""

    reached: int
    lifted: bool
    push: int = 0
    shock: int = 0


def strongest(reached: int, *, realistic: bool) -> int:
    """The value that is lifted, limited where the table plays so (MB-LIFT-01)."""
    return min(reached, _HEAVIEST) if realistic else reached


def lift(reached: int, mass: int, points: int, *, realistic: bool = False, limit: bool = False) -> Lift:
    """A try at a mass value by its result points, from what somebody had `reached` before (MB-LIFT-01, MB-LIFT-02).

    That is their capacity, or where the last action had pushed it.
    """
    push = chart.push(points)
    if limit and points >= 0:
        push = limited(push)
    found = strongest(reached + push.push, realistic=realistic)
    return Lift(found, found >= mass, push.push, push.shock)

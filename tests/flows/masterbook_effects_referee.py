"""A second working of MasterBook's special effects: castings, feedback, changes and time.

It knows totals of dice and values of sheets alone, and no formula of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Final, NamedTuple

from tests.flows.masterbook_referee import ROUND, Result, damage, measure, push_result, value_of

#: Difficulties of gestures and of words by their level, and of related skills (MB-SFX-S20 to -S22).
PERFORMED: Final = {3: 8, 4: 12, 5: 16, 6: 20}
RELATED: Final = {1: 6, 2: 7, 3: 9, 4: 11, 5: 14, 6: 17}
#: Difficulties of what helpers do (MB-SFX-S17).
PARTICIPATION: Final = {"dn8": 8, "dn10": 10, "dn12": 12}
#: Helpers from this number on are one roll.
CROWD: Final = 6
#: What somebody trusted adds to a doubt (MB-SFX-30).
ENCOURAGED: Final = 4
#: What each rank takes from an effect value that meets several values (MB-SFX-S08).
_RANK: Final = 2


class Figures(NamedTuple):
    """Difficulty of a casting, and the value of its feedback."""

    dn: int
    fv: int

    def unlearned(self) -> Figures:
        """Return the figures with a third more of each, begun points counted (MB-SFX-93)."""
        return Figures(self.dn + ceil(self.dn / 3), self.fv + ceil(self.fv / 3))

    def harder(self, more: int) -> Figures:
        """Return the figures with what the world adds to the difficulty (MB-SFX-14)."""
        return Figures(max(0, self.dn + more), self.fv)

    def upkeep(self) -> Figures:
        """Return the figures of maintenance, before what the world adds (MB-SFX-28)."""
        return Figures(ceil(self.dn / 3), ceil(self.fv / 2))


class Casting(NamedTuple):
    """Outcome of a casting (MB-SFX-20, MB-SFX-21)."""

    works: bool
    points: int
    #: Feedback that hits the caster.
    left: int
    #: What the effect value gains.
    surplus: int


def cast(total: int, figures: Figures, *, spoiled: bool = False) -> Casting:
    """Return the outcome of a total; *spoiled*, it can only lower the feedback (MB-SFX-31)."""
    points = total - figures.dn
    if points < 0:
        return Casting(False, 0, figures.fv, 0)
    left = figures.fv - points
    works = not spoiled
    return Casting(works, points, max(left, 0), max(-left, 0) if works else 0)


def hurts(left: int, mind: int | None) -> Result:
    """Return what feedback does; *mind* is the Mind that resists it, if any (MB-SFX-21)."""
    if left == 0:
        return Result()
    return damage(left if mind is None else left - mind)


def moved(effect_value: int, value: int) -> int:
    """Return by how much an effect changes a value; 0 below it (MB-SFX-24)."""
    points = effect_value - value
    return push_result(points)[0] if points >= 0 else 0


def ranked(effect_value: int, count: int) -> list[int]:
    """Return the effect value that meets each of so many values (MB-SFX-S08)."""
    if count == 1:
        return [effect_value]
    return [effect_value - _RANK * (at + 1) for at in range(count)]


def concentrating(time_value: int) -> int:
    """Return the difficulty of concentration for a time of that value (MB-SFX-S19)."""
    return 6 + ceil(time_value / 3)


def crowd_number(number: int, many: int) -> int:
    """Return what so many helpers roll against: a crowd once, against more (MB-SFX-S17)."""
    return number + 2 * max(1, value_of(many, up=True)) - 2 if many >= CROWD else number


def accurate(points: int) -> int:
    """Return what points of accuracy add to a roll to hit (MB-SFX-S12)."""
    if points < 2:
        return points
    return max(value for value in range(points) if measure(value) <= points)


def seconds(value: int, extension: int = 0) -> int:
    """Return how long an effect or a casting of that value takes, begun seconds counted."""
    more = measure(extension) if extension else 0
    return ceil(measure(value) + more)


def begun_rounds(span: int) -> int:
    """Return the rounds that so many seconds take, begun ones counted (MB-SFX-26)."""
    return -(-span // ROUND)


@dataclass
class Running:
    """An effect that runs; every span of time is in seconds."""

    name: str
    caster: str
    target: str
    whole: int
    figures: Figures
    #: By how much each value is changed.
    changes: Mapping[str, int] = field(default_factory=dict[str, int])
    keeps: bool = False
    burns: bool = False
    #: Wounds that each of its strikes takes.
    wounds: int = 0
    passed: int = 0
    #: Difficulty of seeing through it; None for a real one.
    disbelief: int | None = None
    #: Whether its target has seen through it.
    doubted: bool = False
    #: Whether its time is over, and the caster may still maintain it.
    lapsing: bool = False

    @property
    def left(self) -> int:
        return max(0, self.whole - self.passed)

    @property
    def works(self) -> bool:
        return self.left > 0

    def strikes(self, span: int) -> int:
        """Return how often it strikes anew in that span: as each further round of its time begins
        (MB-SFX-26).
        """
        if not self.burns or self.lapsing:
            return 0
        starts = range(ROUND, self.whole, ROUND)
        return sum(self.passed < start <= self.passed + span for start in starts)

    def age(self, span: int) -> bool:
        """Let time pass. Return whether the effect is over just now (MB-SFX-26)."""
        if self.lapsing:
            return True
        self.passed += span
        return not self.left

    def renew(self) -> None:
        """Begin the whole duration again (MB-SFX-28)."""
        self.passed, self.lapsing = 0, False

    def text(self, *, counted: bool) -> str:
        """Return how a list names what is left: in rounds where those are counted."""
        if self.lapsing:
            left = "run out"
        elif not counted:
            left = in_words(self.left)
        else:
            count = begun_rounds(self.left)
            left = f"{count} round{'s' * (count != 1)}"
        return left if self.disbelief is None else f"{left} (illusion)"


def in_words(span: int) -> str:
    """Return seconds as messages write them: `1 minute and 10 seconds`."""
    parts: list[str] = []
    for name, length in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, span = divmod(span, length)
        if count:
            parts.append(f"{count} {name}{'s' * (count != 1)}")
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last

"""Rolls of two d10 with the dice added to them, and the bonus chart.

MB-DIE-01 to MB-DIE-07, MB-SKL-02.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, Literal

from rules.core.data_rows import from_json, json_loader
from rules.core.memo import memo_by_identity
from rules.core.record import Record
from rules.core.rng import Die, Rng

SIDES: Final = 10
#: Face that rolls again.
TEN: Final = SIDES
#: Least bonus numbers of an active defense and of a fall (MB-DIE-07).
ACTIVE_DEFENSE_FLOOR, FALL_FLOOR = 3, 1
#: The 10s that roll again with a point, in an untrained roll (MB-DIE-03).
Scope = Literal["all", "new_dice_only"]


class _Bonus(Record):
    """A bonus number, from a die total on."""

    least: int
    bonus: int


_ROWS: Final = from_json(
    tuple[_Bonus, ...],
    from_json(dict[str, object], json_loader("rules.systems.masterbook", "core")())["bonuses"],
)
_LEAST: Final = [row.least for row in _ROWS]
_BONUSES: Final = [row.bonus for row in _ROWS]
#: Points of the die total above the chart for each further point of the bonus number.
_STEP: Final = 5


def bonus_number(total: int, floor: int | None = None) -> int:
    """Return the bonus number of a die total, *floor* at least (MB-DIE-01, MB-DIE-07).

    The total is 2 or more.
    """
    above_chart = max(0, total - _LEAST[-1]) // _STEP
    bonus = _BONUSES[bisect_right(_LEAST, total) - 1] + above_chart
    return bonus if floor is None else max(bonus, floor)


def least_die_total(number: int) -> int:
    """Return the least die total with at least this bonus number (MB-DN-04)."""
    least = next((row.least for row in _ROWS if row.bonus >= number), _LEAST[-1])
    above_chart = max(0, number - _BONUSES[-1])
    return least + above_chart * _STEP


class Roll(Record):
    """Dice of a roll, in the order rolled; a point may still add to them."""

    dice: tuple[int, ...] = ()
    #: Whether 10s roll again.
    tens: bool = False
    #: Ups and points that brought two dice each.
    ups: int = 0
    points: int = 0
    #: Whether being stymied still takes the next die that would be added, or has taken it.
    stymied: bool = False
    lost: bool = False
    #: Number of 10s, from the first on, that have rolled again or never will.
    handled_tens: int = 0
    #: Least sum of two dice that were rolled together; a die rolled alone doesn't count (MB-BG-43).
    low: int = 2 * SIDES

    @property
    def total(self) -> int:
        """Sum of all dice."""
        return sum(self.dice)

    @property
    def fallen(self) -> tuple[Die, ...]:
        """Dice, one by one."""
        return tuple([Die("d10", SIDES, face) for face in self.dice])


class Throw(Record):
    """A character's roll, with the value and the modifiers of its total."""

    who: str
    #: Purpose of the roll, such as a strike or a defense.
    what: str
    value: int = 0
    #: Modifiers of the total, by name.
    modifiers: tuple[tuple[str, int], ...] = ()
    roll: Roll = Roll()
    #: Least and highest bonus number of the chart.
    floor: int | None = None
    most: int | None = None
    #: Added to the bonus number after the chart and its minimum (MB-BG-15).
    bonuses: tuple[tuple[str, int], ...] = ()
    #: Highest die total with which the roll fails whatever its total (MB-BG-41).
    fails_on: int = 0

    @property
    def fails(self) -> bool:
        """Whether the dice fail the roll, whatever its total."""
        return self.roll.total <= self.fails_on

    @property
    def bonus(self) -> int:
        """Bonus number of the chart, within the roll's limits."""
        bonus = bonus_number(self.roll.total, self.floor)
        return bonus if self.most is None else min(bonus, self.most)

    @property
    def whole_bonus(self) -> int:
        """Bonus number with everything that is added after the chart (MB-BG-15)."""
        return self.bonus + sum(number for _, number in self.bonuses)

    @property
    def total(self) -> int:
        """Sum of value, bonus number and modifiers (MB-SKL-02)."""
        return _total(self)


@memo_by_identity  # Judging and telling a roll ask for its total again and again.
def _total(throw: Throw) -> int:
    return throw.value + throw.whole_bonus + sum([number for _, number in throw.modifiers])


def _add_dice(roll: Roll, rng: Rng, number: int) -> Roll:
    """Return the roll with *number* more dice; being stymied takes one of them (MB-DIE-05)."""
    if not number:
        return roll
    taken = int(roll.stymied)
    dice = tuple([rng.below(SIDES) + 1 for _ in range(number - taken)])
    # Pairs count from the end, so that a stymied character's odd die stays alone.
    pairs = [sum(dice[at - 2 : at]) for at in range(len(dice), 1, -2)]
    low = min(roll.low, *pairs) if pairs else roll.low
    return roll.replace(
        dice=roll.dice + dice, stymied=False, lost=roll.lost or roll.stymied, low=low
    )


def _roll_open_tens(roll: Roll, rng: Rng) -> Roll:
    """Return the roll with a die for each 10 that is not handled yet, without end (MB-DIE-02)."""
    while roll.tens and roll.handled_tens < roll.dice.count(TEN):
        roll = _add_dice(roll, rng, 1).replace(handled_tens=roll.handled_tens + 1)
    return roll


def roll_tens_again(roll: Roll, rng: Rng) -> Roll:
    """Return the roll as a trained character's: its 10s roll again now (MB-CARD-E03)."""
    return _roll_open_tens(roll.replace(tens=True), rng)


def throw(rng: Rng, tens: bool, ups: int = 0, stymied: bool = False) -> Roll:
    """Roll two dice, two for each Up, and with *tens* one for each 10.

    (MB-DIE-02, MB-DIE-04, MB-DIE-05)
    """
    pair = rng.below(SIDES) + 1, rng.below(SIDES) + 1
    first = Roll(pair, tens, ups, stymied=stymied, low=sum(pair))
    return _roll_open_tens(_add_dice(first, rng, 2 * ups), rng)


def spend_point(roll: Roll, rng: Rng, scope: Scope = "all") -> Roll:
    """Roll two dice for a point; from now on 10s roll again (MB-DIE-03).

    In the *scope* `all`, so do the 10s of an untrained roll that were rolled before.
    """
    if not roll.tens and scope == "new_dice_only":
        roll = roll.replace(handled_tens=roll.dice.count(TEN))
    added = _add_dice(roll.replace(tens=True), rng, 2)
    return _roll_open_tens(added.replace(points=roll.points + 1), rng)

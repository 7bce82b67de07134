"""Two d10, what is rolled on top of them, and the bonus chart (MB-DIE-01 to MB-DIE-07,
MB-SKL-02).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, Literal

from rules.core.data_rows import from_json, json_loader
from rules.core.memo import memo_by_identity
from rules.core.record import Record
from rules.core.rng import Die, Rng

SIDES: Final = 10
#: The face that rolls again.
TEN: Final = SIDES
#: The least bonus numbers of an active defense and of a fall (MB-DIE-07).
ACTIVE_DEFENSE_FLOOR, FALL_FLOOR = 3, 1
#: Which 10s a point lets roll again where none do by themselves (MB-DIE-03).
Scope = Literal["all", "new_dice_only"]


class _Bonus(Record):
    """From this die total on that bonus."""

    least: int
    bonus: int


_ROWS: Final = from_json(
    tuple[_Bonus, ...],
    from_json(dict[str, object], json_loader("rules.systems.masterbook", "core")())["bonuses"],
)
_LEAST: Final = [each.least for each in _ROWS]
_BONUSES: Final = [each.bonus for each in _ROWS]
#: Above the chart each step of so many points is one more.
_STEP: Final = 5


def bonus_number(total: int, floor: int | None = None) -> int:
    """The bonus number of a die total, at least 2; not below `floor` (MB-DIE-01, MB-DIE-07)."""
    above = max(0, total - _LEAST[-1]) // _STEP
    found = _BONUSES[bisect_right(_LEAST, total) - 1] + above
    return found if floor is None else max(found, floor)


def least_die_total(number: int) -> int:
    """The least die total with at least this bonus number (MB-DN-04)."""
    above = max(0, number - _BONUSES[-1])
    return next((each.least for each in _ROWS if each.bonus >= number), _LEAST[-1]) + above * _STEP


class Roll(Record):
    """Dice as they lie, in the order rolled, which a point may still add to.

    `tens` roll again; `ups` and `points` brought two dice each. Being `stymied` still takes the
    next die that would be rolled again, or has taken it (`lost`). So many 10s from the first on
    have been dealt with: `handled_tens`. `low` is the least that two dice thrown together came to
    (MB-BG-43); one thrown alone does not count.
    """

    dice: tuple[int, ...] = ()
    tens: bool = False
    ups: int = 0
    points: int = 0
    stymied: bool = False
    lost: bool = False
    handled_tens: int = 0
    low: int = 2 * SIDES

    @property
    def total(self) -> int:
        """The sum of every die."""
        return sum(self.dice)

    @property
    def fallen(self) -> tuple[Die, ...]:
        """The dice by themselves."""
        return tuple([Die("d10", SIDES, face) for face in self.dice])


class Throw(Record):
    """A roll of somebody, for what, with a value and what is added to it, by name."""

    who: str
    what: str
    value: int = 0
    modifiers: tuple[tuple[str, int], ...] = ()
    roll: Roll = Roll()
    floor: int | None = None
    most: int | None = None
    #: Added to the bonus number after the chart and its minimum (MB-BG-15).
    bonuses: tuple[tuple[str, int], ...] = ()
    #: Highest die total with which it fails all the same (MB-BG-41).
    fails_on: int = 0

    @property
    def fails(self) -> bool:
        """Whether the dice fail it whatever the total."""
        return self.roll.total <= self.fails_on

    @property
    def bonus(self) -> int:
        """The bonus number of the chart that counts."""
        found = bonus_number(self.roll.total, self.floor)
        return found if self.most is None else min(found, self.most)

    @property
    def whole_bonus(self) -> int:
        """The bonus number with what options add to it after the chart (MB-BG-15)."""
        return self.bonus + sum(number for _, number in self.bonuses)

    @property
    def total(self) -> int:
        """Value, bonus number and modifiers (MB-SKL-02)."""
        return _total(self)


@memo_by_identity  # asked again and again while it is judged and told
def _total(throw: Throw) -> int:
    return throw.value + throw.whole_bonus + sum([number for _, number in throw.modifiers])


def _more(roll: Roll, rng: Rng, number: int) -> Roll:
    """So many dice on top, fewer by the one that being stymied takes (MB-DIE-05)."""
    if not number:
        return roll
    taken = int(roll.stymied)
    dice = tuple([rng.below(SIDES) + 1 for _ in range(number - taken)])
    pairs = [sum(dice[at - 2 : at]) for at in range(len(dice), 1, -2)]
    low = min(roll.low, *pairs) if pairs else roll.low
    return roll.replace(
        dice=roll.dice + dice, stymied=False, lost=roll.lost or roll.stymied, low=low
    )


def _again(roll: Roll, rng: Rng) -> Roll:
    """Each 10 that has not been dealt with once more, in the order rolled, without end
    (MB-DIE-02).
    """
    while roll.tens and roll.handled_tens < roll.dice.count(TEN):
        roll = _more(roll, rng, 1).replace(handled_tens=roll.handled_tens + 1)
    return roll


def roll_tens_again(roll: Roll, rng: Rng) -> Roll:
    """The dice as of somebody trained: the 10s that lie there roll again now (MB-CARD-E03)."""
    return _again(roll.replace(tens=True), rng)


def throw(rng: Rng, tens: bool, ups: int = 0, stymied: bool = False) -> Roll:
    """Two dice, two for each Up, then one for each 10 where `tens` roll again (MB-DIE-02,
    MB-DIE-04, MB-DIE-05).
    """
    pair = rng.below(SIDES) + 1, rng.below(SIDES) + 1
    first = Roll(pair, tens, ups, stymied=stymied, low=sum(pair))
    return _again(_more(first, rng, 2 * ups), rng)


def spend_point(roll: Roll, rng: Rng, scope: Scope = "all") -> Roll:
    """Two dice for a point; 10s roll again from now on, in the `scope` all those that lie there too
    (MB-DIE-03).
    """
    if not roll.tens and scope == "new_dice_only":
        roll = roll.replace(handled_tens=roll.dice.count(TEN))
    more = _more(roll.replace(tens=True), rng, 2)
    return _again(more.replace(points=roll.points + 1), rng)

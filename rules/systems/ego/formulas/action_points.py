"""EGO's Action Points and initiative in numbers (EGO-AP-01 to EGO-AP-04, EGO-INI-01)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.ego.formulas.damage import IMPAIRMENT_INITIATIVE
from rules.systems.ego.formulas.dice import SUCCESS
from rules.systems.ego.formulas.reference_rows import SHIPPED_ROWS

#: Way to count an initiative roll: the sum of its faces, or its successes.
Counting = Literal["pips", "successes"]

#: Costs of actions and reactions in Action Points (EGO-AP-03).
COSTS: Final = dict(SHIPPED_ROWS.costs)
#: Dice that an unarmed attack adds to Muscle dice.
UNARMED: Final = {"punch": 0, "kick": 1}
#: Seconds of an action for one point, least cost of a longer one, and seconds of a further point.
_QUICK, _LONG, _SPAN = 10, 3, 10


class ActionPoints(Record):
    """Action Points of a round."""

    all: int
    spent: int = 0
    #: Whether a single action takes the whole round.
    alone: bool = False

    @property
    def left(self) -> int:
        """Action Points left for another action or reaction."""
        return 0 if self.alone else max(0, self.all - self.spent)


def cost(actions: Iterable[str], *, free: Collection[str] = ()) -> int:
    """Return the cost of actions together; `free` ones cost nothing (EGO-AP-01, EGO-AP-03)."""
    return sum([0 if action in free else COSTS[action] for action in actions])


def over_by(points: ActionPoints, price: int) -> int:
    """Return the number of Action Points that are missing for a price."""
    return max(0, points.spent + price - points.all)


def spend_points(
    points: ActionPoints, price: int, *, whole: bool = False, reaction: bool = False
) -> tuple[ActionPoints, int]:
    """Return the points after an action, and its penalty dice (EGO-AP-01, EGO-AP-02).

    Only the single action of a round may over-spend, and no reaction. An action that takes the
    `whole` round costs no dice.

    Raises Impossible("ego-round-taken") after such an action, and Impossible("ego-no-ap") with
    `over`.
    """
    if not price:
        return points, 0
    if points.alone:
        raise Impossible("ego-round-taken")
    over = over_by(points, price)
    if (over or whole) and (points.spent or reaction):
        raise Impossible("ego-no-ap", need=price, left=points.left, over=over)
    return points.replace(spent=points.spent + price, alone=whole or over > 0), 0 if whole else over


class Forecast(Record):
    """Cost of an action that is not paid yet (EGO-AP-02)."""

    cost: int = 0
    #: Action Points that the character has left.
    left: int = 0
    #: Dice that over-spending takes. If the cost can't be paid now, those of a fresh round.
    penalty: int = 0
    #: Whether the character can pay in this round.
    payable: bool = True


def forecast_cost(points: ActionPoints, price: int, *, single: bool = True) -> Forecast:
    """Return the forecast for an action of this price (EGO-AP-01, EGO-AP-02).

    `single` is False for several actions, which can't over-spend.
    """
    over = over_by(points, price)
    if over and not single:
        return Forecast(price, points.left, payable=False)
    if points.alone or (over and points.spent):
        return Forecast(price, points.left, max(0, price - points.all), payable=False)
    return Forecast(price, points.left, over)


def skill_use_cost(seconds: int) -> int:
    """Return the cost of using a skill for so many seconds (EGO-AP-04)."""
    return COSTS["effect"] if seconds <= _QUICK else _LONG + (seconds - _QUICK) // _SPAN


def initiative_dice(agility: int, *, fast_draw: int = 0, round: int = 1, karma: int = 0) -> int:
    """Return the dice of initiative (EGO-INI-01).

    Fast Draw counts in the first round of ranged combat.
    """
    return agility + (fast_draw if round == 1 else 0) + karma


def initiative(
    faces: Sequence[int], intellect: int, *, impairment: int = 0, counting: Counting = "pips"
) -> int:
    """Return the initiative of a roll, with Intellect dice and impairment (EGO-INI-01).

    It may be negative.
    """
    rolled = sum([face >= SUCCESS for face in faces]) if counting == "successes" else sum(faces)
    return rolled + intellect + IMPAIRMENT_INITIATIVE[impairment]


def draw_cost(fast_draw: int) -> int:
    """Return the cost of drawing a weapon (EGO-AP-03, EGO-SPC-03)."""
    return 0 if fast_draw else COSTS["draw"]

"""What is said of a task, and what of it makes the task easier, harder or impossible before the roll.

Implements EBB-PROPOSAL, EBB-DRAWBACK, EBB-INJURY and EBB-SPECIALIST as far as they touch the difficulty.
Which of them apply is for the GM to say; this module only adds them up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import attrgetter, mul
from typing import Final

from rules.core.errors import Impossible
from rules.core.record import Record, record
from rules.systems.ebb.ladder import Difficulty, parse_difficulty, shift

#: By how many levels each of these makes a task harder, in the order in which they are told (EBB-PROPOSAL).
SHIFTS: Final[Mapping[str, int]] = {
    "dilemma": -1,
    "flaw": 1,
    "superior": -1,
    "missing_tools": 1,
    "drawback": 1,
    "injured": 1,
}


@record
class Plan(Record):
    """What somebody says of a task: whoever proposes it, whoever is set against it, or the GM who answers.

    Its fields are those of the forms that it is read from. `difficulty` is the base, as it is written; `modifier` the
    direct bonus or penalty on the total. Major dilemmas removed, levels of a flaw and of missing tools are counted.
    `drawback`: one or more are defied, and no attribute counts (EBB-DRAWBACK). `injured`: a treated injured body part
    is used. The rest only the GM says: what is refused, `against` as the modifier of the other side of an opposed roll,
    `luck` as the attribute that a sacrifice would cost, and that any failure ends the chance (EBB-FAIL).

    `sides` and `value` are what the sheet had when somebody chose last: of the ability's die, and the attribute's.
    `approach` is the idea in words where it does not stand on the check.
    """

    skill: str = ""
    attribute: str = ""
    difficulty: str = ""
    approach: str = ""
    modifier: int = 0
    dilemma: int = 0
    flaw: int = 0
    drawback: bool = False
    injured: bool = False
    superior: bool = False
    missing_tools: int = 0
    disallow: tuple[str, ...] = ()
    against: int = 0
    specialist: bool = False
    specialist_luck: bool = False
    urgent: bool = False
    luck: str = ""
    sides: int | None = None
    value: int | None = None


#: How much of each of the shifts a plan has, in their order.
shifts_in: Final[Callable[[Plan], tuple[int, ...]]] = attrgetter(*SHIFTS)


def levels(plan: Plan) -> int:
    """The sum of all shifts in whole levels; positive is harder (EBB-SHIFT). `modifier` is not among them."""
    return sum(map(mul, SHIFTS.values(), shifts_in(plan)))


def assess(base: Difficulty, plan: Plan) -> Difficulty:
    """The difficulty after all shifts, never below Easy (EBB-SHIFT)."""
    return shift(base, levels(plan))


def measure(plan: Plan) -> Difficulty | None:
    """What the total has to reach after all shifts; None where no difficulty is named."""
    return _measured(plan.difficulty, levels(plan)) if plan.difficulty else None


@lru_cache(maxsize=1024)
def _measured(difficulty: str, levels: int) -> Difficulty:
    return shift(parse_difficulty(difficulty), levels)


def attribute_counts(plan: Plan) -> bool:
    """Whether an attribute may be added at all: not when a drawback is defied (EBB-DRAWBACK)."""
    return not plan.drawback


def require_ability(ability_sides: int | None, *, specialist: bool, waived: bool = False) -> None:
    """Refuse a specialist task to somebody without a suitable ability (EBB-SPECIALIST).

    `specialist`: the GM marked the task so. `waived`: the GM lets luck get round it. Raises
    Impossible("ability-required") when the task needs an ability and none (`ability_sides` None) is used.
    """
    if specialist and ability_sides is None and not waived:
        raise Impossible("ability-required", field="ability")

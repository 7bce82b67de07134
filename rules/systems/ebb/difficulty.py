"""What makes a task easier, harder or impossible before the roll.

Implements EBB-PROPOSAL, EBB-DRAWBACK, EBB-INJURY and EBB-SPECIALIST as far as they touch the difficulty.
Which of them apply is for the GM to say; this module only adds them up.
"""

from __future__ import annotations

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import record
from rules.systems.ebb.ladder import Difficulty, shift

_RANGES: tuple[tuple[str, int, int], ...] = (
    ("dilemmas", 0, 9),
    ("flaw", 0, 2),
    ("equipment", -1, 9),
    ("bonus", -20, 20),
)


@record
class Adjustments:
    """Everything that moves a task away from its base difficulty (EBB-PROPOSAL).

    `dilemmas`: major dilemmas the idea or a preparatory challenge removes, 0..9, each 1 level easier.
    `flaw`: 0..2 levels harder for a flawed but possible idea.
    `equipment`: -1 (superior, 1 level easier) to 9 (missing tools, so many levels harder).
    `drawback`: one or more drawbacks are defied: 1 level harder, and no attribute counts (EBB-DRAWBACK).
    `injured`: a treated injured body part is used: 1 level harder (EBB-INJURY).
    `bonus`: the GM's direct bonus or penalty on the total, -20..20; it moves no level.
    """

    dilemmas: int = 0
    flaw: int = 0
    equipment: int = 0
    drawback: bool = False
    injured: bool = False
    bonus: int = 0

    def validate(self) -> None:
        """Raise InvalidInput("out-of-range", field, value, lowest, highest) for the first bad number."""
        if (
            0 <= self.dilemmas <= 9
            and 0 <= self.flaw <= 2
            and -1 <= self.equipment <= 9
            and -20 <= self.bonus <= 20
        ):
            return
        for field, lowest, highest in _RANGES:
            value = getattr(self, field)
            if not lowest <= value <= highest:
                raise InvalidInput("out-of-range", field=field, value=value, lowest=lowest, highest=highest)


def levels(adjustments: Adjustments) -> int:
    """The sum of all shifts in whole levels; positive is harder (EBB-SHIFT). `bonus` is not among them."""
    return (
        adjustments.flaw
        + adjustments.equipment
        + adjustments.drawback
        + adjustments.injured
        - adjustments.dilemmas
    )


def assess(base: Difficulty, adjustments: Adjustments) -> Difficulty:
    """The difficulty after all shifts, never below Easy (EBB-SHIFT). Raises as `Adjustments.validate`."""
    adjustments.validate()
    return shift(base, levels(adjustments))


def attribute_counts(adjustments: Adjustments) -> bool:
    """Whether an attribute may be added at all: not when a drawback is defied (EBB-DRAWBACK)."""
    return not adjustments.drawback


def require_ability(ability_sides: int | None, *, specialist: bool, waived: bool = False) -> None:
    """Refuse a specialist task to somebody without a suitable ability (EBB-SPECIALIST).

    `specialist`: the GM marked the task so. `waived`: the GM lets luck get round it. Raises
    Impossible("ability-required") when the task needs an ability and none (`ability_sides` None) is used.
    """
    if specialist and ability_sides is None and not waived:
        raise Impossible("ability-required", field="ability")

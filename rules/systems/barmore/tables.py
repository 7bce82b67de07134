"""The numbers and names of the dice pool, read once from `data/`.

Everything here is constant. Other modules of the system compute from these tables and hold no numbers of the
rules themselves, except where a rule is a formula. `CHART_DATA` and `TREE_DATA` are read by `wounds` and `traits`, as
a campaign's own are.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Any, Final

from rules.core.record import record
from rules.core.rows import data, read


@record
class DieType:
    """A die of `sides` faces, on each of which `add` is counted (BAR-DIE)."""

    id: str
    sides: int
    add: int
    can_botch: bool

    @property
    def low(self) -> int:
        """The lowest value."""
        return 1 + self.add

    @property
    def high(self) -> int:
        """The highest value."""
        return self.sides + self.add


@record
class _Governing:
    phases: tuple[str, ...]
    damage_add: str
    damage_subtract: str
    physical_threshold: str
    mental_threshold: str
    heal_physical: str
    heal_mental: str


@record
class _Tables:
    dice: tuple[DieType, ...]
    standard: str
    degree_step: int
    total_per_add_die: int
    abort_cost: int
    governing: _Governing


_PACKAGE: Final = "rules.systems.barmore"
_TABLES: Final = read(_Tables, data(_PACKAGE, "dice")())
_GOVERNING: Final = _TABLES.governing

#: The die types, the standard one first (BAR-DIE).
DICE: Final = _TABLES.dice
STANDARD_ID: Final = _TABLES.standard
#: So many points above or below the Difficulty make one degree (BAR-ROLL).
DEGREE_STEP: Final = _TABLES.degree_step
#: What each Add Die is worth when nothing is rolled (BAR-AUTO).
TOTAL_PER_ADD_DIE: Final = _TABLES.total_per_add_die
#: Phases that it takes to break an action off (BAR-PHASE).
ABORT_COST: Final = _TABLES.abort_cost

#: The attributes one of which shortens an action (BAR-PHASE).
PHASE_ATTRIBUTES: Final = _GOVERNING.phases
MUSCLE_POWER: Final = _GOVERNING.damage_add
TOUGHNESS: Final = _GOVERNING.damage_subtract
PHYSICAL_THRESHOLD: Final = _GOVERNING.physical_threshold
MENTAL_THRESHOLD: Final = _GOVERNING.mental_threshold
#: What governs the healing of Physical and of Mental Wounds (BAR-HEAL).
IMMUNE_SYSTEM: Final = _GOVERNING.heal_physical
STAMINA: Final = _GOVERNING.heal_mental
#: Every attribute that a rule names: a campaign's tree has to hold them all.
GOVERNING: Final = (*PHASE_ATTRIBUTES, *astuple(_GOVERNING)[1:])

#: The chart and the trees that a campaign begins with: JSON objects.
CHART_DATA: Final = read(dict[str, Any], data(_PACKAGE, "chart")())
TREE_DATA: Final = read(dict[str, Any], data(_PACKAGE, "tree")())

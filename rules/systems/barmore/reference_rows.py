"""Numbers and names of the dice pool, read once from `data/`.

Everything here is constant. Other modules of the system compute from these tables and hold no
numbers of the rules themselves, except where a rule is a formula. `wounds` and `trait_trees` read
`CHART_DATA` and `TREE_DATA`, as they read those of a campaign.
"""

from __future__ import annotations

from typing import Any, Final

from rules.core.data_rows import from_json, json_loader
from rules.core.record import Record, astuple


class DieType(Record):
    """A type of die; `add` is added to its face (BAR-DIE)."""

    id: str
    sides: int
    add: int
    can_botch: bool

    @property
    def low(self) -> int:
        """Lowest value of the die."""
        return 1 + self.add

    @property
    def high(self) -> int:
        """Highest value of the die."""
        return self.sides + self.add


class _Governing(Record):
    """Attributes that rules name."""

    #: Attributes of which one shortens an action (BAR-PHASE).
    phases: tuple[str, ...]
    #: Attribute that adds to damage (BAR-TRAUMA).
    damage_add: str
    #: Attribute that is subtracted from damage (BAR-TRAUMA).
    damage_subtract: str
    #: Attributes that are thresholds of Wounds (BAR-TRAUMA).
    physical_threshold: str
    mental_threshold: str
    #: Attributes that govern the healing of Wounds (BAR-HEAL).
    heal_physical: str
    heal_mental: str


class _Tables(Record):
    """Numbers of the rules."""

    #: Types of dice (BAR-DIE).
    dice: tuple[DieType, ...]
    #: Id of the standard die.
    standard: str
    #: Points above or below the Difficulty that make one degree (BAR-ROLL).
    degree_step: int
    #: Points of each Add Die when nothing is rolled (BAR-AUTO).
    total_per_add_die: int
    #: Phases that it takes to break an action off (BAR-PHASE).
    abort_cost: int
    governing: _Governing


_PACKAGE: Final = "rules.systems.barmore"
RULES: Final = from_json(_Tables, json_loader(_PACKAGE, "dice")())
GOVERNING_ATTRIBUTES: Final = RULES.governing
#: Every attribute that a rule names. A campaign's tree has to hold them all.
NAMED_ATTRIBUTES: Final = (*GOVERNING_ATTRIBUTES.phases, *astuple(GOVERNING_ATTRIBUTES)[1:])

#: JSON objects of the chart and the trees that a campaign begins with.
CHART_DATA: Final = from_json(dict[str, Any], json_loader(_PACKAGE, "chart")())
TREE_DATA: Final = from_json(dict[str, Any], json_loader(_PACKAGE, "tree")())

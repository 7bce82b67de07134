"""The numbers and names of the dice pool, read once from `data/`.

Everything here is constant. Other modules of the system compute from these tables and hold no
numbers of the rules themselves, except where a rule is a formula. `CHART_DATA` and `TREE_DATA` are
read by `wounds` and `trait_trees`, as a campaign's own are.
"""

from __future__ import annotations

from typing import Any, Final

from rules.core.data_rows import from_json, json_loader
from rules.core.record import Record, astuple


class DieType(Record):
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


class _Governing(Record):
    """The attributes that rules name: one of `phases` shortens an action (BAR-PHASE); what adds to
    damage, and what takes from it; how much is borne (BAR-TRAUMA); and what governs the healing of
    both kinds of Wounds (BAR-HEAL).
    """

    phases: tuple[str, ...]
    damage_add: str
    damage_subtract: str
    physical_threshold: str
    mental_threshold: str
    heal_physical: str
    heal_mental: str


class _Tables(Record):
    """`dice`, the `standard` one by its id (BAR-DIE); so many points above or below the Difficulty
    make one degree (BAR-ROLL); what each Add Die is worth when nothing is rolled (BAR-AUTO); the
    phases that it takes to break an action off (BAR-PHASE).
    """

    dice: tuple[DieType, ...]
    standard: str
    degree_step: int
    total_per_add_die: int
    abort_cost: int
    governing: _Governing


_PACKAGE: Final = "rules.systems.barmore"
RULES: Final = from_json(_Tables, json_loader(_PACKAGE, "dice")())
GOVERNING_ATTRIBUTES: Final = RULES.governing
#: Every attribute that a rule names: a campaign's tree has to hold them all.
NAMED_ATTRIBUTES: Final = (*GOVERNING_ATTRIBUTES.phases, *astuple(GOVERNING_ATTRIBUTES)[1:])

#: The chart and the trees that a campaign begins with: JSON objects.
CHART_DATA: Final = from_json(dict[str, Any], json_loader(_PACKAGE, "chart")())
TREE_DATA: Final = from_json(dict[str, Any], json_loader(_PACKAGE, "tree")())

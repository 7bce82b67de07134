"""The order of action as a table may roll for it. EBB has no rule of its own for this (EBB-ROUND)."""

from __future__ import annotations

from rules.core.rng import Rng
from rules.systems.ebb.sheet import EbbSheet, effective_attribute
from rules.systems.ebb.task import roll_task
from rules.table.events import Line
from rules.table.system import Initiative

#: What counts beside the main die, and decides ties.
ATTRIBUTE = "Alertness"


def roll_initiative(sheet: EbbSheet, rng: Rng) -> Initiative:
    """The house rule: a task roll with the effective ALERTNESS and no ability die; ties by it (EBB-ROUND)."""
    value = effective_attribute(sheet, ATTRIBUTE)
    roll = roll_task(rng, attribute=value, ability_sides=None)
    line = Line("ebb-initiative", {"die": sum(roll.main), "attribute": ATTRIBUTE, "value": value})
    return Initiative((roll.total, value), roll.dice, line)

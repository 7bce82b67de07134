"""Barmore's dice pool: Add Dice and Bonus or Penalty Dice of one type, against a Difficulty or
against one another.

Exports `SYSTEM`. The arithmetic of each rule stands in the module named after it: `trait_trees`,
`pool`, `pool_odds`, `wounds`; `check_state`, `sheet_wounds`, `timed_actions`, `complex_actions`
and `sheet_view` join it to the table.
"""

from __future__ import annotations

from rules.systems.barmore.system import SYSTEM

__all__ = ["SYSTEM"]

"""Barmore's dice pool: Add Dice and Bonus or Penalty Dice of one type.

They are rolled against a Difficulty or against another pool.

Exports `SYSTEM`. The arithmetic of each rule stands in the module of its name: `trait_trees`,
`pool`, `pool_odds`, `wounds`. The modules `check_state`, `sheet_wounds`, `timed_actions`,
`complex_actions` and `sheet_view` join it to the table.
"""

from __future__ import annotations

from rules.systems.barmore.system import SYSTEM

__all__ = ["SYSTEM"]

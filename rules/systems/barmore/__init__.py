"""Barmore's dice pool: Add Dice and Bonus or Penalty Dice of one type, against a Difficulty or against one another.

Exports `SYSTEM`. The arithmetic of each rule stands in the module named after it: `traits`, `pool`, `odds`, `wounds`;
`check`, `harm`, `acts`, `tasks` and `describe` join it to the table.
"""

from __future__ import annotations

from rules.systems.barmore.system import SYSTEM

__all__ = ["SYSTEM"]

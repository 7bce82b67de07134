"""EBB: a d10, an attribute and an ability die against a ladder of difficulties, and Fate points.

Exports `SYSTEM`. The arithmetic of each rule stands in the module of its name: `difficulty`,
`task_roll`, `resources`, `sheet`, `task_odds`, `generators`. The modules `procedure`, `view` and
`sheet_view` join it to the table.
"""

from __future__ import annotations

from rules.systems.ebb.system import SYSTEM

__all__ = ["SYSTEM"]

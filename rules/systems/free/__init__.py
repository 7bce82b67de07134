"""Places without a table: dice and cards, and no rules."""

from __future__ import annotations

from rules.systems.free.system import SYSTEM

__all__ = ["SYSTEM"]

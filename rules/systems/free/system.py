"""The system of places where nobody has opened a table."""

from __future__ import annotations

from rules.table.plain import Plain


class Free(Plain):
    """Nobody leads it, nobody has a sheet."""

    key = "free"
    name = "Dice and cards"


SYSTEM = Free()

"""Columns of a background that were traded (MB-BG-05 to MB-BG-07)."""

from __future__ import annotations

from typing import Literal

from rules.core.record import Record


class Trade(Record):
    """Columns of Advantages that were traded.

    `down` gives up one slot of the column `given[0]` for several of `column`, `up` several for one
    of `column`; `shift` turns two Compensations of the column `given[0]` into one of the next
    (MB-BG-05 to MB-BG-07).
    """

    kind: Literal["down", "up", "shift"]
    given: tuple[int, ...]
    column: int = 0

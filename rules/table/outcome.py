"""What `resolve` returns."""

from __future__ import annotations

from dataclasses import dataclass

from rules.table.events import Event
from rules.table.state import TableState


@dataclass(frozen=True, slots=True)
class Outcome:
    """The state afterwards and what happened, in order."""

    state: TableState
    events: tuple[Event, ...]

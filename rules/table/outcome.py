"""What `resolve` returns."""

from __future__ import annotations

from rules.core.record import record
from rules.table.events import Event
from rules.table.state import TableState


@record
class Outcome:
    """The state afterwards and what happened, in order."""

    state: TableState
    events: tuple[Event, ...]

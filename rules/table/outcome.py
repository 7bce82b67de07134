"""What `resolve` returns."""

from __future__ import annotations

from rules.core.record import Record
from rules.table.events import Event
from rules.table.state import TableState


class Outcome(Record):
    """The state afterwards and what happened, in order."""

    state: TableState
    events: tuple[Event, ...]

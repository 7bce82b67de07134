"""Result of carrying out an action."""

from __future__ import annotations

from rules.core.record import Record
from rules.table.events import Event
from rules.table.state import TableState


class Outcome(Record):
    """The state after an action, and its events."""

    state: TableState
    #: Events in the order in which they happened.
    events: tuple[Event, ...]

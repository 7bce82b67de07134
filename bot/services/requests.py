"""What came of the requests of late, so that one that comes again gets its first result."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container
from dataclasses import replace

from bot.services.table import Table
from bot.storage.records import Out
from rules.core.record import record
from rules.table.events import Event
from rules.table.state import TableState

#: How many requests are remembered by id.
REQUESTS_KEPT = 200


@record
class Performed:
    """What came of a request. `repeated` tells that it had been carried out before and is only shown again."""

    table: Table
    journal_id: int
    seq: int
    events: tuple[Event, ...]
    state: TableState
    outs: tuple[Out, ...]
    repeated: bool = False

    @property
    def reply(self) -> Out | None:
        """The row of the answer to the interaction."""
        return next((out for out in self.outs if out.kind == "reply"), None)


class Requests:
    """The last requests that were carried out, by id; the journal knows all others."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Performed] = OrderedDict()

    def get(self, request_id: str) -> Performed | None:
        """What came of it, as something that is only shown again; None where it is not remembered."""
        kept = self._kept.get(request_id)
        return None if kept is None else replace(kept, repeated=True)

    def remember(self, request_id: str, performed: Performed) -> None:
        """Keep it, and forget the oldest where that is one too many."""
        self._kept[request_id] = performed
        if len(self._kept) > REQUESTS_KEPT:
            self._kept.popitem(last=False)

    def drop(self, table_ids: Container[int]) -> None:
        """Forget what was done at these tables."""
        self._kept = OrderedDict(
            (request, done) for request, done in self._kept.items() if done.table.id not in table_ids
        )

"""Messages about events, in a channel or for one person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.delivery.table_scene import scene_of
from bot.presenters.controls import Rows
from bot.presenters.events import event_cards
from bot.presenters.layout import rows_of
from bot.presenters.render import to_messages
from bot.services.loaded_table import Table
from rules.table.events import Event


def event_messages(
    table: Table,
    events: Sequence[Event],
    seq: int,
    person: str | None,
    *,
    row: int,
    closed: bool = False,
    undone_by: int | None = None,
    rows: Rows = (),
    posted: Sequence[Event] = (),
) -> list[dict[str, Any]]:
    """Return the messages about events, for a person in their chosen form or for a channel.

    `rows` stand below the last message. Of the `posted` events the GM channel has the message.
    """
    plain = person is not None and table.state.person(person).plain
    cards = event_cards(
        events,
        scene_of(table),
        seq,
        private=person is not None,
        closed=closed,
        undone_by=undone_by,
        posted=posted,
    )
    if rows and cards:
        last = cards[-1]
        cards = [*cards[:-1], last.replace(pieces=(*last.pieces, *rows_of(rows)))]
    return to_messages(*cards, plain=plain, row=row)

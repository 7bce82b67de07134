"""The row behind a message, where several rows have cards of one number."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.services.history import row_of_message
from bot.storage.row_records import OutboxRow


class Rows:
    """A store that has these rows."""

    def __init__(self, *rows: OutboxRow) -> None:
        self._rows = rows

    async def outbox_rows(self, rows: list[int]) -> tuple[OutboxRow, ...]:
        return self._rows


def sent_row(row: int, at: int, message: str | None) -> OutboxRow:
    """Return a row of the outbox that was written at a time."""
    return OutboxRow(row, 1, 1, "post", "200", None, True, (0,), None, None, at, message=message)


@pytest.mark.parametrize(
    ("message", "changed_at", "row"),
    [
        (77, 10_000, 1),  # noted for the message, though a later row has the number
        (99, 5_000, 2),  # a private answer: the newest row that existed by then
        (99, 500_000, 3),
        (99, 10, None),
    ],
)
async def test_the_row_is_the_messages_own(message: int, changed_at: int, row: int | None) -> None:
    rows = (sent_row(1, 1_000, "200/77"), sent_row(2, 4_000, None), sent_row(3, 400_000, None))
    tables: Any = SimpleNamespace(store=Rows(*rows))
    found = await row_of_message(tables, [1, 2, 3], message, changed_at)
    assert (found.id if found else None) == row

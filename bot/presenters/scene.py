"""What presenters need to know of a table."""

from __future__ import annotations

from collections.abc import Mapping

from bot.presenters.language.text import Names
from rules.core.record import Record
from rules.table.state import TableState


class Scene(Record):
    """The table as presenters see it. `commitments` maps a stream of dice to its published
    SHA-256.
    """

    table_id: int
    state: TableState
    names: Names
    commitments: Mapping[str, str]

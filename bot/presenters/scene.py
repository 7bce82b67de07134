"""A table as presenters see it."""

from __future__ import annotations

from collections.abc import Mapping

from bot.presenters.language.text import Names
from rules.core.record import Record
from rules.table.state import TableState


class Scene(Record):
    """A table as presenters see it."""

    table_id: int
    state: TableState
    names: Names
    #: Published SHA-256 of the seed of each stream of dice.
    commitments: Mapping[str, str]

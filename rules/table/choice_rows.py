"""Options that a table agrees on, from the rows of data that name them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.forms import Field, Flag, Number, Option, Pick, Typed


class ChoiceValue(Record):
    """A value of an option, and what it is called."""

    id: str
    words: str


class OptionRow(Record):
    """An option: on or off, one of a few `values`, a number from `low` on of which some are
    `offered`, or a text.

    `topic` is what it is about: those of one stand together.
    """

    key: str
    name: str
    help: str
    usual: bool | int | str
    values: tuple[ChoiceValue, ...] = ()
    offered: tuple[int, ...] = ()
    low: int = 0
    topic: str = ""


def _said(text: str) -> Text:
    return Text("as-written", {"text": text})


def option_fields(
    rows: Sequence[OptionRow], most: int | None = None, read: Callable[[str], str] = str
) -> tuple[Field, ...]:
    """A field for each row. Numbers go up to `most`; without one, from the lowest to the highest
    offered. `read` is what reads a text.
    """

    def field(row: OptionRow) -> Field:
        about: dict[str, Any] = {
            "title": _said(row.name),
            "help": _said(row.help),
            "default": row.usual,
        }
        about["topic"] = _said(row.topic) if row.topic else None
        if row.values:
            ways = tuple([Option(each.id, _said(each.words)) for each in row.values])
            return Pick(row.key, choices=ways, needed=True, **about)
        if row.offered:
            low, high = (min(row.offered), max(row.offered)) if most is None else (row.low, most)
            about |= {"low": low, "high": high, "offered": row.offered, "needed": True}
            return Number(
                row.key, label=lambda number: Text("setting-number", {"number": number}), **about
            )
        if isinstance(row.usual, bool):
            return Flag(row.key, **about)
        return Typed(row.key, most=20, blank=True, read=read, **about)

    return tuple(map(field, rows))

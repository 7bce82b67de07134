"""Forms from rows of data: of commands, of the rows of a sheet, of what has few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from rules.core.record import record
from rules.core.rows import data, read
from rules.table.forms import Field, Flag, Form, Number, Pick, Typed, as_written


@record
class FieldRow:
    """A field: a text of at most `most` characters, a number from `low` to `high`, on or off, or one of several.

    `among` is what is offered, or the name of it; `find` names what finds it.
    """

    key: str
    takes: Literal["text", "number", "flag", "pick"] = "text"
    low: int = 0
    high: int = 100
    most: int = 100
    needed: bool = False
    null: bool = False
    blank: bool = False
    usual: bool | None = None
    among: str | tuple[str, ...] = ()
    find: str = ""


_FORMS: Final = read(Mapping[str, tuple[FieldRow | str, ...]], data("rules.systems.ego", "forms")())


def form(name: str, *known: Field, **named: Any) -> Form:
    """The form of that name; of its fields some are `known` by their keys, and what others name is handed in.

    KeyError for a name that nobody has handed in.
    """
    there = {each.key: each for each in known}
    return Form(tuple([there[row] if isinstance(row, str) else _field(row, named) for row in _FORMS[name]]))


def _field(row: FieldRow, named: Mapping[str, Any]) -> Field:
    about: dict[str, Any] = {"needed": row.needed, "null": row.null}
    if row.takes == "flag":
        return Flag(row.key, usual=row.usual, **about)
    if row.takes == "number":
        return Number(row.key, low=row.low, high=row.high, **about)
    about["among"] = named[row.among] if isinstance(row.among, str) else as_written(row.among)
    if row.takes == "pick":
        return Pick(row.key, find=named[row.find] if row.find else None, **about)
    return Typed(row.key, most=row.most, blank=row.blank, **about)

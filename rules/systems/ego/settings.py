"""What a table that plays EGO agrees on besides what all do (EGO-SET)."""

from __future__ import annotations

import re
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.record import record
from rules.core.rows import data, read
from rules.table.events import Line
from rules.table.forms import Field, Flag, Form, Number, Option, Pick, Typed
from rules.table.settings import WINDOW

#: The most of anything that is counted here.
_MOST: Final = 9999

_FUNDS: Final = re.compile(r"(\d{1,7})|(\d{1,2})d6(?:[x*×](\d{1,4}))?", re.IGNORECASE)


def read_funds(text: str) -> str:
    """What a new character has to spend, in its one form: `5000`, `3d6x10`; empty where the GM says so.

    InvalidInput("ego-bad-funds").
    """
    found = _FUNDS.fullmatch("".join(text.split()))
    if text.strip() and found is None:
        raise InvalidInput("ego-bad-funds", field="starting_funds", value=text[:100])
    if found is None or found[1]:
        return str(int(found[1])) if found else ""
    return f"{int(found[2])}d6x{int(found[3] or 1)}"


@record
class _Way:
    id: str
    words: str


@record
class _Option:
    """An option: on or off, one of a few `values`, a number from `low` on of which some are `offered`, or money."""

    key: str
    name: str
    help: str
    usual: bool | int | str
    values: tuple[_Way, ...] = ()
    offered: tuple[int, ...] = ()
    low: int = 0


def _said(text: str) -> Line:
    return Line("as-written", {"text": text})


def _counted(number: int) -> Line:
    """A number, 0 for none."""
    return Line("ego-setting-number", {"number": number})


def _field(row: _Option) -> Field:
    about: dict[str, Any] = {"title": _said(row.name), "help": _said(row.help), "usual": row.usual}
    if row.values:
        ways = tuple([Option(each.id, _said(each.words)) for each in row.values])
        return Pick(row.key, among=ways, needed=True, **about)
    if row.offered:
        seen = {"offered": row.offered, "label": _counted}
        return Number(row.key, low=row.low, high=_MOST, needed=True, **seen, **about)
    if isinstance(row.usual, bool):
        return Flag(row.key, **about)
    return Typed(row.key, most=20, blank=True, read=read_funds, **about)


_ROWS: Final = read(tuple[_Option, ...], data("rules.systems.ego", "settings")())
SETTINGS: Final = Form((WINDOW, *[_field(each) for each in _ROWS]))

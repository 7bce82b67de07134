"""Trades of columns of a background, and their typed lines (MB-BG-05 to MB-BG-07)."""

from __future__ import annotations

import re
from typing import Final

from rules.core.errors import InvalidInput
from rules.systems.masterbook.formulas.background_balance import ColumnTrade
from rules.systems.masterbook.formulas.option_kinds import ROMAN

#: Line of a trade of two Compensations for one of the next column.
_SHIFT: Final = re.compile(
    r"^two\s+compensations\s+(?:of\s+)?(?:c|column\s*)?([ivx]{1,3}|[1-5])$", re.IGNORECASE
)


def column_number(text: str) -> int:
    """Return a column that is typed as `III` or `3`; 0 for no column."""
    if text.isdecimal():
        return int(text)
    number = text.upper()
    return ROMAN.index(number) if number in ROMAN else 0


def read_trade(line: str) -> ColumnTrade:
    """Return the trade of a typed line (MB-BG-05 to MB-BG-07).

    `III for I` gives up one slot of column III for two of I, `II + I + I for III` several for one,
    `two Compensations I` makes two of column I one of II.

    Raises InvalidInput("mb-trade-unreadable").
    """
    text = " ".join(line.split())
    shift = _SHIFT.match(text)
    if shift is not None:
        return ColumnTrade("shift", (column_number(shift[1]),))
    given, word, wanted = text.partition(" for ")
    columns = tuple(column_number(part.strip().removeprefix("C")) for part in given.split("+"))
    column = column_number(wanted.strip().removeprefix("C"))
    if not word or 0 in columns or not column:
        raise InvalidInput("mb-trade-unreadable", field="trades", value=line[:100])
    if len(columns) == 1 and columns[0] > column:
        return ColumnTrade("down", columns, column)
    return ColumnTrade("up", columns, column)


def trade_line(trade: ColumnTrade) -> str:
    """Return the line that `read_trade` reads."""
    given = " + ".join(ROMAN[column] for column in trade.given)
    if trade.kind == "shift":
        return f"two Compensations {given}"
    return f"{given} for {ROMAN[trade.column]}"

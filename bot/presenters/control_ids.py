"""What the ids of buttons, menus and dialogs begin with: `sg`, and which restore of the database
they follow.
"""

from __future__ import annotations

import re
import zlib
from typing import Final

ID_PREFIX: Final = "sg"
#: Ids of containers begin above those that Discord gives to the parts of a message by itself. They
#: have 31 bits: 28 for the row of the outbox, modulo `_ROWS`, and the rest for the epoch, modulo
#: seven. Row numbers repeat after weeks of a busy bot: a number alone never identifies a row.
_ROW_IDS: Final = 1000
_ROWS: Final = 1 << 28
_EPOCHS: Final = 7
#: How often row numbers may repeat: years of the busiest bot.
_REPEATS: Final = 64
#: What may stand in an id as it is.
_PLAIN_VALUE: Final = re.compile(r"[A-Za-z0-9_+\-]{1,32}")
_current = ID_PREFIX
_shift = _ROW_IDS


def set_epoch(epoch: int) -> None:
    """From now on ids carry this epoch; those of another are over."""
    global _current, _shift
    _current = f"{ID_PREFIX}{epoch or ''}"
    _shift = _ROW_IDS + epoch % _EPOCHS * _ROWS


def container_id(row: int) -> int:
    """Return the numeric id of the container of a card that was sent for a row of the outbox."""
    return _shift + row_number(row)


def row_number(row: int) -> int:
    """Return the number that the cards of a row of the outbox carry."""
    return row % _ROWS


def row_number_of(id: int) -> int | None:
    """Return the row number in a container's id; None without one, or from before a restore."""
    return id - _shift if _shift <= id < _shift + _ROWS else None


def rows_numbered(number: int) -> list[int]:
    """Return all rows of the outbox that may carry a row number, oldest first."""
    return [number + again * _ROWS for again in range(_REPEATS)]


def with_epoch(id: str) -> str:
    """An id as it is sent: `sg:chk:1:c1` after the first restore becomes `sg1:chk:1:c1`."""
    return id if _current == ID_PREFIX else f"{_current}:{id.partition(':')[2]}"


def id_parts(id: str) -> list[str] | None:
    """What stands behind the beginning of an id; empty for one from before a restore, None for one
    that is not ours.
    """
    prefix, *pieces = id.split(":")
    if prefix == _current:
        return pieces
    return (
        []
        if (prefix.startswith(ID_PREFIX) and prefix[len(ID_PREFIX) :].isdecimal())
        or prefix == ID_PREFIX
        else None
    )


def option_token(value: str) -> str:
    """What stands for an option in an id: itself, or where that would not do its sum."""
    return value if _PLAIN_VALUE.fullmatch(value) else f".{zlib.crc32(value.encode()):x}"

"""Ids of buttons, menus, dialogs and containers.

Custom ids begin with `sg` and the epoch, the number of restores of the database. Older ids are
over.
"""

from __future__ import annotations

import re
import zlib
from typing import Final

ID_PREFIX: Final = "sg"
#: First id of a container, above those that Discord itself gives to the parts of a message.
_ROW_IDS: Final = 1000
#: Row numbers in the 31 bits of a container's id, for the row of the outbox modulo `_ROWS`. They
#: repeat after weeks of a busy bot, so a number alone never identifies a row.
_ROWS: Final = 1 << 28
#: Epochs in the rest of the 31 bits.
_EPOCHS: Final = 7
#: Most repetitions of row numbers: years of the busiest bot.
_REPEATS: Final = 64
#: A value that an id can have as it is.
_PLAIN_VALUE: Final = re.compile(r"[A-Za-z0-9_+\-]{1,32}")
_current = ID_PREFIX
_shift = _ROW_IDS


def set_epoch(epoch: int) -> None:
    """Set the epoch of all ids from now on."""
    global _current, _shift
    _current = f"{ID_PREFIX}{epoch or ''}"
    _shift = _ROW_IDS + epoch % _EPOCHS * _ROWS


def container_id(row: int) -> int:
    """Return the id of the container of a message that is sent for a row of the outbox."""
    return _shift + row_number(row)


def row_number(row: int) -> int:
    """Return the number that the messages of a row of the outbox carry."""
    return row % _ROWS


def row_number_of(id: int) -> int | None:
    """Return the row number in a container's id; None without one, or from before a restore."""
    return id - _shift if _shift <= id < _shift + _ROWS else None


def rows_numbered(number: int) -> list[int]:
    """Return all rows of the outbox that may carry a row number, oldest first."""
    return [number + again * _ROWS for again in range(_REPEATS)]


def with_epoch(id: str) -> str:
    """Return an id with the epoch: after the first restore `sg:chk:1:c1` is `sg1:chk:1:c1`."""
    return id if _current == ID_PREFIX else f"{_current}:{id.partition(':')[2]}"


def id_parts(id: str) -> list[str] | None:
    """Return the parts of an id after its prefix.

    It's empty for an id from before a restore, and None for one that isn't the bot's.
    """
    prefix, *parts = id.split(":")
    if prefix == _current:
        return parts
    epoch = prefix.removeprefix(ID_PREFIX)
    is_own = prefix.startswith(ID_PREFIX) and (not epoch or epoch.isdecimal())
    return [] if is_own else None


def option_token(value: str) -> str:
    """Return an option's value for an id: the value itself if it's short and plain, or its CRC."""
    return value if _PLAIN_VALUE.fullmatch(value) else f".{zlib.crc32(value.encode()):x}"

"""Files that people hand in: how large each may be, and the JSON object in it."""

from __future__ import annotations

from typing import Any, Final, Literal

import discord

from bot.services.imports import read_object
from rules.core.errors import InvalidInput

Upload = Literal["character", "campaign", "deck", "table"]

_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
#: The largest file of each kind that is read, in bytes.
MAX_UPLOAD_SIZES: Final[dict[Upload, int]] = {
    "character": 256 * _KIB,
    "campaign": 256 * _KIB,
    "deck": 256 * _KIB,
    "table": 2 * _MIB,
}


def size_limit_text(size: int) -> str:
    """A limit in bytes in words: `up to 256 KiB`, `up to 25 MiB`."""
    return f"up to {size // _MIB} MiB" if size >= _MIB else f"up to {size // _KIB} KiB"


async def read_upload(file: discord.Attachment, what: Upload) -> dict[str, Any]:
    """Return the object in a file. Raises as `fetch_upload` and `read_object`."""
    return read_object(await fetch_upload(file, what))


async def fetch_upload(file: discord.Attachment, what: Upload) -> bytes:
    """What is in a file; one that is too large is not even fetched.
    InvalidInput("…-file-too-large").
    """
    most = MAX_UPLOAD_SIZES[what]
    if file.size > most:
        raise InvalidInput(
            f"{what}-file-too-large", field="file", value=file.size, allowed=size_limit_text(most)
        )
    return await file.read()

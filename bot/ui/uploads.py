"""Files that people hand in: how large each may be, and the JSON object in it."""

from __future__ import annotations

import json
from typing import Any, Final, Literal

import discord

from rules.core.errors import InvalidInput

Upload = Literal["character", "campaign", "deck", "table"]

_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
#: The largest file of each kind that is read, in bytes.
LARGEST: Final[dict[Upload, int]] = {
    "character": 256 * _KIB,
    "campaign": 256 * _KIB,
    "deck": 256 * _KIB,
    "table": 2 * _MIB,
}


def up_to(size: int) -> str:
    """A limit in bytes in words: `up to 256 KiB`, `up to 25 MiB`."""
    return f"up to {size // _MIB} MiB" if size >= _MIB else f"up to {size // _KIB} KiB"


async def read_upload(file: discord.Attachment, what: Upload) -> dict[str, Any]:
    """The object in a file; one that is too large is not even fetched.

    InvalidInput("…-file-too-large"), and as `read_object`.
    """
    most = LARGEST[what]
    if file.size > most:
        raise InvalidInput(f"{what}-file-too-large", field="file", value=file.size, allowed=up_to(most))
    return read_object(await file.read())


def read_object(content: bytes) -> dict[str, Any]:
    """The object in a text of JSON. InvalidInput: "not-text", "not-json", "odd-json", "not-an-object"."""
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput("not-text", field="file", value=None, allowed="a JSON file in UTF-8") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            "not-json", field="file", value=None, allowed="JSON", line=error.lineno, column=error.colno
        ) from None
    except (RecursionError, ValueError):
        raise InvalidInput("odd-json", field="file", value=None, allowed="JSON") from None
    if not isinstance(data, dict):
        raise InvalidInput("not-an-object", field="file", value=None, allowed="one JSON object")
    return data

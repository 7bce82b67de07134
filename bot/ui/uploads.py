"""Uploaded files: limits on size and number, and the JSON object in each."""

from __future__ import annotations

import asyncio
from typing import Any, Final, Literal

import discord

from bot.delivery.response import Response
from bot.presenters.language.words import label_text
from bot.services.imports import read_object
from rules.core.errors import Impossible, InvalidInput

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

#: Most files held at once.
MAX_HELD_FILES: Final = 4
#: Most commands that wait for a held file to be released.
MAX_WAITING_FILES: Final = 16
#: Most files of one user that are held or wait at once.
MAX_USER_FILES: Final = 2


def size_limit_text(size: int) -> str:
    """Return a limit in bytes as text: `up to 256 KiB`, `up to 25 MiB`."""
    if size >= _MIB:
        return label_text("size-limit", count=size // _MIB, unit="MiB")
    return label_text("size-limit", count=size // _KIB, unit="KiB")


class Uploads:
    """Limits how many uploaded files the process holds in memory at once.

    A file is held from just before its download until its command is answered.
    """

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(MAX_HELD_FILES)
        #: Commands with a file that is held or waits, and their users.
        self._users: dict[int, int] = {}
        self._holders: set[int] = set()

    @property
    def holder_count(self) -> int:
        """Number of commands that hold a file now."""
        return len(self._holders)

    async def read(
        self, response: Response, file: discord.Attachment, what: Upload
    ) -> dict[str, Any]:
        """Return the object in a file. Raises as `fetch` and `read_object`."""
        return read_object(await self.fetch(response, file, what))

    async def fetch(self, response: Response, file: discord.Attachment, what: Upload) -> bytes:
        """Return the contents of a file; a file that is too large is not downloaded.

        Raises:
            InvalidInput: "…-file-too-large".
            Impossible("file-still-read"): the user's other files are held or wait.
            Impossible("many-files"): too many files of all users wait.
        """
        most = MAX_UPLOAD_SIZES[what]
        if file.size > most:
            allowed = size_limit_text(most)
            raise InvalidInput(
                f"{what}-file-too-large", field="file", value=file.size, allowed=allowed
            )
        await self._hold(response.interaction)
        return await file.read()

    async def _hold(self, interaction: discord.Interaction) -> None:
        id, user = interaction.id, interaction.user.id
        if id in self._holders:
            return
        if list(self._users.values()).count(user) >= MAX_USER_FILES:
            raise Impossible("file-still-read")
        if len(self._users) >= MAX_HELD_FILES + MAX_WAITING_FILES:
            raise Impossible("many-files")
        self._users[id] = user
        await self._room.acquire()
        self._holders.add(id)

    def release(self, interaction: discord.Interaction) -> None:
        """Release the file of an answered command, if it came with one."""
        self._users.pop(interaction.id, None)
        if interaction.id in self._holders:
            self._holders.discard(interaction.id)
            self._room.release()

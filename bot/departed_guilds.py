"""Servers that removed the bot: their data is deleted after a while, unless the bot returns."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from bot.clock import Clock, cancel_and_wait
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable

log = logging.getLogger("storyguide.guild_leave")

DAY = 24 * 3600
#: Seconds for which the data of such a server is kept.
RETENTION_SECONDS = 90 * DAY


def departure_note_key(server: str) -> str:
    """Return the key of the note with the time of the bot's removal.

    The note is empty once the bot is back.
    """
    return f"left:{server}"


class DepartedGuilds:
    """Notes of the servers that removed the bot, and the deletion of their data.

    It looks at them at the start and once a day. `presence` tells whether the bot is on a server
    now; None if this process can't know.
    """

    def __init__(
        self, tables: Tables, clock: Clock, presence: Callable[[str], bool | None]
    ) -> None:
        self._tables = tables
        self._clock = clock
        self._presence = presence
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def start(self) -> None:
        """Look for the first time; call it only when the servers are known."""
        await self._sweep()

    async def refresh_note(self, server: str) -> int | None:
        """Bring the note about a server up to date, and return the time of the bot's removal.

        Return None if the bot is there, or if this process can't know.
        """
        store, key = self._tables.store, departure_note_key(server)
        noted = await store.note(key) or ""
        present = self._presence(server)  # after the wait for the store: a shard may have gone
        if present is None:
            return None
        wanted = "" if present else noted or str(self._clock())
        if noted != wanted:
            await store.set_note(key, wanted)
        return int(wanted) if wanted else None

    async def _sweep(self) -> None:
        try:
            for server in await self._tables.store.guild_systems():
                since = await self.refresh_note(server)
                if since is not None and self._clock() - since >= RETENTION_SECONDS:
                    count = await self._tables.drop_guild(server)
                    await self._tables.store.set_note(departure_note_key(server), "")
                    log.info("guild_leave.deleted", extra={"guild": server, "count": count})
        except StorageUnavailable as error:
            log.warning("guild_leave.storage", extra={"reason": error.reason})
        if not self._closed:
            self._timer = asyncio.get_running_loop().call_later(DAY, self._wake)

    def _wake(self) -> None:
        self._task = asyncio.create_task(self._sweep(), name="guild_leave")

    async def close(self) -> None:
        """Stop looking, and wait for the present look."""
        self._closed = True
        await cancel_and_wait(self._timer, self._task)

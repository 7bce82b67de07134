"""A table in memory, with the journal entry that made it so."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from bot.services.directory import Directory
from bot.storage.row_records import SeedRow, SeedStream, WrittenEntry
from rules.table.state import TableState

#: Seconds for which an unsaved participant id stays valid for a user who has only looked.
UNSAVED_ID_LIFETIME = 60.0


@dataclass(slots=True)
class Table:
    """A table in memory, with the journal entry that made it so.

    `state` may be ahead of the disk by the writes in `pending`.
    """

    id: int
    guild: str
    state: TableState
    #: Number of the newest entry of the journal, which made `state` what it is.
    revision: int
    #: Digest of that entry, which the next one continues.
    head: str
    directory: Directory
    seeds: tuple[SeedRow, ...]
    #: Entries up to this number have lost what players typed, and can't be undone.
    redacted: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pending: set[asyncio.Future[WrittenEntry]] = field(
        default_factory=set[asyncio.Future[WrittenEntry]]
    )
    #: A pending write failed: the table is loaded again before the next action.
    broken: bool = False
    #: Time of the last use, by the event loop's clock.
    used: float = 0.0

    def is_busy(self, now: float) -> bool:
        """Return whether the table has to stay in memory.

        That is so during a write, and while a new participant's id is not stored yet.
        """
        looking = bool(self.directory.unsaved_members()) and now - self.used < UNSAVED_ID_LIFETIME
        return self.lock.locked() or bool(self.pending) or looking

    async def wait_until_written(self) -> None:
        """Wait until everything resolved so far is on disk, or has failed to get there."""
        if self.pending:
            await asyncio.wait(set(self.pending))
            # The callbacks that note failures run after the futures themselves.
            await asyncio.sleep(0)

    def current_seed(self, stream: SeedStream) -> SeedRow:
        """Return the seed in use for a stream."""
        return next(row for row in reversed(self.seeds) if row.stream == stream)

"""A table as it is in memory, beside the entry of its journal that made it so."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from bot.services.directory import Directory
from bot.storage.row_records import SeedRow, SeedStream, WrittenEntry
from rules.table.state import TableState

#: How long somebody who only looks may still act under the number they got for it, in seconds.
UNSAVED_ID_LIFETIME = 60.0


@dataclass(slots=True)
class Table:
    """A table in memory beside the entry that made it so.

    `state` may be ahead of the disk by the writes in `pending`; when one of them fails, the table
    is `broken` and read anew before anything else is resolved on it. Entries up to `redacted` have
    lost what somebody typed, and are not taken back. `used` is when somebody last asked for it, by
    the loop's clock.
    """

    id: int
    guild: str
    state: TableState
    revision: int
    head: str
    directory: Directory
    seeds: tuple[SeedRow, ...]
    redacted: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pending: set[asyncio.Future[WrittenEntry]] = field(
        default_factory=set[asyncio.Future[WrittenEntry]]
    )
    broken: bool = False
    used: float = 0.0

    def is_busy(self, now: float) -> bool:
        """Whether it has to stay in memory: somebody acts, or has just got a number that is not
        stored yet.
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
        """The seed in use for a stream."""
        return next(row for row in reversed(self.seeds) if row.stream == stream)

"""One log line a minute with the number of committed entries, instead of a line per command."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

log = logging.getLogger("storyguide.tables")

#: Seconds from the first entry of a line to the line.
INTERVAL: Final = 60.0


class ActivityLog:
    """Counts entries until the next line. Nothing is logged while nothing happens."""

    def __init__(self) -> None:
        self._entries = 0
        self._timer: asyncio.TimerHandle | None = None

    def record_entry(self) -> None:
        """Count one committed entry."""
        self._entries += 1
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(INTERVAL, self.flush)

    def flush(self) -> None:
        """Log what has been counted since the last line."""
        if self._timer is not None:
            self._timer.cancel()
        entries = self._entries
        self._entries = 0
        self._timer = None
        if entries:
            log.info("table.activity", extra={"count": entries})

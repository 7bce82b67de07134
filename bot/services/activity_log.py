"""One log line a minute with the number of committed entries, instead of a line per command."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

log = logging.getLogger("storyguide.tables")

#: Seconds that one line covers at least.
INTERVAL: Final = 60.0


class ActivityLog:
    """Counts committed entries, and logs their number once their minute is over.

    The next entry logs the line, or the end of the process. A timer would have to be waited for:
    the local table takes the bot for busy as long as one is about to run out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries = 0
        self._started_at = 0.0

    def record_entry(self) -> None:
        """Count one committed entry, after the line of a minute that is over."""
        if self._clock() - self._started_at >= INTERVAL:
            self.flush()
        if self._entries == 0:
            self._started_at = self._clock()
        self._entries += 1

    def flush(self) -> None:
        """Log the number of entries since the last line, if there were any."""
        if self._entries:
            log.info("table.activity", extra={"count": self._entries})
        self._entries = 0

"""The one place where the time comes from."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Whole seconds since 1970, UTC.
Clock = Callable[[], int]
#: In seconds.
MINUTE, HOUR = 60, 3600


def system_clock() -> int:
    """The machine's clock."""
    return int(time.time())


def seconds_of(count: int | None, unit: int) -> int | None:
    """So many minutes or hours in seconds; None stays None."""
    return None if count is None else count * unit

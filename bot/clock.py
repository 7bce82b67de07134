"""The one place where the time comes from."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Whole seconds since 1970, UTC.
Clock = Callable[[], int]


def system_clock() -> int:
    """The machine's clock."""
    return int(time.time())

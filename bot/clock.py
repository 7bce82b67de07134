"""The only source of the time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

#: Whole seconds since 1970, UTC.
Clock = Callable[[], int]


def system_clock() -> int:
    """Return the time of the machine's clock."""
    return int(time.time())


async def cancel_and_wait(
    timer: asyncio.TimerHandle | None, task: asyncio.Task[None] | None
) -> None:
    """Cancel a timer, and wait for a task."""
    if timer is not None:
        timer.cancel()
    if task is not None:
        await asyncio.wait([task])

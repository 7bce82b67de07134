"""The one place where the time comes from."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

#: Whole seconds since 1970, UTC.
Clock = Callable[[], int]


def system_clock() -> int:
    """The machine's clock."""
    return int(time.time())


async def cancel_and_wait(
    timer: asyncio.TimerHandle | None, task: asyncio.Task[None] | None
) -> None:
    """No more waking up; what runs is waited for."""
    if timer is not None:
        timer.cancel()
    if task is not None:
        await asyncio.wait([task])

"""The schedule of reminders for whatever the table waits for: prompts of checks, and turns."""

from __future__ import annotations

from typing import Final

from rules.table.state import HOUR

#: A reminder that comes sooner after the call than this is left out, in seconds.
SHORTEST_REMINDER: Final = 5 * 60
#: How long before the end the last reminder comes if the default takes something.
LAST_REMINDER: Final = 3 * HOUR
#: Without a default, after how many times the length each reminder comes. With the last of them the
#: wait has stalled.
STEPS: Final = (1, 2, 4)


def reminder_times(since: int, length: int, *, default: bool, harms: bool) -> tuple[int, ...]:
    """Return when a wait is reminded of, besides the call at its beginning.

    `default`: something happens by itself at the end. `harms`: that takes something. With the call
    these are at most four messages. Times are in seconds, and a length of 0 has no reminders.
    """
    if length <= 0:
        return ()
    if not default:
        return tuple(since + step * length for step in STEPS)
    half, last = length // 2, length - LAST_REMINDER
    found: list[int] = []
    if half >= SHORTEST_REMINDER:
        found.append(since + half)
    if harms and last > half:
        found.append(since + last)
    return tuple(found)


def stalled_at(since: int, length: int) -> int:
    """Return when a wait without a default has stalled: at its last reminder."""
    return since + STEPS[-1] * length

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
#: How soon, in seconds, something can come due because the table has changed its times.
SHORTEST_NOTICE: Final = HOUR


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


def time_after_change(before: int, time: int, at: int) -> int:
    """Return when something comes due after the table has changed its times at *at*.

    `before` is when it came due until then, and `time` when it would come due by the new times. The
    change brings nothing nearer than `SHORTEST_NOTICE`, and makes no time longer than it was.
    """
    return max(time, min(before, at + SHORTEST_NOTICE))


def stalled_at(since: int, length: int) -> int:
    """Return when a wait without a default has stalled: at its last reminder."""
    return since + STEPS[-1] * length

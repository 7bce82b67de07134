"""Schedule of the reminders for everything the table waits for: prompts of checks, and turns."""

from __future__ import annotations

from typing import Final

from rules.table.times.rest import NO_REST, Rest, end_time

#: Shortest time between the call and a reminder, in seconds. An earlier reminder is left out.
SHORTEST_REMINDER: Final = 5 * 60
#: Time between the last reminder and the end, in seconds, if the default takes something.
LAST_REMINDER: Final = 3 * 60 * 60
#: Times of the reminders of a wait without a default, in multiples of its length. At the last of
#: them the wait has stalled.
STEPS: Final = (1, 2, 4)
#: Shortest time, in seconds, until something comes due after a change of the table's times.
SHORTEST_NOTICE: Final = 60 * 60


def reminder_times(
    since: int, length: int, *, default: bool, harms: bool, rest: Rest = NO_REST
) -> tuple[int, ...]:
    """Return the times of a wait's reminders, after the call at its beginning.

    *since* is the time of the call in seconds since 1970. *length* is in seconds; a length of 0 has
    no reminders. With *default*, something happens by itself at the end: one reminder comes at half
    of the time. With *harms*, that takes something from the player: another comes `LAST_REMINDER`
    before the end. Without a default, reminders come at `STEPS`. With the call there are at most
    four messages. *rest* puts reminders off, and those that would come with the end are left out.
    """
    if length <= 0:
        return ()
    if not default:
        steps = [end_time(rest, since, step * length) for step in STEPS]
        return tuple(dict.fromkeys(steps))
    half, last = length // 2, length - LAST_REMINDER
    times: list[int] = []
    if half >= SHORTEST_REMINDER:
        times.append(end_time(rest, since, half))
    if harms and last > half:
        times.append(end_time(rest, since, last))
    end = end_time(rest, since, length)
    return tuple(dict.fromkeys(time for time in times if time < end))


def time_after_change(before: int, time: int, at: int) -> int:
    """Return the time at which something comes due after the table has changed its times at *at*.

    *before* is the former time, and *time* the one by the new times. The change brings nothing
    nearer than `SHORTEST_NOTICE`, and makes no time longer than it was.
    """
    return max(time, min(before, at + SHORTEST_NOTICE))


def stalled_at(since: int, length: int, rest: Rest = NO_REST) -> int:
    """Return the time at which a wait without a default stalls: that of its last reminder."""
    return end_time(rest, since, STEPS[-1] * length)

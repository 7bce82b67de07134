"""Schedule of the reminders of one wait, the same for checks, turns and everything else."""

from __future__ import annotations

from typing import Final

from rules.table.state import HOUR

#: Time between the last call and a default that takes something.
LAST_CALL: Final = 3 * HOUR
#: Reminders of a wait without a default, in lengths of the wait.
_MULTIPLES: Final = (1, 2, 4)


def reminder_times(since: int, length: int, *, default: bool, harms: bool) -> tuple[int, ...]:
    """Return the times of the reminders of a wait that began at *since* and lasts *length* seconds.

    With a default: one reminder at half time. If the default harms, a last call follows
    `LAST_CALL` seconds before the end, where that is later than half time. Without a default: a
    reminder after one, two and four lengths; the wait has stalled at the last one. A wait without
    a length has no reminders.
    """
    if length <= 0:
        return ()
    if not default:
        return tuple(since + count * length for count in _MULTIPLES)
    half, last = since + length // 2, since + length - LAST_CALL
    return (half, last) if harms and last > half else (half,)


def stalled_at(since: int, length: int) -> int:
    """Return when a wait without a default has stalled: at its last reminder."""
    return since + _MULTIPLES[-1] * length

"""Time during which the result of a check may still be changed."""

from __future__ import annotations

from rules.table.check import AnyCheck
from rules.table.state import Settings


def step_in_until(settings: Settings, check: AnyCheck) -> int | None:
    """Return the last time to step into a check, in seconds since 1970; None if it isn't allowed.

    It isn't for an open check, a check that only GMs know of, and at a table where results are
    final at once.
    """
    if check.is_open or not check.final_since or check.gm_only:
        return None
    if not settings.step_in_late or not settings.step_in_time:
        return None
    return check.final_since + settings.step_in_time

"""Time during which the result of a check may still be changed."""

from __future__ import annotations

from rules.table.check import AnyCheck
from rules.table.state import Settings


def step_in_until(settings: Settings, check: AnyCheck) -> int | None:
    """Return until when a check that is over may be stepped into; None: it may not."""
    if check.is_open or not check.final_since or check.gm_only:
        return None
    if not settings.step_in_late or not settings.step_in_time:
        return None
    return check.final_since + settings.step_in_time

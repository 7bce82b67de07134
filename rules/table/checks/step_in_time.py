"""Time during which the result of a check may still be changed."""

from __future__ import annotations

from rules.table.check import AnyCheck
from rules.table.state import Settings
from rules.table.times.rest import end_time, running_time, start_time


def step_in_until(settings: Settings, check: AnyCheck, at: int) -> int | None:
    """Return the last time to step into a check, in seconds since 1970; None if it isn't allowed.

    It isn't for an open check, a check that only GMs know of, and at a table where results are
    final at once. During a pause it's as far from *at* as it will be from the pause's end.
    """
    if check.is_open or not check.final_since or check.gm_only:
        return None
    if not settings.step_in_late or not settings.step_in_time:
        return None
    rest, pause = settings.rest, settings.pause
    until = end_time(rest, check.final_since + check.put_off, settings.step_in_time)
    since = until if pause is None else max(pause.since, check.final_since)
    return until if since >= until else end_time(rest, at, running_time(rest, since, until))


def with_step_in_held(settings: Settings, check: AnyCheck, since: int, at: int) -> AnyCheck:
    """Return a check after a pause from *since* to *at*, with what was left of its time to step in.

    *settings* are those during the pause.
    """
    until = step_in_until(settings.replace(pause=None), check, at)
    since = max(since, check.final_since)
    if until is None or until <= since or at <= since:
        return check
    spent = running_time(settings.rest, check.final_since + check.put_off, since)
    return check.replace(put_off=start_time(settings.rest, at, spent) - check.final_since)

"""Rest: the days on which a table's time doesn't run, and the hours in which it may run out."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from rules.core.record import Record

_MINUTE: Final = 60
_DAY: Final = 24 * 60 * 60
_WEEK: Final = 7
#: The first day of 1970 was a Thursday; Monday is 0.
_FIRST_WEEKDAY: Final = 3


class Rest(Record):
    """Days and hours of a table's clock, in one time zone.

    Time runs outside the rest days only. It runs out within the hours only: what would end outside
    them ends when the next hours begin.
    """

    #: Days of the week on which no time runs; 0: Monday.
    days: tuple[int, ...] = ()
    #: First minute of the day at which something may run out.
    from_: int = 0
    #: End of the hours, in minutes of the day; before `from_`: on the next day. Equal: always.
    to: int = 0
    #: Name of the time zone, to show it.
    zone: str = ""
    #: Offsets of the zone: from when, in seconds since 1970, and seconds east; oldest first.
    offsets: tuple[tuple[int, int], ...] = ()

    @property
    def is_set(self) -> bool:
        """True if there is any rest."""
        return bool(self.days) or self.from_ != self.to


#: No rest: time always runs.
NO_REST: Final = Rest()


def end_time(rest: Rest, at: int, seconds: int) -> int:
    """Return the time at which *seconds* that begin to run at *at* have run out.

    It is never before `at + seconds`. A rest of all seven days counts as none, or nothing would
    ever end.
    """
    if not rest.is_set:
        return at + seconds
    time, left = at, seconds
    while True:
        change = _next_change(rest, time)
        if _is_rest_day(rest, time):
            time = change
        elif time + left < change:
            time += left
            break
        else:
            left -= change - time
            time = change
    while not _may_run_out(rest, time):
        time = _next_change(rest, time)
    return time


def running_time(rest: Rest, since: int, until: int) -> int:
    """Return how many seconds run between two times; 0 if *until* isn't later."""
    if not rest.days:
        return max(until - since, 0)
    time, total = since, 0
    while time < until:
        change = min(_next_change(rest, time), until)
        if not _is_rest_day(rest, time):
            total += change - time
        time = change
    return total


def start_time(rest: Rest, at: int, seconds: int) -> int:
    """Return the latest time from which *seconds* run until *at*."""
    if not rest.days:
        return at - seconds
    time, left = at, seconds
    while left > 0:
        change = _last_change(rest, time)
        if not _is_rest_day(rest, time - 1):
            change = max(change, time - left)
            left -= time - change
        time = change
    return time


def midnight(rest: Rest, day: int) -> int:
    """Return when a local day begins, counted in days since 1970.

    Where the clock skips midnight, the day begins up to an hour later.
    """
    local = day * _DAY
    return local - offset_at(rest, local - offset_at(rest, local))


def local_day(rest: Rest, at: int) -> int:
    """Return the local day of a time, counted in days since 1970."""
    return (at + offset_at(rest, at)) // _DAY


def offset_at(rest: Rest, at: int) -> int:
    """Return how many seconds east of UTC the table is. The first offset counts before it, too."""
    number = bisect_right(rest.offsets, at, key=lambda offset: offset[0])
    return rest.offsets[max(number - 1, 0)][1] if rest.offsets else 0


def _is_rest_day(rest: Rest, at: int) -> bool:
    """Return whether no time runs at *at*."""
    if not 0 < len(set(rest.days)) < _WEEK:
        return False
    return (local_day(rest, at) + _FIRST_WEEKDAY) % _WEEK in rest.days


def _may_run_out(rest: Rest, at: int) -> bool:
    """Return whether something may run out at *at*."""
    if _is_rest_day(rest, at):
        return False
    minute = (at + offset_at(rest, at)) % _DAY // _MINUTE
    if rest.from_ <= rest.to:
        return rest.from_ == rest.to or rest.from_ <= minute < rest.to
    return minute >= rest.from_ or minute < rest.to


def _next_change(rest: Rest, at: int) -> int:
    """Return the next time at which the day, the hours or the offset may change."""
    local = (at + offset_at(rest, at)) % _DAY
    bounds = (rest.from_ * _MINUTE, rest.to * _MINUTE, _DAY)
    change = at + min(bound - local for bound in bounds if bound > local)
    number = bisect_right(rest.offsets, at, key=lambda offset: offset[0])
    if number < len(rest.offsets):
        return min(change, rest.offsets[number][0])
    return change


def _last_change(rest: Rest, at: int) -> int:
    """Return the last time before *at* at which the day or the offset may have changed."""
    local = (at - 1 + offset_at(rest, at - 1)) % _DAY
    change = at - 1 - local
    number = bisect_right(rest.offsets, at - 1, key=lambda offset: offset[0])
    return max(change, rest.offsets[number - 1][0]) if number else change

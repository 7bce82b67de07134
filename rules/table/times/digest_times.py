"""Times of the weekly digest: once in each week of Monday to Sunday, by a zone's local time."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from rules.core.record import Record

_MINUTE: Final = 60
_DAY: Final = 24 * 60 * 60
_WEEK: Final = 7
#: The first day of 1970 was a Thursday; Monday is 0.
_FIRST_WEEKDAY: Final = 3


class Digest(Record):
    """The weekly digest that a table posts in one of its places."""

    place: str
    #: Day of the week; 0: Monday.
    day: int
    #: Minute of the day.
    minute: int
    #: Name of the time zone, to show it.
    zone: str
    #: Offsets of the zone: from when, in seconds since 1970, and seconds east; oldest first.
    offsets: tuple[tuple[int, int], ...]
    #: Time at which a GM set it, in seconds since 1970.
    since: int


def next_digest(digest: Digest, last: int) -> int:
    """Return when the next digest is due, in seconds since 1970.

    It is the first such time after the digest was set, in a later week than the *last* digest's.
    *last* is 0 before the first digest.
    """
    week = _week_of(digest, digest.since)
    if last:
        week = max(week, _week_of(digest, last) + 1)
    due = _time_in_week(digest, week)
    return due if due > digest.since else _time_in_week(digest, week + 1)


def week_of_digest(digest: Digest, last: int) -> int:
    """Return the number of the week in which the next digest is due, counted from 1970."""
    return _week_of(digest, next_digest(digest, last))


def _offset(digest: Digest, at: int) -> int:
    """Return how many seconds east of UTC the zone is. The first offset counts before it, too."""
    number = bisect_right(digest.offsets, at, key=lambda offset: offset[0])
    return digest.offsets[max(number - 1, 0)][1] if digest.offsets else 0


def _week_of(digest: Digest, at: int) -> int:
    day = (at + _offset(digest, at)) // _DAY
    return (day + _FIRST_WEEKDAY) // _WEEK


def _time_in_week(digest: Digest, week: int) -> int:
    """Return the time of the digest in a week. Where the clock skips it, it is an hour later."""
    monday = week * _WEEK - _FIRST_WEEKDAY
    local = (monday + digest.day) * _DAY + digest.minute * _MINUTE
    at = local - _offset(digest, local)
    return local - _offset(digest, at)

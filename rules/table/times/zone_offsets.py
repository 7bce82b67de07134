"""Limits of days, times and offsets of a time zone that an action brings."""

from __future__ import annotations

from typing import Final

from rules.core.errors import InvalidInput

#: Offsets of a zone: from when, in seconds since 1970, and seconds east; oldest first.
Offsets = tuple[tuple[int, int], ...]

WEEK_DAYS: Final = 7
DAY_MINUTES: Final = 24 * 60
#: Longest name of a time zone.
ZONE_MAX: Final = 60
#: Most offsets of a zone.
MOST_OFFSETS: Final = 100
#: No place on earth is further from UTC, in seconds.
_FARTHEST: Final = 24 * 60 * 60


def require_offsets(zone: str, offsets: Offsets) -> None:
    """Require a zone with offsets in order.

    Raises:
        InvalidInput("bad-zone"): no zone, or offsets that aren't in order.
        InvalidInput("out-of-range"): an offset that doesn't exist.
    """
    times = [since for since, _ in offsets]
    in_order = times == sorted(set(times))
    if not zone or not 0 < len(times) <= MOST_OFFSETS or not in_order:
        raise InvalidInput("bad-zone", field="zone", value=zone[:ZONE_MAX])
    for _, east in offsets:
        require_between("zone", east, -_FARTHEST, _FARTHEST)


def require_between(field: str, value: int, lowest: int, highest: int) -> None:
    """Raise InvalidInput("out-of-range") for a value outside these bounds."""
    if not lowest <= value <= highest:
        raise InvalidInput("out-of-range", field=field, value=value, lowest=lowest, highest=highest)

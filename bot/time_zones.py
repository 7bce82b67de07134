"""Time zones: the zone that a text means, its local times, and its offsets for the rules.

Rules know no zones. They get a zone's offsets with the action that needs them, so that a replay
doesn't depend on the zone data of the machine.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from rules.core.errors import InvalidInput, NotFound
from rules.core.name_matching import name_key, similar_names

#: Years from now for which a zone's offsets are kept.
YEARS_AHEAD: Final = 10
#: Most zones that an error or a completion lists.
MOST_ZONES: Final = 25
_MOST_IN_ERROR: Final = 5
_DAY: Final = 24 * 60 * 60
_YEAR: Final = 366 * _DAY
#: Latest time whose offset is looked for: a later date has no year of four digits.
_LATEST: Final = 253_000_000_000
#: Folders of the zone data with other names of the same zones, which no list shows.
_OLD_FOLDERS: Final = ("Etc/", "US/", "Brazil/", "Canada/", "Chile/", "Mexico/", "SystemV/")
#: Zones offered before a letter is typed, from west to east.
_COMMON: Final = (
    "America/Los_Angeles",
    "America/Denver",
    "America/Chicago",
    "America/New_York",
    "America/Sao_Paulo",
    "UTC",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Athens",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "Australia/Sydney",
)


@lru_cache(maxsize=1)
def _zone_names() -> tuple[str, ...]:
    """Return the names of all zones, those of an area and a city first."""
    names = [name for name in available_timezones() if name not in ("localtime", "posixrules")]
    return tuple(sorted(names, key=lambda name: (_is_old_name(name), name)))


def _is_old_name(zone: str) -> bool:
    return "/" not in zone or zone.startswith(_OLD_FOLDERS)


def _typed_key(text: str) -> str:
    """Return the form in which names of zones are compared: `New York` is `New_York`."""
    return name_key(text.replace("_", " "))


def _city(zone: str) -> str:
    """Return the last part of a zone's name, mostly a city."""
    return zone.rpartition("/")[2]


@lru_cache(maxsize=1)
def _zones_by_key() -> dict[str, str]:
    return {_typed_key(name): name for name in reversed(_zone_names())}


def find_zone(text: str, field: str = "zone") -> str:
    """Return the name of the time zone that a text means: a whole name, or that of its city.

    Raises:
        NotFound("unknown-zone"): no zone has this name. The error has the nearest names.
        InvalidInput("ambiguous-zone"): several zones fit. The error has their names.
    """
    wanted = _typed_key(text)
    known = _zones_by_key().get(wanted)
    if known is not None:
        return known
    fitting = _cities_like(wanted, whole=True) or _cities_like(wanted, whole=False)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        allowed = tuple(fitting[:_MOST_IN_ERROR])
        raise InvalidInput("ambiguous-zone", field=field, value=text[:60], allowed=allowed)
    raise NotFound("unknown-zone", field=field, value=text[:60], nearest=_nearest_zones(text))


def _cities_like(wanted: str, *, whole: bool) -> list[str]:
    """Return the zones whose city is the text, or begins with it."""
    zones: list[str] = []
    for name in _zone_names():
        city = _typed_key(_city(name))
        fits = city == wanted if whole else city.startswith(wanted)
        if wanted and fits and not _is_old_name(name):
            zones.append(name)
    return zones


def _nearest_zones(text: str) -> tuple[str, ...]:
    """Return the zones whose names are most like a text; some common zones if none is."""
    by_city = {_city(name).replace("_", " "): name for name in reversed(_zone_names())}
    cities = similar_names(text.rpartition("/")[2].replace("_", " "), by_city)
    return tuple(by_city[city] for city in cities) or _COMMON[: _MOST_IN_ERROR + 1]


def suggest_zones(text: str, most: int = MOST_ZONES) -> tuple[str, ...]:
    """Return the zones to offer for what has been typed: by city first, then by any part."""
    wanted = _typed_key(text)
    if not wanted:
        return _COMMON[:most]
    begins = _cities_like(wanted, whole=False)
    inside = [name for name in _zone_names() if wanted in _typed_key(name)]
    return tuple(dict.fromkeys((*begins, *inside)))[:most]


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    """Return the data of a zone. Raises NotFound("unknown-zone") if this machine has none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise NotFound("unknown-zone", field="zone", value=name[:60], nearest=()) from None


def local_datetime(zone: str, at: int) -> datetime:
    """Return the local date and time of *at*, in seconds since 1970. Raises as `find_zone`."""
    return datetime.fromtimestamp(at, tz=UTC).astimezone(_zone(zone))


def local_date(zone: str, at: int) -> date:
    """Return the local date of *at*. Raises as `local_datetime`."""
    return local_datetime(zone, at).date()


def local_minute(zone: str, at: int) -> int:
    """Return the local minute of the day of *at*, 0 to 1439. Raises as `local_datetime`."""
    local = local_datetime(zone, at)
    return local.hour * 60 + local.minute


def time_of_local(zone: str, day: date, minute: int) -> int:
    """Return the time of a minute of a local day; the first of two if the clock goes back.

    A minute that the clock skips is as long after the skip as it would be after midnight.
    """
    midnight = datetime(day.year, day.month, day.day, tzinfo=_zone(zone))
    return int((midnight + timedelta(minutes=minute)).timestamp())


def offset_at(zone: str, at: int) -> int:
    """Return how many seconds east of UTC a zone is at a time. Raises as `local_datetime`."""
    offset = local_datetime(zone, at).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


def offsets_of(zone: str, at: int, years: int = YEARS_AHEAD) -> tuple[tuple[int, int], ...]:
    """Return a zone's offsets from *at* on: times in seconds since 1970, and seconds east.

    The first is of *at*; each further one begins at a change within the *years*, oldest first.
    Raises as `local_datetime`.
    """
    offsets = [(at, offset_at(zone, at))]
    end = min(at + years * _YEAR, _LATEST)
    for day in range(at, end, _DAY):
        later = min(day + _DAY, end)
        if offset_at(zone, later) != offsets[-1][1]:
            change = _change_between(zone, day, later)
            offsets.append((change, offset_at(zone, later)))
    return tuple(offsets)


def _change_between(zone: str, earlier: int, later: int) -> int:
    """Return the first second after *earlier*, until *later*, with the offset of *later*."""
    wanted = offset_at(zone, later)
    while later - earlier > 1:
        middle = (earlier + later) // 2
        if offset_at(zone, middle) == wanted:
            later = middle
        else:
            earlier = middle
    return later

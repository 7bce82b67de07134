"""Rest and weekly digest of a table as its file has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from rules.core.errors import InvalidInput
from rules.core.json_reader import Reader, value_for_error
from rules.table.times.digest_times import Digest
from rules.table.times.rest import NO_REST, Rest
from rules.table.times.typed_rest import DAY_NAMES, parse_days, parse_hours, parse_time, time_text
from rules.table.times.zone_offsets import MOST_OFFSETS, ZONE_MAX, Offsets, require_offsets

#: Keys of both objects. Offsets stand beside the zone's name, as the rules know no zones.
REST_KEYS: Final = ("days", "hours", "zone", "offsets")
DIGEST_KEYS: Final = ("day", "time", "zone", "offsets")
_WEEK: Final = 7
#: Longest text of a day, of hours or of a time.
_TEXT_MAX: Final = 100
#: Latest time from which an offset counts, in seconds since 1970.
_LATEST: Final = 253_402_300_799


def write_rest(rest: Rest) -> dict[str, Any]:
    """Return the object of a rest."""
    days = ", ".join(DAY_NAMES[day] for day in rest.days)
    hours = f"{time_text(rest.from_)}-{time_text(rest.to)}"
    return {
        "days": days or "none",
        "hours": "always" if rest.from_ == rest.to else hours,
        "zone": rest.zone,
        "offsets": [list(offset) for offset in rest.offsets],
    }


def write_digest(digest: Digest) -> dict[str, Any]:
    """Return the object of a digest. The place is left out: a channel is the server's."""
    return {
        "day": DAY_NAMES[digest.day],
        "time": time_text(digest.minute),
        "zone": digest.zone,
        "offsets": [list(offset) for offset in digest.offsets],
    }


def read_rest(reader: Reader, data: Mapping[str, object]) -> Rest:
    """Return the rest that an object means.

    Raises:
        InvalidInput("bad-days"), InvalidInput("bad-hours"): other texts.
        InvalidInput("rest-every-day"): all days are rest days.
        InvalidInput("wrong-type"): a value of another kind.
        InvalidInput("bad-zone"), InvalidInput("out-of-range"): no zone, or impossible offsets.
    """
    reader.note_unknown(data, REST_KEYS, "rest.")
    days = parse_days(_read_text(data, "days", "none"), "days")
    if len(days) == _WEEK:
        raise InvalidInput("rest-every-day", field="days", value=None)
    opens, closes = parse_hours(_read_text(data, "hours", "always"), "hours")
    rest = Rest(days, opens, closes)
    if not rest.is_set:
        return NO_REST
    zone, offsets = _read_zone(data)
    return rest.replace(zone=zone, offsets=offsets)


def read_digest(reader: Reader, data: Mapping[str, object]) -> Digest:
    """Return the digest that an object means, as yet without a place.

    Raises:
        InvalidInput("bad-days"), InvalidInput("bad-time"): other texts.
        InvalidInput("wrong-type"): a value of another kind.
        InvalidInput("bad-zone"), InvalidInput("out-of-range"): no zone, or impossible offsets.
    """
    reader.note_unknown(data, DIGEST_KEYS, "digest.")
    text = _read_text(data, "day", "")
    days = parse_days(text, "day")
    if len(days) != 1:
        raise InvalidInput("bad-days", field="day", value=text, allowed=DAY_NAMES)
    minute = parse_time(_read_text(data, "time", ""), "time")
    zone, offsets = _read_zone(data)
    return Digest("", days[0], minute, zone, offsets, 0)


def _read_text(data: Mapping[str, object], key: str, default: str) -> str:
    """Return a text of an object. Raises InvalidInput("wrong-type")."""
    value = data.get(key, default)
    if not isinstance(value, str) or len(value) > _TEXT_MAX:
        shown = value_for_error(value)
        raise InvalidInput("wrong-type", field=key, value=shown, allowed=("text",))
    return value


def _read_zone(data: Mapping[str, object]) -> tuple[str, Offsets]:
    """Return the zone of an object, with its offsets. Raises as `read_rest`."""
    zone, rows = _read_text(data, "zone", "")[:ZONE_MAX], data.get("offsets")
    if not isinstance(rows, list | tuple):
        raise _bad_offsets(rows)
    listed = cast("Sequence[object]", rows)
    offsets = tuple(_read_offset(row) for row in listed[: MOST_OFFSETS + 1])
    require_offsets(zone, offsets)
    return zone, offsets


def _read_offset(row: object) -> tuple[int, int]:
    """Return one offset. Raises InvalidInput("wrong-type")."""
    match row:
        case [int() as since, int() as east] if abs(since) <= _LATEST:
            return int(since), int(east)
        case _:
            raise _bad_offsets(row)


def _bad_offsets(value: object) -> InvalidInput:
    shown = value_for_error(value)
    return InvalidInput("wrong-type", field="offsets", value=shown, allowed=("list",))

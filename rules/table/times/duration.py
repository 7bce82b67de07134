"""Durations and times as players type them."""

from __future__ import annotations

import re
from calendar import monthrange, timegm
from collections.abc import Callable
from typing import Final

from rules.core.errors import InvalidInput
from rules.table.times.rest import NO_REST, Rest, local_day, midnight

HOUR: Final = 60
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY
#: Latest time of the story in minutes: about a thousand years.
LATEST: Final = 365_000 * DAY

_UNITS: Final[dict[str, int]] = {
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 1),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), HOUR),
    **dict.fromkeys(("d", "day", "days"), DAY),
    **dict.fromkeys(("w", "week", "weeks"), WEEK),
}
_PIECE = re.compile(r"([0-9]{1,9})\s*([a-z]+)")
_BETWEEN = re.compile(r"(?:\s|,|\band\b)*")
_MOMENT = re.compile(r"(?:day\s*)?([0-9]{1,6})(?:\s*,?\s+([0-9]{1,2}):([0-9]{2}))?")


def parse_span(text: str, field: str) -> int:
    """Return the minutes of a text such as `3 days`, `2h 30m`, `1 week` or `-1 day`.

    Raises InvalidInput("bad-span") for any other text, ("span-too-long") beyond a thousand years.
    """
    wanted = text.strip().casefold()
    sign, rest = wanted[:1], wanted
    if sign in ("+", "-", "\u2212"):
        rest = wanted[1:].strip()
    total = position = 0
    while position < len(rest):
        piece = _PIECE.match(rest, position)
        if piece is None or piece[2] not in _UNITS:
            raise _bad_span(text, field)
        total += int(piece[1]) * _UNITS[piece[2]]
        between = _BETWEEN.match(rest, piece.end())
        position = between.end() if between else piece.end()
    if not rest:
        raise _bad_span(text, field)
    if total > LATEST:
        raise InvalidInput("span-too-long", field=field, value=text[:60])
    return -total if sign in ("-", "\u2212") else total


def span_text(minutes: int) -> str:
    """Return a duration in minutes as `parse_span` reads it."""
    left = abs(minutes)
    pieces: list[str] = []
    for length, unit in ((DAY, "day"), (HOUR, "hour"), (1, "minute")):
        count, left = divmod(left, length)
        if count:
            pieces.append(f"{count} {unit}" if count == 1 else f"{count} {unit}s")
    text = " ".join(pieces) or "0 minutes"
    return f"-{text}" if minutes < 0 else text


def _bad_span(text: str, field: str) -> InvalidInput:
    return InvalidInput("bad-span", field=field, value=text[:60], allowed=("3 days", "2h 30m"))


#: Ways to say until when, as errors show them.
UNTIL_EXAMPLES: Final = ("3 days", "Friday", "2030-12-24")
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY_SECONDS: Final = 24 * 60 * 60
#: The first day of 1970 was a Thursday.
_FIRST_WEEKDAY: Final = 3
_FIRST_YEAR: Final = 1970
_MONTHS: Final = 12
_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
#: Letters of a day's name that are enough.
_DAY_LETTERS: Final = 3


def parse_until(text: str, field: str, at: int, rest: Rest = NO_REST) -> int:
    """Return the time that a text means: a duration from *at*, a date, or a day of the week.

    A date and a day mean midnight in the zone of the table's *rest*, without one in UTC. A day is
    the next one of that name. Times are in seconds since 1970.

    Raises InvalidInput("bad-until-text") for any other text, ("until-passed"), ("span-too-long").
    """
    wanted = text.strip().casefold()
    today = local_day(rest, at)
    names = [day for day in _DAYS if len(wanted) >= _DAY_LETTERS and day.startswith(wanted)]
    if wanted == "tomorrow":
        return midnight(rest, today + 1)
    if names:
        weekday = (today + _FIRST_WEEKDAY) % len(_DAYS)
        ahead = (_DAYS.index(names[0]) - weekday - 1) % len(_DAYS) + 1
        return midnight(rest, today + ahead)
    date = _read_date(wanted)
    if date is not None:
        until = midnight(rest, date // _DAY_SECONDS)
    else:
        try:
            until = at + parse_span(text, field) * 60
        except InvalidInput as error:
            if error.code != "bad-span":
                raise
            raise InvalidInput(
                "bad-until-text", field=field, value=text[:60], allowed=UNTIL_EXAMPLES
            ) from None
    if until <= at:
        raise InvalidInput("until-passed", field=field, value=text[:60], allowed=UNTIL_EXAMPLES)
    return until


def _read_date(text: str) -> int | None:
    """Return the first second of a date such as 2030-12-24; None if the text is no date."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(group) for group in match.groups())
    if year < _FIRST_YEAR or not 1 <= month <= _MONTHS:
        return None
    if not 1 <= day <= monthrange(year, month)[1]:
        return None
    return timegm((year, month, day, 0, 0, 0))


def parse_moment(text: str, field: str) -> int:
    """Return the minutes from the story's start to a time such as `day 4 14:30` or `day 4`.

    `day 4` is its first minute. The story begins on day 1 at 00:00. Raises
    InvalidInput("bad-moment") for any other text.
    """
    match = _MOMENT.fullmatch(text.strip().casefold())
    if match is not None:
        day, hours, minutes = int(match[1]), int(match[2] or 0), int(match[3] or 0)
        time = (day - 1) * DAY + hours * HOUR + minutes
        if day >= 1 and hours < DAY // HOUR and minutes < HOUR and time <= LATEST:
            return time
    raise InvalidInput("bad-moment", field=field, value=text[:60], allowed=("day 4 14:30", "day 4"))


def split_moment(time: int) -> tuple[int, int, int]:
    """Return day (from 1), hour and minute of a time in minutes since the story began."""
    days, rest = divmod(time, DAY)
    return days + 1, *divmod(rest, HOUR)


#: Ways to say since when, as errors show them.
SINCE_EXAMPLES: Final = ("3 days", "Monday", "2030-12-24")


#: Function from a time to the seconds by which a zone is east of UTC then.
OffsetAt = Callable[[int], int]


def _utc(at: int) -> int:
    return 0


def _past_midnight(day: int, offset_at: OffsetAt) -> int:
    """Return when a local day begins, counted in days since 1970: by the offset of that day."""
    local = day * _DAY_SECONDS
    return local - offset_at(local - offset_at(local))


def parse_since(text: str, field: str, at: int, offset_at: OffsetAt = _utc) -> int:
    """Return the time that a text means: a duration before *at*, a past date or day of the week.

    A date and a day mean their local midnight in the zone of *offset_at*. A day is the last one of
    that name, which may be today. Times are in seconds since 1970.

    Raises InvalidInput("bad-since") for any other text, ("since-ahead"), ("span-too-long").
    """
    wanted = text.strip().casefold().removesuffix(" ago")
    today = (at + offset_at(at)) // _DAY_SECONDS
    names = [day for day in _DAYS if len(wanted) >= _DAY_LETTERS and day.startswith(wanted)]
    if wanted in ("today", "yesterday"):
        return _past_midnight(today - (wanted == "yesterday"), offset_at)
    if names:
        weekday = (today + _FIRST_WEEKDAY) % len(_DAYS)
        behind = (weekday - _DAYS.index(names[0])) % len(_DAYS)
        return _past_midnight(today - behind, offset_at)
    date = _read_date(wanted)
    if date is not None:
        since = _past_midnight(date // _DAY_SECONDS, offset_at)
    else:
        try:
            since = at - parse_span(wanted, field) * 60
        except InvalidInput as error:
            if error.code != "bad-span":
                raise
            raise InvalidInput(
                "bad-since", field=field, value=text[:60], allowed=SINCE_EXAMPLES
            ) from None
    if since > at:
        raise InvalidInput("since-ahead", field=field, value=text[:60], allowed=SINCE_EXAMPLES)
    return max(since, 0)


def parse_past_end(text: str, field: str, at: int, offset_at: OffsetAt = _utc) -> int:
    """Return the first second after what a text means, which is read as by `parse_since`.

    A date and a day of the week mean the whole day.
    """
    end = parse_since(text, field, at, offset_at)
    if _PIECE.match(text.strip().casefold()) is not None:
        return end
    day = (end + offset_at(end)) // _DAY_SECONDS
    return _past_midnight(day + 1, offset_at)

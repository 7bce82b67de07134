"""Days of the week and hours of the day as a GM types them."""

from __future__ import annotations

import re
from typing import Final

from rules.core.errors import InvalidInput

#: Days of the week, as errors and completions show them.
DAY_NAMES: Final = (
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
)
#: Ways to write days and hours, as errors show them.
DAYS_EXAMPLES: Final = ("Sat, Sun", "Fri-Sun", "weekends", "none")
HOURS_EXAMPLES: Final = ("8:00-22:00", "9am-11pm", "always")
TIME_EXAMPLES: Final = ("18:00", "6pm")
_WEEK: Final = 7
_WEEKEND: Final = (5, 6)
#: Letters of a day's name that are enough.
_DAY_LETTERS: Final = 2
_HOUR: Final = 60
_DAY: Final = 24 * _HOUR
_NOON: Final = 12
_NONE: Final = ("none", "no", "never", "-")
_ALWAYS: Final = (*_NONE, "always", "all day", "any time", "anytime")
_BETWEEN_DAYS: Final = re.compile(r"[\s,;+&/]+|\band\b")
_RANGE: Final = re.compile(r"\s*(?:-|\u2013|\bto\b)\s*")
_TIME: Final = re.compile(r"([0-9]{1,2})(?:[:.]([0-9]{2}))?\s*(?:([ap])\.?m\.?)?")


def parse_days(text: str, field: str) -> tuple[int, ...]:
    """Return the days of the week that a text names; 0: Monday. None of them for `none`.

    Raises InvalidInput("bad-days") for any other text.
    """
    typed = text.strip().casefold()
    if typed in _NONE:
        return ()
    days: set[int] = set()
    for part in _BETWEEN_DAYS.split(_RANGE.sub("-", typed)):
        if part in ("weekend", "weekends"):
            days.update(_WEEKEND)
        elif part:
            days.update(_read_days(part, text, field))
    if not days:
        raise _bad_days(text, field)
    return tuple(sorted(days))


def _read_days(part: str, text: str, field: str) -> tuple[int, ...]:
    """Return the day that a word names, or the days from one to another: `fri-sun`."""
    names = part.split("-")
    if len(names) > 2:
        raise _bad_days(text, field)
    first, last = (_read_day(name, text, field) for name in (names[0], names[-1]))
    count = (last - first) % _WEEK + 1
    return tuple((first + number) % _WEEK for number in range(count))


def _read_day(name: str, text: str, field: str) -> int:
    for day, known in enumerate(DAY_NAMES):
        full = known.casefold()
        if len(name) >= _DAY_LETTERS and (full.startswith(name) or name == f"{full}s"):
            return day
    raise _bad_days(text, field)


def _bad_days(text: str, field: str) -> InvalidInput:
    return InvalidInput("bad-days", field=field, value=text[:60], allowed=DAYS_EXAMPLES)


def parse_hours(text: str, field: str) -> tuple[int, int]:
    """Return the first and the last minute of the day that a text names; the same for `always`.

    Raises InvalidInput("bad-hours") for any other text.
    """
    typed = text.strip().casefold()
    if typed in _ALWAYS:
        return 0, 0
    times = _RANGE.split(typed)
    if len(times) == 2:
        opens, closes = (_read_time(time) for time in times)
        if opens is not None and closes is not None and opens % _DAY != closes % _DAY:
            return opens % _DAY, closes % _DAY
    raise InvalidInput("bad-hours", field=field, value=text[:60], allowed=HOURS_EXAMPLES)


def parse_time(text: str, field: str) -> int:
    """Return the minute of the day that a text names. Raises InvalidInput("bad-time")."""
    minute = _read_time(text.strip().casefold())
    if minute is None:
        raise InvalidInput("bad-time", field=field, value=text[:60], allowed=TIME_EXAMPLES)
    return minute % _DAY


def _read_time(text: str) -> int | None:
    """Return the minute of the day of `8`, `8:30`, `8.30`, `8 pm` or `24:00`; None for another."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3]
    if half is not None:
        if not 1 <= hour <= _NOON:
            return None
        hour %= _NOON
        if half == "p":
            hour += _NOON
    time = hour * _HOUR + minute
    return time if minute < _HOUR and time <= _DAY else None


def time_text(minute: int) -> str:
    """Return a minute of the day as digits: `8:00`."""
    return f"{minute // _HOUR}:{minute % _HOUR:02}"

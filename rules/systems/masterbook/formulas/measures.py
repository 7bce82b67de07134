"""Values of the Value Chart, typed as measures: `50 m`, `1 hour`, `100 kg` (MB-SFX-01 to -03)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, Literal

from rules.core.errors import InvalidInput
from rules.systems.masterbook.formulas.value_chart import (
    ROUND_SECONDS,
    Mode,
    chart_value,
    value_in,
)

#: What a measure measures. Speeds of effects are meters a second, not a round (MB-SFX-S03).
MeasureKind = Literal["time", "distance", "speed", "mass"]
#: Units of the Value Chart by the words for them.
_UNITS: Final[dict[MeasureKind, dict[str, str]]] = {
    "time": {
        **dict.fromkeys(("s", "sec", "second", "seconds"), "seconds"),
        **dict.fromkeys(("min", "minute", "minutes"), "minutes"),
        **dict.fromkeys(("h", "hr", "hour", "hours"), "hours"),
        **dict.fromkeys(("d", "day", "days"), "days"),
        **dict.fromkeys(("week", "weeks"), "weeks"),
        **dict.fromkeys(("month", "months"), "months"),
        **dict.fromkeys(("y", "year", "years"), "years"),
    },
    "distance": {
        **dict.fromkeys(("m", "meter", "meters"), "meters"),
        **dict.fromkeys(("km", "kilometer", "kilometers"), "kilometers"),
        **dict.fromkeys(("ft", "foot", "feet"), "feet"),
        **dict.fromkeys(("mile", "miles"), "miles"),
    },
    "speed": {},
    "mass": {
        **dict.fromkeys(("kg", "kilogram", "kilograms"), "kilograms"),
        **dict.fromkeys(("lb", "lbs", "pound", "pounds"), "pounds"),
        **dict.fromkeys(("t", "ton", "tons"), "tons"),
    },
}
#: Units that the chart lacks, as exact multiples of its own.
_EXACT: Final[dict[MeasureKind, dict[str, Fraction]]] = {
    "time": dict.fromkeys(("round", "rounds"), Fraction(ROUND_SECONDS)),
    "distance": {},
    "speed": {
        **dict.fromkeys(("m/s", "meters a second", "meters per second"), Fraction(1)),
        **dict.fromkeys(("km/h", "kmh", "kph"), Fraction(5, 18)),
        "mph": Fraction(1_609_344, 3_600_000),
    },
    "mass": {},
}
_MEASURE: Final = re.compile(
    r"(?P<amount>[0-9]{1,15}(?:\.[0-9]{1,6}|/[1-9][0-9]{0,5})?|\.[0-9]{1,6})\s*(?P<unit>[a-z/ ]+)",
    re.IGNORECASE,
)
#: Commas between thousands.
_THOUSANDS: Final = re.compile(r",(?=\d{3}(?!\d))")
#: British ending of a unit, as in other spellings of `meters`.
_BRITISH: Final = re.compile(r"(?<=met)re(?=s?\b)")
#: Longest text that is read as a measure.
_LONGEST: Final = 60


def read_measure(text: str, kind: MeasureKind, mode: Mode) -> int | None:
    """Return the value of a typed measure, at least 0; None if it can't be read (MB-SFX-02, -03).

    Value 0 is the lowest that an effect can have, so less than one unit counts as one.
    """
    if len(text) > _LONGEST:
        return None
    measure = _MEASURE.fullmatch(_THOUSANDS.sub("", text.strip()))
    if measure is None:
        return None
    amount = Fraction(measure["amount"])
    unit = _BRITISH.sub("er", " ".join(measure["unit"].casefold().split()))
    try:
        if unit in _UNITS[kind]:
            return max(0, value_in(amount, _UNITS[kind][unit], mode))
        if unit in _EXACT[kind]:
            return max(0, chart_value(amount * _EXACT[kind][unit], mode))
    except InvalidInput:
        pass  # a measure of 0
    return None


def is_rounded(text: str, kind: MeasureKind) -> bool:
    """Return whether a typed measure lies between two values of the chart."""
    return read_measure(text, kind, "down") != read_measure(text, kind, "inclusive_up")


def digits(number: Fraction) -> str:
    """Return a measure as it is written: `2.5`, `600`, `15,000`."""
    if number.denominator == 1:
        return f"{number.numerator:,}"
    return f"{float(number):.2f}".rstrip("0").rstrip(".")


def plain_number(number: Fraction) -> str:
    """Return a number in short: `60`, `2.5`."""
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"

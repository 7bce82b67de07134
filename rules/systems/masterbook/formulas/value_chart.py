"""The Value Chart: values of measures in any unit, and measures of values.

MB-VAL-01 to MB-VAL-05, MB-TIME-01.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, NamedTuple

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.errors import InvalidInput
from rules.core.record import Record

#: Seconds of a combat round (MB-TIME-01).
ROUND_SECONDS: Final = 10
#: Row that stands for a measure between two rows (MB-VAL-02).
Mode = Literal["nearest", "inclusive_up", "down"]
Number = int | float | str | Fraction
#: The five rows of each power of ten.
_STEPS: Final = (Fraction(1), Fraction(3, 2), Fraction(5, 2), Fraction(4), Fraction(6))


class Unit(Record):
    """A unit of measure."""

    unit: str
    kind: Literal["time", "speed", "mass", "distance"]
    #: Added to the value of a number of this unit; the sum is the value in the chart's own unit.
    modifier: int


class Benchmark(Record):
    """Examples of a value: a time, a weight and a distance."""

    value: int
    time: str = ""
    weight: str = ""
    distance: str = ""


_ROWS: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "core")())
UNITS: Final = rows_by_key(from_json(tuple[Unit, ...], _ROWS["units"]), "unit")
BENCHMARKS: Final = from_json(tuple[Benchmark, ...], _ROWS["benchmarks"])


def measure(value: int) -> Fraction:
    """Return the measure of a value: kilograms, meters, seconds, meters a round (MB-VAL-01)."""
    power, row = divmod(value, len(_STEPS))
    return _STEPS[row] * Fraction(10) ** power


#: Names of a million, and of each scale a thousand times the one before.
SCALES: Final = ("million", "billion", "trillion", "quadrillion", "quintillion")
_THOUSAND: Final = 1000


class Magnitude(NamedTuple):
    """An amount as the chart writes it: 1.5 million; no scale below a million (MB-VAL-01)."""

    number: Fraction
    scale: str


def magnitude(amount: Fraction) -> Magnitude:
    """Return an amount in the largest scale that it fills (MB-VAL-01)."""
    if amount < _THOUSAND**2:
        return Magnitude(amount, "")
    steps = 0
    while amount >= _THOUSAND ** (steps + 3) and steps + 1 < len(SCALES):
        steps += 1
    return Magnitude(amount / _THOUSAND ** (steps + 2), SCALES[steps])


def exact_number(amount: Number) -> Fraction:
    """Return the exact value of a number as it is written: 0.1 is a tenth."""
    return Fraction(str(amount)) if isinstance(amount, float) else Fraction(amount)


def chart_value(amount: Number, mode: Mode = "nearest") -> int:
    """Return the value of a measure (MB-VAL-02).

    Raises InvalidInput("mb-no-measure") for 0 and less.
    """
    number = exact_number(amount)
    if number <= 0:
        raise InvalidInput("mb-no-measure", field="measure", value=str(amount))
    # The digits before the point, or the zeros behind it, give a row at or below the number's.
    power = len(str(int(number))) - 1 if number >= 1 else -len(str(int(1 / number)))
    below = power * len(_STEPS)
    while measure(below + 1) <= number:
        below += 1
    low, high = measure(below), measure(below + 1)
    if number == low or mode == "down":
        return below
    rounds_up = mode == "inclusive_up" or high - number < number - low
    return below + 1 if rounds_up else below


def value_in(amount: Number, unit: str, mode: Mode = "nearest") -> int:
    """Return the value of a number of a unit (MB-VAL-03)."""
    return chart_value(amount, mode) + UNITS[unit].modifier


def combine(one: int, other: int, operation: Literal["multiply", "divide"]) -> int:
    """Return the value of two measures multiplied or divided, from their values (MB-VAL-04)."""
    return one + other if operation == "multiply" else one - other


def impact_value(*values: int) -> int:
    """Return the damage value of an impact, before the bonus number (MB-VAL-05).

    *values* are mass and distance of something that falls; Strength and mass of something thrown;
    or the speed of a character who runs into something.
    """
    return sum(values)

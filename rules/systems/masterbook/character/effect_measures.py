"""Values of the Value Chart as fields of a form, and in words (MB-SFX-02)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.json_reader import Reader
from rules.systems.masterbook.formulas.measures import MeasureKind, digits, is_rounded, read_measure
from rules.systems.masterbook.formulas.value_chart import Mode, measure
from rules.table.blocks import Text
from rules.table.forms.fields import Number

#: Most characters of a typed text that an error quotes.
_QUOTED: Final = 100
_METERS_OF_A_KILOMETER: Final = 1000
_UNITS: Final[dict[MeasureKind, str]] = {
    "time": "s",
    "distance": "m",
    "speed": "m/s",
    "mass": "kg",
}


class Measure(Number, kw_only=True):
    """A value of the Value Chart, typed as a value or as a measure: `9`, `50 m` (MB-SFX-02)."""

    measures: MeasureKind
    mode: Mode = "inclusive_up"

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        plain = text.strip().replace("\u2212", "-").removeprefix("+")
        if not plain or plain.removeprefix("-").isdecimal():
            return Number.parse_text(self, reader, place, text)
        value = read_measure(plain, self.measures, self.mode)
        if value is None:
            shown = {"field": place, "value": text.strip()[:_QUOTED], "kind": self.measures}
            reader.problems.append(InvalidInput("mb-effect-bad-measure", **shown))
        return value

    def rounding(self, typed: object) -> Mode | None:
        """Return how a typed measure was rounded; None if it is exact, or a value."""
        text = str(typed).strip()
        is_value = read_measure(text, self.measures, self.mode) is None
        if is_value or not is_rounded(text, self.measures):
            return None
        return self.mode


def measure_text(kind: MeasureKind, value: int, rounded: Mode | None = None) -> Text:
    """Return a value with its measure: `60 m (9, up)`."""
    number = measure(value)
    shown: dict[str, Any] = {"kind": kind, "value": value, "mode": rounded}
    if kind == "time" and number.denominator == 1:
        return Text("mb-effect-measure", {**shown, "seconds": int(number)})
    if kind == "distance" and number >= _METERS_OF_A_KILOMETER:
        kilometers = digits(number / _METERS_OF_A_KILOMETER)
        return Text("mb-effect-measure", {**shown, "unit": "km", "n": kilometers})
    return Text("mb-effect-measure", {**shown, "unit": _UNITS[kind], "n": digits(number)})

"""The field of a worksheet's split: the difficulty's share of the subtotal (MB-SFX-S16)."""

from __future__ import annotations

import re
from typing import Final

from rules.core.errors import InvalidInput
from rules.core.json_reader import Reader
from rules.table.forms.fields import QUOTE_MAX, Number

#: Both figures as a player writes them: `32/32`, `DN 32, FV 32`.
_BOTH: Final = re.compile(
    r"(?:dn\s*)?(?P<dn>\d{1,4})\s*(?::|/|,|\s)\s*(?:fv\s*)?(?P<fv>\d{1,4})", re.IGNORECASE
)


class SplitField(Number, kw_only=True):
    """The difficulty's share, typed as a number or as both figures: `32`, `32/32`."""

    subtotal: int = 0
    #: Lowest and highest share with neither figure above twice the other.
    least: int = 0
    largest: int = 0

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        plain = " ".join(text.split())
        both = _BOTH.fullmatch(plain)
        if both is not None and int(both["dn"]) + int(both["fv"]) == self.subtotal:
            return int(both["dn"])
        if not plain or plain.isdecimal():
            return super().parse_text(reader, place, text)
        shown = {
            "value": plain[:QUOTE_MAX],
            "subtotal": self.subtotal,
            "low": self.least,
            "high": self.largest,
            "dn": self.subtotal // 2,
            "fv": self.subtotal - self.subtotal // 2,
        }
        reader.problems.append(InvalidInput("mb-effect-bad-split", field=place, **shown))
        return None

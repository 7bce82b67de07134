"""Numbers of a body: dice, derived values, lifting, movement, size (EGO-CHR-03, EGO-CHR-04,
EGO-FX-05).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from rules.systems.ego.formulas.reference_rows import SHIPPED_ROWS

#: Limits of sizes in feet, and the size below each limit (EGO-SIZ-01).
SIZES: Final = SHIPPED_ROWS.sizes
LARGEST: Final = "Gargantuan"
#: Multiples of the overhead lift (EGO-LFT-01), and of the normal pace (EGO-MOV-01).
LOADS: Final = {"push": Fraction(2), "wheels": Fraction(3), "carry": Fraction(1, 2)}
PACES: Final = {"normal": 1, "running": 2, "sprinting": 3}


_FEET: Final = re.compile(
    r"(?P<feet>\d{1,3})\s*(?:['\u2019\u2032]|ft\.?|feet|foot)\s*"
    r"(?:(?P<inches>\d{1,2})\s*(?:[\"\u201d\u2033]|''|in\.?|inch|inches)?)?"
)
_INCHES: Final = re.compile(r"(?P<inches>\d{1,5})\s*(?:[\"\u201d\u2033]|in\.?|inch|inches)")
_METRIC: Final = re.compile(r"(?P<whole>\d{1,5})(?:[.,](?P<part>\d{1,2}))?\s*(?P<unit>cm|m)")


def read_height(text: str) -> int | None:
    """Return a height in inches from `5'8"`, `5 ft 8`, `68 in`, `172 cm`, `1.72 m`, else None."""
    text = text.strip().casefold()
    if match := _FEET.fullmatch(text):
        return 12 * int(match["feet"]) + int(match["inches"] or 0)
    if match := _INCHES.fullmatch(text):
        return int(match["inches"])
    if match := _METRIC.fullmatch(text):
        centimeters = Fraction(f"{match['whole']}.{match['part'] or 0}")
        if match["unit"] == "m":
            centimeters *= 100
        return round(centimeters / Fraction("2.54"))
    return None


def dice_for_score(score: int, enhanced: int = 0) -> int:
    """Return the dice of an ability: its rating, and one for each level that enhances it."""
    rating = max(1, -(-score // 3)) if score <= 15 else 6 + (score - 16) // 2
    return rating + enhanced


def karma(ability_dice: Sequence[int]) -> int:
    """Return the Karma points at the start, from the dice of all four abilities (EGO-KAR-01)."""
    return sum(ability_dice)


def step(vitality: int) -> Fraction:
    """Return the exact damage that makes one level of impairment."""
    return Fraction(vitality, 4)


def lift(muscle: int, enhanced: int = 0) -> int:
    """Return the pounds lifted overhead (EGO-LFT-01)."""
    return 20 * muscle + 100 * (2**enhanced - 1)


def load(pounds: int, how: str) -> Fraction:
    """Return the pounds that a character of this lift moves in one of the ways of LOADS."""
    return pounds * LOADS[how]


def movement(height: Fraction, pace: str = "normal") -> Fraction:
    """Return the feet that a character of this height in feet moves in a round (EGO-MOV-01)."""
    return 2 * height * PACES[pace]


def size(height: Fraction) -> str:
    """Return the size of a character of this height in feet (EGO-SIZ-01)."""
    return next((name for limit, name in SIZES if height < limit), LARGEST)

"""Numbers of backgrounds in play: recognition, heels and prices.

MB-BG-14, MB-BG-25, MB-BG-40, MB-BG-51, MB-BG-56.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from rules.core.record import Record
from rules.systems.masterbook.formulas.option_kinds import Recognition

#: Where a character is recognized: in the own culture, or in another.
Culture = Literal["home", "elsewhere"]
#: How near the water is to a character who panics.
Water = Literal["near", "in", "wet"]

#: Difficulty of an allergy each round, and the wounds of a failure or a soaking (MB-BG-40).
EXPOSURE_DIFFICULTY, EXPOSURE_WOUNDS = 12, 1
#: Added to the total of a firearm against a character who freezes.
FROZEN_BONUS: Final = 4
#: Added to the difficulty of everything by panic.
_PANIC: Final[dict[Water, int]] = {"near": 2, "in": 4, "wet": 2}


def recognition_target(recognition: Recognition, culture: Culture) -> int:
    """Return the die total at which a character is recognized (MB-BG-14)."""
    return recognition.own if culture == "home" else recognition.elsewhere


def is_recognized_on(total: int, modifier: int, target: int) -> bool:
    """Return whether a die total recognizes a character (MB-BG-14)."""
    return total + modifier >= target


def panic_difficulty(water: Water) -> int:
    """Return the difficulty that panic adds to everything (MB-BG-40)."""
    return _PANIC[water]


def exposure_wounds(total: int) -> int:
    """Return the wounds of a round of exposure with this Endurance total (MB-BG-40)."""
    return 0 if total >= EXPOSURE_DIFFICULTY else EXPOSURE_WOUNDS


class PaidPrices(Record):
    """Prices after an adventure: Life Points left, and which of the prices were paid, by place."""

    left: int
    paid: tuple[int, ...] = ()
    unpaid: tuple[int, ...] = ()


def pay_prices(points: int, prices: Iterable[int]) -> PaidPrices:
    """Return the outcome of prices in their order; one that is too high takes nothing (MB-BG-56).

    Later prices may still be paid.
    """
    paid: list[int] = []
    unpaid: list[int] = []
    for place, price in enumerate(prices):
        if price <= points:
            points -= price
            paid.append(place)
        else:
            unpaid.append(place)
    return PaidPrices(points, tuple(paid), tuple(unpaid))

"""Barmore's dice pool in words."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Final

from bot.presenters.language.systems.base import SystemWords
from bot.presenters.language.text import TextParams

#: A factor with more decimals is written as a fraction.
_DECIMALS: Final = 2


def _indent(values: TextParams) -> str:
    """Return the indent of a line in a tree, narrow enough for a phone."""
    depth = values.number("depth")
    return "\u2003" * depth + ("└ " if depth else "")


def _speed(values: TextParams) -> str:
    """Return how fast a Wound heals: `2 times as fast`, `half as fast`, `1.5 times as fast`."""
    factor = Fraction(str(values.raw("factor")))
    if factor == 1:
        return "no faster"
    if factor == Fraction(1, 2):
        return "half as fast"
    short = Decimal(factor.numerator) / factor.denominator
    exact = Fraction(short) == factor and short == round(short, _DECIMALS)
    return f"{short.normalize():f} times as fast" if exact else f"{factor} times as fast"


WORDS: Final = SystemWords(
    key="barmore",
    brief_odds=frozenset({"bar-level", "bar-odds-botch"}),
    functions={"bar-indent": _indent, "bar-times": _speed},
    parts={"task": "complex action"},
    timeline_hint="`/barmore act` begins something, `/barmore switch` breaks off what is "
    "under way.",
)

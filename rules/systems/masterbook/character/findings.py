"""Findings about a character: broken rules of creation, and what is unusual (MB-CHAR-18)."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from rules.core.errors import InvalidInput, Param, RulesError
from rules.core.json_reader import value_for_error
from rules.core.record import Record
from rules.systems.masterbook.character.skill_names import split_skill


class Finding(Record):
    """A broken rule of creation, or something unusual."""

    error: RulesError
    #: Whether the sheet is illegal with it.
    blocks: bool


def error(code: str, field: str, value: object, **params: Param) -> Finding:
    """Return a finding that makes a sheet illegal."""
    return Finding(_refusal(code, field, value, params), blocks=True)


def warning(code: str, field: str, value: object, **params: Param) -> Finding:
    """Return a finding that only informs."""
    return Finding(_refusal(code, field, value, params), blocks=False)


def _refusal(code: str, field: str, value: object, params: dict[str, Param]) -> RulesError:
    return InvalidInput(f"mb-{code}", **{"field": field, "value": value_for_error(value), **params})


def number_text(number: int | Fraction) -> str:
    """Return a number of points: halves with one decimal, quarters with two, others with none."""
    points = Fraction(number)
    if points.denominator == 1:
        return str(points.numerator)
    decimals = 1 if points.denominator == 2 else 2
    return f"{float(points):.{decimals}f}"


def skill_label(title: str) -> str:
    """Return a skill as findings name it: the list's name in small letters, the focus as it is."""
    name, focus, special = split_skill(title)
    label = f"{name.lower()}: {focus}" if focus else name.lower()
    return f"{label} ({special})" if special else label


#: A new character, or one that has been in play: then only what always counts is checked.
Phase = Literal["creation", "play"]

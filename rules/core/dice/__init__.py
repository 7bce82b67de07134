"""Dice in the notation players know: `4d6kh3`, `1d20+5 [to hit]`, `6d6>4`, `6x 4d6kh3`.

`foreign_notation` translates the notation of other bots, `notation` parses, `roll` throws, and
`odds` computes exact chances.
"""

from __future__ import annotations

from rules.core.dice.foreign_notation import translate_notation
from rules.core.dice.notation import Notation, parse
from rules.core.dice.roll import ThrowResult, throw

__all__ = ["Notation", "ThrowResult", "parse", "throw", "translate_notation"]

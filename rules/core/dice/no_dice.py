"""Dice for a game that is only read: none may fall."""

from __future__ import annotations

from typing import Final, NoReturn

from rules.core.rng import Rng, Streams


class DiceNeeded(Exception):
    """Dice would have to fall in a game that is only read."""


class _RefusingRng:
    """Source of chance that raises DiceNeeded."""

    def below(self, n: int, /) -> NoReturn:
        raise DiceNeeded


class NoDice:
    """Streams that raise DiceNeeded when one is used, for looking ahead and for reading."""

    public: Rng = _RefusingRng()
    secret: Rng = _RefusingRng()
    shuffle: Rng = _RefusingRng()

    @property
    def sealed(self) -> NoReturn:
        """Raise DiceNeeded: without a shuffle there is no seal."""
        raise DiceNeeded

    def tag(self, number: int, /) -> str:
        """Return an empty text: ids of a game that is only read are never stored."""
        return ""


NO_DICE: Final[Streams] = NoDice()

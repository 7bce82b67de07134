"""The table as the rules see it, for whoever only looks: nothing happens, so no dice may fall."""

from __future__ import annotations

from typing import Final, NoReturn

from rules.core.rng import Rng, Streams


class DiceNeeded(Exception):
    """Dice would have to fall where only a look is taken."""


class _Refusing:
    def below(self, n: int, /) -> NoReturn:
        raise DiceNeeded


class NoDice:
    """Streams of which none draws: for looking ahead, and for what only reads. DiceNeeded when it
    is tried.
    """

    public: Rng = _Refusing()
    secret: Rng = _Refusing()
    shuffle: Rng = _Refusing()

    @property
    def sealed(self) -> NoReturn:
        """No shuffle, no seal."""
        raise DiceNeeded

    def tag(self, number: int, /) -> str:
        """What is only looked at has none."""
        return ""


NO_DICE: Final[Streams] = NoDice()

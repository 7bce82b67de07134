"""Late choices: made after a result, and taken by the check during a rerun of its entry."""

from __future__ import annotations

from typing import Any

from rules.core.record import Record
from rules.core.rng import Streams
from rules.table.check import AnyCheck, StepInChoice


class LateChoice(Record):
    """A late choice that the check has to take, and its dice."""

    choice: StepInChoice
    #: Source of the dice that the choice itself draws.
    dice: Streams


class PastStage(Record):
    """The table and the check as they were when the check left a stage, its prompts open again."""

    #: The `Game`; typed `Any` because its module imports this one.
    game: Any
    check: AnyCheck


class LateChoices:
    """Late choices for one check during the rerun of a journal entry, and the stages passed.

    A check that leaves a stage takes the first choice that is left for that stage.
    """

    def __init__(self, check: str, choices: tuple[LateChoice, ...], revision: int) -> None:
        #: Id of the check.
        self.check = check
        #: Revision of the check before it runs again. Everything after a choice has a higher one.
        self.revision = revision
        #: Stages that the check has left so far, in order.
        self.past: list[PastStage] = []
        #: The `CheckAdvance` that the newest of the choices led to; None before the check took one.
        self.advance: Any = None
        #: The last choice to take; None without any.
        self.newest = choices[-1] if choices else None
        self._left = list(choices)
        self._first = choices[0].choice.at if choices else None

    @property
    def all_made(self) -> bool:
        """True once the check has taken every choice."""
        return not self._left

    def take_for(self, stage: str) -> LateChoice | None:
        """Remove and return the next late choice for a stage; None if none is left for it."""
        for late in self._left:
            if late.choice.stage == stage:
                self._left.remove(late)
                return late
        return None

    def final_since(self, at: int) -> int:
        """Return the time since which a result reached at *at* is final, in seconds since 1970.

        That is the time of the first late choice once the check has taken all of them, else *at*.
        """
        return at if self._first is None or self._left else self._first

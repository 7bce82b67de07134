"""Late choices: made after a result, and taken by the check as it is run once more."""

from __future__ import annotations

from typing import Any

from rules.core.record import Record
from rules.core.rng import Streams
from rules.table.check import AnyCheck, StepInChoice


class LateChoice(Record):
    """A late choice that is still to be made, and the dice that it draws."""

    choice: StepInChoice
    dice: Streams


class PastStage(Record):
    """The table and the check as they were when the check left a stage, its prompts open again."""

    #: The `Game`, which knows of this module.
    game: Any
    check: AnyCheck


class LateChoices:
    """The choices to make in one check while an entry of the journal is carried out once more.

    A check that leaves a stage takes the first choice that is left for that stage.
    """

    def __init__(self, check: str, choices: tuple[LateChoice, ...], revision: int) -> None:
        self.check = check
        #: Revision of the check before it runs again. Everything after a choice has a higher one.
        self.revision = revision
        self.past: list[PastStage] = []
        #: The `CheckAdvance` that the newest of the choices led to; None before it was made.
        self.advance: Any = None
        #: The newest choice.
        self.newest = choices[-1] if choices else None
        self._left = list(choices)
        self._first = choices[0].choice.at if choices else None

    @property
    def all_made(self) -> bool:
        """Whether every choice was made."""
        return not self._left

    def next_at(self, stage: str) -> LateChoice | None:
        """Remove and return the next late choice for this stage; None if there is none."""
        for each in self._left:
            if each.choice.stage == stage:
                self._left.remove(each)
                return each
        return None

    def final_since(self, at: int) -> int:
        """Return the time since which a result reached at *at* is final.

        It is the time of the first late choice once all of them are made, else *at*.
        """
        return at if self._first is None or self._left else self._first

"""Entries of the journal as they come out after an amendment."""

from __future__ import annotations

from typing import Final, Literal

from rules.core.record import Record
from rules.table.events import Event

#: What becomes of an entry.
Fate = Literal[
    # The amended entry itself, with other values.
    "amended",
    # It comes out as it did then.
    "same",
    # It comes out differently.
    "changed",
    # The amended entry itself, undone.
    "undone",
    # Undone by the GM's choice.
    "left-out",
    # Undone, because it is about a check that is gone.
    "goes-along",
    # Undone, because the rules refuse it now.
    "conflict",
    # Undone: the clock acted on a wait that is no longer due.
    "not-due",
    # It was undone before, and can't be carried out anew.
    "out",
    # Of a preview: new dice would fall for it.
    "new-dice",
    # Of a preview: it follows new dice, so nobody can tell.
    "open",
]
#: Fates of entries that the amendment undoes.
GONE: Final = ("undone", "left-out", "goes-along", "conflict", "not-due")


class DiceCount(Record):
    """The number of dice that would fall for an entry. Of a preview, nobody has seen them."""

    least: int
    #: Whether it is certain: further dice depend on how these fall.
    exact: bool


class RedoneEntry(Record):
    """An entry of the journal as it was, and as it comes out after an amendment."""

    seq: int
    at: int
    kind: str
    actor: str
    #: Place of the action.
    place: str
    fate: Fate
    #: Its events then and now.
    was: tuple[Event, ...] = ()
    now: tuple[Event, ...] = ()
    #: Keys of the parts that came out differently.
    touched: frozenset[str] = frozenset()
    #: Whether its actor chose on other grounds: the check looked different.
    doubtful: bool = False
    #: Code of the refusal, for a conflict.
    refusal: str = ""
    #: Whether it was undone before, or is the undo of another entry: nobody is told of it anew.
    untold: bool = False
    #: Of a preview: the new dice that it needs; None for those of a late choice.
    dice: DiceCount | None = None
    #: Whether new dice fell for it.
    rolled: bool = False

    @property
    def is_gone(self) -> bool:
        """True if the amendment undoes it."""
        return self.fate in GONE

    @property
    def all_events(self) -> tuple[Event, ...]:
        """Its events then, and those now."""
        return (*self.was, *self.now)

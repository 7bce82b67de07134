"""Which places a reader can view, as data: the rules never ask Discord."""

from __future__ import annotations

from typing import Final

from rules.core.record import Record


class ReadablePlaces(Record):
    """The places that a reader can view now. A place that is not in here is closed to the reader,
    whatever the reason.
    """

    places: frozenset[str] = frozenset()
    #: The reader can view every place: GMs, and the rules while they carry out an action.
    everywhere: bool = False

    def __contains__(self, place: object) -> bool:
        return self.everywhere or place in self.places


EVERYWHERE: Final = ReadablePlaces(everywhere=True)
#: For a reader whose rights nobody has asked for: only what is theirs.
NOWHERE: Final = ReadablePlaces()


def may_read(readable: ReadablePlaces, place: str, *, theirs: bool, gm: bool) -> bool:
    """Return whether a reader may be shown what was told in a place.

    This is the one answer for checks as they stand and for entries of the journal. *theirs*: the
    reader did it, it was addressed to them, or it is about their character.
    """
    return theirs or gm or place in readable

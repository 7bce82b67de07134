"""Places that a reader can view, as data: the rules never ask Discord."""

from __future__ import annotations

from typing import Final

from rules.core.record import Record


class ReadablePlaces(Record):
    """The places that a reader can view now. All other places are closed to the reader."""

    places: frozenset[str] = frozenset()
    #: The reader can view every place: GMs, and the rules while they carry out an action.
    everywhere: bool = False

    def __contains__(self, place: object) -> bool:
        return self.everywhere or place in self.places


EVERYWHERE: Final = ReadablePlaces(everywhere=True)
#: Places of a reader of unknown rights, who sees only entries that concern the reader.
NOWHERE: Final = ReadablePlaces()


def may_read(readable: ReadablePlaces, place: str, *, theirs: bool, gm: bool) -> bool:
    """Return whether a reader may be shown the news of a place.

    Checks, tasks and entries of the journal all use this answer. *theirs*: the reader did it, it
    was addressed to the reader, or it is about a character of the reader.
    """
    return theirs or gm or place in readable

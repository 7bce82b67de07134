"""The parts of a chronicle: a book with chapters of passages, whatever format it's written in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from rules.core.record import Record

#: Kind of a passage:
#:
#: - `deed`: what a character tried, and the outcome.
#: - `scene`: the heading of a scene, such as a fight.
#: - `mark`: a small break in a scene, such as a new round.
#: - `news`: something else that happened, such as an arrival.
PassageKind = Literal["deed", "scene", "mark", "news"]


class Span(Record):
    """A stretch of plain text in one style. Each format escapes it in its own way."""

    text: str
    strong: bool = False
    struck: bool = False


#: A line of text.
Line = tuple[Span, ...]


class Passage(Record):
    """One paragraph of a chronicle, with what stands below it."""

    #: Time in seconds since 1970.
    at: int
    kind: PassageKind
    #: Place in which it was told.
    place: str
    #: Who does what; the text of headings and marks.
    lead: Line
    #: Words that the player wrote, without quotation marks.
    quote: tuple[Line, ...] = ()
    #: The outcome.
    outcome: Line = ()
    #: What followed from it.
    after: tuple[Line, ...] = ()
    #: Dice and numbers, in small print.
    notes: tuple[Line, ...] = ()
    #: Whether not everybody in the place was told.
    private: bool = False


class Chapter(Record):
    """A session, or a week of play."""

    title: str
    #: Days of the chapter in words, such as `November 30 to December 4, 2026`.
    days: str
    passages: tuple[Passage, ...]


class CastMember(Record):
    """A character who occurs in the book, by the name that was told."""

    name: str
    #: Name of the player; empty for an NPC.
    player: str = ""


class Book(Record):
    """A chronicle, or one part of a long one."""

    title: str
    #: Who may read the book, in words.
    edition: str
    #: The game that is played.
    game: str
    #: Days of the book in words.
    days: str
    cast: tuple[CastMember, ...]
    chapters: tuple[Chapter, ...]
    part: int = 1
    parts: int = 1


def plain(line: Iterable[Span]) -> str:
    """Return a line without its styles."""
    return "".join([span.text for span in line])

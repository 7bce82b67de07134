"""A card as it is laid out: pieces from above to below, before they take Discord's form or that of
plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

from bot.presenters.controls import Attachment, Button, Control, Drawing, Picture, Rows
from bot.presenters.language.limits import HEAD, clip
from bot.presenters.language.text import unescape
from rules.core.record import Record

#: What the color says, which words always say as well: somebody can act on it now; final and good
#: or bad for the players; waiting, over without a winner, or nothing happened; for one person
#: alone; for the GMs alone.
Accent = Literal["open", "good", "bad", "waiting", "own", "gm"]


class Head(Record):
    """The outcome, or who has to do what: the only large heading, first, about 40 letters."""

    text: str


class Heading(Record):
    text: str


class Body(Record):
    """A line of text, or several."""

    text: str


class QuotedText(Record):
    """What a person typed, escaped."""

    text: str


class SmallPrint(Record):
    """Small print: how things stand, until when, numbers."""

    text: str


class Gap(Record):
    """What follows stands a little apart."""


class Divider(Record):
    """A thin line."""


class Portrait(Record):
    """Somebody's picture on the web, with what it shows; or one that goes with the card and only
    adorns it.
    """

    url: str
    alt: str = ""
    drawing: Drawing | None = None


class Section(Record):
    """Lines with the one button that belongs to them, or with a portrait, at their right."""

    text: str
    right: Button | Portrait


class Row(Record):
    """Up to five buttons, or one menu."""

    controls: tuple[Control, ...]


Piece = Head | Heading | Body | QuotedText | SmallPrint | Gap | Divider | Section | Row | Picture


class Layout(Record):
    """A card: its pieces, of which texts are Markdown with what people typed escaped.

    It mentions nobody. Whom it calls is called by a message of its own, `call`, with the ids that
    it may ping; where there is nothing else but what can be pressed, that is an ordinary message
    with it below.
    """

    accent: Accent
    pieces: tuple[Piece, ...]
    attachment: Attachment | None = None
    call: str = ""
    mentions: tuple[int, ...] = ()
    role_mentions: tuple[int, ...] = ()


def build_layout(
    accent: Accent,
    head: str,
    *parts: str | Piece,
    small: str = "",
    rows: Rows = (),
    attachment: Attachment | None = None,
) -> Layout:
    """A card from above to below: head, lines (not the empty ones) and pieces, small print, what
    can be pressed.
    """
    pieces: list[Piece] = [Head(clip(head, HEAD))]
    pieces += [Body(part) if isinstance(part, str) else part for part in parts if part]
    if small:
        pieces += [Gap(), SmallPrint(small)]
    return Layout(accent, (*pieces, *rows_of(rows)), attachment)


def rows_of(rows: Rows) -> tuple[Row, ...]:
    return tuple([Row(row) for row in rows])


def controls_of(layout: Layout) -> Iterable[Control]:
    """Everything that can be pressed or chosen, from above to below."""
    for piece in layout.pieces:
        if isinstance(piece, Row):
            yield from piece.controls
        elif isinstance(piece, Section) and isinstance(piece.right, Button):
            yield piece.right


def is_call(layout: Layout) -> bool:
    """Whether it is no card, but an ordinary message: the notification of a card would be empty."""
    return all(isinstance(piece, Row) for piece in layout.pieces)


def without_controls(layout: Layout) -> Layout:
    """The card when there is nothing to press any more, and nobody is called."""
    if is_call(layout):
        return layout.replace(pieces=(), mentions=(), role_mentions=())
    pieces: list[Piece] = []
    for piece in layout.pieces:
        if isinstance(piece, Section) and isinstance(piece.right, Button):
            pieces.append(Body(piece.text))
        elif not isinstance(piece, Row):
            pieces.append(piece)
    return layout.replace(pieces=tuple(pieces), call="", mentions=(), role_mentions=())


def without_call(layout: Layout) -> Layout:
    """The card without the message that calls somebody to it."""
    return layout if is_call(layout) else layout.replace(call="", mentions=(), role_mentions=())


def with_number(layout: Layout, number: str) -> Layout:
    """The card with a number at the end of its small print; a mere call with one below."""
    if is_call(layout):
        return layout.replace(call=f"{layout.call}\n-# {number}")
    pieces = list(layout.pieces)
    for place in range(len(pieces) - 1, -1, -1):
        piece = pieces[place]
        if isinstance(piece, SmallPrint):
            pieces[place] = SmallPrint(f"{piece.text} · {number}")
            break
    else:
        end = len(pieces)
        while end and isinstance(pieces[end - 1], Row):
            end -= 1
        pieces.insert(end, SmallPrint(number))
    return layout.replace(pieces=tuple(pieces))


def with_head_prefix(layout: Layout, before: str, accent: Accent | None = None) -> Layout:
    """The card with something put before its head, or before what a mere call says."""
    if is_call(layout):
        return layout.replace(call=before + layout.call)
    pieces = [
        Head(before + each.text) if isinstance(each, Head) else each for each in layout.pieces
    ]
    return layout.replace(pieces=tuple(pieces), accent=accent or layout.accent)


# --- as plain text --------------------------------------------------------------------------------

_STRUCK: Final = re.compile(r"(?<!\\)~~(.+?)(?<!\\)~~")
_MARKS: Final = re.compile(
    r"(?<!\\)\*\*|[✓✗└] |^(?:#{1,3}|-#|[→·•]) |^(?:```| *\^)\n", re.MULTILINE
)
_MINUS: Final = re.compile(r"(?<!\w)−(?=\d)")


def spoken_text(text: str) -> str:
    """A text without marks of ours and without signs: words stand for them."""
    text = text.replace("\u00a0", " ").replace("▸ ", "Now: ")
    text = _MARKS.sub("", _STRUCK.sub(r"\1 dropped", text))
    return _MINUS.sub(
        "minus ", text.replace(" → ", " to ").replace(" − ", " minus ").replace(" · ", ", ")
    )


def plain_text(layout: Layout) -> str:
    """The card for whoever has it read aloud: the same lines in the same order; pictures are what
    they show.
    """
    said: list[str] = []
    for piece in layout.pieces:
        match piece:
            case Head(text) | Heading(text) | Body(text) | SmallPrint(text):
                said.append(spoken_text(text))
            case QuotedText(text):
                said.append(f"“{text}”")
            case Section(text, Button(label=label)):
                said.append(f"{spoken_text(text)} [{unescape(label)}]")
            case Section(text, Portrait(url, alt, drawing)):
                said.append(spoken_text(text))
                if drawing is None:
                    said.append(f"Portrait: {alt and f'{alt} '}<{url}>")
            case Picture(alt=alt):
                said.append(f"Picture: {alt}")
            case _:
                pass
    return "\n".join(filter(None, said))

"""Layouts: messages as pieces from top to bottom, before they become Discord's or plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

from bot.presenters.controls import Attachment, Button, Control, Drawing, Picture, Rows
from bot.presenters.language.limits import HEAD, clip
from bot.presenters.language.text import unescape
from rules.core.record import Record

#: The color of a message. Its text always says the same.
#:
#: - `open`: a participant can act on it now.
#: - `good`, `bad`: a final result, good or bad for the players.
#: - `waiting`: it waits, is over without a winner, or nothing happened.
#: - `own`, `gm`: for one reader alone, for the GMs alone.
Accent = Literal["open", "good", "bad", "waiting", "own", "gm"]


class Head(Record):
    """The first and only large heading: the outcome, or who has to do what, in some 40 letters."""

    text: str


class Heading(Record):
    """A small heading."""

    text: str


class Body(Record):
    """A line of text, or several."""

    text: str


class QuotedText(Record):
    """A quote of escaped user text."""

    text: str


class SmallPrint(Record):
    """Small print: the state of things, times, numbers."""

    text: str


class Gap(Record):
    """A little space."""


class Divider(Record):
    """A thin line."""


class Portrait(Record):
    """A character's picture."""

    #: Web address, or the file name of a drawing.
    url: str
    alt: str = ""
    #: A picture that goes with the message and only adorns it.
    drawing: Drawing | None = None


class Section(Record):
    """Lines with their button or a portrait at the right."""

    text: str
    right: Button | Portrait


class Row(Record):
    """Up to five buttons, or one menu."""

    controls: tuple[Control, ...]


Piece = Head | Heading | Body | QuotedText | SmallPrint | Gap | Divider | Section | Row | Picture


class Layout(Record):
    """A message as pieces, whose texts are Markdown with user text escaped.

    A layout pings no users. If it has a `call`, an ordinary message pings them. If it has only rows
    besides, that message is all there is, with the rows below.
    """

    accent: Accent
    pieces: tuple[Piece, ...]
    attachment: Attachment | None = None
    call: str = ""
    #: Ids of the users and roles that the call may ping.
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
    """Return a layout with a head, lines and pieces, small print and rows, in this order.

    Empty lines are left out.
    """
    pieces: list[Piece] = [Head(clip(head, HEAD))]
    pieces += [Body(part) if isinstance(part, str) else part for part in parts if part]
    if small:
        pieces += [Gap(), SmallPrint(small)]
    return Layout(accent, (*pieces, *rows_of(rows)), attachment)


def rows_of(rows: Rows) -> tuple[Row, ...]:
    """Return rows of controls as pieces."""
    return tuple([Row(row) for row in rows])


def controls_of(layout: Layout) -> Iterable[Control]:
    """Yield every button and menu, from top to bottom."""
    for piece in layout.pieces:
        if isinstance(piece, Row):
            yield from piece.controls
        elif isinstance(piece, Section) and isinstance(piece.right, Button):
            yield piece.right


def is_call(layout: Layout) -> bool:
    """Return whether it's an ordinary message, because a layout's notification would be empty."""
    return all(isinstance(piece, Row) for piece in layout.pieces)


def without_controls(layout: Layout) -> Layout:
    """Return a layout without buttons, menus and calls."""
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
    """Return a layout without its call."""
    return layout if is_call(layout) else layout.replace(call="", mentions=(), role_mentions=())


def with_entry_number(layout: Layout, seq: int) -> Layout:
    """Return a layout with an entry's number, such as `#12`, at the end of its small print.

    A mere call has it below.
    """
    number = f"#{seq}"
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
    """Return a layout with a text put before its head, or before the text of a mere call."""
    if is_call(layout):
        return layout.replace(call=before + layout.call)
    pieces = tuple(
        Head(before + piece.text) if isinstance(piece, Head) else piece for piece in layout.pieces
    )
    return layout.replace(pieces=pieces, accent=accent or layout.accent)


# --- as plain text --------------------------------------------------------------------------------

_STRUCK: Final = re.compile(r"(?<!\\)~~(.+?)(?<!\\)~~")
_MARKS: Final = re.compile(
    r"(?<!\\)\*\*|[✓✗└] |^(?:#{1,3}|-#|[→·•]) |^(?:```| *\^)\n", re.MULTILINE
)
_MINUS: Final = re.compile(r"(?<!\w)−(?=\d)")


def spoken_text(text: str) -> str:
    """Return a text for a screen reader: words replace the bot's signs and marks."""
    text = text.replace("\u00a0", " ").replace("▸ ", "Now: ")
    text = _MARKS.sub("", _STRUCK.sub(r"\1 dropped", text))
    return _MINUS.sub(
        "minus ", text.replace(" → ", " to ").replace(" − ", " minus ").replace(" · ", ", ")
    )


def plain_text(layout: Layout) -> str:
    """Return a layout as text for a screen reader: the same lines, and pictures in words."""
    lines: list[str] = []
    for piece in layout.pieces:
        match piece:
            case Head(text) | Heading(text) | Body(text) | SmallPrint(text):
                lines.append(spoken_text(text))
            case QuotedText(text):
                lines.append(f"“{text}”")
            case Section(text, Button(label=label)):
                lines.append(f"{spoken_text(text)} [{unescape(label)}]")
            case Section(text, Portrait(url, alt, drawing)):
                lines.append(spoken_text(text))
                if drawing is None:
                    lines.append(f"Portrait: {alt and f'{alt} '}<{url}>")
            case Picture(alt=alt):
                lines.append(f"Picture: {alt}")
            case _:
                pass
    return "\n".join(filter(None, lines))

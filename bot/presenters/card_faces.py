"""Playing cards as a picture: rank and suit, drawn the same way every time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from textwrap import wrap
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from rules.core.cards import Card

_WIDTH: Final = 92
_HEIGHT: Final = 130
_GAP: Final = 8
_ROW: Final = 9
_TABLE: Final = (32, 66, 52)
_PAPER: Final = (250, 248, 242)
_EDGE: Final = (90, 90, 96)
_BLACK: Final = (24, 26, 32)
_RED: Final = (186, 32, 46)
_RED_SUITS: Final = frozenset({"hearts", "diamonds"})

_Colour = tuple[int, int, int]
_Shape = Callable[[ImageDraw.ImageDraw, float, float, float, _Colour], None]


def _round(draw: ImageDraw.ImageDraw, x: float, y: float, radius: float, colour: _Colour) -> None:
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def _stalk(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, colour: _Colour) -> None:
    draw.polygon(((x, y), (x - size * 0.35, y + size), (x + size * 0.35, y + size)), fill=colour)


def _hearts(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, colour: _Colour) -> None:
    for side in (-1, 1):
        _round(draw, x + side * size * 0.45, y - size * 0.35, size * 0.5, colour)
    draw.polygon(
        ((x - size * 0.92, y - size * 0.15), (x + size * 0.92, y - size * 0.15), (x, y + size)), colour
    )


def _spades(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, colour: _Colour) -> None:
    for side in (-1, 1):
        _round(draw, x + side * size * 0.45, y + size * 0.25, size * 0.5, colour)
    draw.polygon(
        ((x - size * 0.92, y + size * 0.1), (x + size * 0.92, y + size * 0.1), (x, y - size)), colour
    )
    _stalk(draw, x, y, size, colour)


def _clubs(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, colour: _Colour) -> None:
    for across, down in ((0, -0.5), (-0.5, 0.2), (0.5, 0.2)):
        _round(draw, x + across * size, y + down * size, size * 0.45, colour)
    _round(draw, x, y, size * 0.25, colour)
    _stalk(draw, x, y, size, colour)


def _diamonds(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, colour: _Colour) -> None:
    draw.polygon(((x, y - size), (x + size * 0.75, y), (x, y + size), (x - size * 0.75, y)), fill=colour)


_SUITS: Final[dict[str, _Shape]] = {
    "hearts": _hearts,
    "spades": _spades,
    "clubs": _clubs,
    "diamonds": _diamonds,
}


#: What stands in the corner of a card of that rank; other ranks stand there themselves, if they are short.
_CORNERS: Final = {
    "ace": "A", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "jack": "J", "queen": "Q", "king": "K",
}  # fmt: skip
_CORNER: Final = 3
#: What fits on a card without a suit: letters in a line, and lines.
_LINE: Final = 11
_LINES: Final = 5


def can_draw(card: Card) -> bool:
    """Whether the font has every letter of what would be drawn."""
    return all(sign.isascii() or "\xa1" <= sign <= "\xff" for sign in f"{card.name}{card.rank}")


def _lines(name: str) -> list[str]:
    """A name in lines that fit on a card; what does not is marked as left out."""
    lines = wrap(name, _LINE)
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "…"]


def _face(draw: ImageDraw.ImageDraw, card: Card, left: int, top: int) -> None:
    draw.rounded_rectangle((left, top, left + _WIDTH, top + _HEIGHT), 9, _PAPER, _EDGE)
    shape = _SUITS.get(card.suit)
    middle = left + _WIDTH / 2
    corner = _CORNERS.get(card.rank.casefold(), card.rank)
    corner = corner if len(corner) <= _CORNER else ""
    if shape is None:
        # No suit that could be drawn: its name, and its rank where that is short.
        draw.text((left + 8, top + 6), corner, _BLACK, ImageFont.load_default(size=20))
        lines = _lines(card.name)
        for number, line in enumerate(lines):
            height = top + _HEIGHT / 2 + 20 * (number - (len(lines) - 1) / 2) + (8 if corner else 0)
            draw.text((middle, height), line, _BLACK, ImageFont.load_default(size=15), "mm")
        return
    colour = _RED if card.suit in _RED_SUITS else _BLACK
    draw.text((left + 10, top + 8), corner, colour, ImageFont.load_default(size=30))
    shape(draw, middle, top + 82, 26, colour)


def card_faces(cards: Sequence[Card]) -> bytes:
    """The cards side by side, nine in a row, as PNG."""
    columns, rows = min(len(cards), _ROW), -(-len(cards) // _ROW)
    size = (columns * (_WIDTH + _GAP) + _GAP, rows * (_HEIGHT + _GAP) + _GAP)
    image = Image.new("RGB", size, _TABLE)
    draw = ImageDraw.Draw(image)
    for number, card in enumerate(cards):
        row, column = divmod(number, _ROW)
        _face(draw, card, _GAP + column * (_WIDTH + _GAP), _GAP + row * (_HEIGHT + _GAP))
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()

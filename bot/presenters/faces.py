"""Playing cards as a picture: rank and suit, drawn the same way every time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
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


def _face(draw: ImageDraw.ImageDraw, card: Card, left: int, top: int) -> None:
    draw.rounded_rectangle((left, top, left + _WIDTH, top + _HEIGHT), 9, _PAPER, _EDGE)
    shape = _SUITS.get(card.suit)
    middle = left + _WIDTH / 2
    if shape is None:
        # No suit: its name, word by word.
        for number, word in enumerate(card.name.split()[:4]):
            font = ImageFont.load_default(size=17)
            draw.text((middle, top + 38 + 24 * number), word[:9], _BLACK, font, "mm")
        return
    colour = _RED if card.suit in _RED_SUITS else _BLACK
    draw.text((left + 10, top + 8), card.id[:-1], colour, ImageFont.load_default(size=30))
    shape(draw, middle, top + 82, 26, colour)


def faces(cards: Sequence[Card]) -> bytes:
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

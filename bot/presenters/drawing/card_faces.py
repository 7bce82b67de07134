"""Playing cards as a picture: rank and suit, drawn the same way every time."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.drawing.canvas import font, png, wrap_text
from rules.core.cards import Card

#: A row of three fills the width of a phone, and its letters can be read there.
_WIDTH: Final = 224
_HEIGHT: Final = 316
_GAP: Final = 12
_ROW: Final = 3
_SUIT: Final = 64
_TABLE: Final = (32, 66, 52)
_PAPER: Final = (250, 248, 242)
_EDGE: Final = (90, 90, 96)
_BLACK: Final = (24, 26, 32)
_RED: Final = (186, 32, 46)
_RED_SUITS: Final = frozenset({"hearts", "diamonds"})

#: One card by itself: as wide as other pictures, its name and text as large as they fit, its suit
#: below.
_WIDE: Final = 720
_EDGES: Final = 36
_SIZES: Final = (58, 48, 42)
_TEXT_LINES: Final = {58: 3, 48: 4, 42: 9}
_SUIT_HIGH: Final = 220
#: Longer texts never fit into the lines there are.
_LETTERS: Final = 700

_STALK: Final = ((0, 0), (-0.35, 1), (0.35, 1))
#: Each suit as discs (center and radius) and polygons, round the middle and of size 1.
_SUITS: Final = {
    "hearts": (
        ((-0.45, -0.35, 0.5), (0.45, -0.35, 0.5)),
        (((-0.92, -0.15), (0.92, -0.15), (0, 1)),),
    ),
    "spades": (
        ((-0.45, 0.25, 0.5), (0.45, 0.25, 0.5)),
        (((-0.92, 0.1), (0.92, 0.1), (0, -1)), _STALK),
    ),
    "clubs": (((0, -0.5, 0.45), (-0.5, 0.2, 0.45), (0.5, 0.2, 0.45), (0, 0, 0.25)), (_STALK,)),
    "diamonds": ((), (((0, -1), (0.75, 0), (0, 1), (-0.75, 0)),)),
}


def _draw_suit(
    draw: ImageDraw.ImageDraw,
    suit: str,
    x: float,
    y: float,
    color: tuple[int, int, int],
    size: float = _SUIT,
) -> None:
    discs, polygons = _SUITS[suit]
    for across, down, radius in discs:
        left, top = x + size * (across - radius), y + size * (down - radius)
        draw.ellipse((left, top, left + 2 * size * radius, top + 2 * size * radius), fill=color)
    for corners in polygons:
        draw.polygon([(x + size * across, y + size * down) for across, down in corners], fill=color)


#: What stands in the corner of a card of that rank; other ranks stand there themselves, if they are
#: short.
_CORNERS: Final = {
    "ace": "A",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "jack": "J",
    "queen": "Q",
    "king": "K",
}
_CORNER: Final = 3
#: What fits on a card without a suit: letters in a line, and lines.
_LINE: Final = 10
_LINES: Final = 5


def can_draw_card(card: Card) -> bool:
    """Whether the font has every letter of what would be drawn."""
    return all(sign.isascii() or "\xa1" <= sign <= "\xff" for sign in f"{card.name}{card.rank}")


def _lines(name: str) -> list[str]:
    """A name in lines that fit on a card; what does not is marked as left out."""
    lines = wrap(name, _LINE)
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "…"]


def _fold(text: str, size: int) -> list[str]:
    return wrap_text(text, size, _WIDE - 2 * _EDGES)


#: Lines of a card with the size of their letters.
Lines = tuple[tuple[str, int], ...]


def card_lines(card: Card) -> tuple[Lines, int] | None:
    """What stands on a card that is to be read on a phone, all of it, and how many lines are its
    name; None where that cannot be drawn, or is too much.
    """
    written = "".join([card.text, *(f"{name}{value}" for name, value in card.fields)])
    if max(len(card.text), len(written) - len(card.text)) > _LETTERS:
        return None
    if not can_draw_card(card) or not can_draw_card(Card("", written)):
        return None
    size = next((each for each in _SIZES if len(_fold(card.text, each)) <= _TEXT_LINES[each]), 0)
    fields = [line for name, value in card.fields for line in _fold(f"{name}: {value}", _SIZES[-1])]
    name = _fold(card.name, _SIZES[0])
    if not size or len(name) > 2 or len(fields) > _TEXT_LINES[_SIZES[-1]]:
        return None
    lines = [(line, _SIZES[0]) for line in name] + [(line, size) for line in _fold(card.text, size)]
    lines += [(line, _SIZES[-1]) for line in fields]
    if any(font(each).getlength(line) > _WIDE - 2 * _EDGES for line, each in lines):
        return None
    return tuple(lines), len(name)


def card_picture(card: Card, lines: Lines, named: int) -> bytes:
    """One card with these lines, as PNG."""
    drawn = card.suit in _SUITS
    height = (
        2 * _EDGES + sum(each * 5 // 4 for _, each in lines) + _EDGES + (_SUIT_HIGH if drawn else 0)
    )
    image = Image.new("RGB", (_WIDE, height), _PAPER)
    draw = ImageDraw.Draw(image)
    color = _RED if card.suit in _RED_SUITS else _BLACK
    top = float(_EDGES)
    for number, (line, each) in enumerate(lines):
        if number == named:
            draw.line((_EDGES, top + _EDGES / 4, _WIDE - _EDGES, top + _EDGES / 4), _BLACK, 4)
            top += _EDGES
        draw.text((_EDGES, top), line, _BLACK, font(each))
        top += each * 5 // 4
    if drawn:
        corner = _CORNERS.get(card.rank.casefold(), card.rank)[:_CORNER]
        middle = height - _EDGES - _SUIT_HIGH / 2
        draw.text((_WIDE / 2 - 24, middle), corner, color, font(160), "rm")
        _draw_suit(draw, card.suit, _WIDE / 2 + 110, middle, color, 84)
    return png(image)


def _face(draw: ImageDraw.ImageDraw, card: Card, left: int, top: int) -> None:
    draw.rounded_rectangle((left, top, left + _WIDTH, top + _HEIGHT), 22, _PAPER, _EDGE, 2)
    middle = left + _WIDTH / 2
    corner = _CORNERS.get(card.rank.casefold(), card.rank)
    corner = corner if len(corner) <= _CORNER else ""
    if card.suit not in _SUITS:
        # No suit that could be drawn: its name, and its rank where that is short.
        draw.text((left + 20, top + 14), corner, _BLACK, font(48))
        lines = _lines(card.name)
        for number, line in enumerate(lines):
            height = (
                top + _HEIGHT / 2 + 44 * (number - (len(lines) - 1) / 2) + (28 if corner else 0)
            )
            draw.text((middle, height), line, _BLACK, font(_SIZES[-1]), "mm")
        return
    color = _RED if card.suit in _RED_SUITS else _BLACK
    draw.text((left + 24, top + 20), corner, color, font(72))
    _draw_suit(draw, card.suit, middle, top + 200, color)


def card_faces(cards: Sequence[Card]) -> bytes:
    """The cards side by side, three in a row, as PNG."""
    columns, rows = min(len(cards), _ROW), -(-len(cards) // _ROW)
    image = Image.new(
        "RGB", (columns * (_WIDTH + _GAP) + _GAP, rows * (_HEIGHT + _GAP) + _GAP), _TABLE
    )
    draw = ImageDraw.Draw(image)
    for number, card in enumerate(cards):
        row, column = divmod(number, _ROW)
        _face(draw, card, _GAP + column * (_WIDTH + _GAP), _GAP + row * (_HEIGHT + _GAP))
    return png(image)

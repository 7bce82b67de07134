"""Pictures of playing cards with rank and suit, drawn the same way every time."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.drawing.canvas import font, png, wrap_text
from rules.core.cards import Card

#: Size of a card in pixels. A row of three fills the width of a phone, and stays readable.
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

#: Width of one card by itself, as wide as other pictures.
_WIDE: Final = 720
_EDGES: Final = 36
#: Sizes of letters, the largest first, and most lines of text in each size.
_SIZES: Final = (58, 48, 42)
_TEXT_LINES: Final = {58: 3, 48: 4, 42: 9}
_SUIT_HEIGHT: Final = 220
#: Most letters of a text. A longer one never fits.
_MAX_LETTERS: Final = 700

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


#: Corner texts by rank. Any other rank is its own corner text if it's short.
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
#: Most letters of a corner text.
_CORNER: Final = 3
#: Most letters in a line, and most lines, of a card without a suit.
_LINE: Final = 10
_LINES: Final = 5


def can_draw_card(card: Card) -> bool:
    """Return whether the font has every letter of the card's name and rank."""
    return all(sign.isascii() or "\xa1" <= sign <= "\xff" for sign in f"{card.name}{card.rank}")


def _lines(name: str) -> list[str]:
    """Return a name in lines that fit on a card; an ellipsis stands for the rest."""
    lines = wrap(name, _LINE)
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "…"]


def _fold(text: str, size: int) -> list[str]:
    return wrap_text(text, size, _WIDE - 2 * _EDGES)


#: Lines of a card with the size of their letters.
Lines = tuple[tuple[str, int], ...]


def card_lines(card: Card) -> tuple[Lines, int] | None:
    """Return all lines of a card for a phone, and how many of them are its name.

    Return None if the font lacks a letter, or if there is too much text.
    """
    fields = [f"{name}: {value}" for name, value in card.fields]
    field_letters = "".join(f"{name}{value}" for name, value in card.fields)
    if max(len(card.text), len(field_letters)) > _MAX_LETTERS:
        return None
    if not can_draw_card(card) or not can_draw_card(Card("", card.text + field_letters)):
        return None
    size = next((size for size in _SIZES if _fits(card.text, size)), 0)
    smallest = _SIZES[-1]
    name = _fold(card.name, _SIZES[0])
    field_lines: list[str] = []
    for field in fields:
        field_lines += _fold(field, smallest)
    if not size or len(name) > 2 or len(field_lines) > _TEXT_LINES[smallest]:
        return None
    lines = [(line, _SIZES[0]) for line in name]
    lines += [(line, size) for line in _fold(card.text, size)]
    lines += [(line, smallest) for line in field_lines]
    room = _WIDE - 2 * _EDGES
    if any(font(line_size).getlength(line) > room for line, line_size in lines):
        return None
    return tuple(lines), len(name)


def _fits(text: str, size: int) -> bool:
    """Return whether a card's text fits in the lines for this size."""
    return len(_fold(text, size)) <= _TEXT_LINES[size]


def card_picture(card: Card, lines: Lines, named: int) -> bytes:
    """Return one card with these lines as PNG; the first `named` lines are its name."""
    has_suit = card.suit in _SUITS
    height = 3 * _EDGES + sum(size * 5 // 4 for _, size in lines)
    if has_suit:
        height += _SUIT_HEIGHT
    image = Image.new("RGB", (_WIDE, height), _PAPER)
    draw = ImageDraw.Draw(image)
    color = _RED if card.suit in _RED_SUITS else _BLACK
    top = float(_EDGES)
    for number, (line, size) in enumerate(lines):
        if number == named:
            draw.line((_EDGES, top + _EDGES / 4, _WIDE - _EDGES, top + _EDGES / 4), _BLACK, 4)
            top += _EDGES
        draw.text((_EDGES, top), line, _BLACK, font(size))
        top += size * 5 // 4
    if has_suit:
        corner = _CORNERS.get(card.rank.casefold(), card.rank)[:_CORNER]
        middle = height - _EDGES - _SUIT_HEIGHT / 2
        draw.text((_WIDE / 2 - 24, middle), corner, color, font(160), "rm")
        _draw_suit(draw, card.suit, _WIDE / 2 + 110, middle, color, 84)
    return png(image)


def _face(draw: ImageDraw.ImageDraw, card: Card, left: int, top: int) -> None:
    draw.rounded_rectangle((left, top, left + _WIDTH, top + _HEIGHT), 22, _PAPER, _EDGE, 2)
    middle = left + _WIDTH / 2
    corner = _CORNERS.get(card.rank.casefold(), card.rank)
    if len(corner) > _CORNER:
        corner = ""
    if card.suit not in _SUITS:
        # A card without a suit has its name, and its rank if that is short.
        draw.text((left + 20, top + 14), corner, _BLACK, font(48))
        lines = _lines(card.name)
        center = top + _HEIGHT / 2 + (28 if corner else 0)
        for number, line in enumerate(lines):
            height = center + 44 * (number - (len(lines) - 1) / 2)
            draw.text((middle, height), line, _BLACK, font(_SIZES[-1]), "mm")
        return
    color = _RED if card.suit in _RED_SUITS else _BLACK
    draw.text((left + 24, top + 20), corner, color, font(72))
    _draw_suit(draw, card.suit, middle, top + 200, color)


def card_faces(cards: Sequence[Card]) -> bytes:
    """Return the cards side by side, three in a row, as PNG."""
    columns, rows = min(len(cards), _ROW), -(-len(cards) // _ROW)
    size = columns * (_WIDTH + _GAP) + _GAP, rows * (_HEIGHT + _GAP) + _GAP
    image = Image.new("RGB", size, _TABLE)
    draw = ImageDraw.Draw(image)
    for number, card in enumerate(cards):
        row, column = divmod(number, _ROW)
        _face(draw, card, _GAP + column * (_WIDTH + _GAP), _GAP + row * (_HEIGHT + _GAP))
    return png(image)

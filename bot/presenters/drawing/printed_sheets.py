"""A page with figures to read first: dark for a phone, and light for paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.drawing.canvas import font, png, wrap_text
from bot.presenters.drawing.charts import BACKGROUND_COLOR, QUIET_COLOR, TEXT_COLOR, WIDTH
from rules.core.record import Record

#: Most characters of all lines: a page that has more is cut off.
TEXT_MOST: Final = 6000
_LINES_MOST: Final = 90
_PAPER: Final = (255, 255, 255)
_INK: Final = (16, 16, 20)
_GRAY: Final = (96, 98, 106)


class _Style(Record):
    """Sizes in pixels, and colors."""

    width: int
    #: Height of every page; None: as much as there is.
    height: int | None
    edge: int
    title: int
    figure: int
    label: int
    text: int
    background: tuple[int, int, int]
    ink: tuple[int, int, int]
    quiet: tuple[int, int, int]


_PHONE: Final = _Style(WIDTH, None, 24, 48, 96, 32, 30, BACKGROUND_COLOR, TEXT_COLOR, QUIET_COLOR)
#: A4 with 150 dots an inch.
_PRINT: Final = _Style(1240, 1754, 90, 56, 110, 34, 26, _PAPER, _INK, _GRAY)


def can_draw(*texts: str) -> bool:
    """Return whether the font has every letter of the texts."""
    return all(
        sign.isascii() or "\xa1" <= sign <= "\xff" or sign in "–−’“”…"
        for text in texts
        for sign in text
    )


def phone_sheet(title: str, figures: Sequence[tuple[str, str]], lines: Sequence[str]) -> bytes:
    """Return the page for a phone: 720 pixels wide, as high as it has to be."""
    return _page(_PHONE, title, figures, lines)


def print_sheet(title: str, figures: Sequence[tuple[str, str]], lines: Sequence[str]) -> bytes:
    """Return one page of paper; letters get smaller until everything fits."""
    style = _PRINT
    while style.text > 12 and _text_height(style, title, lines) > (style.height or 0):
        style = style.replace(text=style.text - 2)
    return _page(style, title, figures, lines)


def _wrapped(style: _Style, lines: Sequence[str]) -> list[str]:
    room = style.width - 2 * style.edge
    found: list[str] = []
    for line in lines:
        found += wrap_text(line, style.text, room) or [""]
    return found[:_LINES_MOST]


def _line_height(size: int) -> int:
    return round(size * 1.4)


def _head_height(style: _Style, title: str) -> int:
    titles = wrap_text(title, style.title, style.width - 2 * style.edge)
    figures = _line_height(style.figure) + _line_height(style.label)
    return style.edge + len(titles) * _line_height(style.title) + figures


def _text_height(style: _Style, title: str, lines: Sequence[str]) -> int:
    text = len(_wrapped(style, lines)) * _line_height(style.text)
    return _head_height(style, title) + text + 2 * style.edge


def _page(
    style: _Style, title: str, figures: Sequence[tuple[str, str]], lines: Sequence[str]
) -> bytes:
    height = style.height or _text_height(style, title, lines)
    image = Image.new("RGB", (style.width, height), style.background)
    draw = ImageDraw.Draw(image)
    top = style.edge
    for line in wrap_text(title, style.title, style.width - 2 * style.edge):
        draw.text((style.edge, top), line, style.ink, font(style.title))
        top += _line_height(style.title)
    column = (style.width - 2 * style.edge) // max(1, len(figures))
    for at, (label, number) in enumerate(figures):
        left = style.edge + at * column
        draw.text((left, top), number, style.ink, font(_fitting(style.figure, number, column)))
        draw.text((left, top + _line_height(style.figure)), label, style.quiet, font(style.label))
    top = _head_height(style, title) + style.edge
    for line in _wrapped(style, lines):
        draw.text((style.edge, top), line, style.ink, font(style.text))
        top += _line_height(style.text)
    return png(image)


def _fitting(size: int, text: str, width: int) -> int:
    """Return the largest size up to this one at which a text fits."""
    while size > 24 and font(size).getlength(text) > width - 12:
        size -= 8
    return size

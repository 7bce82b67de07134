"""Printed sheets: a page that begins with large figures, dark for a phone or light for paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.drawing.canvas import font, png, wrap_text
from bot.presenters.drawing.charts import BACKGROUND_COLOR, QUIET_COLOR, TEXT_COLOR, WIDTH
from rules.core.record import Record

#: Most letters of all lines of a page.
TEXT_MOST: Final = 6000
#: Most lines of a page; lines beyond are cut off.
_MAX_LINES: Final = 90
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
        sign.isascii() or "\xa1" <= sign <= "\xff" or sign in "–−’“”…" for sign in "".join(texts)
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


def _wrap_lines(style: _Style, lines: Sequence[str]) -> list[str]:
    """Return lines that fit the page; an empty line stays."""
    room = style.width - 2 * style.edge
    wrapped: list[str] = []
    for line in lines:
        wrapped += wrap_text(line, style.text, room) or [""]
    return wrapped[:_MAX_LINES]


def _line_height(size: int) -> int:
    return round(size * 1.4)


def _head_height(style: _Style, title: str) -> int:
    titles = wrap_text(title, style.title, style.width - 2 * style.edge)
    figures = _line_height(style.figure) + _line_height(style.label)
    return style.edge + len(titles) * _line_height(style.title) + figures


def _text_height(style: _Style, title: str, lines: Sequence[str]) -> int:
    text = len(_wrap_lines(style, lines)) * _line_height(style.text)
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
        draw.text((left, top), number, style.ink, font(_fitting_size(style.figure, number, column)))
        draw.text((left, top + _line_height(style.figure)), label, style.quiet, font(style.label))
    top = _head_height(style, title) + style.edge
    for line in _wrap_lines(style, lines):
        draw.text((style.edge, top), line, style.ink, font(style.text))
        top += _line_height(style.text)
    return png(image)


def _fitting_size(size: int, text: str, width: int) -> int:
    """Return the largest size up to this one at which a text fits."""
    while size > 24 and font(size).getlength(text) > width - 12:
        size -= 8
    return size

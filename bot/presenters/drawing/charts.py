"""Pictures as PNG, drawn the same way every time: no text that people typed, nothing told by color
alone.

They are to be read on a phone: 720 pixels wide with type of 42, seven rows at most, on a background
of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.drawing.canvas import font, png
from rules.core.record import Record

#: Most rows of a picture.
MAX_BARS: Final = 7
#: Its own background makes it readable on dark and light alike.
BACKGROUND_COLOR: Final = (32, 34, 40)
TEXT_COLOR: Final = (240, 241, 244)
QUIET_COLOR: Final = (178, 182, 192)
TRACK_COLOR: Final = (62, 66, 76)
#: Of a bar, and of the one that is meant; that has a frame as well.
BAR_COLOR: Final = (150, 158, 172)
MARKED_BAR_COLOR: Final = (86, 180, 233)
WIDTH: Final = 720
_SIZE: Final = 42
_ROW: Final = 92
_CELL: Final = 74
_EDGE: Final = 24
#: What a label may take beside its bar; a longer one stands above it.
_LABEL: Final = 368
_LEAST_BAR: Final = 14
#: More letters never fit: each has more than seven pixels.
_LETTERS: Final = 100

_Draw = ImageDraw.ImageDraw


class Bar(Record):
    """One bar: what it is, how long (0 to 1), what is written behind it, and whether it is the one
    that is meant.
    """

    label: str
    share: Fraction
    text: str
    marked: bool = False


def text_width(text: str) -> float:
    """How many pixels a text takes."""
    return font(_SIZE).getlength(text)


def _shortened_text(text: str, most: float) -> str:
    """The text, shortened to `most` pixels; the whole of it stands in the words that go with the
    picture.
    """
    if len(text) <= _LETTERS and text_width(text) <= most:
        return text
    text = text[:_LETTERS]
    while text and text_width(f"{text}...") > most:
        text = text[:-1]
    return f"{text.rstrip()}..."


def _new_canvas(height: int) -> tuple[Image.Image, _Draw]:
    image = Image.new("RGB", (WIDTH, height + 2 * _EDGE), BACKGROUND_COLOR)
    return image, ImageDraw.Draw(image)


def _draw_strong(draw: _Draw, at: tuple[float, float], text: str, anchor: str) -> None:
    draw.text(at, text, TEXT_COLOR, font(_SIZE), anchor, stroke_width=1, stroke_fill=TEXT_COLOR)


def bar_chart(bars: Sequence[Bar]) -> bytes:
    """Bars below one another; where a label is long, all stand below their labels."""
    image, draw = _new_canvas(_ROW * len(bars))
    behind = max(text_width(bar.text) for bar in bars) + _EDGE
    beside = all(text_width(bar.label[:_LETTERS]) <= _LABEL - _EDGE for bar in bars)
    left, right = (_EDGE + _LABEL if beside else _EDGE), WIDTH - _EDGE - behind
    above, below = (18, 66) if beside else (56, 76)
    for number, bar in enumerate(bars):
        top = _EDGE + number * _ROW
        room = (_LABEL if beside else WIDTH - 2 * _EDGE - behind) - _EDGE
        draw.text(
            (_EDGE, top + (42 if beside else 26)),
            _shortened_text(bar.label, room),
            TEXT_COLOR,
            font(_SIZE),
            "lm",
        )
        draw.rounded_rectangle((left, top + above, right, top + below), 8, TRACK_COLOR)
        share = min(Fraction(1), max(Fraction(0), bar.share))
        if share:
            end = left + max(_LEAST_BAR, round((right - left) * share))
            draw.rounded_rectangle(
                (left, top + above, end, top + below),
                8,
                MARKED_BAR_COLOR if bar.marked else BAR_COLOR,
            )
        _draw_strong(draw, (WIDTH - _EDGE, top + 42), bar.text, "rm")
        if bar.marked:
            draw.rounded_rectangle(
                (8, top - 4, WIDTH - 9, top + 86), 16, outline=TEXT_COLOR, width=5
            )
    return png(image)


def fits_grid(rows: Sequence[Sequence[str]]) -> bool:
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    return sum(widths) + _EDGE * (len(widths) - 1) <= WIDTH - 2 * _EDGE


def grid(rows: Sequence[Sequence[str]], strong: Sequence[int]) -> bytes:
    """Texts in columns; `strong` are the places of those columns that are read for, all else is
    quiet.
    """
    image, draw = _new_canvas(_CELL * len(rows))
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    apart = (WIDTH - 2 * _EDGE - sum(widths)) / max(1, len(widths) - 1)
    for number, row in enumerate(rows):
        middle, right = _EDGE + number * _CELL + _CELL / 2, float(_EDGE)
        for place, (text, width) in enumerate(zip(row, widths, strict=True)):
            right += width
            if place in strong:
                _draw_strong(draw, (right, middle), text, "rm")
            else:
                at, anchor = (right, "rm") if place else (_EDGE, "lm")
                draw.text((at, middle), text, QUIET_COLOR, font(_SIZE), anchor)
            right += apart
    return png(image)

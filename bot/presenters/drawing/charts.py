"""Charts as PNG, drawn the same way every time, without user text.

They are made for a phone: 720 pixels wide with type of 42, at most seven rows, on a background of
their own. Nothing is told by color alone.
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
#: Background that is readable in Discord's dark and light themes.
BACKGROUND_COLOR: Final = (32, 34, 40)
TEXT_COLOR: Final = (240, 241, 244)
QUIET_COLOR: Final = (178, 182, 192)
TRACK_COLOR: Final = (62, 66, 76)
#: Colors of a bar, and of the marked one, which has a frame as well.
BAR_COLOR: Final = (150, 158, 172)
MARKED_BAR_COLOR: Final = (86, 180, 233)
WIDTH: Final = 720
_SIZE: Final = 42
_ROW: Final = 92
_CELL: Final = 74
_EDGE: Final = 24
#: Most pixels of a label beside its bar; a longer label stands above the bar.
_LABEL: Final = 368
_LEAST_BAR: Final = 14
#: Most letters of a label. More never fit, because each has more than seven pixels.
_MAX_LETTERS: Final = 100

_Draw = ImageDraw.ImageDraw


class Bar(Record):
    """One bar of a chart."""

    label: str
    #: Length, from 0 to 1.
    share: Fraction
    #: Text behind the bar.
    text: str
    #: Whether it is the bar in question.
    marked: bool = False


def text_width(text: str) -> float:
    """Return the width of a text in pixels."""
    return font(_SIZE).getlength(text)


def _shortened_text(text: str, most: float) -> str:
    """Return a text shortened to `most` pixels; the picture's alt text has the whole."""
    if len(text) <= _MAX_LETTERS and text_width(text) <= most:
        return text
    text = text[:_MAX_LETTERS]
    while text and text_width(f"{text}...") > most:
        text = text[:-1]
    return f"{text.rstrip()}..."


def _new_canvas(height: int) -> tuple[Image.Image, _Draw]:
    image = Image.new("RGB", (WIDTH, height + 2 * _EDGE), BACKGROUND_COLOR)
    return image, ImageDraw.Draw(image)


def _draw_strong(draw: _Draw, at: tuple[float, float], text: str, anchor: str) -> None:
    draw.text(at, text, TEXT_COLOR, font(_SIZE), anchor, stroke_width=1, stroke_fill=TEXT_COLOR)


def bar_chart(bars: Sequence[Bar]) -> bytes:
    """Return bars below one another; if a label is long, all bars stand below their labels."""
    image, draw = _new_canvas(_ROW * len(bars))
    behind = max(text_width(bar.text) for bar in bars) + _EDGE
    right = WIDTH - _EDGE - behind
    beside = all(text_width(bar.label[:_MAX_LETTERS]) <= _LABEL - _EDGE for bar in bars)
    if beside:
        left, above, below, label_middle = _EDGE + _LABEL, 18, 66, 42
        room: float = _LABEL - _EDGE
    else:
        left, above, below, label_middle = _EDGE, 56, 76, 26
        room = WIDTH - 2 * _EDGE - behind - _EDGE
    for number, bar in enumerate(bars):
        top = _EDGE + number * _ROW
        label = _shortened_text(bar.label, room)
        draw.text((_EDGE, top + label_middle), label, TEXT_COLOR, font(_SIZE), "lm")
        draw.rounded_rectangle((left, top + above, right, top + below), 8, TRACK_COLOR)
        share = min(Fraction(1), max(Fraction(0), bar.share))
        if share:
            end = left + max(_LEAST_BAR, round((right - left) * share))
            color = MARKED_BAR_COLOR if bar.marked else BAR_COLOR
            draw.rounded_rectangle((left, top + above, end, top + below), 8, color)
        _draw_strong(draw, (WIDTH - _EDGE, top + 42), bar.text, "rm")
        if bar.marked:
            draw.rounded_rectangle(
                (8, top - 4, WIDTH - 9, top + 86), 16, outline=TEXT_COLOR, width=5
            )
    return png(image)


def fits_grid(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the columns of a grid fit side by side."""
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    return sum(widths) + _EDGE * (len(widths) - 1) <= WIDTH - 2 * _EDGE


def grid(rows: Sequence[Sequence[str]], strong: Sequence[int]) -> bytes:
    """Return texts in columns; `strong` are the places of the columns in bright letters."""
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

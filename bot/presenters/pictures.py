"""Pictures as PNG, drawn the same way every time: no text that people typed, nothing told by colour alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from io import BytesIO
from typing import Final

from PIL import Image, ImageDraw, ImageFont

#: Its own background makes it readable on dark and light alike.
_BACKGROUND: Final = (32, 34, 40)
_TEXT: Final = (236, 238, 242)
_QUIET: Final = (178, 184, 194)
_TRACK: Final = (58, 62, 72)
_SHADES: Final = ((104, 164, 236), (240, 180, 86), (150, 158, 172))
_WIDTH = 760
_MARGIN = 18
_HEADING = 20
_SIZE = 15
_LEAST_SIZE = 10
_ROW = 26
_LEAST_ROW = 13
_GAP = 8
_HIGHEST = 500
_GROUP = 180
_LABEL = 225
_WIDE_LABEL = 300
_PERCENT = 86

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: what it is, how long (0 to 1), what is written behind it, and which shade it has (0 to 2)."""

    label: str
    share: Fraction
    text: str
    shade: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Bars that belong together, under a label of their own beside them."""

    label: str
    bars: tuple[Bar, ...]


@lru_cache(maxsize=8)
def _font(size: int) -> Font:
    return ImageFont.load_default(size=size)


def _fitted(draw: ImageDraw.ImageDraw, text: str, font: Font, most: int) -> str:
    """The text, shortened to `most` pixels; the whole of it stands in the message beside the picture."""
    if draw.textlength(text, font=font) <= most:
        return text
    while text and draw.textlength(f"{text}...", font=font) > most:
        text = text[:-1]
    return f"{text.rstrip()}..."


def bar_chart(title: str, groups: Sequence[Group]) -> bytes:
    """Horizontal bars under a title, at most 760 by 500 pixels as long as there are no more than 28 bars."""
    count = sum(len(group.bars) for group in groups)
    head = _MARGIN + _HEADING + _MARGIN
    room = _HIGHEST - head - _MARGIN - _GAP * max(0, len(groups) - 1)
    row = max(_LEAST_ROW, min(_ROW, room // max(1, count)))
    height = head + row * count + _GAP * max(0, len(groups) - 1) + _MARGIN
    image = Image.new("RGB", (_WIDTH, height), _BACKGROUND)
    draw = ImageDraw.Draw(image)
    draw.text((_MARGIN, _MARGIN), title, fill=_TEXT, font=_font(_HEADING))
    font = _font(max(_LEAST_SIZE, min(_SIZE, row - 6)))
    grouped = _GROUP if any(group.label for group in groups) else 0
    label_width = _LABEL if grouped else _WIDE_LABEL
    left = _MARGIN + grouped + label_width
    length = _WIDTH - left - _PERCENT - _MARGIN
    top = head
    for group in groups:
        draw.text((_MARGIN, top + row // 2), _fitted(draw, group.label, font, _GROUP - 12), _TEXT, font, "lm")
        for bar in group.bars:
            middle = top + row // 2
            label = _fitted(draw, bar.label, font, label_width - 12)
            draw.text((_MARGIN + grouped, middle), label, _QUIET, font, "lm")
            box = (left, top + 3, left + length, top + row - 3)
            draw.rectangle(box, fill=_TRACK)
            filled = round(length * min(Fraction(1), max(Fraction(0), bar.share)))
            if filled:
                draw.rectangle(
                    (box[0], box[1], left + filled, box[3]), fill=_SHADES[bar.shade % len(_SHADES)]
                )
            draw.text((left + length + 10, middle), bar.text, _TEXT, font, "lm")
            top += row
        top += _GAP
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()

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
BACKGROUND: Final = (32, 34, 40)
TEXT: Final = (236, 238, 242)
QUIET: Final = (178, 184, 194)
TRACK: Final = (58, 62, 72)
SHADES: Final = ((104, 164, 236), (240, 180, 86), (150, 158, 172))
WIDTH: Final = 760
MARGIN: Final = 18
HEADING: Final = 20
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
def font_of(size: int) -> Font:
    """The typeface in a size."""
    return ImageFont.load_default(size=size)


def fitted(draw: ImageDraw.ImageDraw, text: str, font: Font, most: int) -> str:
    """The text, shortened to `most` pixels; the whole of it stands in the message beside the picture."""
    if draw.textlength(text, font=font) <= most:
        return text
    while text and draw.textlength(f"{text}...", font=font) > most:
        text = text[:-1]
    return f"{text.rstrip()}..."


def bar_chart(title: str, groups: Sequence[Group]) -> bytes:
    """Horizontal bars under a title, at most 760 by 500 pixels as long as there are no more than 28 bars."""
    count = sum(len(group.bars) for group in groups)
    head = MARGIN + HEADING + MARGIN
    room = _HIGHEST - head - MARGIN - _GAP * max(0, len(groups) - 1)
    row = max(_LEAST_ROW, min(_ROW, room // max(1, count)))
    height = head + row * count + _GAP * max(0, len(groups) - 1) + MARGIN
    image = Image.new("RGB", (WIDTH, height), BACKGROUND)
    draw = ImageDraw.Draw(image)
    draw.text((MARGIN, MARGIN), title, fill=TEXT, font=font_of(HEADING))
    font = font_of(max(_LEAST_SIZE, min(_SIZE, row - 6)))
    grouped = _GROUP if any(group.label for group in groups) else 0
    label_width = _LABEL if grouped else _WIDE_LABEL
    left = MARGIN + grouped + label_width
    length = WIDTH - left - _PERCENT - MARGIN
    top = head
    for group in groups:
        draw.text((MARGIN, top + row // 2), fitted(draw, group.label, font, _GROUP - 12), TEXT, font, "lm")
        for bar in group.bars:
            middle = top + row // 2
            label = fitted(draw, bar.label, font, label_width - 12)
            draw.text((MARGIN + grouped, middle), label, QUIET, font, "lm")
            box = (left, top + 3, left + length, top + row - 3)
            draw.rectangle(box, fill=TRACK)
            filled = round(length * min(Fraction(1), max(Fraction(0), bar.share)))
            if filled:
                draw.rectangle((box[0], box[1], left + filled, box[3]), fill=SHADES[bar.shade % len(SHADES)])
            draw.text((left + length + 10, middle), bar.text, TEXT, font, "lm")
            top += row
        top += _GAP
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()

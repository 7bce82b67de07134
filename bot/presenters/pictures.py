"""Pictures as PNG, drawn the same way every time: no text that people typed, nothing told by colour alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from io import BytesIO
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from rules.core.dice.odds import Distribution

#: Its own background makes it readable on dark and light alike.
BACKGROUND: Final = (32, 34, 40)
TEXT: Final = (236, 238, 242)
QUIET: Final = (178, 184, 194)
TRACK: Final = (58, 62, 72)
SHADES: Final = ((104, 164, 236), (240, 180, 86), (150, 158, 172))
_WIDTH: Final = 760
_MARGIN: Final = 18
_HEADING: Final = 20
_HEAD: Final = _MARGIN + _HEADING + _MARGIN
#: Between what is written and the bar before or behind it.
_BESIDE: Final = 8

#: Of bars alone: type and rows shrink where there are many.
_SIZE: Final = 15
_LEAST_SIZE: Final = 10
_ROW: Final = 26
_LEAST_ROW: Final = 13
_GAP: Final = 8
_HIGHEST: Final = 500
_GROUP: Final = 180
_LABEL: Final = 225
_WIDE_LABEL: Final = 300
_PERCENT: Final = 86

#: Of bars beside which every total stands: everything is small.
_SMALL: Final = 12
_SMALL_ROW: Final = 16
_SMALL_GROUP: Final = 64
_SMALL_LABEL: Final = 108
_SMALL_BAR: Final = 96
_SMALL_PERCENT: Final = 62
_APART: Final = 12
_AXIS: Final = 24
#: The least height of the columns beside the bars.
_LEAST: Final = 72
#: Totals rarer than this at either end are left out of the picture, unless a mark stands there.
_RARE: Final = Fraction(1, 2000)

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
    """Bars that belong together, under a label of their own beside them; of a die also how likely each total is."""

    label: str
    bars: tuple[Bar, ...]
    totals: Distribution | None = None


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


def _begun(title: str, height: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", (_WIDTH, height), BACKGROUND)
    draw = ImageDraw.Draw(image)
    draw.text((_MARGIN, _MARGIN), title, fill=TEXT, font=_font(_HEADING))
    return image, draw


def _png(image: Image.Image) -> bytes:
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _draw_bars(
    draw: ImageDraw.ImageDraw,
    bars: Sequence[Bar],
    font: Font,
    place: tuple[int, int, int],
    widths: tuple[int, int],
) -> None:
    """Bars below one another: `place` is left, top and the height of a row, `widths` those of labels and bars."""
    (left, top, row), (label, length) = place, widths
    start = left + label
    for bar in bars:
        middle = top + row // 2
        draw.text((left, middle), _fitted(draw, bar.label, font, label - _BESIDE), QUIET, font, "lm")
        draw.rectangle((start, top + 3, start + length, top + row - 3), fill=TRACK)
        filled = round(length * min(Fraction(1), max(Fraction(0), bar.share)))
        if filled:
            shade = SHADES[bar.shade % len(SHADES)]
            draw.rectangle((start, top + 3, start + filled, top + row - 3), fill=shade)
        draw.text((start + length + _BESIDE, middle), bar.text, TEXT, font, "lm")
        top += row


def bar_chart(title: str, groups: Sequence[Group]) -> bytes:
    """Horizontal bars under a title, at most 760 by 500 pixels as long as there are no more than 28 bars."""
    count = sum(len(group.bars) for group in groups)
    gaps = _GAP * max(0, len(groups) - 1)
    row = max(_LEAST_ROW, min(_ROW, (_HIGHEST - _HEAD - _MARGIN - gaps) // max(1, count)))
    image, draw = _begun(title, _HEAD + row * count + gaps + _MARGIN)
    font = _font(max(_LEAST_SIZE, min(_SIZE, row - 6)))
    grouped = _GROUP if any(group.label for group in groups) else 0
    label = _LABEL if grouped else _WIDE_LABEL
    left = _MARGIN + grouped
    length = _WIDTH - left - label - _PERCENT - _MARGIN
    top = _HEAD
    for group in groups:
        draw.text((_MARGIN, top + row // 2), _fitted(draw, group.label, font, _GROUP - 12), TEXT, font, "lm")
        _draw_bars(draw, group.bars, font, (left, top, row), (label, length))
        top += row * len(group.bars) + _GAP
    return _png(image)


# --- every total --------------------------------------------------------------------------------------------


def _range(totals: Sequence[Distribution], marks: Sequence[int]) -> tuple[int, int]:
    """The totals that are shown: those that are not too rare, and the marks that are not too far from them."""
    low = min(int(each.percentile(_RARE)) for each in totals)
    high = max(int(each.percentile(1 - _RARE)) for each in totals)
    span = max(8, high - low)
    near = [mark for mark in marks if low - span <= mark <= high + span]
    return min([low, *near]) - 1, max([high, *near]) + 1


def _shares(totals: Distribution, low: int, high: int, step: int) -> list[float]:
    """How likely each column of `step` totals is; what lies beyond the range is too rare to show."""
    found = [0] * ((high - low) // step + 1)
    for total, ways in totals.weights.items():
        if low <= total <= high:
            found[(int(total) - low) // step] += ways
    return [ways / totals.ways for ways in found]


def odds_chart(title: str, dice: Sequence[Group], marks: Sequence[int], mark_name: str) -> bytes:
    """A row for each of the dice, with the totals of all on one axis; `marks` are lines down through them."""
    totals = [each.totals for each in dice if each.totals is not None]
    low, high = _range(totals, marks)
    left = _MARGIN + _SMALL_GROUP + _SMALL_LABEL + _SMALL_BAR + _SMALL_PERCENT + _MARGIN
    width = _WIDTH - _MARGIN - left
    step = -(-(high - low + 1) // (width // 2))
    count = (high - low) // step + 1
    rows = [max(_LEAST, _SMALL_ROW * len(each.bars)) for each in dice]
    head = _HEAD + _AXIS
    image, draw = _begun(title, head + sum(rows) + _APART * (len(dice) - 1) + _AXIS + _MARGIN // 2)
    font = _font(_SMALL)

    def across(total: float) -> float:
        return left + width * (total - low) / (step * count)

    shares = [_shares(each, low, high, step) for each in totals]
    highest = max(max(each) for each in shares)
    top = head
    for die, row, columns in zip(dice, rows, shares, strict=True):
        name = _fitted(draw, die.label, font, _SMALL_GROUP - 6)
        draw.text((_MARGIN, top + _SMALL_ROW // 2), name, TEXT, font, "lm")
        place = (_MARGIN + _SMALL_GROUP, top, _SMALL_ROW)
        _draw_bars(draw, die.bars, font, place, (_SMALL_LABEL, _SMALL_BAR))
        draw.rectangle((left, top, left + width, top + row), fill=TRACK)
        for index, share in enumerate(columns):
            total = low + index * step
            box = (across(total), top + row - row * share / highest, across(total + step) - 1, top + row)
            reached = not marks or total >= min(marks)
            if share and box[3] > box[1]:
                draw.rectangle((box[0], box[1], max(box[0], box[2]), box[3]), SHADES[0 if reached else 2])
        top += row + _APART
    bottom = top - _APART
    for mark in marks:
        if low <= mark <= high:
            x = across(mark)
            for y in range(head - 4, bottom, 6):
                draw.line((x, y, x, y + 3), fill=TEXT, width=1)
            draw.text((x, head - 6), str(mark), TEXT, font, "mb")
    under, over = ([mark for mark in marks if mark < low], [mark for mark in marks if mark > high])
    if under:
        draw.text((left, head - 6), f"< {max(under)}", TEXT, font, "lb")
    if over:
        draw.text((left + width, head - 6), f"{min(over)} >", TEXT, font, "rb")
    if marks:
        named = _fitted(draw, mark_name, font, _SMALL_PERCENT + _SMALL_BAR + _SMALL_LABEL)
        draw.text((left - 8, head - 6), named, QUIET, font, "rb")
    draw.text((left - 8, bottom + 5), "total", QUIET, font, "ra")
    for total in _ticks(low, high):
        draw.text((across(total + 0.5 * step), bottom + 5), str(total), QUIET, font, "ma")
    return _png(image)


def _ticks(low: int, high: int) -> list[int]:
    """Round totals to write below the axis, at most nine."""
    for apart in (1, 2, 5, 10, 20, 50, 100, 200, 500):
        found = [total for total in range(low, high + 1) if total % apart == 0]
        if len(found) <= 9:
            return found
    return [low, high]

"""Pictures of what comes out with each of several dice: bars of chances, and beside them every total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.pictures import (
    BACKGROUND,
    HEADING,
    MARGIN,
    QUIET,
    SHADES,
    TEXT,
    TRACK,
    WIDTH,
    Bar,
    fitted,
    font_of,
)
from rules.core.dice.odds import Distribution

_ROW: Final = 16
_SIZE: Final = 12
_NAME: Final = 64
_LABEL: Final = 108
_LENGTH: Final = 96
_PERCENT: Final = 62
_GAP: Final = 12
_AXIS: Final = 24
#: The least height of the columns beside the bars.
_LEAST: Final = 72
#: Totals rarer than this at either end are left out of the picture, unless a mark stands there.
_RARE: Final = Fraction(1, 2000)


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several dice: its name, its bars, and how likely each total is."""

    name: str
    bars: tuple[Bar, ...]
    totals: Distribution


def _range(panels: Sequence[Panel], marks: Sequence[int]) -> tuple[int, int]:
    """The totals that are shown: those that are not too rare, and the marks that are not too far from them."""
    low = min(int(panel.totals.percentile(_RARE)) for panel in panels)
    high = max(int(panel.totals.percentile(1 - _RARE)) for panel in panels)
    span = max(8, high - low)
    near = [mark for mark in marks if low - span <= mark <= high + span]
    return min([low, *near]) - 1, max([high, *near]) + 1


def _shares(panel: Panel, low: int, high: int, step: int) -> list[float]:
    """How likely each column of `step` totals is; what lies beyond the range is too rare to show."""
    found = [0] * ((high - low) // step + 1)
    for total, ways in panel.totals.weights.items():
        if low <= total <= high:
            found[(int(total) - low) // step] += ways
    return [ways / panel.totals.ways for ways in found]


def odds_chart(title: str, panels: Sequence[Panel], marks: Sequence[int], mark_name: str) -> bytes:
    """A row for each of the dice, with the totals of all on one axis; `marks` are lines down through them."""
    low, high = _range(panels, marks)
    left = MARGIN + _NAME + _LABEL + _LENGTH + _PERCENT + MARGIN
    width = WIDTH - MARGIN - left
    step = -(-(high - low + 1) // (width // 2))
    count = (high - low) // step + 1
    rows = [max(_LEAST, _ROW * len(panel.bars)) for panel in panels]
    head = MARGIN + HEADING + MARGIN + _AXIS
    height = head + sum(rows) + _GAP * (len(panels) - 1) + _AXIS + MARGIN // 2
    image = Image.new("RGB", (WIDTH, height), BACKGROUND)
    draw = ImageDraw.Draw(image)
    font = font_of(_SIZE)
    draw.text((MARGIN, MARGIN), title, fill=TEXT, font=font_of(HEADING))

    def across(total: float) -> float:
        return left + width * (total - low) / (step * count)

    shares = [_shares(panel, low, high, step) for panel in panels]
    highest = max(max(each) for each in shares)
    shown = [mark for mark in marks if low <= mark <= high]
    top = head
    for panel, row, columns in zip(panels, rows, shares, strict=True):
        draw.text((MARGIN, top + _ROW // 2), fitted(draw, panel.name, font, _NAME - 6), TEXT, font, "lm")
        _draw_bars(draw, panel.bars, top)
        draw.rectangle((left, top, left + width, top + row), fill=TRACK)
        for index, share in enumerate(columns):
            total = low + index * step
            box = (across(total), top + row - row * share / highest, across(total + step) - 1, top + row)
            reached = not marks or total >= min(marks)
            if share and box[3] > box[1]:
                draw.rectangle((box[0], box[1], max(box[0], box[2]), box[3]), SHADES[0 if reached else 2])
        top += row + _GAP
    bottom = top - _GAP
    for mark in shown:
        x = across(mark)
        for y in range(head - 4, bottom, 6):
            draw.line((x, y, x, y + 3), fill=TEXT, width=1)
        draw.text((x, head - 6), str(mark), TEXT, font, "mb")
    under, over = ([mark for mark in marks if mark < low], [mark for mark in marks if mark > high])
    if under:
        draw.text((left, head - 6), f"< {max(under)}", TEXT, font, "lb")
    if over:
        draw.text((left + width, head - 6), f"{min(over)} >", TEXT, font, "rb")
    named = fitted(draw, mark_name, font, _PERCENT + _LENGTH + _LABEL)
    if marks:
        draw.text((left - 8, head - 6), named, QUIET, font, "rb")
    draw.text((left - 8, bottom + 5), "total", QUIET, font, "ra")
    for total in _ticks(low, high):
        draw.text((across(total + 0.5 * step), bottom + 5), str(total), QUIET, font, "ma")
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _draw_bars(draw: ImageDraw.ImageDraw, bars: Sequence[Bar], top: int) -> None:
    font, left = font_of(_SIZE), MARGIN + _NAME
    for bar in bars:
        middle = top + _ROW // 2
        draw.text((left, middle), fitted(draw, bar.label, font, _LABEL - 8), QUIET, font, "lm")
        start = left + _LABEL
        draw.rectangle((start, top + 3, start + _LENGTH, top + _ROW - 3), fill=TRACK)
        filled = round(_LENGTH * min(Fraction(1), max(Fraction(0), bar.share)))
        if filled:
            shade = SHADES[bar.shade % len(SHADES)]
            draw.rectangle((start, top + 3, start + filled, top + _ROW - 3), fill=shade)
        draw.text((start + _LENGTH + 6, middle), bar.text, TEXT, font, "lm")
        top += _ROW


def _ticks(low: int, high: int) -> list[int]:
    """Round totals to write below the axis, at most nine."""
    for apart in (1, 2, 5, 10, 20, 50, 100, 200, 500):
        found = [total for total in range(low, high + 1) if total % apart == 0]
        if len(found) <= 9:
            return found
    return [low, high]

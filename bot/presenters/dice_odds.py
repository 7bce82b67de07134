"""The exact chances of an expression in words and as bars."""

from __future__ import annotations

from bisect import bisect
from fractions import Fraction
from itertools import accumulate
from typing import Final, NamedTuple

from bot.presenters.controls import Picture
from bot.presenters.dice import number_text
from bot.presenters.layout import Heading, Layout, Piece, laid
from bot.presenters.odds import PICTURE, chance_text
from bot.presenters.pictures import Bar, Group, bar_chart
from bot.presenters.text import plural, user_text
from rules.core.dice import Notation, parse
from rules.core.dice.notation import Dice
from rules.core.dice.odds import Distribution, distribution
from rules.core.dice.roll import Amount

#: More totals than these are put together into as many ranges, two of them for what is rare at both ends.
_ROWS: Final = 20
_RARE: Final = Fraction(1, 200)
_PERCENTILES: Final = (5, 25, 50, 75, 95)


class _Row(NamedTuple):
    """Totals from `low` to `high`: their chance, and that of `low` or more."""

    low: Amount
    high: Amount
    chance: Fraction
    at_least: Fraction


def _rows(found: Distribution) -> list[_Row]:
    """Each total, or ranges of the same width between the rare ends."""
    totals = list(found.weights)
    if len(totals) <= _ROWS:
        starts = totals
    else:
        low, high = int(found.percentile(_RARE)), int(found.percentile(1 - _RARE))
        width = -(-(high - low + 1) // (_ROWS - 2))
        starts = [*dict.fromkeys((totals[0], *range(low, high + 1, width), high + 1))]
    weights = dict.fromkeys(starts, 0)
    tops: dict[Amount, Amount] = {}
    for total, weight in found.weights.items():
        start = starts[bisect(starts, total) - 1]
        weights[start] += weight
        tops[start] = total
    sums = list(accumulate(reversed(weights.values())))[::-1]
    return [
        _Row(start, tops[start], Fraction(weight, found.ways), Fraction(more, found.ways))
        for (start, weight), more in zip(weights.items(), sums, strict=True)
        if start in tops
    ]


def _label(row: _Row) -> str:
    low, high = number_text(row.low), number_text(row.high)
    return low if row.low == row.high else f"{low} to {high}"


def _decimal(value: Fraction) -> str:
    text = f"{float(value):.2f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")


def _summary(notation: Notation, found: Distribution, rows: list[_Row]) -> list[str]:
    low, high = number_text(rows[0].low), number_text(rows[-1].high)
    lines: list[str] = []
    if notation.times > 1:
        lines.append(f"For each of the {notation.times} rolls:")
    lines.append(f"**Average:** {_decimal(found.mean)}; from {low} to {high}")
    spread = (f"{number_text(found.percentile(Fraction(share, 100)))} ({share}%)" for share in _PERCENTILES)
    lines.append(f"**This total or less:** {', '.join(spread)}")
    if isinstance(notation.root, Dice) and notation.root.successes is not None:
        lines.append("This counts successes.")
    return lines


def _left_out(found: Distribution) -> list[str]:
    if not found.left_out:
        return []
    bound = f"{int(1 / found.left_out):,}".replace(",", " ")
    return [
        "Exploding dice could go on forever. All totals left out here together have a chance of at most "
        f"1 in {bound}."
    ]


def _picture(rows: list[_Row]) -> Picture:
    highest = max(row.chance for row in rows)
    title = "Chance of each total" if all(row.low == row.high for row in rows) else "Chance of totals"
    bars = tuple(
        Bar(_label(row), row.chance / highest if highest else row.chance, chance_text(row.chance))
        for row in rows
    )
    told = ", ".join(f"{bar.label}: {bar.text.replace('%', ' percent')}" for bar in bars)
    return Picture(PICTURE, bar_chart(title, [Group("", bars)]), f"Bars. {title}. {told}.")


def dice_odds_card(text: str, *, draw: bool) -> Layout:
    """The chances of an expression; with `draw` also as a picture. Takes up to some seconds.

    Raises what `parse` and `distribution` raise.
    """
    notation = parse(text)
    found = distribution(notation)
    rows = _rows(found)
    lines = _summary(notation, found, rows)
    shown: list[Piece] = [_picture(rows)] if draw else []
    each = [
        f"- {_label(row)}: {chance_text(row.chance)}; {number_text(row.low)} or more: {chance_text(row.at_least)}"
        for row in rows
    ]
    many = plural(len(found.weights), "possible total")
    return laid(
        "own",
        f"Odds of {user_text(notation.text)}",
        *lines,
        *shown,
        Heading("Chance of each total, or more"),
        *each,
        *_left_out(found),
        small=f"Exact except for what is left out; {many}." if found.left_out else f"Exact; {many}.",
    )
